"""Compiled: features standardised and clipped, and mistakes of linear rules with equal weights at once."""

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.samples import Labels
from semipriv.core.types import Floats, Indices, Integers

_TILE = 64
"""Points at a time: what is made of them stays in the nearest cache."""


@njit(cache=True)
def standardise(columns: Floats, centre: Floats, scale: Floats, reach: float) -> None:
    """Put (x_j - centre_j) / scale_j, moved into [-reach, reach], instead of x_j: columns (d, n)."""
    for j in range(len(centre)):
        for i in range(columns.shape[1]):
            columns[j, i] = min(max((columns[j, i] - centre[j]) / scale[j], -reach), reach)


@njit(cache=True)
def places(columns: Floats, labels: Labels, weights: Floats, cuts: Floats, starts: Indices, counts: Integers) -> None:
    """Add to counts how many points of each label have each place among the cuts of each choice of weights.

    columns: (d, n).  labels: (n,).  weights: (g, d).  cuts: those of choice g are cuts[starts[g]:starts[g + 1]],
    ascending.  counts: (2, cuts + g); those of choice g begin at starts[g] + g.  A value w_1 z_1 + w_2 z_2 + ..., from
    the left, without terms of weight 0, has as place the number of cuts that are at most it.
    """
    value, place = np.empty(_TILE), np.empty(_TILE, np.int64)
    for first in range(0, columns.shape[1], _TILE):
        size = min(_TILE, columns.shape[1] - first)
        for g in range(len(weights)):
            value[:] = 0.0
            for j in range(len(columns)):
                weight = weights[g, j]
                if weight != 0.0:
                    for i in range(size):
                        value[i] += weight * columns[j, first + i]
            place[:] = starts[g] + g
            for cut in cuts[starts[g] : starts[g + 1]]:
                for i in range(size):
                    place[i] += cut <= value[i]
            for i in range(size):
                counts[labels[first + i], place[i]] += 1
