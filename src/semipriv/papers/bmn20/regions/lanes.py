"""Counting in lanes: the work is cut into parts that threads share, and a member is found by going through one part.

Lane l of L holds every L-th piece of the work, from piece l on.  Each lane has counts of its own, so that neither the
counts nor the order of the members depends on the number of threads.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from semipriv.core.kernels import thread_count
from semipriv.core.types import Integers

__all__ = ["LANES", "Kernel", "count_by_lane", "lane_of"]

LANES = 16
_SMALL = 5_000_000
"""Steps below which one thread is as quick as many."""

Kernel = Callable[[int, int, Any, int, Integers], None]
"""kernel(first, stop, data, base, counts) counts the pieces of the lanes from ``first`` to ``stop`` - 1.

counts: (lanes, ...), of all lanes.  It is compiled with ``nogil``, so that calls run side by side, and takes the number
of lanes from ``counts``: a constant of another module would stay in numba's cache when it changes.
"""


def count_by_lane(kernel: Kernel, data: Any, base: int, shape: tuple[int, ...], steps: int) -> Integers:
    """Return the counts of all lanes, (LANES, *shape).

    steps: about how much work there is; if it is much, it runs on as many threads as numba is given.
    """
    counts = np.zeros((LANES, *shape), np.int64)
    threads = 1 if steps < _SMALL else min(thread_count(), LANES)
    if threads == 1:
        kernel(0, LANES, data, base, counts)
        return counts
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(kernel, lane, lane + 1, data, base, counts) for lane in range(LANES)]:
            done.result()
    return counts


def lane_of(counts: Integers, rank: int) -> tuple[int, int]:
    """Return the lane of the member that has ``rank`` others before it, and how many of these are in that lane.

    counts: (LANES,), the number of members in each lane.

    >>> lane_of(np.array([2, 0, 3]), 2)
    (2, 0)
    """
    passed = np.cumsum(counts)
    lane = int(np.searchsorted(passed, rank, side="right"))
    return lane, rank - (int(passed[lane - 1]) if lane else 0)
