"""Point functions: indicators of single points."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes._ranks import ranks
from semipriv.classes.base import LISTED_DOMAIN, MOST_EXAMPLES, HypothesisClass, Minimum, Predictions, check_listing
from semipriv.core import estimates, fields
from semipriv.core.functions import Parameters
from semipriv.core.samples import Labels, Points, as_points, distinct
from semipriv.core.types import Floats, Integers
from semipriv.core.work import Cost

__all__ = ["PointFunctions"]

_MOST_BITS = 53


@fields.value
class PointFunctions(HypothesisClass):
    """h_c(x) = 1[x = c], c a point of the domain: R^d, or {0, ..., 2^bits - 1}^d where bits is given, 1 to 53.

    Parameters (c_1, ..., c_d).  POINT_d, over {0, 1}^d, is ``PointFunctions(d, bits=1)``.  VC dimension, dual VC
    dimension and Littlestone dimension 1.

    The zero function does not belong to the class.  It is, on public points that are not the whole domain, the
    indicator of a point elsewhere: g distinct public points have g + 1 dichotomies, and g if they are the domain.  That
    point is, of a discrete domain, the first in lexicographic order that is not public; of R^d, (t, 0, ..., 0) with t
    the next float above the largest first coordinate (above an earlier one, should that be the largest float; 0 without
    public points).  The three words for representatives give the same ones.

    Args:
        dimension: d, number of features.
        bits: binary digits of a feature, 1 to 53; None: features are real.

    Source:
        BNS15, POINT_d.
    """

    dimension: int = fields.size(default=1)
    bits: int | None = fields.size(
        most=_MOST_BITS, why="what a float holds: take more features", optional=True, default=None
    )

    @classmethod
    def examples(cls) -> "Sequence[PointFunctions]":
        """Return those of R^d, and of discrete domains of up to 64 points."""
        return [
            *(PointFunctions(d) for d in (1, 2, 3)),
            *(PointFunctions(d, bits) for d, bits in ((1, 1), (1, 3), (2, 1), (2, 2), (6, 1))),
        ]

    @property
    def example_points(self) -> Points | None:
        """The first 64 points of a discrete domain."""
        if self.bits is None:
            return None
        return _first_points(min(2 ** (self.bits * self.dimension), 64), self.dimension, self.bits)

    @property
    def whole_domain(self) -> Points | None:
        """All points of a discrete domain, if they are few."""
        size = self._domain_size
        return None if size is None or size > LISTED_DOMAIN else _first_points(size, self.dimension, self.bits or 1)

    @property
    def _domain_size(self) -> int | None:
        """Number of points of a discrete domain; None for R^d."""
        return None if self.bits is None else 2 ** (self.bits * self.dimension)

    @property
    def width(self) -> int:
        """d: the point."""
        return self.dimension

    vc_dimension = 1
    """1: no hypothesis holds two points."""
    dual_vc_dimension = 1
    """1: no point is held by two hypotheses."""
    littlestone_dimension = 1.0
    """1: a learner that predicts 0 until its first mistake makes no other."""

    def growth(self, m: int) -> int:
        """Return m + 1, or the number of points of a discrete domain if that is smaller."""
        return m + 1 if self._domain_size is None else min(m + 1, self._domain_size)

    def validated(self, points: ArrayLike, name: str = "points") -> Points:
        """Return points of the domain.

        Raises:
            ValueError: with the row of the first other point.
        """
        x = as_points(points, self.dimension, name)
        if self.bits is not None and (bad := np.argwhere((x != np.floor(x)) | (x < 0) | (x >= 2**self.bits))).size:
            row, feature = map(int, bad[0])
            raise ValueError(
                f"{name}: row {row}, feature {feature} = {x[row, feature]}: must be one of 0, ..., {2**self.bits - 1}"
            )
        return x

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, d), (n, d) -> (k, n) bool."""
        centres = np.asarray(parameters, np.float64).reshape(-1, self.dimension)
        x = self.validated(points)
        same = np.ones((len(centres), len(x)), bool)
        for feature in range(self.dimension):
            same &= centres[:, feature : feature + 1] == x[:, feature]
        return same

    def _representatives(self, points: Points, representative: str) -> Parameters:
        """Return the public points, then one that is not public."""
        check_listing(len(points) + 1, self.dimension, "take fewer public points")
        return np.concatenate([points, self._elsewhere(points)])

    def _elsewhere(self, points: Points) -> Points:
        """Return a point of the domain that is none of the distinct sorted points, (1, d); (0, d) if there is none."""
        m = len(points)
        if self.bits is not None:
            first = _first_points(min(m + 1, 2 ** (self.bits * self.dimension)), self.dimension, self.bits)
            differ = np.append(np.any(first[:m] != points[: len(first)], axis=1), True)
            at = int(np.argmax(differ))
            return first[at : at + 1]
        if not m:
            return np.zeros((1, self.dimension))
        taken = np.unique(points[:, 0])
        with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
            above = np.nextafter(taken, np.inf)
        free = above[np.isfinite(above) & ~np.isin(above, taken)]
        return np.pad(free[-1:, None] if free.size else _below(taken), ((0, 0), (0, self.dimension - 1)))

    def representative_domain(self, parameters: Parameters) -> Points:
        """Return the points of the hypotheses, sorted, then one elsewhere: the class is its own dual."""
        centres = self.validated(np.asarray(parameters, np.float64).reshape(-1, self.dimension), "parameters")
        return self._representatives(distinct(centres), "midpoint")

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Count #{y_i = 1} + sum_i (1 - 2 y_i) 1[x_i = c] by sorting: O((n + k) log (n + k))."""
        place, first = ranks(np.concatenate([parameters, points]))
        k = len(parameters)
        ones = np.bincount(place[k:], labels == 1, len(first)).astype(np.int64)
        zeros = np.bincount(place[k:], labels == 0, len(first)).astype(np.int64)
        return (ones.sum() - ones + zeros)[place[:k]]

    def mistakes_cost(self, k: int, n: int) -> Cost:
        """Return what it takes to rank examples and points."""
        return estimates.ranked(k + n, self.dimension)

    minimise_size = MOST_EXAMPLES

    def _minimise(self, points: Points, labels: Labels, weights: Floats) -> Minimum:
        """Find the point with the least sum of signed weights: O(n log n)."""
        place, first = ranks(points)
        candidates = self._representatives(points[first], "midpoint")
        signed = np.where(labels == 1, -weights, weights)  # cost of predicting 1 rather than 0
        best = int(np.argmin(np.bincount(place, signed, len(candidates))))
        wrong = self.predict(candidates[best : best + 1], points)[0] != (labels == 1)
        return Minimum(candidates[best], float(weights[wrong].sum()))


def _first_points(number: int, dimension: int, bits: int) -> Points:
    """Return the first points of {0, ..., 2^bits - 1}^dimension in lexicographic order: numbers in base 2^bits."""
    index = np.arange(number)
    places = [bits * (dimension - 1 - feature) for feature in range(dimension)]
    digits: list[NDArray[Any]] = [(index >> min(place, 63)) & (2**bits - 1) for place in places]
    return np.column_stack(digits).astype(np.float64)


def _below(taken: Floats) -> Points:
    """Return the float below the least of those taken; these go on to the largest float without a gap."""
    return np.nextafter(taken[:1], -np.inf)[:, None]
