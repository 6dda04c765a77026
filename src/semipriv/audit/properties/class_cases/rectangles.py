import itertools

import numpy as np

from semipriv.audit.properties.class_cases import INFINITY, Case, remembered
from semipriv.classes.rectangles import Rectangles


def says(h: Rectangles, parameters: list[float], x: list[float]) -> bool:
    d = h.dimension
    return all(parameters[j] <= x[j] <= parameters[d + j] for j in range(d))


@remembered
def dichotomies(h: Rectangles, x: list[list[float]]) -> set[tuple[bool, ...]]:
    """Those whose ones are all the points in the least rectangle around them."""
    patterns = set()
    for labels in itertools.product((False, True), repeat=len(x)):
        inside = [p for p, label in zip(x, labels, strict=True) if label]
        low = [min((p[j] for p in inside), default=INFINITY) for j in range(h.dimension)]
        high = [max((p[j] for p in inside), default=-INFINITY) for j in range(h.dimension)]
        if labels == tuple(says(h, [*low, *high], p) for p in x):
            patterns.add(labels)
    return patterns


def parameters(h: Rectangles, rng: np.random.Generator, k: int) -> np.ndarray:
    """Some of them empty, some with infinite ends."""
    ends = rng.integers(-3, 4, (2, k, h.dimension)).astype(float)
    low, high = np.where(rng.random(ends.shape) < 0.2, np.inf, ends) * [[[-1.0]], [[1.0]]]
    theta = np.column_stack([np.minimum(low, high), np.maximum(low, high)])
    theta[rng.random(k) < 0.1] = np.repeat([np.inf, -np.inf], h.dimension)
    return theta


def slabs(h: Rectangles) -> np.ndarray:
    """Two overlapping ones for each axis, and others."""
    d = h.dimension
    low, high = np.full((2 * d, d), -np.inf), np.full((2 * d, d), np.inf)
    for j in range(d):
        low[2 * j, j], high[2 * j, j], low[2 * j + 1, j], high[2 * j + 1, j] = -2, 0, -1, 1
    return np.concatenate([np.column_stack([low, high]), parameters(h, np.random.default_rng(4), 12 - 2 * d)])


CASE = Case(dichotomies, says, parameters, dual_hypotheses=slabs)
