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
from semipriv.classes.point_functions import PointFunctions


def says(h: PointFunctions, parameters: list[float], x: list[float]) -> bool:
    return parameters == x


def dichotomies(h: PointFunctions, x: list[list[float]]) -> set[tuple[bool, ...]]:
    """Each point alone; and none, if the domain has another."""
    patterns = {tuple(p == q for q in x) for p in x}
    return patterns | {(False,) * len(x)} if len(x) < domain_size(h) else patterns


def domain_size(h: PointFunctions) -> float:
    return INFINITY if h.bits is None else 2 ** (h.bits * h.dimension)


def domain(h: PointFunctions) -> np.ndarray:
    return np.array(list(itertools.product(range(2**h.bits), repeat=h.dimension)), float)


def parameters(h: PointFunctions, rng: np.random.Generator, k: int) -> np.ndarray:
    return domain_points(h, rng, k)


def point_sets(h: PointFunctions) -> list[np.ndarray]:
    if h.bits is None:
        return real_point_sets(h)
    whole, rng = domain(h), np.random.default_rng(20)
    sets = [rng.permutation(whole)[:6], whole[:6], whole[-6:], whole[1:7], whole[[0, -1, 0]], whole[:1], whole[:0]]
    return [*sets, whole] if len(whole) <= 8 else sets


def domain_points(h: PointFunctions, rng: np.random.Generator, n: int) -> np.ndarray:
    return real_domain_points(h, rng, n) if h.bits is None else rng.choice(domain(h), n)


def many_points(h: PointFunctions, rng: np.random.Generator, n: int) -> np.ndarray:
    return real_many_points(h, rng, n) if h.bits is None else rng.choice(domain(h), n)


def candidates(h: PointFunctions, size: int) -> Iterator[list[list[float]]]:
    if h.bits is None:
        yield from real_candidates(h, size)
    else:
        yield from map(list, itertools.islice(itertools.combinations(domain(h).tolist(), size), 500))


def grid(h: PointFunctions) -> np.ndarray:
    """The points that hypotheses are drawn from, and others."""
    if h.bits is not None:
        return domain(h)
    whole = np.array(list(itertools.product(range(-2, 3), repeat=h.dimension)), float)
    return np.concatenate([whole, real_grid(h)])


CASE = Case(
    dichotomies,
    says,
    parameters,
    point_sets=point_sets,
    domain_points=domain_points,
    many_points=many_points,
    candidates=candidates,
    grid=grid,
    domain_size=domain_size,
)
