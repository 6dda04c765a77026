"""Grids of integers fixed in advance, on which signs of determinants are exact."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.registry import check_name
from semipriv.core.samples import Points, as_points
from semipriv.core.types import Floats, Integers

__all__ = ["Grid", "Integers", "bits"]


_FINEST = 20


def bits(dimension: int) -> int:
    """Return the binary digits of a coordinate in dimension d: the most, up to 20, with d! 2^{d bits} <= 2^53.

    A determinant of d rows of differences of grid points is at most d! 2^{d bits}, and so are the value at a grid point
    of the hyperplane through d grid points, each of its terms and its offset: 64-bit integers and floats are exact.

    >>> [bits(d) for d in (1, 2, 3, 4, 5)]
    [20, 20, 16, 12, 9]
    """
    return min(_FINEST, math.floor((53 - math.log2(math.factorial(dimension))) / dimension))


def _ends(name: str, given: Any) -> tuple[float, ...]:
    ends = checks.listing(f"grid.{name}", list(np.atleast_1d(given).tolist()))
    return tuple(checks.real(f"grid.{name}[{j}]", end) for j, end in enumerate(ends))


@value
class Grid:
    """Feature j rounded to one of 2^bits + 1 equidistant values from low_j to high_j, numbered from 0.

    The grid is fixed before any data are seen.  A point outside is moved to the nearest value of each feature; where a
    record is moved depends on that record alone.

    Args:
        low: (d,) finite numbers, the least value of each feature.
        high: (d,) finite numbers, the greatest ones, high_j > low_j.

    Raises:
        ValueError: for ends of different lengths, that are not in order or infinitely far apart, and for a dimension
            without an exact grid.
    """

    low: tuple[float, ...] = checked(_ends)
    high: tuple[float, ...] = checked(_ends)

    def __attrs_post_init__(self) -> None:
        if not self.low or len(self.low) != len(self.high):
            raise ValueError(
                f"grid: low and high must have one number a feature, got {len(self.low)}, {len(self.high)}"
            )
        for j, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            if not low < high or not math.isfinite(high - low):
                raise ValueError(f"grid: high[{j}] = {high!r}: must be > low[{j}] = {low!r}, at a finite distance")
        if bits(len(self.low)) < 1:
            raise ValueError(f"grid: no exact grid in dimension {len(self.low)}")

    @classmethod
    def unit(cls, dimension: int) -> "Grid":
        """Return the grid of step 1 from -2^{bits - 1} to 2^{bits - 1}: integers in that range keep their values.

        Args:
            dimension: number of features.

        Returns:
            The grid.
        """
        return _unit(dimension)

    @classmethod
    def from_config(cls, specification: Any) -> "Grid":
        """Build from a grid, or from {"low": [...], "high": [...]}.

        Args:
            specification: the grid, or the mapping.

        Returns:
            The grid.

        Raises:
            ValueError: for unknown or missing keys.
        """
        if isinstance(specification, cls):
            return specification
        for key in checks.mapping("grid", specification):
            check_name("key of a grid", key, ["high", "low"])
        for key in ("low", "high"):
            if key not in specification:
                raise ValueError(f"grid: needs {key}")
        return cls(specification["low"], specification["high"])

    @property
    def dimension(self) -> int:
        """Number of features."""
        return len(self.low)

    @property
    def steps(self) -> int:
        """2^bits, the largest number of a value."""
        return 2 ** bits(self.dimension)

    def place(self, points: ArrayLike) -> Integers:
        """Return the numbers of the nearest values, ties to the even one.

        Args:
            points: (n, d).

        Returns:
            (n, d) int64 in [0, 2^bits].

        Examples:
            >>> Grid((0.0, 0.0), (1.0, 8.0)).place([[0.5, 2.0], [-3.0, 9.0]]).tolist()
            [[524288, 262144], [0, 1048576]]
        """
        columns = np.ascontiguousarray(as_points(points, self.dimension).T)  # few features: rows are slow to go along
        placed = self._placed(columns, np.array(self.low)[:, None], np.array(self.high)[:, None])
        return np.ascontiguousarray(placed.T)

    def _placed(self, values: Floats, low: Any, high: Any) -> Integers:
        return np.rint((np.clip(values, low, high) - low) / (high - low) * self.steps).astype(np.int64)

    def points(self, places: ArrayLike) -> Points:
        """Return the grid points of given numbers.

        Args:
            places: (n, d) in [0, 2^bits].

        Returns:
            (n, d).
        """
        low, high = np.array(self.low), np.array(self.high)
        return low + np.asarray(places, np.float64) / self.steps * (high - low)

    def first(self, feature: int, places: Integers) -> Floats:
        """Return the least float placed at each number of a feature or above; -inf for <= 0, inf for > 2^bits.

        Args:
            feature: number of the feature, from 0.
            places: numbers of values, of any shape.

        Returns:
            Floats, of the shape of places.
        """
        places = np.asarray(places)
        border = self._border(feature, places - 1)[1]
        return np.where(places <= 0, -np.inf, np.where(places > self.steps, np.inf, border))

    def last(self, feature: int, places: Integers) -> Floats:
        """Return the greatest float placed at each number of a feature or below; inf for >= 2^bits, -inf for < 0.

        Args:
            feature: number of the feature, from 0.
            places: numbers of values, of any shape.

        Returns:
            Floats, of the shape of places.
        """
        places = np.asarray(places)
        border = self._border(feature, places)[0]
        return np.where(places >= self.steps, np.inf, np.where(places < 0, -np.inf, border))

    def _border(self, feature: int, places: Integers) -> tuple[Floats, Floats]:
        """Return neighbouring floats, the first placed at a number or below, the second above it.

        Numbers are moved into [0, 2^bits).  Rounding is monotone, so that halving an interval finds the floats: one
        around the middle between two numbers, or the whole of the feature should they not be in it.
        """
        places = np.clip(places, 0, self.steps - 1)
        low, high = self.low[feature], self.high[feature]
        near, around = low + (places + 0.5) / self.steps * (high - low), 2.0**-50 * max(abs(low), abs(high), high - low)
        below, above = (np.clip(near + by, low, high) for by in (-around, around))
        below = np.where(self._placed(below, low, high) <= places, below, low)
        above = np.where(self._placed(above, low, high) <= places, high, above)
        while True:
            middle = below + (above - below) / 2
            open_ = (middle > below) & (middle < above)
            if not open_.any():
                return below, above
            under = self._placed(middle, low, high) <= places
            below, above = np.where(open_ & under, middle, below), np.where(open_ & ~under, middle, above)


@lru_cache(16)
def _unit(dimension: int) -> Grid:
    half = float(2 ** (bits(dimension) - 1))
    return Grid((-half,) * dimension, (half,) * dimension)
