"""The range of E[h(x)] over the rectangles of the plane that label given points alike, in closed form."""

import numpy as np
from numpy.typing import NDArray

from semipriv.core.samples import Points
from semipriv.distributions.marginals.base import Marginal

Floats = NDArray[np.float64]


def work(queries: int, anchors: int) -> int:
    """Return the number of pairs of a query and a strip that ``box_ranges`` looks at, about."""
    return queries * (anchors + 1) * (anchors + 2) // 2


def box_ranges(inside: NDArray[np.bool_], anchors: Points, law: Marginal) -> tuple[Floats, Floats]:
    """Return inf and sup of E[h(x)] over the rectangles with each dichotomy, (k, m) bool: (k,), (k,).

    anchors: (m, 2) distinct.  law: of independent features.  Rectangles have ends that may be any numbers.  Each
    dichotomy is one of a rectangle.

    inf: the mass of the least rectangle B around the anchors inside, 0 if there are none.  sup: the largest mass of an
    open rectangle that holds B and no other anchor.  It has sides on coordinates of anchors or at infinity; for each
    strip l < x_1 < r around B that has no anchor beside B, it reaches from the highest anchor of the strip below B to
    the lowest above B.  If no anchor is inside, between any two anchors that follow one another in a strip.  The sup is
    a limit of closed rectangles.
    """
    x, y = anchors.T
    left, low = (np.min(np.where(inside, c, np.inf), axis=1, initial=np.inf) for c in (x, y))
    right, high = (np.max(np.where(inside, c, -np.inf), axis=1, initial=-np.inf) for c in (x, y))
    some = inside.any(axis=1)
    least = np.zeros(len(inside))
    least[some] = _closed(left[some], right[some], law) * _closed(low[some], high[some], law)
    number, most, largest_gap = inside.sum(axis=1), np.zeros(len(inside)), 0.0
    ends = np.unique(np.concatenate([x, [-np.inf, np.inf]]))
    for i, start in enumerate(ends[:-1]):
        for stop in ends[i + 1 :]:
            own = np.sort(y[(x > start) & (x < stop)])
            heights = np.concatenate([[-np.inf], own, [np.inf]])
            width = float(_open(start, stop, law))
            largest_gap = max(largest_gap, width * float(_open(heights[:-1], heights[1:], law).max()))
            first, last = np.searchsorted(own, low, "left"), np.searchsorted(own, high, "right")
            fits = np.flatnonzero(some & (left > start) & (right < stop) & (last - first == number))
            mass = width * _open(heights[first[fits]], heights[last[fits] + 1], law)
            most[fits] = np.maximum(most[fits], mass)
    most[~some] = largest_gap
    return least, np.maximum(most, least)  # rounding aside


def _closed(low: Floats, high: Floats, law: Marginal) -> Floats:
    """Return P[low <= x_j <= high]."""
    return np.maximum(law.cdf(high) - law.cdf_left(low), 0.0)


def _open(low: Floats, high: Floats, law: Marginal) -> Floats:
    """Return P[low < x_j < high]; ends may be infinite."""
    above = np.where(np.isposinf(high), 1.0, law.cdf_left(high))
    return np.maximum(above - np.where(np.isneginf(low), 0.0, law.cdf(low)), 0.0)
