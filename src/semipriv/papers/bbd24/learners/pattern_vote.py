"""A vote over parts of the private sample, private whatever the oracle does (BBD24, robust oracles)."""

import warnings
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass
from semipriv.core.fields import between, named, positive, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import Labels, Points, as_labels
from semipriv.learners.base import Facts, Learner
from semipriv.learners.oracles.base import Oracle, oracle
from semipriv.mechanisms.stable_vote import StableVote
from semipriv.papers.bbd24.learners.rrspm import canonical
from semipriv.papers.bbd24.stages.weighted_points import WeightedPoints, WeightedPointsPrepared
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["PatternVote"]

_Pattern = tuple[bool, ...]


@value
class PatternVote(Learner[WeightedPointsPrepared]):
    """Each part of the private sample votes for a pattern of the public points; a winner by far is released.

    The sample is split by index into ``parts``; on each an oracle, exact or a heuristic, minimises the mistakes alone,
    and the pattern of what it finds is the vote.  Replacing an example changes one vote, whatever the oracle does: it
    may err, fail, or be wrong on purpose, as long as it keeps nothing from one part to the next.  If no pattern wins by
    enough (``StableVote``), the canonical hypothesis without public points is released.  (epsilon, delta)-DP.

    Few public points make votes agree.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: in (0, 1).
        parts: number of parts, each with one vote.
        oracle: name of the oracle that minimises mistakes, exact or a heuristic.

    Source:
        BBD24, robust oracles.
    """

    hue: ClassVar[str] = "purple"
    facts: ClassVar[Facts] = Facts(distribution_is_listed=False, unseen=("oracle", "parts"))

    epsilon: float = positive()
    delta: float = between(0, 1)
    parts: int = size(default=100)
    oracle: str = named("oracles", default="linear_svm")

    @classmethod
    def examples(cls) -> tuple["PatternVote", ...]:
        """Return one that three parts can convince, with an oracle for every class."""
        return (cls(20.0, 0.01, 3, "exact"),)

    role = Role.VARIANT

    @property
    def short_title(self) -> str:
        """What it does, and whom it asks."""
        return f"vote of {self.parts} parts ({self.oracle.replace('_', ' ')})"

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private example."""
        return Guarantee(self.epsilon, self.delta)

    public_stage = WeightedPoints("all", False)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that the oracle can minimise over a class."""
        oracle(self.oracle).check(hypothesis_class)

    def release(
        self, prepared: WeightedPointsPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Ask the oracle once for each part, count, and release the winner's canonical hypothesis."""
        h = prepared.hypothesis_class
        x = h.validated(points)
        y = as_labels(labels, len(x))
        asked = type(oracle(self.oracle))  # an oracle of its own for each part: none remembers another part
        votes = [vote(prepared, x[k :: self.parts], y[k :: self.parts], asked()) for k in range(self.parts)]
        won = StableVote(self.epsilon, self.delta).winner(votes, randomness)
        chosen = Hypothesis(h, h.nearest(x[:0], y[:0])) if won is None else canonical(prepared, np.array(won, bool))
        return Release(chosen, self.guarantee, randomness.source, {"oracle_calls": float(self.parts)})


def vote(prepared: WeightedPointsPrepared, points: Points, labels: Labels, asked: Oracle) -> _Pattern | None:
    """Return the pattern that an oracle finds on a part; None if it fails, in whatever way, without a word."""
    m = len(prepared.points)
    try:
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            labelled = asked.labels(
                prepared.hypothesis_class,
                np.concatenate([prepared.points, points]),
                np.concatenate([np.zeros(m, np.int8), labels]),
                np.concatenate([np.zeros(m), np.ones(len(labels))]),
            )
        return tuple(np.asarray(labelled, bool)[:m].tolist())
    except Exception:  # in any way, on private data: nobody is told
        return None
