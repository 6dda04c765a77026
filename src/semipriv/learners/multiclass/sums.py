"""Private sums for several labels: of coordinates by label, and of gradients of the softmax loss, as integers."""

import numpy as np

from semipriv.core.samples import ClassLabels
from semipriv.core.types import Floats, Integers
from semipriv.geometry.predicates import affine_values
from semipriv.learners.discriminant.gradients import BOUNDED

_BLOCK = 2**20
"""Numbers handled at once."""


def softmax(scores: Floats) -> Floats:
    """Return e^score / sum of e^score over the labels: (K, n) -> (K, n), each column from itself alone."""
    powers = np.exp(scores - scores.max(axis=0))
    return np.asarray(powers / powers.sum(axis=0))


def chances(weights: Floats, coordinates: Floats, start: Floats | float = 0.0) -> Floats:
    """Return the chance of each label by weights (K, p) at coordinates (p, n): (K, n).  start: scores to add to."""
    return softmax(affine_values(np.column_stack([weights, np.zeros(len(weights))]), coordinates) + start)


def sums_by_label(
    coordinates: Floats, labels: ClassLabels, classes: int, clip: float, lattice: int, norm: int = 1
) -> Integers:
    """Return for each label the sum of coordinates (p, n) of its rows, in steps of clip / lattice: (K p,).

    Each row adds integers of a norm, 1 or 2, of at most ``lattice``, all of them to the sum of its own label.
    """
    total = np.zeros((classes, len(coordinates)), np.int64)
    rows = max(1, _BLOCK // len(coordinates))
    for first in range(0, coordinates.shape[1], rows):
        block = slice(first, first + rows)
        whole = BOUNDED[norm](coordinates[:, block] * (lattice / clip), lattice)
        for c in range(classes):
            total[c] += whole[:, labels[block] == c].sum(axis=1)
    return total.ravel()


def gradient_sum(
    weights: Floats,
    coordinates: Floats,
    labels: ClassLabels,
    clip: float,
    lattice: int,
    start: Floats | float = 0.0,
    norm: int = 1,
) -> Integers:
    """Return the sum over rows of the gradients (1[y = c] - p_c) u, in steps of clip / lattice: (K p,).

    weights: (K, p).  coordinates: (p, n).  start: scores (K, n) to which theirs are added.  norm: 1 or 2.  Each
    row adds integers of that norm at most ``lattice`` *over all labels together*, and depends on no other row.
    """
    classes, p = weights.shape
    total = np.zeros(classes * p, np.int64)
    n = coordinates.shape[1]
    begin = np.broadcast_to(start, (classes, n))
    rows = max(1, _BLOCK // (classes * p))
    for first in range(0, n, rows):
        block = slice(first, first + rows)
        u = coordinates[:, block]
        residuals = (labels[block] == np.arange(classes)[:, None]) - chances(weights, u, begin[:, block])
        summands = (residuals[:, None, :] * (u * (lattice / clip))).reshape(classes * p, -1)
        total += BOUNDED[norm](summands, lattice).sum(axis=1)
    return total
