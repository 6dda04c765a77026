import itertools
from collections.abc import Iterator

import numpy as np

from semipriv.audit.properties.class_cases import Case
from semipriv.classes.finite_class import FiniteClass


def threshold_table(n: int) -> list[list[int]]:
    """All n + 1 thresholds of the points 0, ..., n - 1."""
    return [[int(x >= t) for x in range(n)] for t in range(n + 1)]


def random_table(seed: int, rows: int, columns: int) -> list[list[int]]:
    return np.random.default_rng(seed).integers(0, 2, (rows, columns)).tolist()


CUBE = [list(row) for row in itertools.product((0, 1), repeat=3)]
SINGLETONS = [[int(i == j) for j in range(6)] for i in range(6)]


def label(h: FiniteClass) -> str:
    return f"finite_class-{len(h.table)}x{len(h.table[0])}"


def says(h: FiniteClass, parameters: list[float], x: list[float]) -> bool:
    return h.table[int(parameters[0])][int(x[0])] == 1


def dichotomies(h: FiniteClass, x: list[list[float]]) -> set[tuple[bool, ...]]:
    return {tuple(row[int(p[0])] == 1 for p in x) for row in h.table}


def parameters(h: FiniteClass, rng: np.random.Generator, k: int) -> np.ndarray:
    return rng.integers(0, len(h.table), (k, 1)).astype(float)


def domain(h: FiniteClass) -> int:
    return len(h.table[0])


def point_sets(h: FiniteClass) -> list[np.ndarray]:
    m, rng = domain(h), np.random.default_rng(20)
    sets = [range(m), [m - 1, 0, 0], rng.integers(0, m, 3), [0], []]
    return [np.array(s, float).reshape(-1, 1) for s in sets]


def domain_points(h: FiniteClass, rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, domain(h), (n, 1)).astype(float)


def candidates(h: FiniteClass, size: int) -> Iterator[list[list[float]]]:
    """All subsets."""
    for subset in itertools.combinations(range(domain(h)), size):
        yield [[float(v)] for v in subset]


CASE = Case(
    dichotomies,
    says,
    parameters,
    point_sets=point_sets,
    domain_points=domain_points,
    many_points=domain_points,
    candidates=candidates,
    grid=lambda h: np.arange(float(domain(h)))[:, None],
    domain_size=domain,
    dual_hypotheses=lambda h: np.arange(float(len(h.table)))[:, None],
    label=label,
)
