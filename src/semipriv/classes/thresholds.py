"""Thresholds on the line."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.base import HypothesisClass, Minimum, Parameters, Predictions, Rays, cell_representative
from semipriv.registry import check_name
from semipriv.samples import Labels, Points, as_points

__all__ = ["Thresholds"]

ORIENTATIONS = ["ge", "gt", "le", "lt"]


@dataclass(frozen=True)
class Thresholds(HypothesisClass):
    """h_t(x) = 1[x >= t] (orientation 'ge'), 1[x > t] ('gt'), 1[x <= t] ('le') or 1[x < t] ('lt'), t real or infinite.

    One parameter, t.  VC dimension 1, dual VC dimension 1, infinite Littlestone dimension, growth m + 1.
    """

    orientation: str = "ge"

    def __post_init__(self) -> None:
        check_name("orientation of thresholds", self.orientation, ORIENTATIONS)

    @property
    def dimension(self) -> int:
        """1."""
        return 1

    @property
    def vc_dimension(self) -> int:
        """1."""
        return 1

    @property
    def dual_vc_dimension(self) -> int:
        """1: points act on thresholds as thresholds do on points."""
        return 1

    @property
    def littlestone_dimension(self) -> float:
        """Infinite."""
        return math.inf

    def growth(self, m: int) -> int:
        """M + 1."""
        return m + 1

    @property
    def _open_low(self) -> bool:
        """Whether the thresholds between neighbouring points low < high form (low, high] rather than [low, high)."""
        return self.orientation in ("ge", "lt")

    @property
    def _upper(self) -> bool:
        return self.orientation in ("ge", "gt")

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """(k, 1), (n, 1) -> (k, n) bool."""
        t = np.asarray(parameters, np.float64).reshape(-1, 1)
        x = as_points(points, 1)[:, 0]
        compare = {"ge": np.greater_equal, "gt": np.greater, "le": np.less_equal, "lt": np.less}[self.orientation]
        return np.asarray(compare(x, t))

    def _representatives(self, points: Points, representative: str) -> Parameters:
        ends = np.concatenate([[-np.inf], points[:, 0], [np.inf]])
        low, high = ends[:-1], ends[1:]
        return cell_representative(low, high, representative, open_low=self._open_low)[:, None]

    def _cell(self, thresholds: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.intp]:
        """Number of the sorted thresholds whose upper ray {x >= t} or {x > t} holds each value."""
        return np.searchsorted(thresholds, values, side="right" if self._open_low else "left")

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> NDArray[np.int64]:
        """Mistakes of k thresholds on n examples in O(n log k + k): bin the examples, then cumulative sums."""
        order = np.argsort(parameters[:, 0], kind="stable")
        cells = self._cell(parameters[order, 0], points[:, 0])
        ones = np.bincount(cells[labels == 1], minlength=len(order) + 1)
        zeros = np.bincount(cells[labels == 0], minlength=len(order) + 1)
        if self._upper:  # below the threshold the ones are wrong, above it the zeros
            below, above = np.cumsum(ones)[:-1], zeros.sum() - np.cumsum(zeros)[:-1]
        else:
            below, above = np.cumsum(zeros)[:-1], ones.sum() - np.cumsum(ones)[:-1]
        result = np.empty(len(order), np.int64)
        result[order] = below + above
        return result

    def _minimise(self, points: Points, labels: Labels, weights: NDArray[np.float64]) -> Minimum:
        """Cumulative sums over the sorted points: O(n log n)."""
        cover = self.cover(points)
        signed = np.where((labels == 1) == self._upper, weights, -weights)  # change when the point falls below t
        cells = self._cell(cover.parameters[:, 0], points[:, 0])
        values = np.cumsum(np.bincount(cells, weights=signed, minlength=len(cover) + 1))[:-1]
        best = int(np.argmin(values))
        base = weights[(labels == 1) != self._upper].sum()  # t = -inf: everything is above
        return Minimum(cover.parameters[best], float(values[best] + base))

    def positive_rays(self, parameters: Parameters) -> Rays:
        """The ray on which each hypothesis is 1."""
        k = len(parameters)
        closed = self.orientation in ("ge", "le")
        return Rays(np.zeros(k, np.intp), parameters[:, 0], np.full(k, self._upper), np.full(k, closed))
