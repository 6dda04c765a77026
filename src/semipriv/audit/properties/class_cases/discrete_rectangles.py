import itertools
from collections.abc import Iterator

import numpy as np

from semipriv.audit.properties.class_cases import Case, rows
from semipriv.audit.properties.class_cases.rectangles import dichotomies, says
from semipriv.classes.discrete_rectangles import DiscreteRectangles


def points(h: DiscreteRectangles, rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 2**h.bits, (n, h.dimension)).astype(float)


def point_sets(h: DiscreteRectangles) -> list[np.ndarray]:
    rng, top = np.random.default_rng(20), 2.0**h.bits - 1
    d = h.dimension
    sets = [points(h, rng, 7), points(h, rng, 5), np.full((3, d), top), np.zeros((1, d)), np.empty((0, d))]
    return [
        *sets,
        np.array([[0.0] * d, [top] * d, [0.0] * d]),
        np.repeat(np.arange(min(4, 2**h.bits)), d).reshape(-1, d),
    ]


def parameters(h: DiscreteRectangles, rng: np.random.Generator, k: int) -> np.ndarray:
    ends = np.sort(rng.integers(0, 2**h.bits, (2, k, h.dimension)), axis=0).astype(float)
    theta = np.column_stack([*ends])
    theta[rng.random(k) < 0.1] = np.repeat([np.inf, -np.inf], h.dimension)
    return theta


def dual_hypotheses(h: DiscreteRectangles) -> np.ndarray:
    """Two overlapping slabs for each axis (one for a single bit), and others."""
    d, top = h.dimension, 2.0**h.bits - 1
    slabs = []
    for j in range(d):
        for low, high in ((0.0, 1.0), (1.0, 2.0)) if h.bits > 1 else ((1.0, 1.0),):
            slab = np.repeat([0.0, top], d)
            slab[j], slab[d + j] = low, high
            slabs.append(slab)
    return np.concatenate([slabs, parameters(h, np.random.default_rng(4), 10)])


def grid(h: DiscreteRectangles) -> np.ndarray:
    """The whole domain."""
    return np.array(list(itertools.product(range(2**h.bits), repeat=h.dimension)), float)


def candidates(h: DiscreteRectangles, size: int) -> Iterator[list[list[float]]]:
    """Random sets, and those around the middle: the cross, and one point beside it on each axis."""
    rng, top, d = np.random.default_rng(3), 2.0**h.bits - 1, h.dimension
    if h.bits > 1 and size == 2 * d:
        cross = np.ones((2 * d, d))
        for j in range(d):
            cross[2 * j, j], cross[2 * j + 1, j] = 0, 2
        yield rows(cross)
    if h.bits == 1 and size == d:
        yield rows(top - np.eye(d))
    for _ in range(60):
        chosen = rng.permutation(grid(h))[:size]
        if len(chosen) == size:
            yield rows(chosen)


CASE = Case(
    dichotomies,
    says,
    parameters,
    point_sets=point_sets,
    domain_points=points,
    many_points=points,
    candidates=candidates,
    grid=grid,
    domain_size=lambda h: 2 ** (h.bits * h.dimension),
    dual_hypotheses=dual_hypotheses,
    littlestone_is_bound=lambda h: h.dimension > 1,
)
