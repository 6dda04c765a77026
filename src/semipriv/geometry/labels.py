"""Labels of many points under many halfspaces, straight into bits."""

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.types import Floats, Words

__all__ = ["halfspace_labels"]


def halfspace_labels(theta: Floats, points: Floats) -> Words:
    """Return the labels 1[w x + b >= 0] of each point (n, d) under the halfspaces (k, d + 1): (n, ceil(k / 64)).

    Bits are in the order of ``bits.packed``; values are those of ``predicates.affine_values``, operation by operation.
    """
    words = np.zeros((len(points), max(1, -(-len(theta) // 64))), np.uint64)
    _label(np.ascontiguousarray(theta.T), np.ascontiguousarray(points), words.view(np.uint8))
    return words


@njit(cache=True)
def _label(columns: Floats, points: Floats, packed: NDArray[np.uint8]) -> None:
    """Set the bits; columns: (d + 1, k)."""
    many, d = points.shape
    k = columns.shape[1]
    value = np.zeros(8 * packed.shape[1])
    value[:] = -1.0
    for i in range(many):
        for j in range(k):
            value[j] = columns[0, j] * points[i, 0]
        for c in range(1, d):
            for j in range(k):
                value[j] += columns[c, j] * points[i, c]
        for j in range(k):
            value[j] += columns[d, j]
        for byte in range((k + 7) // 8):
            bits = 0
            for j in range(8 * byte, 8 * byte + 8):
                bits = 2 * bits + (1 if value[j] >= 0.0 else 0)
            packed[i, byte] = bits
