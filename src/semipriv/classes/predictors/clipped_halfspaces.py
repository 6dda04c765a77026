"""Halfspaces of features that are standardised and clipped."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._standardised import Standardised
from semipriv.classes.base import Predictions, Predictors
from semipriv.core import registry
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats, Indices, Integers
from semipriv.geometry.predicates import affine_values

__all__ = ["ClippedHalfspaces"]

_BLOCK = 2**20


@value
class ClippedHalfspaces(Standardised, Predictors):
    """h(x) = 1[w_1 z_1 + ... + w_d z_d + b >= 0], z_j = (x_j - centre_j) / scale_j, moved into [-4, 4].

    Parameters: (w_1, ..., w_d, b).  A row far away, or a feature with a long tail, weighs no more than one at 4 scales.
    Predictions are the floating-point evaluation, from the left, so that each depends on its own row alone.

    Args:
        centre: (d,) finite numbers.
        scale: (d,) finite numbers > 0.
    """

    @property
    def width(self) -> int:
        """d + 1."""
        return self.dimension + 1

    def specification(self) -> dict[str, Any]:
        """Return the room, the name, centre and scale."""
        return registry.specification("predictors", self)

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, d + 1), (n, d) -> (k, n) bool."""
        return np.asarray(self.scores(parameters, points) >= 0)

    def scores(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return w_1 z_1 + ... + w_d z_d + b: (k, d + 1), (n, d) -> (k, n)."""
        theta = np.asarray(parameters, np.float64).reshape(-1, self.width)
        return np.asarray(affine_values(theta, np.ascontiguousarray(self.standardised(points).T)))

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Count those of all functions with equal weights at once: O(n d) for each choice of weights, then O(n log k).

        Rounding keeps the sign of a sum of two floats, so that value + b >= 0 iff value >= -b.
        """
        weights, group = np.unique(parameters[:, :-1], axis=0, return_inverse=True)
        group = group.ravel()
        order = np.argsort(group, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(group, minlength=len(weights)))[:-1])
        result = np.zeros(len(parameters), np.int64)
        for start in range(0, len(points), _BLOCK):
            columns = np.ascontiguousarray(self.standardised(points[start : start + _BLOCK]).T)
            ones = labels[start : start + _BLOCK] == 1
            for weight, rows in zip(weights, members, strict=True):
                result[rows] += _wrong(-parameters[rows, -1], _values(weight, columns), ones)
        return result


def _values(weights: Floats, columns: Floats) -> Floats:
    """Return w_1 z_1 + w_2 z_2 + ..., (n,), from the left.  Terms with weight 0 change no sum: they are left out."""
    used: Indices = np.flatnonzero(weights)
    total = np.zeros(columns.shape[1])
    for j in used:
        total += weights[j] * columns[j]
    return total


def _wrong(cuts: Floats, values: Floats, ones: Predictions) -> Integers:
    """Return for each cut c (k,) how many of 1[value >= c] differ from ``ones``, (k,)."""
    order = np.argsort(cuts, kind="stable")
    place = np.searchsorted(cuts[order], values, side="right")  # so many cuts are at most the value
    counts = np.bincount(place + (len(cuts) + 1) * ones, minlength=2 * len(cuts) + 2).reshape(2, -1)
    below_of_ones = np.cumsum(counts[1])[:-1]
    above_of_zeros = counts[0].sum() - np.cumsum(counts[0])[:-1]
    result = np.empty(len(cuts), np.int64)
    result[order] = below_of_ones + above_of_zeros
    return result
