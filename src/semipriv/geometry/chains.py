"""Chains of sets: each adds the points of an order one after the other.  Which sets of several chains are new?"""

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.types import Bools

__all__ = ["new_sets"]


@njit(cache=True)
def new_sets(orders: NDArray[np.int32], places: NDArray[np.int32], kept: Bools) -> Bools:
    """Return which sets no earlier chain has: (c, m + 1) bool; O(c^2 m) time and no memory beyond the answer.

    The first i points of chain a are those of chain b if and only if all of them are among the first i of b: so if
    the largest place in b of the first i points of a is below i.

    Args:
        orders: (c, m), the points of each chain in its order.
        places: (c, m), the place of each point in each chain: the inverse of ``orders``.
        kept: (c, m + 1), whether a chain has its set of the first i points, i = 0, ..., m.
    """
    chains, m = orders.shape
    new = kept.copy()
    for a in range(chains):
        for b in range(a):
            last = -1
            for i in range(m + 1):
                if i:
                    last = max(last, places[b, orders[a, i - 1]])
                if last < i and kept[b, i]:
                    new[a, i] = False
    return new
