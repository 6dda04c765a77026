"""Exact distributions of two minimisers on the line: F a finite subset of [-1, 1], w(a) = a g with g standard normal.

The minimum of the lines m_k + eta a_k g is their lower envelope, a concave function of g: the minimiser falls from the
largest a to the least as g grows.
"""

import math

import numpy as np
import scipy

from semipriv.core.types import Floats


def width(slopes: Floats) -> float:
    """Return E sup_F w = (max a - min a) / sqrt(2 pi)."""
    return float(np.ptp(slopes)) / math.sqrt(2 * math.pi)


def envelope(slopes: Floats, means: Floats, eta: float) -> tuple[Floats, Floats]:
    """Return where pieces of the lower envelope begin, the first at -inf, and the a of each: (p,), (p,)."""
    hull: list[tuple[float, float, float]] = []
    for a, mean in sorted(zip(slopes.tolist(), means.tolist(), strict=True), key=lambda line: (-line[0], line[1])):
        start = -math.inf
        if hull and hull[-1][0] == a:
            continue  # parallel, and not below
        while hull:
            before, its_mean, its_start = hull[-1]
            start = (mean - its_mean) / (eta * (before - a))
            if start > its_start:
                break
            hull.pop()
            start = -math.inf
        hull.append((a, mean, start))
    return np.array([start for *_, start in hull]), np.array([a for a, *_ in hull])


def distances(slopes: Floats, means: Floats, others: Floats, eta: float) -> tuple[Floats, Floats]:
    """Return the distribution of |f - f'| for minimisers of ``means`` and ``others``: chances, distances, (p,) each."""
    (starts, a), (its_starts, b) = envelope(slopes, means, eta), envelope(slopes, others, eta)
    begin = np.union1d(starts, its_starts)
    ends = scipy.special.ndtr(np.append(begin[1:], np.inf))
    chances = ends - scipy.special.ndtr(begin)
    piece, its_piece = (np.searchsorted(knots, begin, side="right") - 1 for knots in (starts, its_starts))
    return chances, np.abs(a[piece] - b[its_piece])
