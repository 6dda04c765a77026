"""Baseline: private selection with the cover of a fixed grid that does not depend on data; no public data."""

from functools import cached_property
from typing import ClassVar

from semipriv.classes.base import Cover
from semipriv.core.fields import positive, real, size, value
from semipriv.core.roles import Role
from semipriv.learners._selecting import Selecting
from semipriv.learners.stages.base import UnlabelledStage
from semipriv.learners.stages.fixed_grid import FixedGridStage
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.guarantee import Guarantee

__all__ = ["FixedGrid"]


@value
class FixedGrid(Selecting[Cover]):
    """Exponential mechanism over the cover of a grid with ``size`` points in each feature, from low to high.

    It learns well if the marginal is spread over the grid, and nothing if the marginal lies between two grid points.

    Args:
        epsilon: privacy parameter, finite and > 0.
        low: least point of each feature.
        high: greatest point of each feature, > low.
        size: points in each feature.

    Raises:
        ValueError: for high <= low.
    """

    hue: ClassVar[str] = "green"

    epsilon: float = positive()
    low: float = real(default=0.0)
    high: float = real(default=1.0)
    size: int = size(default=100)

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"high = {self.high!r}: must be > low = {self.low!r}")

    @classmethod
    def examples(cls) -> tuple["FixedGrid", ...]:
        """Return one with four points in each feature."""
        return (cls(0.7, 0.0, 3.0, 4),)

    role = Role.NO_PUBLIC
    short_title = "fixed grid"

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon)

    @property
    def public_stage(self) -> UnlabelledStage[Cover]:
        """The stage that makes the cover of the grid."""
        return FixedGridStage(self.low, self.high, self.size)

    @cached_property
    def selection(self) -> ExponentialMechanism:
        """The exponential mechanism."""
        return ExponentialMechanism(self.epsilon)
