"""Baseline: private selection from a fixed, data-independent grid; no public data."""

from numpy.typing import ArrayLike

from semipriv.classes.base import Cover, Hypothesis
from semipriv.fields import positive, real, size, value
from semipriv.learners.base import FiniteOutput, Law, Learner
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.stages.fixed_grid import FixedGridStage

__all__ = ["FixedGrid"]


@value
class FixedGrid(Learner[Cover], FiniteOutput):
    """Exponential mechanism over the cover of the grid of ``size`` points a feature between low and high.

    Good if the marginal is known to be spread over the grid, useless if it hides between two grid points.
    """

    epsilon: float = positive()
    low: float = real(default=0.0)
    high: float = real(default=1.0)
    size: int = size(default=100)

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"high = {self.high!r}: must be > low = {self.low!r}")

    @classmethod
    def examples(cls) -> tuple["FixedGrid", ...]:
        """Return one over four points a feature."""
        return (cls(0.7, 0.0, 3.0, 4),)

    @property
    def role(self) -> Role:
        """Private without public data."""
        return Role.NO_PUBLIC

    @property
    def short_title(self) -> str:
        """What it selects from."""
        return "fixed grid"

    @property
    def remark(self) -> str:
        """What it does without."""
        return "no public data"

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon)

    @property
    def public_stage(self) -> FixedGridStage:
        """The cover of the grid."""
        return FixedGridStage(self.low, self.high, self.size)

    def release(
        self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Select by mistakes with the exponential mechanism."""
        chosen = ExponentialMechanism(self.epsilon).select(prepared.tally(points, labels), randomness)
        return Release(chosen, self.guarantee, {"cover_size": prepared.size})

    def law(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Return the probability of each hypothesis of the grid."""
        listed = prepared.listed()
        scores = -listed.mistakes(points, labels)
        return Law(listed.parameters, ExponentialMechanism(self.epsilon).log_probabilities(scores))
