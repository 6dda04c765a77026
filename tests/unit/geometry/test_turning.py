"""Signed-weight minimisation over halfspaces of R^d by turning: against all the dichotomies, listed one by one."""

import itertools
import math

import numba
import numpy as np
import pytest
from scipy.optimize import linprog

from semipriv.geometry import turning
from semipriv.geometry.sweep import best_split, dichotomy
from semipriv.geometry.turning import best_halfspace


def separable(x: np.ndarray) -> np.ndarray:
    """All dichotomies of (n, d) points by halfspaces, by linear programs: w x + b >= 1 inside, <= -1 outside."""
    n, d = x.shape
    rows = []
    for signs in itertools.product((-1.0, 1.0), repeat=n):
        constraints = -np.array(signs)[:, None] * np.column_stack([x, np.ones(n)])
        if linprog(np.zeros(d + 1), A_ub=constraints, b_ub=-np.ones(n), bounds=(None, None)).status == 0:
            rows.append(np.array(signs) > 0)
    return np.array(rows)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (6, 1), (2, 2), (7, 2), (1, 3), (3, 3), (5, 3), (7, 3), (4, 4), (7, 4)])
def test_best_halfspace_is_the_best_of_all(n, d):
    rng = np.random.default_rng([n, d])
    x = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-6, 6, d) + 1e3
    every = separable((x - x.mean(axis=0)) / (np.ptp(x, axis=0) + (n == 1)))
    assert len(every) == 2 * sum(math.comb(n - 1, i) for i in range(d + 1))
    for cost in (*rng.laplace(size=(30, n)), *rng.integers(-1, 2, (30, n)).astype(float), np.zeros(n), -np.ones(n)):
        best = best_halfspace(x, cost)
        assert best.value == pytest.approx((every @ cost).min(), abs=1e-12)
        assert best.value == pytest.approx(cost[best.inside].sum(), abs=1e-12)
        assert np.any(np.all(every == best.inside, axis=1))
        assert len(best.subset) == len(set(best.subset)) == min(n, d)


@pytest.mark.parametrize(("n", "d"), [(9, 2), (12, 3), (9, 4)])
def test_the_hyperplane_through_the_subset_parts_the_others(n, d):
    rng = np.random.default_rng([n, d])
    for _ in range(5):
        x = rng.normal(size=(n, d))
        best = best_halfspace(x, rng.laplace(size=n))
        rest = [i for i in range(n) if i not in best.subset]
        on = np.column_stack([x[list(best.subset)], np.ones(d)])
        side = np.array([np.linalg.det(np.vstack([on, [*x[i], 1.0]])) for i in rest])
        assert np.abs(side).min() > 1e-9
        assert np.all((side > 0) == best.inside[rest]) or np.all((side < 0) == best.inside[rest])


@pytest.mark.parametrize("n", [30, 80])
def test_best_halfspace_of_the_plane_is_the_best_split(n):
    rng = np.random.default_rng(n)
    x = np.unique(rng.normal(size=(n, 2)), axis=0)
    for cost in rng.laplace(size=(4, n)):
        best, split = best_halfspace(x, cost), best_split(x, cost)
        assert best.inside.tolist() == dichotomy(x, split.a, split.b).tolist()


@pytest.mark.usefixtures("all_threads")
def test_best_halfspace_does_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(turning, "_FEW", 10)
    rng = np.random.default_rng(10)
    x, cost = rng.normal(size=(25, 3)), rng.integers(-1, 2, 25).astype(float)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = best_halfspace(x, cost)
    finally:
        numba.set_num_threads(threads)
    both = best_halfspace(x, cost)
    assert (alone.value, alone.subset, alone.inside.tolist()) == (both.value, both.subset, both.inside.tolist())
