"""What ``semipriv new`` writes: the shortest files that ``semipriv check`` passes, each with something to replace.

``NAME`` stands for the name that is given, ``TYPE`` for that of a type; ``FOLDER`` and ``PAPER`` for folder and
id of a paper, which have no _.
"""

from collections.abc import Mapping

_LEARNER = '''\
"""NAME: replace this line by what the learner does, and with which guarantee."""

from semipriv.classes.base import Cover
from semipriv.core.fields import positive, value
from semipriv.core.roles import Role
from semipriv.learners.base import FiniteOutput, Learner, ListedDistribution
from semipriv.learners.stages.cover import CoverStage
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["TYPE"]


@value
class TYPE(Learner[Cover], FiniteOutput):
    """The exponential mechanism over the cover of the public points: replacing an example moves a score by 1.

    Args:
        epsilon: of the guarantee, > 0.
    """

    epsilon: float = positive()
    role = Role.VARIANT
    short_title = "NAME"
    public_stage = CoverStage("upper")  # what is made of public data; it gets no private row

    @classmethod
    def examples(cls):
        """Return values on which the properties are checked."""
        return cls(1.0), cls(0.3)

    @property
    def guarantee(self):
        """Replacing one private row: say here what you have proven, and nothing more."""
        return Guarantee(self.epsilon)

    @property
    def mechanism(self):
        """The only door to private rows."""
        return ExponentialMechanism(self.epsilon)

    def release(self, prepared, points, labels, randomness):
        """Draw a hypothesis by the mistakes of each on private examples."""
        chosen = self.mechanism.select(prepared.tally(points, labels), randomness)
        return Release(chosen, self.guarantee, randomness.source)

    def output_distribution(self, prepared, points, labels):
        """Return the probability of each output, by which privacy is enumerated."""
        listed, mistakes = prepared.listed_mistakes(points, labels)
        return ListedDistribution(listed.parameters, self.mechanism.log_probabilities(-mistakes))
'''

_CLASS = '''\
"""NAME: replace this line by what the hypotheses are."""

import itertools

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core import fields

__all__ = ["TYPE"]


@fields.value
class TYPE(HypothesisClass):
    """h_i(x) = 1[x_i > 0], with one parameter, i = 0, ..., dimension - 1.

    Args:
        dimension: number of features, >= 1.
    """

    dimension: int = fields.size()

    @classmethod
    def examples(cls):
        """Return values on which the properties are checked."""
        return [cls(1), cls(2), cls(3)]

    width = 1  # numbers that name a hypothesis

    @property
    def vc_dimension(self):
        """Return floor(log2(dimension)), as m points are shattered by 2^m features."""
        return self.dimension.bit_length() - 1

    @property
    def dual_vc_dimension(self):
        """Return that of points as functions of hypotheses."""
        return self.dimension

    @property
    def littlestone_dimension(self):
        """Return the VC dimension, which 2^d hypotheses at least reach."""
        return float(self.vc_dimension)

    def growth(self, m):
        """Return a bound on the labellings of m points."""
        return min(self.dimension, 2**m)

    def predict(self, parameters, points):
        """Return labels (k, n) of hypotheses (k, width) on points (n, dimension)."""
        return self.validated(points).T[np.asarray(parameters, int)[:, 0]] > 0

    def _representatives(self, points, representative):
        """Return one hypothesis for each labelling of the points."""
        patterns = np.vstack([points > 0, np.zeros((1, self.dimension), bool)])
        return np.sort(np.unique(patterns, axis=1, return_index=True)[1])[:, None].astype(float)

    def representative_domain(self, parameters):
        """Return points on which hypotheses that differ anywhere differ."""
        known = np.unique(parameters).astype(int)
        signs = list(itertools.product([-1.0, 1.0], repeat=len(known)))
        points = -np.ones((len(signs), self.dimension))
        points[:, known] = signs
        return points
'''

_EXPERIMENT = """\
# Every key: `semipriv docs configuration`.  Replace the distribution, the sizes and the learners by yours.
description: NAME, the excess error against the number of private rows.
kind: simulation
class: {name: thresholds}
distribution:
  marginal: {name: uniform}
  labeling: {name: realizable, target: 0.4}
n_public: 100
n_private: 1000
trials: 20
learners:
  - {name: sspp, epsilon: 1}
  - {name: empirical_risk_minimiser}
sweep:
  n_private: [100, 1000]
figures:
  - {name: excess, headline: 'More private rows help', x: n_private}
"""

_TITLE = '''\
"""NAME: replace this line by the title.

Replace this paragraph by what the paper is about.
"""
'''

_CLAIMS = """\
claim,kind,statement,domain,proof
PAPER-E1,exact,randomized response answers truly with odds of at most exp(epsilon),epsilon > 0,"arithmetic"
"""

_STUDIES = """\
study,claims,figure,seconds
NAME,PAPER-E1,,
"""

_STUDY = '''\
"""Claim PAPER-E1: replace this line by what is measured."""

import math

from semipriv_lab.ledger.claim import Table, claim

EPSILONS = (0.5, 1.0, 2.0)
LOSS = "logarithm of the odds"


@claim("PAPER-E1", "randomized response at three values of epsilon", shown=LOSS)
def loss(table: Table) -> str:
    """Compare the loss of a true answer with epsilon: exact, so there are no trials."""
    for epsilon in EPSILONS:
        honest = 1 / (1 + math.exp(-epsilon))
        table.at_most(LOSS, {"epsilon": epsilon}, math.log(honest / (1 - honest)), epsilon, rounding=1e-12)
    return "no true answer has greater odds at any epsilon"
'''

FILES: Mapping[str, Mapping[str, str]] = {
    "learner": {"learners/NAME.py": _LEARNER},
    "class": {"classes/NAME.py": _CLASS},
    "experiment": {"experiments/NAME.yaml": _EXPERIMENT},
    "study": {
        "papers/FOLDER/__init__.py": _TITLE,
        "papers/FOLDER/claims.csv": _CLAIMS,
        "papers/FOLDER/studies.csv": _STUDIES,
        "papers/FOLDER/studies/NAME.py": _STUDY,
    },
}
"""By kind: files below a plug-in folder.  The last one is what ``semipriv check`` is given."""
