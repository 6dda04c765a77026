import itertools
from collections.abc import Iterator

import numpy as np

from semipriv.audit.properties.class_cases import (
    INFINITY,
    Case,
    real_candidates,
    real_domain_points,
    real_grid,
    real_many_points,
    real_point_sets,
)
from semipriv.classes.decision_stumps import DecisionStumps


def says(h: DecisionStumps, parameters: list[float], x: list[float]) -> bool:
    feature, cut, sign = parameters
    above = x[int(feature)] >= cut
    return above if sign > 0 else not above


def dichotomies(h: DecisionStumps, x: list[list[float]]) -> set[tuple[bool, ...]]:
    patterns = set()
    for j in range(h.dimension):
        for t in [1.0] if on_cube(h) else [-INFINITY, INFINITY, *(p[j] for p in x)]:
            above = tuple(p[j] >= t for p in x)
            patterns.add(above)
            if h.signs == "both":
                patterns.add(tuple(not v for v in above))
    return patterns


def parameters(h: DecisionStumps, rng: np.random.Generator, k: int) -> np.ndarray:
    features, cuts = rng.integers(0, h.dimension, k), rng.integers(-3, 4, k)
    signs = rng.choice([-1, 1] if h.signs == "both" else [1], k)
    return np.column_stack([features, 0 * cuts if on_cube(h) else cuts, signs]).astype(float)


def on_cube(h: DecisionStumps) -> bool:
    return h.domain == "cube"


def cube(h: DecisionStumps) -> np.ndarray:
    return np.array(list(itertools.product((-1.0, 1.0), repeat=h.dimension)))


def point_sets(h: DecisionStumps) -> list[np.ndarray]:
    if not on_cube(h):
        return real_point_sets(h)
    rng = np.random.default_rng(20)
    corners = cube(h)
    return [rng.permutation(corners)[:5], corners[[0, -1, 0]], corners[:7], corners[:1], corners[:0]]


def domain_points(h: DecisionStumps, rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.choice(cube(h), n) if on_cube(h) else real_domain_points(h, rng, n)


def many_points(h: DecisionStumps, rng: np.random.Generator, n: int) -> np.ndarray:
    return domain_points(h, rng, n) if on_cube(h) else real_many_points(h, rng, n)


def candidates(h: DecisionStumps, size: int) -> Iterator[list[list[float]]]:
    """On the cube all subsets."""
    if not on_cube(h):
        yield from real_candidates(h, size)
    else:
        yield from map(list, itertools.combinations(cube(h).tolist(), size))


def grid(h: DecisionStumps) -> np.ndarray:
    return cube(h) if on_cube(h) else real_grid(h)


CASE = Case(
    dichotomies,
    says,
    parameters,
    point_sets=point_sets,
    domain_points=domain_points,
    many_points=many_points,
    candidates=candidates,
    grid=grid,
    domain_size=lambda h: 2**h.dimension if on_cube(h) else INFINITY,
)
