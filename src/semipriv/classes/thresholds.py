"""Thresholds on the line."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._by_label import sorted_by_label
from semipriv.classes._cut_table import POINTS, excess_below
from semipriv.classes.base import MOST_EXAMPLES, HypothesisClass, Minimum, Predictions, Shift
from semipriv.core import estimates, fields
from semipriv.core.functions import Parameters
from semipriv.core.kernels import njit
from semipriv.core.samples import Labels, Points, as_points
from semipriv.core.types import Floats, Integers
from semipriv.core.work import Cost
from semipriv.geometry.pieces import cell_representative
from semipriv.geometry.shapes import Rays

__all__ = ["Thresholds"]

ORIENTATIONS = ["ge", "gt", "le", "lt"]


@fields.value
class Thresholds(HypothesisClass):
    """h_t(x) = 1[x >= t] (orientation 'ge'), 1[x > t] ('gt'), 1[x <= t] ('le') or 1[x < t] ('lt'), t real or infinite.

    One parameter, t.  VC dimension 1, dual VC dimension 1, infinite Littlestone dimension, growth m + 1.

    Args:
        orientation: which side is 1: 'ge', 'gt', 'le' or 'lt'.
    """

    orientation: str = fields.one_of(ORIENTATIONS, "thresholds", default="ge")

    @classmethod
    def examples(cls) -> "Sequence[Thresholds]":
        """Return one of each orientation."""
        return [Thresholds(orientation) for orientation in ORIENTATIONS]

    dimension = 1
    width = 1
    """One: t."""
    vc_dimension = 1
    """One: of two points only one of the two mixed patterns occurs."""
    dual_vc_dimension = 1
    """1: points act on thresholds as thresholds do on points."""
    littlestone_dimension = math.inf
    """Infinite: between two thresholds there is always another."""

    def growth(self, m: int) -> int:
        """Return m + 1."""
        return m + 1

    @property
    def _open_low(self) -> bool:
        """Whether the thresholds between neighbouring points low < high form (low, high] rather than [low, high)."""
        return self.orientation in ("ge", "lt")

    @property
    def _upper(self) -> bool:
        return self.orientation in ("ge", "gt")

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, 1), (n, 1) -> (k, n) bool."""
        t = np.asarray(parameters, np.float64).reshape(-1, 1)
        x = as_points(points, 1)[:, 0]
        compare = {"ge": np.greater_equal, "gt": np.greater, "le": np.less_equal, "lt": np.less}[self.orientation]
        return np.asarray(compare(x, t))

    def _representatives(self, points: Points, representative: str) -> Parameters:
        ends = np.concatenate([[-np.inf], points[:, 0], [np.inf]])
        low, high = ends[:-1], ends[1:]
        return cell_representative(low, high, representative, open_low=self._open_low)[:, None]

    def representative_domain(self, parameters: Parameters) -> Points:
        """Return the least point of each [t_i, t_{i+1}) ('ge', 'lt'), or the greatest of (t_i, t_{i+1}] ('gt', 'le').

        The outermost cell, which has no such end, has the float next to its neighbour.

        Examples:
            >>> Thresholds().representative_domain([[0.5], [2.0]])[1:]
            array([[0.5],
                   [2. ]])
        """
        t = np.unique(np.asarray(parameters, np.float64))
        t = t[np.isfinite(t)]
        if not t.size:
            return np.zeros((1, 1))
        beyond = np.nextafter(t[:1], -np.inf) if self._open_low else np.nextafter(t[-1:], np.inf)
        cells = np.concatenate([beyond, t] if self._open_low else [t, beyond])
        return cells[np.isfinite(cells)][:, None]

    def mistakes_cost(self, k: int, n: int) -> Cost:
        """Return what it takes to count examples between cuts."""
        return estimates.cuts_counted(k, n, table=n in POINTS)

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Count the mistakes of k thresholds on n examples: many by a table of the cuts, O(n + k log k).

        Few examples, and those between cuts that are crowded, by sorting the ones and the zeros, O((n + k) log n).
        """
        if len(points) in POINTS and len(parameters):
            excess = excess_below(parameters[:, 0], points[:, 0], labels, closed=not self._open_low)
            if excess is not None:  # of ones over zeros below the threshold
                positives = int(np.count_nonzero(labels))
                return excess + (len(points) - positives) if self._upper else positives - excess
        side: Literal["left", "right"] = "left" if self._open_low else "right"
        ones, zeros = sorted_by_label(points, labels)
        ones_below = np.searchsorted(ones, parameters[:, 0], side)
        zeros_below = np.searchsorted(zeros, parameters[:, 0], side)
        if self._upper:  # below the threshold the ones are wrong, above it the zeros
            return ones_below + (len(zeros) - zeros_below)
        return zeros_below + (len(ones) - ones_below)

    def largest_teaching_shift(self, m: int) -> Shift:
        """Return 2, for any number of points: the weights next to the cut move by 2 together.

        Replacing a record changes the mistakes along the cut by a function of total variation at most 2.  So what all
        cuts on the left, and all on the right, gain on the winner is at most 2 together (docs/findings.md, BBD24).
        """
        return Shift(2, 4) if m else Shift(0, 0)

    minimise_size = MOST_EXAMPLES

    def _minimise(self, points: Points, labels: Labels, weights: Floats) -> Minimum:
        """Minimise by cumulative sums over the sorted points, by counting if all weights are 1: O(n log n)."""
        if np.all(weights == 1.0):
            ones, zeros = sorted_by_label(points, labels)
            low, high, value = _fewest(*((ones, zeros) if self._upper else (zeros, ones)))
            ends = np.array([low]), np.array([high])
            return Minimum(cell_representative(*ends, "midpoint", open_low=self._open_low), float(value))
        low, high, value = self._least(points, labels, weights)
        threshold = cell_representative(np.array([low]), np.array([high]), "midpoint", open_low=self._open_low)
        base = weights[(labels == 1) != self._upper].sum()  # t = -inf: everything is above
        return Minimum(threshold, float(value + base))

    def _least(self, points: Points, labels: Labels, weights: Floats) -> tuple[np.float64, np.float64, np.float64]:
        """Return the two points between which the best thresholds lie, and their value less that of t = -inf."""
        order = np.argsort(points[:, 0], kind="stable")
        x = np.concatenate([[-np.inf], points[order, 0], [np.inf]])
        signed = np.where((labels == 1) == self._upper, weights, -weights)  # change when the point falls below t
        values = np.concatenate([[0.0], np.cumsum(signed[order])])  # by the number of points below t
        cuts = np.flatnonzero(x[1:] > x[:-1])
        best = cuts[np.argmin(values[cuts])]
        return x[best], x[best + 1], values[best]

    def _minimal_labels(self, points: Points, labels: Labels, weights: Floats) -> Predictions:
        """Return the labels by the sides of the points: no threshold is worked out."""
        below = points[:, 0] <= self._least(points, labels, weights)[0]
        return np.asarray(~below if self._upper else below)

    free_ends = True
    exact_ends = True
    exact_rays = True

    def ones(self, parameters: Parameters) -> Rays:
        """Return the ray on which each hypothesis is 1."""
        k = len(parameters)
        closed = self.orientation in ("ge", "le")
        return Rays(np.zeros(k, np.intp), parameters[:, 0], np.full(k, self._upper), np.full(k, closed))


def _fewest_by_search(wrong_below: Floats, wrong_above: Floats) -> tuple[float, float, int]:
    """Return what ``_fewest`` does, from the places of all values in both arrays."""
    merged = np.sort(np.concatenate([wrong_below, wrong_above]))
    ends = merged[np.append(True, merged[1:] != merged[:-1])[: len(merged)]]
    below, above = (np.searchsorted(part, ends, side="right") for part in (wrong_below, wrong_above))
    values = len(wrong_above) + np.append(0, below - above)
    best, cells = int(np.argmin(values)), np.concatenate([[-np.inf], ends, [np.inf]])
    return float(cells[best]), float(cells[best + 1]), int(values[best])


@njit(cache=True, stand_in=_fewest_by_search, seconds=80e-9)
def _fewest(wrong_below: Floats, wrong_above: Floats) -> tuple[float, float, int]:
    """Return the first cell (low, high) of thresholds with the fewest mistakes, and their number.

    The cells lie between neighbouring distinct values of two increasing arrays.  A value of the first is a mistake if
    it lies below the threshold, one of the second if it does not.  The arrays are merged.
    """
    i, j, low = 0, 0, -np.inf
    value = best = len(wrong_above)
    best_low, best_high, any_cell = -np.inf, np.inf, False
    while i < len(wrong_below) or j < len(wrong_above):
        x = np.inf
        if i < len(wrong_below):
            x = wrong_below[i]
        if j < len(wrong_above):
            x = min(x, wrong_above[j])
        if not any_cell:  # the best cell so far ends at the next value
            best_high, any_cell = x, True
        while i < len(wrong_below) and wrong_below[i] == x:
            i += 1
            value += 1
        while j < len(wrong_above) and wrong_above[j] == x:
            j += 1
            value -= 1
        low = x
        if value < best:
            best, best_low, best_high, any_cell = value, low, np.inf, False
    return best_low, best_high, best
