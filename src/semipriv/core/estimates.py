"""What work takes, by public numbers: seconds of one core, and memory, each from operations that are counted.

Each function counts the operations of one kind of work, and divides them by a rate that was measured in seconds of the
processor (``benchmarks/estimates.py`` measures them again, and prints how far they are off).  Machines differ by two,
compiling is not part of it, and an estimate is meant to be right up to a factor of three.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from semipriv.core.work import Cost

__all__ = [
    "axes",
    "bounded",
    "boxes_listed",
    "cuts_counted",
    "descent",
    "encoded",
    "gradients",
    "halfplanes_counted",
    "halfspaces_listed",
    "halfspaces_turned",
    "intersections_listed",
    "intersections_tried",
    "kept",
    "labelled",
    "least_squares",
    "logistic",
    "marginals_fitted",
    "newton",
    "noise",
    "predicted",
    "public_points",
    "range_counted",
    "ranked",
    "rectangles_counted",
    "regions_counted",
    "reported",
    "ridge",
    "rows_elsewhere",
    "rows_here",
    "rows_made",
    "rows_published",
    "rules_counted",
    "stumps_listed",
    "supported",
    "words_counted",
]

NUMBER = 8
"""Bytes of a number."""
_CALL = 8e-5
"""Seconds of a few calls of NumPy on short arrays."""


def bounded(number: float) -> float:
    """Return a number, or 10^200 for a larger one, so that integers beyond all floats are estimated, too.

    >>> bounded(7), bounded(10**400)
    (7, 1e+200)
    """
    return min(number, 1e200)


_ELSEWHERE: ContextVar[bool] = ContextVar("rows_elsewhere", default=False)


@contextmanager
def rows_elsewhere() -> Iterator[None]:
    """Take private rows to be counted and summed up elsewhere inside the block, as by a database.

    How long they may take there is not an estimate: the time of its queries is limited.
    """
    token = _ELSEWHERE.set(True)
    try:
        yield
    finally:
        _ELSEWHERE.reset(token)


def rows_here(n: int) -> int:
    """Return how many of n private rows are read by this process: all or none.

    >>> with rows_elsewhere():
    ...     rows_here(5)
    0
    >>> rows_here(5)
    5
    """
    return 0 if _ELSEWHERE.get() else n


# ---------------------------------------------------------------------------------------------------- lists
def halfspaces_listed(rows: float, m: int, d: int, unsettled: float = 0.0) -> Cost:
    """Return what it takes to list halfspaces in d features, by m public points.

    rows: their number.  On a line and in the plane points are sorted, above each halfspace is held against each point.
    unsettled: share of those of the plane of which slopes are compared as exact numbers.
    """
    rows = bounded(rows)
    per_row, rate, copies = {1: (1, 1.5e7, 6), 2: (1, 1.5e6, 8)}.get(d, (m, 1.5e7, 18))
    return Cost(rows * per_row / rate + rows * unsettled / 500.0, rows * (d + 1) * NUMBER * copies)


def halfspaces_turned(turns: float, m: int, d: int) -> Cost:
    """Return what it takes to turn halfspaces about so many sets of d - 1 of m points, each past all others."""
    return Cost(bounded(turns) * m * 1.2e-7, bounded(turns) * d * NUMBER * 2.0)


def stumps_listed(m: int, d: int, chains: int, cuts: int, *, merged: bool) -> Cost:
    """Return what it takes to list stumps of d features by m points.

    chains: features times signs; cuts: of each.  merged: whether dichotomies of chains are compared by their sizes,
    in memory for each stump, rather than as rows of labels of all points.
    """
    rows = chains * cuts
    if merged:
        return Cost(chains * _CALL + rows / 1.2e6, 120.0 * rows)
    return Cost(chains * _CALL + rows * m / 1.7e8, rows * (72.0 + 1.5 * m))


def intersections_listed(pairs: float, words: int) -> Cost:
    """Return what it takes to intersect so many pairs of dichotomies, each of so many words of 64 labels."""
    return Cost(bounded(pairs) * words / 5e6)


def intersections_tried(number: float, halfspaces: float, n: int) -> Cost:
    """Return what it takes to try so many intersections of so many halfspaces on n examples, by matrix products."""
    return Cost(bounded(number) * (8e-11 * n + 2e-9), 9.0 * bounded(halfspaces) * n)


def boxes_listed(m: int, d: int) -> Cost:
    """Return what it takes to look for the least boxes around m points in d >= 3 features, slab by slab.

    A slab is a stretch of ranks of the last feature, and one is looked at in each slab of it: C(m + 2 (d - 2) - 1,
    2 (d - 2)) of them, if no value is met twice.
    """
    return Cost(bounded(math.comb(m + 2 * (d - 2) - 1, 2 * (d - 2))) * 6e-4)


# ---------------------------------------------------------------------------------------------------- counts
def predicted(k: float, n: int, d: int) -> Cost:
    """Return what it takes to hold k hypotheses against n examples of d features one by one."""
    return Cost(k * n * d / 3e8, NUMBER * k)


def words_counted(words: float) -> Cost:
    """Return what it takes to intersect words of 64 labels, and to count their ones."""
    return Cost(words / 5e7)


def range_counted(k: float, n: int, d: int) -> Cost:
    """Return what it takes to count n examples on the sides of k halfspaces in d features, with a k-d tree."""
    per_halfspace = 5e-7 + 2e-8 * n ** (1 - 1 / max(d, 2))
    return Cost(3e-3 + k * per_halfspace + 5e-7 * n, NUMBER * ((d + 2) * n + (2 * d + 6) * k))


def cuts_counted(k: float, n: int, chains: int = 1, *, table: bool = False) -> Cost:
    """Return what it takes to count n examples of a line between k cuts in all, on each of so many lines.

    table: whether examples are looked up in a table of the cuts, unless these are crowded, and not sorted.
    """
    return Cost(chains * (_CALL + n / (1e8 if table else 2.5e7)) + k / 1e7, NUMBER * (4 * k + 2 * n))


def ranked(rows: float, d: int) -> Cost:
    """Return what it takes to rank so many rows of d numbers."""
    return Cost(1e-4 + rows * d / 5e6, NUMBER * 6.0 * rows * d)


def halfplanes_counted(m: int, n: int) -> Cost:
    """Return what it takes to count the mistakes of all halfplanes by m points on n examples, without a list."""
    return Cost(m * (m + n) / 2.5e7, NUMBER * 40.0 * (m + n))


def rectangles_counted(m: int, n: int) -> Cost:
    """Return what it takes to count the mistakes of all rectangles of the plane by m points, and to draw one."""
    return Cost(m**3 / 4e8 + n / 2.5e6, NUMBER * (2.0 * m**2 + 4 * n))


def regions_counted(planes: int, most: int, visits: float, n: int) -> Cost:
    """Return what it takes to count the mistakes of regions.

    planes: hyperplanes.  most: how many sides a region has at most; n examples are held against all sets of one plane
    fewer.  visits: intersections of their sides.
    """
    held = bounded(math.comb(planes, max(most - 1, 1))) * n
    return Cost(1e-3 + 6e-7 * n + 3e-9 * held + 5e-6 * planes + bounded(visits) / 6e8, planes * n / 4.0 + NUMBER * n)


# ---------------------------------------------------------------------------------------------------- noise, sums
def noise(draws: float, *, normal: bool, calls: int = 1) -> Cost:
    """Return what exact draws of integer noise take: discrete Gaussian, or discrete Laplace.

    calls: vectors that get noise, each of its own scale: four numbers or more are drawn at once.
    """
    alone = draws / (1.5e4 if normal else 3e4)
    return Cost(min(alone, 2e-4 * calls + 2.5e-7 * draws), 4 * NUMBER * draws)


def reported(cells: float) -> Cost:
    """Return what it takes to make statistics by group of so many noisy cells consistent, and to report them."""
    return Cost(6e-6 * cells, NUMBER * 70.0 * cells)


def marginals_fitted(groups: int, cells: float, heard: float) -> Cost:
    """Return what it takes to fit rows to noisy marginals.

    groups: marginals, of so many cells in all.  heard: n epsilon, with which the steps of the fit grow.
    """
    steps = min(max((heard / 5e3) ** 0.31, 0.2), 5.0)
    return Cost(1.5e-2 + 4.5e-3 * groups * steps + 2.5e-6 * cells, NUMBER * 16.0 * cells)


_STREAMED = 1_000_000
"""Rows of a table that are in memory at once, at most: tables that are larger are streamed."""


def gradients(n: int, d: int, axes: int, sums: int) -> Cost:
    """Return what it takes to sum gradients of n rows of d features so many times.

    n: of private rows.  axes: public directions on which a gradient is taken.  sums: for each label one, if there are
    several.
    """
    n = rows_here(n)
    per_row = 6e-8 * d + sums * (1e-7 + 4e-10 * d * axes)
    return Cost(0.01 + n * per_row, NUMBER * min(n, _STREAMED) * (d + axes))


def rules_counted(k: int) -> Cost:
    """Return what it takes to make k halfspaces and stumps of them, and to count mistakes, besides reading rows."""
    return Cost(1.5e-5 * k)


def public_points(m: int, d: int, rules: int) -> Cost:
    """Return what it takes, in the private stage, to place m public points of d features, and to cut them by rules."""
    return Cost(m * (2.5e-7 * rules + 1.2e-7 * d), NUMBER * 3.0 * m * d)


def axes(m: int, d: int) -> Cost:
    """Return what it takes to standardise m public points of d features, and to find the axes along which they vary."""
    return Cost(1e-3 + m * d * (8e-8 + 4e-11 * d) + 5e-10 * d**3, NUMBER * (3.0 * m * d + 4.0 * d**2))


def supported(m: int, columns: int, cells: int) -> Cost:
    """Return what it takes to find the distinct ones of m public rows of categories, and the tree of their columns.

    cells: of all marginals.
    """
    by_row = Cost(5e-3 + m * columns * (4e-7 + 5e-9 * columns), NUMBER * 6.0 * m * columns)
    return by_row + Cost(1.8e-7 * cells, NUMBER * 5.0 * cells)


def rows_made(size: int, columns: int, marginals: int = 0, support: int = 0) -> Cost:
    """Return what it takes to make so many synthetic rows by weights of rows, or of points.

    marginals: of which rows are swapped until they are near.  support: rows that have weights.
    """
    passes = min(30, 5 * 10**8 // max(1, size * marginals)) if marginals else 0
    seconds = size * (1.2e-6 + passes * (1e-7 + 4e-9 * marginals)) + 1.5e-8 * support * marginals
    return Cost(seconds, NUMBER * (size * (4.0 + 1.1 * columns) + 0.5 * support * marginals))


def rows_published(size: int, columns: int) -> Cost:
    """Return what it takes to make a table of synthetic rows, to check its cells, and to write it as a file."""
    return Cost(4e-7 * size * columns, NUMBER * size * (6.0 + 1.6 * columns))


def labelled(k: float, n: int, d: int) -> Cost:
    """Return what it takes to score n private rows of d features by k linear functions, and to find the largest."""
    n = rows_here(n)
    return Cost(8e-9 * k * n * d, NUMBER * min(n, _STREAMED) * 2.0)


def newton(rows: float, d: int, m: int) -> Cost:
    """Return what it takes to fit weights of d features by Newton's method, about six steps a fit.

    rows: how many all fits have.  m: the most of them at once.
    """
    return Cost(0.035 + 6 * rows * (9.5e-8 + 1.75e-10 * (d + 1) ** 2), NUMBER * 3.0 * m * (d + 1))


def descent(rows: float, d: int, classes: int, m: int) -> Cost:
    """Return what it takes to fit weights of d features for each label, by about thirty gradients a fit."""
    return Cost(0.25 + 2.1e-8 * rows * classes * (d + 12), NUMBER * m * (3.0 * d + 3 * classes))


def least_squares(n: int, d: int) -> Cost:
    """Return what least squares over a ball take: clipping rows, X^T X, and its eigenvectors."""
    return Cost(1e-3 + n * d * (4.5e-8 + 2e-11 * d) + 4e-10 * d**3, NUMBER * (3.0 * n * (d + 1) + 4.0 * d**2))


def logistic(n: int, d: int) -> Cost:
    """Return what a logistic regression by scikit-learn takes, of features in units of their spread."""
    return Cost(5e-3 + n * (3e-7 + 3e-8 * d), NUMBER * (2.0 * n * (d + 4) + 30.0 * d))


def ridge(m: int, d: int) -> Cost:
    """Return what the ridge regressions of m public rows take: axes, and a decomposition for both ways to penalise."""
    decomposed = Cost(3e-3 + 5e-9 * m * d * min(m, d) + 5e-10 * d**3, NUMBER * (5.0 * m * d + 4.0 * d**2))
    return decomposed + public_points(m, d, 1)


def encoded(cells: float, *, text: bool) -> Cost:
    """Return what it takes to read cells of a file, as text or as columns of Parquet, and to encode them."""
    return Cost(cells / (3e6 if text else 1.2e7))


def kept(cells: float, *, text: bool) -> Cost:
    """Return what it takes to read cells and to keep them: as they were read, encoded, joined, and in another order."""
    return encoded(cells, text=text) + Cost(0.0, NUMBER * 5.0 * cells)
