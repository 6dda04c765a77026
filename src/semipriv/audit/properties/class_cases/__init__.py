"""What the property tests of the classes know of each class.

A class file brings its own instances: ``examples`` and ``example_points``.  ``DRAWN`` makes oracles for them from the
predictions of many hypotheses.  A module here with the name of a class file adds a ``CASE``, with oracles that know the
definition of the class only: they list dichotomies and predict without the package's covers, predictions or geometry.
"""

import functools
import itertools
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

import numpy as np

from semipriv.classes.base import REPRESENTATIVES, HypothesisClass

INFINITY = float("inf")


def rows(points: np.ndarray) -> list[list[float]]:
    """Distinct points in lexicographic order, by plain Python."""
    return [list(p) for p in sorted({tuple(p) for p in np.asarray(points).tolist()})]


def real_point_sets(h: HypothesisClass) -> list[np.ndarray]:
    """Continuous, tied, duplicated, collinear, single and no points; at most 7 distinct."""
    rng = np.random.default_rng(20)
    d = h.dimension
    sets = [rng.normal(size=(7, d)), rng.normal(size=(5, d)) * 1e150, rng.normal(size=(5, d)) * 1e-150]
    sets += [1e6 + rng.random((6, d)), rng.integers(0, 3, (7, d)).astype(float), rng.integers(-1, 2, (9, d)) * 0.5]
    sets += [np.full((3, d), 0.1), np.zeros((1, d)), np.empty((0, d)), np.full((2, d), -0.0)]
    if d >= 2:
        line = np.array([0.0, 1, 1, 2, 3, 5, 8])[:, None]
        direction = np.arange(1.0, d + 1)
        sets += [line * direction, line * np.eye(d)[0], line * np.eye(d)[-1], line[:5] * direction + 0.5]
        sets += [np.concatenate([line[:5] * direction, rng.integers(0, 4, (2, d))])]
        sets += [np.concatenate([np.eye(d), -np.eye(d), np.zeros((1, d))])]
    if d >= 3:
        plane = np.concatenate([rng.integers(0, 3, (6, d - 1)), np.ones((6, 1))], axis=1).astype(float)
        sets += [plane, np.concatenate([plane[:5], rng.normal(size=(2, d))])]
    return [s[np.unique(s, axis=0, return_index=True)[1][:7]] if len(s) > 7 else s for s in sets]


def real_domain_points(h: HypothesisClass, rng: np.random.Generator, n: int) -> np.ndarray:
    """(n, d) points with many ties."""
    return rng.integers(-2, 3, (n, h.dimension)).astype(float)


def real_many_points(h: HypothesisClass, rng: np.random.Generator, n: int) -> np.ndarray:
    """(n, d) points in general position."""
    return rng.normal(size=(n, h.dimension))


def real_candidates(h: HypothesisClass, size: int) -> Iterator[list[list[float]]]:
    """Sets of ``size`` points among which a shattered one is found if there is one."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        yield rows(rng.normal(size=(size, h.dimension)))
        yield rows(rng.permuted(np.tile(np.arange(float(size)), (h.dimension, 1)), axis=1).T)


def real_grid(h: HypothesisClass) -> np.ndarray:
    """Points of a fine grid between the integers."""
    return np.array(list(itertools.product(np.arange(-3.75, 4, 0.5), repeat=h.dimension)))


@dataclass(frozen=True)
class Case:
    """Oracles of one class file.

    dichotomies(h, x): those of distinct points x (a list of lists), as a set of tuples.  says(h, parameters, x): one
    prediction.  parameters(h, rng, k): (k, p) hypotheses.  The others say where points come from, and default to R^d:
    sets for covers; n points with ties; n without; sets of a size among which one is shattered if any is; points that
    meet all label vectors of the drawn hypotheses; the number of points of the domain; hypotheses for the dual
    dimension; whether the Littlestone dimension is an upper bound only.
    """

    dichotomies: Callable[..., Set[tuple[bool, ...]]]
    says: Callable[..., bool]
    parameters: Callable[..., np.ndarray]
    point_sets: Callable[..., list[np.ndarray]] = real_point_sets
    domain_points: Callable[..., np.ndarray] = real_domain_points
    many_points: Callable[..., np.ndarray] = real_many_points
    candidates: Callable[..., Iterator[list[list[float]]]] = real_candidates
    grid: Callable[..., np.ndarray] = real_grid
    domain_size: Callable[..., float] = lambda h: INFINITY
    dual_hypotheses: Callable[..., np.ndarray] | None = None
    label: Callable[..., str] = repr
    littlestone_is_bound: Callable[..., bool] = lambda h: False


def remembered(dichotomies: Callable[..., Set[tuple[bool, ...]]]) -> Callable[..., Set[tuple[bool, ...]]]:
    """Let many properties ask an oracle of dichotomies, which takes long, for the same points once."""

    @functools.lru_cache(maxsize=1_000)
    def listed(h: HypothesisClass, x: tuple[tuple[float, ...], ...]) -> frozenset[tuple[bool, ...]]:
        return frozenset(dichotomies(h, [list(p) for p in x]))

    return functools.wraps(dichotomies)(lambda h, x: listed(h, tuple(map(tuple, x))))


# ------------------------------------------------------------------------------------------- a class file alone
@functools.cache
def pool(h: HypothesisClass) -> np.ndarray:
    """Hypotheses (k, p) of the covers of many sets of points, of all three representatives."""
    rng, parts = np.random.default_rng(30), []
    for points in (*drawn_point_sets(h), *(drawn_many_points(h, rng, n) for n in (1, 2, 3, 8, 8))):
        for representative in REPRESENTATIVES:
            parts.append(h.cover(points, representative).listed().parameters)
    return np.unique(np.concatenate(parts), axis=0)


@remembered
def drawn_dichotomies(h: HypothesisClass, x: list[list[float]]) -> set[tuple[bool, ...]]:
    """Those of hypotheses that were found for other points: around x, of x without a point, and the pool."""
    points = np.array(x, float).reshape(len(x), h.dimension)
    others = [np.delete(points, i, axis=0) for i in range(len(points))]
    if h.example_points is None:
        shift = np.random.default_rng(31).normal(size=points.shape)
        scale = 0.01 * (np.abs(np.subtract.outer(points.ravel(), points.ravel())).max(initial=0) + 1e-9)
        others += [np.concatenate([points, points + scale * shift])[:9]]
    theta = [h.cover(o, representative).listed().parameters for o in others for representative in REPRESENTATIVES]
    return set(map(tuple, h.predict(np.concatenate([pool(h), *theta]), points).tolist()))


def drawn_says(h: HypothesisClass, parameters: list[float], x: list[float]) -> bool:
    """The prediction of one hypothesis at one point, by itself."""
    return bool(h.predict(np.array([parameters]), np.array([x]))[0, 0])


def drawn_parameters(h: HypothesisClass, rng: np.random.Generator, k: int) -> np.ndarray:
    return rng.choice(pool(h), k)


def drawn_point_sets(h: HypothesisClass) -> list[np.ndarray]:
    if h.example_points is None:
        return real_point_sets(h)
    x, rng = h.example_points, np.random.default_rng(20)
    return [rng.permutation(x)[:7], x[:7], x[-7:], x[[0, -1, 0]], x[:1], x[:0]]


def drawn_points(h: HypothesisClass, rng: np.random.Generator, n: int) -> np.ndarray:
    return real_domain_points(h, rng, n) if h.example_points is None else rng.choice(h.example_points, n)


def drawn_many_points(h: HypothesisClass, rng: np.random.Generator, n: int) -> np.ndarray:
    return real_many_points(h, rng, n) if h.example_points is None else rng.choice(h.example_points, n)


def drawn_candidates(h: HypothesisClass, size: int) -> Iterator[list[list[float]]]:
    if h.example_points is None:
        yield from real_candidates(h, size)
    else:
        yield from map(list, itertools.islice(itertools.combinations(h.example_points.tolist(), size), 2000))


def drawn_grid(h: HypothesisClass) -> np.ndarray:
    """A grid, or the points of the example."""
    return real_grid(h) if h.example_points is None else h.example_points


def drawn_dual(h: HypothesisClass) -> np.ndarray:
    """Hypotheses of different label vectors on the grid, those of most ones and zeros last."""
    theta = pool(h)
    labels = h.predict(theta, drawn_grid(h))
    _, first = np.unique(labels, axis=0, return_index=True)
    balance = np.abs(labels[first].mean(axis=1) - 0.5)
    return theta[first[np.argsort(balance, kind="stable")[:24]]]


DRAWN = Case(
    drawn_dichotomies,
    drawn_says,
    drawn_parameters,
    point_sets=drawn_point_sets,
    domain_points=drawn_points,
    many_points=drawn_many_points,
    candidates=drawn_candidates,
    grid=drawn_grid,
    domain_size=lambda h: INFINITY if h.example_points is None else len(h.example_points),
    dual_hypotheses=drawn_dual,
)
"""Oracles for a class file alone."""
