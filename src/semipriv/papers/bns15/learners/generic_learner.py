"""GenericLearner: a sanitizer of unlabelled entries, then private selection by labels (BNS15 algorithm 1)."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import REPRESENTATIVES, Cover, Hypothesis, HypothesisClass
from semipriv.core import fields
from semipriv.core.deviation import deviation
from semipriv.core.entries import Entries
from semipriv.core.least import least_size
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import Points
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.base import Facts, FiniteOutput, ListedDistribution, Needed, Setting
from semipriv.learners.stages.nothing import NothingPrepared
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.net_exact import NetExact
from semipriv.papers.bns15.queries.sanitizers.strips import Strips
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.queries.sanitizers.base import FiniteSanitizer, Sanitizer

__all__ = ["GenericLearner"]


@fields.value
class GenericLearner(PartlyLabelledLearner, FiniteOutput):
    """Sanitize the unlabelled entries; of the released points take one hypothesis for each dichotomy; select by labels.

    The sanitizer is epsilon-DP in the unlabelled entries, the exponential mechanism in the labelled ones.  They are
    different people's, so that the whole is epsilon-DP for replacing one entry.

    Args:
        epsilon: privacy parameter, finite and > 0.
        sanitizer: a plug-in of queries/sanitizers.
        alpha: in (0, 1); sets the sizes alone: shares of symmetric differences are to be off by at most alpha / 5.
        beta: in (0, 1); sets the sizes alone: this may fail with probability beta / 5.
        size: number of released points; None: as many as the sanitizer wants for alpha / 5.
        n_unlabelled: number of entries that it reads, the first ones; None: as many as the sanitizer needs.
        representative: the place of each hypothesis in its cell: 'midpoint', 'lower' or 'upper'.

    Source:
        BNS15 algorithm 1, theorem 3.3.
    """

    hue: ClassVar[str] = "vermilion"
    set_by_plan: ClassVar[Mapping[str, Any]] = MappingProxyType({"alpha": 0.2, "beta": 0.2, "n_unlabelled": None})
    facts: ClassVar[Facts] = replace(
        PartlyLabelledLearner.facts,
        others={"sanitizer": {"name": "net_exact", "domain": [[float(x)] for x in range(8)]}},
        unseen=("alpha", "beta"),  # they set sizes that the examples give
    )

    epsilon: float = fields.positive()
    sanitizer: Sanitizer = fields.plug_in("queries/sanitizers", Sanitizer)
    alpha: float = fields.between(0, 1, default=0.2)
    beta: float = fields.between(0, 1, default=0.2)
    size: int | None = fields.size(optional=True, default=None)
    n_unlabelled: int | None = fields.size(0, optional=True, default=None)
    representative: str = fields.one_of(REPRESENTATIVES, "generic_learner", default="midpoint")

    @classmethod
    def examples(cls) -> tuple["GenericLearner", ...]:
        """Return one with each kind of sanitizer, of few released points and entries."""
        return (
            cls(1.0, Net(), size=2, n_unlabelled=1),
            cls(0.5, NetExact([[float(x)] for x in range(8)]), size=1, n_unlabelled=1, representative="lower"),
            cls(1.0, Strips(), size=1, n_unlabelled=1),
        )

    role = Role.PAPER
    short_title = "GenericLearner"

    @property
    def remark(self) -> str:
        """The remark that names the sanitizer, and what it realises."""
        return f"{self.sanitizer.short_title} ({self.sanitizer.theorem})"

    @property
    def guarantee(self) -> Guarantee:
        """The sanitizer's guarantee for the unlabelled entries; the labelled ones have (epsilon, 0)."""
        return self.sanitizer.guarantee(self.epsilon)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Refuse a class for which the sanitizer cannot release points."""
        self.sanitizer.check(hypothesis_class)

    # ------------------------------------------------------------------ sizes
    def released(self, hypothesis_class: HypothesisClass) -> int:
        """Return how many points are released.

        Args:
            hypothesis_class: the class to learn.

        Returns:
            The number of points, those that are equal counted each.
        """
        return self.size if self.size is not None else self.sanitizer.points_wanted(hypothesis_class, self.alpha / 5)

    def unlabelled_needed(self, n_labelled: int, hypothesis_class: HypothesisClass) -> int:
        """Return how many entries it reads, whatever the number of labels.

        Raises:
            ValueError: unless n_unlabelled is given, for a sanitizer that has no size with a proof.
        """
        if self.n_unlabelled is not None:
            return self.n_unlabelled
        size = self.released(hypothesis_class)
        needed = self.sanitizer.needed(hypothesis_class, size, self.epsilon, self.alpha / 5, self.beta / 5)
        if needed is None:
            raise ValueError(f"n_unlabelled: must be given, {self.sanitizer!r} has no size with a proof")
        return needed

    def labelled_needed(self, hypothesis_class: HypothesisClass) -> int:
        """Return ceil((10 / (alpha epsilon)) ln(5 |H| / beta)): a draw is off the best by at most alpha / 5.

        |H| <= growth(k).  Off by more than alpha / 5 with probability at most beta / 5, for each sample: proposition
        A.1.

        Args:
            hypothesis_class: the class to learn.

        Returns:
            The number of labelled examples.

        Source:
            BNS15 theorem 3.3, proposition A.1.
        """
        hypotheses = hypothesis_class.growth(self.released(hypothesis_class))
        return math.ceil(10 / (self.alpha * self.epsilon) * math.log(5 * hypotheses / self.beta))

    def needed(self, alpha: float, setting: Setting) -> Needed:
        """Return the sizes of theorem 3.3 with explicit constants, for any labels; the paper's are for a target.

        Shares of symmetric differences are off by at most alpha/5 on the released points (the sanitizer's size), and so
        are the masses of those with the best concept (theorem 9 of BBD24, n_unlabelled): some released hypothesis has
        an excess of 2 alpha/5.  The draw is off by alpha/5 more (``labelled_needed``), and errors on labelled examples
        by alpha/5, up and down (Hoeffding).  Each fails with probability at most beta/5.
        """
        h, part = setting.hypothesis_class, setting.beta / 5
        learner = fields.changed(self, alpha=alpha, beta=setting.beta, n_unlabelled=None)
        shares = learner.unlabelled_needed(0, h)
        masses = least_size(lambda n: float(deviation(n, h.growth, part) > alpha / 5), 0.5)
        hypotheses = h.growth(learner.released(h))
        errors = math.ceil(math.log(2 * hypotheses / part) / (2 * (alpha / 5) ** 2))
        sizes = {"n_labelled": max(learner.labelled_needed(h), errors), "n_unlabelled": max(shares, masses)}
        learner = fields.changed(learner, n_unlabelled=sizes["n_unlabelled"])
        return Needed(sizes, learner, "BNS15 theorem 3.3, explicit", "every distribution")

    # ------------------------------------------------------------------ the release
    def check_release(self, prepared: NothingPrepared, n_private: int) -> None:
        """Refuse more points than the sanitizer can release."""
        super().check_release(prepared, n_private)
        self.sanitizer.check_size(prepared.hypothesis_class, self.released(prepared.hypothesis_class))

    def release(
        self,
        prepared: NothingPrepared,
        points: ArrayLike,
        labels: ArrayLike,
        randomness: Randomness,
        unlabelled: Entries | None = None,
    ) -> Release[Hypothesis]:
        """Release points for the first entries, then draw a hypothesis by its mistakes."""
        h = prepared.hypothesis_class
        cover = self.candidates(h, self.sanitized(h, len(np.asarray(labels)), unlabelled, randomness))
        chosen = ExponentialMechanism(self.epsilon).select(cover.tally(points, labels), randomness)
        return Release(chosen, self.guarantee, randomness.source, {"cover_size": cover.size})

    def output_distribution(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, unlabelled: Entries | None = None
    ) -> ListedDistribution:
        """Mix the distributions of the draw over all releases of the sanitizer.

        Args:
            prepared: what ``prepare`` returned: nothing is public.
            points: (n, d) labelled private points.
            labels: (n,) their labels in {0, 1}.
            unlabelled: unlabelled private entries; None: there are none.

        Raises:
            ValueError: for a sanitizer that does not list its releases.
        """
        if not isinstance(self.sanitizer, FiniteSanitizer):
            raise ValueError(f"{self.sanitizer!r} has no finite output distribution to enumerate")
        h = prepared.hypothesis_class
        entries = self._read(h, len(np.asarray(labels)), unlabelled)
        parameters, logs = [], []
        for released, log in self.sanitizer.output_distribution(entries, h, self.released(h), self.epsilon):
            listed, mistakes = _cover(h, self.representative, released.tobytes()).listed_mistakes(points, labels)
            parameters.append(listed.parameters)
            logs.append(log + ExponentialMechanism(self.epsilon).log_probabilities(-mistakes))
        return ListedDistribution(np.concatenate(parameters), np.concatenate(logs))

    def _read(self, hypothesis_class: HypothesisClass, n_labelled: int, unlabelled: Entries | None) -> Points:
        """Return the entries that are read."""
        self.check_sizes(n_labelled, unlabelled.n if unlabelled else 0, hypothesis_class)
        if unlabelled is None:
            return np.empty((0, hypothesis_class.dimension))
        return unlabelled.reader().take(self.unlabelled_needed(n_labelled, hypothesis_class))

    def sanitized(
        self, hypothesis_class: HypothesisClass, n_labelled: int, unlabelled: Entries | None, randomness: Randomness
    ) -> Points:
        """Carry out step 1: release points for the first unlabelled entries.

        Args:
            hypothesis_class: the class to learn.
            n_labelled: number of labelled private examples.
            unlabelled: unlabelled private entries; None: there are none.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            The released points (k, d).
        """
        entries = self._read(hypothesis_class, n_labelled, unlabelled)
        return self.sanitizer.sanitize(
            entries, hypothesis_class, self.released(hypothesis_class), self.epsilon, randomness
        )

    def candidates(self, hypothesis_class: HypothesisClass, released: Points) -> Cover:
        """Carry out steps 2 and 3: make the cover of the released points.

        Args:
            hypothesis_class: the class to learn.
            released: (k, d) released points.

        Returns:
            A hypothesis for each dichotomy of the distinct ones.
        """
        return hypothesis_class.cover(released, self.representative)


@lru_cache(1_024)
def _cover(hypothesis_class: HypothesisClass, representative: str, released: bytes) -> Cover:
    """Return the cover of points, given as their bytes: an exact distribution asks for those of few sets many times."""
    points = np.frombuffer(released).reshape(-1, hypothesis_class.dimension)
    return hypothesis_class.cover(points, representative)
