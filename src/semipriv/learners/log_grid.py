"""Baseline: private selection with the cover of a grid of equal ratios; no public data, and no knowledge of a scale."""

from typing import ClassVar

from semipriv.core.fields import size, value
from semipriv.learners.base import Facts
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.learners.stages.fixed_grid import LogGridStage

__all__ = ["LogGrid"]


@value
class LogGrid(FixedGrid):
    """Exponential mechanism over the cover of a grid whose ``size`` points in each feature grow by equal ratios.

    Where only orders of magnitude are known, it needs few points.

    Args:
        low: least point of each feature, > 0.
        high: greatest point of each feature, > low.
        linear: how many of the last features have points of equal steps from low to high instead.

    Raises:
        ValueError: for low <= 0, for high <= low, and for a class with fewer than ``linear`` features.
    """

    hue: ClassVar[str] = "sky"

    linear: int = size(0, default=0)

    facts: ClassVar[Facts] = Facts(others={"low": 0.25, "linear": 1})

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.low <= 0:
            raise ValueError(f"low = {self.low!r}: must be > 0, the grid grows from it by equal ratios")

    @classmethod
    def examples(cls) -> tuple["LogGrid", ...]:
        """Return one with equal ratios in each feature, and one with equal steps in the last."""
        return cls(0.7, 0.5, 2.0, 3), cls(0.7, 0.5, 2.0, 3, 1)

    short_title = "logarithmic grid"

    @property
    def public_stage(self) -> LogGridStage:
        """The stage that makes the cover of the grid."""
        return LogGridStage(self.low, self.high, self.size, self.linear)
