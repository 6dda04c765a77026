"""Kernels of geometry and regions by themselves, each beside plain NumPy that does the same work."""

from collections.abc import Callable

import numpy as np
from benchmark import Benchmark, Made, generator, size

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.rows import distinct_rows
from semipriv.geometry import sweep, turning
from semipriv.papers.bmn20.regions import pencils


def distinct(d: int, kinds: int) -> Callable[[float], Made]:
    """Find the distinct rows of 2 10^5 rows of integers, with their places and counts."""

    def make(factor: float) -> Made:
        rows = generator().integers(0, kinds, (size(2e5, factor), d))
        return Made(
            lambda: distinct_rows(rows),
            lambda: np.unique(rows, axis=0, return_inverse=True, return_counts=True),
            count=len(rows),
        )

    return make


def evaluated(dichotomies: np.ndarray, costs: np.ndarray) -> float:
    """Return the least sum of costs, by one product with all dichotomies (k, n) as floats."""
    return float((dichotomies @ costs).min())


def best(d: int, n: int) -> Callable[[float], Made]:
    """Find the least sum of costs of a halfspace; the baseline is given all dichotomies and sums each."""

    def make(factor: float) -> Made:
        rng = generator()
        x = rng.normal(size=(size(n, factor), d))
        x, costs = x[np.lexsort(x.T[::-1])], rng.normal(size=len(x))
        table = Halfspaces(d).cover(x).listed().dichotomies().astype(np.float64)
        search = (lambda: sweep.best_split(x, costs)) if d == 2 else (lambda: turning.best_halfspace(x, costs))
        return Made(search, lambda: evaluated(table, costs), count=len(table))

    return make


def entered(factor: float) -> Made:
    """Count the entries of a table of sums for two pencils of 200 lines."""
    total, lines = size(1e4, factor), size(200, factor)
    cells = generator().integers(-total // 4, total // 4, (2 * lines, 2 * lines)).astype(np.int32)
    once, base = np.ones(lines, np.int64), total // 2

    def kernel() -> np.ndarray:
        counts = np.zeros((4, total + 1), np.int64)
        pencils._enter(cells, False, once, once, base, counts)
        return counts.sum(axis=0)

    return Made(kernel, lambda: np.bincount(cells.ravel() + base, minlength=total + 1), count=cells.size)


BENCHMARKS = (
    Benchmark("pencils: counts of one table, 200 lines each", "np.bincount", entered, target=1, repeats=21),
    Benchmark("distinct rows: 2e5 rows of 3 of 40 numbers", "np.unique of rows", distinct(3, 40), target=2, repeats=5),
    Benchmark(
        "distinct rows: 2e5 rows of 2, most differ", "np.unique of rows", distinct(2, 10**6), target=2, repeats=5
    ),
    Benchmark(
        "sweep: least halfplane of 400 points",
        "a product with all dichotomies, given",
        best(2, 400),
        repeats=5,
        notes="no demand: the baseline is not charged for the dichotomies, which take most of its time and memory",
    ),
    Benchmark(
        "turning: least halfspace of 60 points in space",
        "a product with all dichotomies, given",
        best(3, 60),
        repeats=5,
        notes="no demand: the baseline is not charged for the dichotomies, which take most of its time and memory",
    ),
)
