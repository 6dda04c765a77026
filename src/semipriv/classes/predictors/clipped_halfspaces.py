"""Halfspaces of features that are standardised and clipped."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._standardised import REACH, Standardised
from semipriv.classes.base import Predictions, Predictors
from semipriv.classes.predictors._kernels import places, standardise
from semipriv.core import registry
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats, Integers
from semipriv.geometry.predicates import affine_values

__all__ = ["ClippedHalfspaces"]

_BLOCK = 2**12


@value
class ClippedHalfspaces(Standardised, Predictors):
    """h(x) = 1[w_1 z_1 + ... + w_d z_d + b >= 0], z_j = (x_j - centre_j) / scale_j, moved into [-4, 4].

    Parameters: (w_1, ..., w_d, b).  A row far away, or a feature with a long tail, weighs no more than one at 4 scales.
    Predictions are the floating-point evaluation, from the left, so that each depends on its own row alone.

    Args:
        centre: (d,) finite numbers.
        scale: (d,) finite numbers > 0.
    """

    def specification(self) -> dict[str, Any]:
        """Return the room, the name, centre and scale."""
        return registry.specification("predictors", self)

    def standardised_columns(self, points: Points) -> Floats:
        """Return z of finite points (n, d) as columns in a row of memory for each feature, (d, n)."""
        columns = np.array(points.T, np.float64, order="C")
        standardise(columns, np.array(self.centre), np.array(self.scale), REACH)
        return columns

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, d + 1), (n, d) -> (k, n) bool."""
        return np.asarray(self.scores(parameters, points) >= 0)

    def scores(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return w_1 z_1 + ... + w_d z_d + b: (k, d + 1), (n, d) -> (k, n)."""
        theta = np.asarray(parameters, np.float64).reshape(-1, self.width)
        return np.asarray(affine_values(theta, np.ascontiguousarray(self.standardised(points).T)))

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Count those of all functions with equal weights at once: O(n d) for each choice of weights, O(n) for a cut.

        Rounding keeps the sign of a sum of two floats, so that value + b >= 0 iff value >= -b.
        """
        blocks = (slice(first, first + _BLOCK) for first in range(0, len(points), _BLOCK))
        return _counted(parameters, ((self.standardised_columns(points[block]), labels[block]) for block in blocks))

    def mistakes_of_columns(self, parameters: Parameters, columns: Floats, labels: Labels) -> Integers:
        """Count those on standardised points (d, n), as ``mistakes``."""
        return _counted(parameters, [(np.ascontiguousarray(columns), labels)])


def _counted(parameters: Parameters, blocks: Iterable[tuple[Floats, Labels]]) -> Integers:
    """Return the mistakes (k,) of functions (k, d + 1) on blocks of standardised columns (d, n) and labels (n,)."""
    rows = np.ascontiguousarray(parameters[:, :-1], np.float64)
    bits = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, kept, group = np.unique(bits, return_index=True, return_inverse=True)
    order = np.lexsort((-parameters[:, -1], group))  # cuts ascend within a choice of weights
    number = np.arange(len(kept))
    starts = np.append(0, np.cumsum(np.bincount(group, minlength=len(kept))))
    counts = np.zeros((2, len(parameters) + len(kept)), np.int64)
    for columns, labels in blocks:
        places(columns, labels, rows[kept], -parameters[order, -1], starts, counts)
    # Of a choice of weights ones below a cut are mistakes, and zeros from there on.
    zeros, ones = np.cumsum(counts, axis=1)
    first, last, chosen = starts[:-1] + number, starts[1:] + number, group[order]
    cut = np.arange(len(parameters)) + chosen
    result = np.empty(len(parameters), np.int64)
    result[order] = ones[cut] - (ones - counts[1])[first[chosen]] + zeros[last[chosen]] - zeros[cut]
    return result
