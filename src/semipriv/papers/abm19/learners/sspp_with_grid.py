"""A_SSPP on the public points and a grid together: for public points that may be of another population."""

from typing import ClassVar

from semipriv.classes.base import HypothesisClass
from semipriv.core.fields import real, size, value
from semipriv.core.roles import Role
from semipriv.learners.base import Facts
from semipriv.learners.stages.cover import CoverWithGrid
from semipriv.learners.stages.fixed_grid import FixedGridStage
from semipriv.papers.abm19.learners.sspp import SSPP

__all__ = ["SSPPWithGrid"]


@value
class SSPPWithGrid(SSPP):
    """A_SSPP with the cover of the public points united with a grid of ``size`` points in each feature.

    A cover of public points alone cannot tell apart private points between which none of them lies, and no epsilon
    mends that.  A grid alone cannot tell apart those between two of its points.  Here each hypothesis of the class has
    a candidate that agrees with it on all public points and on all points of the grid.  The grid is declared, so
    nothing private decides the candidates: the draw is that of A_SSPP, and the release is pure epsilon-DP for every
    public sample.

    With K candidates from m public points, K' from both and VC dimension d,

        ln K' <= d ln(e (m + size^dimension) / d).

    The bound of theorem 3.1 holds with K' instead of K, since the candidates still cover all public points.  What the
    exponential mechanism may lose to the best candidate grows by 2 ln(K' / K) / (epsilon n_private); beside the grid
    alone it is the same with the number of its candidates as K.

    Args:
        epsilon: privacy parameter, finite and > 0.
        mechanism: 'exponential' (the paper's) or 'permute_and_flip' (same guarantee, never worse).
        representative: the place of each hypothesis in its cell: 'midpoint', 'lower' or 'upper'.
        low: least point of the grid in each feature.
        high: greatest point of the grid in each feature, > low.
        size: points of the grid in each feature.

    Raises:
        ValueError: for high <= low.

    Source:
        ABM19 algorithm 1, theorem 3.1, lemma 3.2; the union with a grid is ours.
    """

    hue: ClassVar[str] = "purple"
    facts: ClassVar[Facts] = Facts(bound_sizes={"n_public": 10**6, "n_private": 10**6})

    low: float = real(default=0.0)
    high: float = real(default=1.0)
    size: int = size(default=20)

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"high = {self.high!r}: must be > low = {self.low!r}")

    @classmethod
    def examples(cls) -> tuple["SSPPWithGrid", ...]:
        """Return one with four points in each feature."""
        return (cls(0.7, low=0.0, high=3.0, size=4),)

    @property
    def role(self) -> Role:
        """A variant of the paper's algorithm."""
        return Role.VARIANT

    @property
    def short_title(self) -> str:
        """That of A_SSPP, and the grid."""
        return f"{super().short_title} {'with' if self.mechanism == 'exponential' else 'and'} a grid"

    @property
    def public_stage(self) -> CoverWithGrid:
        """Steps 1 to 5, on the points of both."""
        return CoverWithGrid(self.representative, grid=FixedGridStage(self.low, self.high, self.size))

    def covered(self, n_public: int, hypothesis_class: HypothesisClass) -> int:
        """Return the number of points whose dichotomies are the candidates, at most.

        Args:
            n_public: number of public points.
            hypothesis_class: the class to learn.

        Returns:
            n_public and the points of the grid.
        """
        return n_public + self.size**hypothesis_class.dimension
