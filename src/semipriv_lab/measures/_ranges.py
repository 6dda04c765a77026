"""The range of E[h(x)] over the hypotheses that label given points alike, in closed form: on the line, and of boxes."""

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats
from semipriv.distributions.marginals.base import Marginal
from semipriv.geometry.shapes import Rays
from semipriv.queries.cells import runs


def ranges(
    functions: HypothesisClass, parameters: Parameters, anchors: Floats, distribution: Marginal
) -> tuple[Floats, Floats]:
    """Return inf and sup of E[h(x)] over the hypotheses that label the anchors as each of (k, p) does: (k,), (k,).

    anchors: u_1 < ... < u_m.  functions: rays of one direction, or intervals, with exact ends that may be any numbers.
    With u_0 = -infinity and u_{m+1} = infinity, hypotheses that are 1 on u_i, ..., u_j alone have

        rays up:    P[x >= u_i] <= E[h] <= P[x > u_{i-1}],   j = m,
        rays down:  P[x <= u_j] <= E[h] <= P[x < u_{j+1}],   i = 1,
        intervals:  P[u_i <= x <= u_j] <= E[h] <= P[u_{i-1} < x < u_{j+1}],

    and intervals without an anchor 0 <= E[h] <= max_i P[u_i < x < u_{i+1}].  Each end is attained or a limit.
    """
    shape = functions.ones(parameters)
    assert shape is not None, f"{functions!r}: a class with exact ends has shapes"
    start, stop = runs(shape, anchors)
    u = np.concatenate([[-np.inf], anchors, [np.inf]])
    below, up_to = distribution.cdf_left(u), distribution.cdf(u)  # P[x < u_i], P[x <= u_i], i = 0, ..., m + 1
    below[0] = up_to[0] = 0.0
    below[-1] = up_to[-1] = 1.0
    if isinstance(shape, Rays):
        upper = bool(shape.upper[0])
        assert np.all(shape.upper == upper), f"{functions!r}: rays of both directions"
        first = np.where(start < stop, start, len(anchors))  # a ray up without an anchor begins after the last
        if upper:
            return 1 - below[first + 1], 1 - up_to[first]
        return up_to[stop], below[stop + 1]
    some = start < stop
    low = np.where(some, up_to[stop] - below[start + 1], 0.0)
    high = np.where(some, below[stop + 1] - up_to[start], (below[1:] - up_to[:-1]).max())
    return np.maximum(low, 0.0), high


def work(queries: int, anchors: int) -> int:
    """Return the number of pairs of a query and a strip that ``box_ranges`` looks at, about."""
    return queries * (anchors + 1) * (anchors + 2) // 2


def box_ranges(inside: Bools, anchors: Points, distribution: Marginal) -> tuple[Floats, Floats]:
    """Return inf and sup of E[h(x)] over the rectangles with each dichotomy, (k, m) bool: (k,), (k,).

    anchors: (m, 2) distinct.  distribution: of independent features.  Rectangles have ends that may be any numbers.
    Each dichotomy is one of a rectangle.

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
    least[some] = _closed(left[some], right[some], distribution) * _closed(low[some], high[some], distribution)
    number, most, largest_gap = inside.sum(axis=1), np.zeros(len(inside)), 0.0
    ends = np.unique(np.concatenate([x, [-np.inf, np.inf]]))
    for i, start in enumerate(ends[:-1]):
        for stop in ends[i + 1 :]:
            strip = np.sort(y[(x > start) & (x < stop)])
            heights = np.concatenate([[-np.inf], strip, [np.inf]])
            width = float(_open(start, stop, distribution))
            largest_gap = max(largest_gap, width * float(_open(heights[:-1], heights[1:], distribution).max()))
            first, last = np.searchsorted(strip, low, "left"), np.searchsorted(strip, high, "right")
            fits = np.flatnonzero(some & (left > start) & (right < stop) & (last - first == number))
            mass = width * _open(heights[first[fits]], heights[last[fits] + 1], distribution)
            most[fits] = np.maximum(most[fits], mass)
    most[~some] = largest_gap
    return least, np.maximum(most, least)  # rounding aside


def _closed(low: Floats, high: Floats, distribution: Marginal) -> Floats:
    """Return P[low <= x_j <= high]."""
    return np.maximum(distribution.cdf(high) - distribution.cdf_left(low), 0.0)


def _open(low: Floats, high: Floats, distribution: Marginal) -> Floats:
    """Return P[low < x_j < high]; ends may be infinite."""
    above = np.where(np.isposinf(high), 1.0, distribution.cdf_left(high))
    return np.maximum(above - np.where(np.isneginf(low), 0.0, distribution.cdf(low)), 0.0)
