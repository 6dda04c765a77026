"""The ones and the zeros among labelled points of the line, each in increasing order."""

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.samples import Labels, Points
from semipriv.core.sharing import shared
from semipriv.core.types import Floats


def sorted_by_label(points: Points, labels: Labels) -> tuple[Floats, Floats]:
    """Return the ones and the zeros among points (n, 1), each increasing: O(n log n), most of it a vectorised sort.

    Inside ``sharing`` a sample is sorted once for all covers.

    >>> sorted_by_label(np.array([[3.0], [1.0], [2.0]]), np.array([1, 0, 1], np.int8))
    (array([2., 3.]), array([1.]))
    """
    return shared("sorted by label", (points, labels), lambda: _sorted(points, labels))


def _sorted(points: Points, labels: Labels) -> tuple[Floats, Floats]:
    if not len(points):  # as where a configuration is checked, which loads no compiler
        return np.empty(0), np.empty(0)
    ones, zeros = _split(np.ascontiguousarray(points[:, 0]), labels)  # one layout: compiled once
    ones.sort()
    zeros.sort()
    return ones, zeros


def _selected(x: Floats, labels: Labels) -> tuple[Floats, Floats]:
    """Return ones and zeros among x (n,), in their order."""
    ones = labels == 1
    return x[ones], x[~ones]


@njit(cache=True, stand_in=_selected, seconds=10e-9)
def _split(x: Floats, labels: Labels) -> tuple[Floats, Floats]:
    """Return ones and zeros among x (n,), in any order: written from both ends of one array, without branches."""
    both = np.empty(len(x) + 2)
    first, last = 0, len(x) + 1
    for i in range(len(x)):
        both[first] = both[last] = x[i]
        first += labels[i]
        last -= 1 - labels[i]
    return both[:first], both[last + 1 :]
