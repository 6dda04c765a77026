"""Perturbed minimisers in two small classes, exactly: thresholds over m points, and classes on one point."""

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import scipy

from semipriv.core.types import Floats

_NODES = 200
"""Nodes of a Gauss-Legendre rule on a half-line cut off where the density is below 1e-20 of its height."""
_REACH = 10.0


def chain(m: int) -> Floats:
    """Return the m + 1 functions that are -1 on the first k of m points and +1 after, (m + 1, m)."""
    return np.where(np.arange(m) >= np.arange(m + 1)[:, None], 1.0, -1.0)


def chain_shares(losses: Sequence[float], eta: float, nodes: int = _NODES) -> Floats:
    """Return how likely each function of a chain minimises losses + eta w, (m + 1,); nodes: of each integral.

    w is a random walk along the chain, with steps N(0, 4 / m): the walks to the left and to the right of the minimum
    are independent, and each must stay above a barrier.
    """
    sums, step = np.asarray(losses, np.float64), 2 * eta / math.sqrt(len(losses) - 1)
    shares = [
        _staying(level - sums[:k][::-1], step, nodes) * _staying(level - sums[k + 1 :], step, nodes)
        for k, level in enumerate(sums)
    ]
    return np.array(shares)


def chain_width(m: int) -> float:
    """Return E sup w_m over a chain: 2 / sqrt(2 pi m) times the sum of 1 / sqrt(k), k <= m.

    w_m of f_k is S_m - 2 S_k for a walk S with steps N(0, 1 / m), so that E sup w_m = 2 E max S, and E max S is the sum
    of E max(0, S_k) / k (Spitzer 1956).

    >>> round(chain_width(1), 6), round(chain_width(100), 4)
    (0.797885, 1.4832)
    """
    return 2 / math.sqrt(2 * math.pi * m) * float((1 / np.sqrt(np.arange(1, m + 1))).sum())


@cache
def _rule(nodes: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(nodes)


def _staying(barriers: Floats, step: float, size: int) -> float:
    """Return P[a walk with steps N(0, step^2) is at or above barrier i after step i, for all i]."""
    if not len(barriers):
        return 1.0
    reach = _REACH * step * math.sqrt(len(barriers)) + float(np.abs(barriers).max())
    nodes, weights = _rule(size)
    places, weights = (nodes + 1) / 2 * reach, weights / 2 * reach
    density = _normal(barriers[0] + places, step)
    for before, after in pairwise(barriers):
        moves = (after + places)[:, None] - (before + places)
        density = _normal(moves, step) @ (weights * density)
    return float(weights @ density)


def _normal(x: Floats, deviation: float) -> Floats:
    return np.asarray(np.exp(-((x / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi)))


def mean_minimiser(values: Floats, losses: Floats, eta: float) -> float:
    """Return E f for the minimiser f of losses + eta g f over a class on one point, g normal; values: distinct, (N,).

    f minimises where the line losses + eta g values is the lowest of all.  That is on an interval of g, between the
    slopes of the lower convex hull of the points (value, loss).
    """
    hull: list[int] = []
    for k in np.argsort(values, kind="stable"):
        while len(hull) > 1 and _slope(values, losses, hull[-2], hull[-1]) >= _slope(values, losses, hull[-1], k):
            hull.pop()
        hull.append(int(k))
    turns = [_slope(values, losses, *pair) for pair in pairwise(hull)]
    ends = np.array([-math.inf, *turns, math.inf]) / eta  # f of place i wins for -g between ends i and i + 1
    return float(np.diff(scipy.special.ndtr(ends)) @ values[hull])


def _slope(values: Floats, losses: Floats, first: int, second: int) -> float:
    return float((losses[second] - losses[first]) / (values[second] - values[first]))
