"""Points of the dual class of halfspaces: which hyperplanes matter, and one point for each label vector."""

from collections.abc import Iterable, Iterator

import numpy as np

from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Indices, Words
from semipriv.geometry.bits import first_of_each

_BLOCK = 4_000_000


def both_ways(theta: Parameters, place: Indices, k: int) -> Bools:
    """Tell which of k hyperplanes bound halfspaces on both of their sides; place: the hyperplane of each row, or -1."""
    leading = np.take_along_axis(theta, np.argmax(theta[:, :-1] != 0, axis=1)[:, None], axis=1)[:, 0]
    positive, negative = place[(place >= 0) & (leading > 0)], place[(place >= 0) & (leading < 0)]
    return np.isin(np.arange(k), positive) & np.isin(np.arange(k), negative)


def one_way(theta: Parameters) -> Parameters:
    """Return the distinct rows up to their sign, which decides nothing about zeros."""
    leading = np.take_along_axis(theta, np.argmax(theta != 0, axis=1)[:, None], axis=1)
    return np.unique(np.where(leading < 0, -theta, theta), axis=0)


def neighbourhoods(theta: Parameters) -> Points:
    """Return, on the line, the numbers around each end -b / w, those between them and the largest on both sides."""
    largest = np.finfo(np.float64).max
    w, b = theta[theta[:, 0] != 0].T
    with np.errstate(over="ignore", invalid="ignore"):
        above = below = -b / w
        ends = [above]
        for _ in range(4):
            above, below = np.nextafter(above, np.inf), np.nextafter(below, -np.inf)
            ends += [above, below]
        x = np.unique(np.clip(np.concatenate([*ends, [-largest, largest]]), -largest, largest))
    return np.concatenate([x, x[:-1] / 2 + x[1:] / 2])[:, None]


def first_points(parts: list[tuple[Points, Words]]) -> tuple[Points, Words]:
    """Return the first of the points (n, d) with each label vector, and the label vectors."""
    points, words = np.concatenate([x for x, _ in parts]), np.concatenate([w for _, w in parts])
    first = first_of_each(words)
    return points[first], words[first]


def batches(parts: Iterable[Points], theta: Parameters) -> Iterator[Points]:
    """Yield the same points in larger parts."""
    waiting: list[Points] = []
    for points in parts:
        waiting.append(points)
        if sum(map(len, waiting)) * len(theta) > _BLOCK:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)
