"""The sets on which hypotheses are 1, as values: population errors have closed forms for some of them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Indices


class Shape(ABC):
    """Subsets of R^d of one kind, k of them."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of sets, k."""

    @abstractmethod
    def contains(self, points: Points) -> Bools:
        """Whether each point lies in each set: (n, d) -> (k, n)."""


@dataclass(frozen=True, eq=False)
class Rays(Shape):
    """Sets {x_j >= t}, {x_j > t} (upper) or {x_j <= t}, {x_j < t} (not upper), closed or not; all arrays (k,)."""

    feature: Indices
    ends: Floats
    upper: Bools
    closed: Bools

    def __len__(self) -> int:
        return len(self.ends)

    def contains(self, points: Points) -> Bools:
        """By one comparison; a point at the end is in a closed ray."""
        x, ends = points.T[self.feature], self.ends[:, None]
        beyond = np.where(self.upper[:, None], x > ends, x < ends)
        return np.asarray(beyond | (self.closed[:, None] & (x == ends)))


@dataclass(frozen=True, eq=False)
class Boxes(Shape):
    """Sets {x: low_j <= x_j <= high_j for all j}, empty if a low_j > high_j; ends real or infinite, (k, d) each."""

    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.low)

    def contains(self, points: Points) -> Bools:
        """By two comparisons for each feature."""
        inside = np.ones((len(self.low), len(points)), bool)
        for x, low, high in zip(points.T, self.low.T, self.high.T, strict=True):
            inside &= (low[:, None] <= x) & (x <= high[:, None])
        return inside


@dataclass(frozen=True, eq=False)
class Complement(Shape):
    """The sets R^d without those of another shape."""

    of: Shape

    def __len__(self) -> int:
        return len(self.of)

    def contains(self, points: Points) -> Bools:
        """If the other set does not."""
        return ~self.of.contains(points)


@dataclass(frozen=True, eq=False)
class Outline:
    """What a picture shows of a function: halfspaces whose intersection has a label, and that label.

    halfspaces: (j, d + 1) rows (w, b), the points with w x + b >= 0.
    """

    halfspaces: Floats
    label: int


def rescaled(halfspaces: Floats, centre: ArrayLike, scale: ArrayLike) -> Floats:
    """Return halfspaces (j, d + 1) of z = (x - centre) / scale as halfspaces of x.

    >>> rescaled(np.array([[1.0, 0.0, -1.0]]), [5.0, 0.0], [2.0, 1.0]).tolist()
    [[0.5, 0.0, -3.5]]
    """
    weights = halfspaces[:, :-1] / np.asarray(scale)
    return np.column_stack([weights, halfspaces[:, -1] - weights @ np.asarray(centre)])
