"""The exponential mechanism over a whole class (BNS15 algorithm 5), the learner of Kasiviswanathan et al."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass, Tally
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.fields import positive, value
from semipriv.learners.base import Learner
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.stages.nothing import Nothing, NothingPrepared

__all__ = ["AllConcepts"]


@value
class AllConcepts(Learner[NothingPrepared]):
    """Draws a concept of a finite class by its mistakes.

    epsilon: finite and > 0.
    """

    epsilon: float = positive()

    @classmethod
    def examples(cls) -> tuple["AllConcepts", ...]:
        """Return one."""
        return (cls(1.0),)

    @property
    def role(self) -> Role:
        """The role of learning without public data."""
        return Role.NO_PUBLIC

    @property
    def short_title(self) -> str:
        """What it selects from."""
        return "all concepts"

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0)."""
        return Guarantee(self.epsilon, 0.0, Neighbours.REPLACE_ENTRY)

    @property
    def public_stage(self) -> Nothing:
        """No public data."""
        return Nothing()

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError for a class that is not finite."""

    def tally(self, hypothesis_class: HypothesisClass, points: ArrayLike, labels: ArrayLike) -> Tally:
        """Return the mistakes of all concepts."""
        if isinstance(hypothesis_class, DiscreteThresholds):
            return hypothesis_class.tally(points, labels)
        domain = hypothesis_class.example_points
        assert domain is not None
        return hypothesis_class.cover(np.asarray(domain)).tally(points, labels)

    def release(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Draw a concept."""
        found = ExponentialMechanism(self.epsilon)
        tally = self.tally(prepared.hypothesis_class, points, labels)
        chosen = tally.draw(found.rate, randomness)
        return Release(chosen, self.guarantee, randomness.source, {})
