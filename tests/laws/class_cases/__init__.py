"""What the law suite of the classes knows of each class: one module a class file, found by its name, with a ``CASE``.

The oracles know the definition of the class only: they list dichotomies and predict without the package's covers,
predictions or geometry.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from semipriv.classes.base import HypothesisClass

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
    """Instances of one class file with their oracles.

    dichotomies(h, x): those of distinct points x (a list of lists), as a set of tuples.  says(h, parameters, x): one
    prediction.  parameters(h, rng, k): (k, p) hypotheses.  The others say where points come from, and default to R^d:
    sets for covers; n points with ties; n without; sets of a size among which one is shattered if any is; points that
    meet all label vectors of the drawn hypotheses; the number of points of the domain; hypotheses for the dual
    dimension.
    """

    examples: tuple[HypothesisClass, ...]
    dichotomies: Callable[..., set[tuple[bool, ...]]]
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
