"""What every distribution of the privacy status offers."""

from abc import ABC, abstractmethod

from semipriv.core.samples import Labels, Points, StatusModel
from semipriv.core.types import Floats


class StatusDistribution(ABC):
    """Conditional distribution of the privacy status: P[private | x, y], fixed (BMN20 section 3)."""

    @property
    @abstractmethod
    def model(self) -> StatusModel:
        """The narrowest model whose pairs of label and status are all that can occur."""

    @abstractmethod
    def probability(self, points: Points, labels: Labels) -> Floats:
        """Return P[private | x, y] of each example: (n, d), (n,) -> (n,)."""

    @property
    def of_zeros(self) -> float | None:
        """P[private | y = 0] if it is the same for all points; else None."""
        return None
