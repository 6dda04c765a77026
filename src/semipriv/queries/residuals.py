"""Least squares of noisy tables over overlapping columns, in closed form.

A table over columns t is a sum of orthogonal parts, one for each subset s of t: summed over the other columns, and
centred along each column of s.  The part of a subset that is in several tables is the same in all of them, and the
noise of a table, independent and equal in its cells, is independent in its parts.  So the least-squares estimate of a
part is the mean of what tables say of it, by the inverse of variances, and the total is exact: it is the part of the
empty subset.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from semipriv.core.types import Floats

__all__ = ["Key", "Residuals", "subsets", "summed_up", "weights"]

Key = tuple[str, ...]
"""Columns of a table, in the order of its axes; all tables list common columns in one order."""
Parts = Mapping[Key, Floats]
_SMALLEST = 1e-12
"""Noise of a smaller variance counts as this: it is hardly ever other than 0, and divides nothing by 0."""


def subsets(table: Key) -> Iterator[Key]:
    """Yield the subsets of columns but the empty one, small ones first."""
    for number in range(1, len(table) + 1):
        yield from combinations(table, number)


class Residuals:
    """What tables of some noise say together.

    sizes: number of values of each column.  variances: of the noise of a cell, by table.  total: the exact sum of the
    cells of every table.
    """

    def __init__(self, sizes: Mapping[str, int], variances: Mapping[Key, float], total: float) -> None:
        self.sizes, self.total = dict(sizes), total
        self._precisions: dict[Key, dict[Key, float]] = {}
        for table, variance in variances.items():
            for part in subsets(table):
                precision = 1 / (max(variance, _SMALLEST) * summed_up(self.sizes, table, part))
                self._precisions.setdefault(part, {})[table] = precision
        self.variances = {part: 1 / sum(precisions.values()) for part, precisions in self._precisions.items()}
        """Variance of the estimate of each part, before it is centred."""

    def knows(self, table: Key) -> bool:
        """Return whether all parts of a table were measured."""
        return all(part in self.variances for part in subsets(table))

    def shape(self, table: Key) -> tuple[int, ...]:
        """Return the shape of a table."""
        return tuple(self.sizes[column] for column in table)

    def parts(self, measured: Mapping[Key, Floats]) -> dict[Key, Floats]:
        """Return the estimates of all parts from noisy tables, each of its shape."""
        estimates: dict[Key, Floats] = {}
        for part, own in self._precisions.items():
            terms = [precision * _component(measured[table], table, part) for table, precision in own.items()]
            estimates[part] = self.variances[part] * np.sum(terms, axis=0)
        return estimates

    def table(self, parts: Parts, table: Key, total: float | None = None) -> Floats:
        """Return the estimate of a table; total: of its cells, instead of the known one."""
        whole = self.total if total is None else total
        estimate = np.full(self.shape(table), whole / summed_up(self.sizes, table, ()))
        for part in subsets(table):
            shape = [self.sizes[column] if column in part else 1 for column in table]
            estimate += parts[part].reshape(shape) / summed_up(self.sizes, table, part)
        return estimate

    def spread(self, table: Key, last: bool = True) -> tuple[float, float]:
        """Return (p, q): the noise of sum_l f_l x[group, l] has variance p sum_l f_l^2 + q (sum_l f_l)^2.

        x is the estimate of a table whose last column has levels l, f any numbers, one for each level.  last: whether
        it has such a column; if not, p is the variance of each cell and q is 0.
        """
        terms = [(self.variances[part], p, q) for part, p, q in weights(self.sizes, table, last)]
        return sum(variance * p for variance, p, _ in terms), sum(variance * q for variance, _, q in terms)


def weights(sizes: Mapping[str, int], table: Key, last: bool) -> Iterator[tuple[Key, float, float]]:
    """Yield the parts of a table with their p and q of ``Residuals.spread``, if the variance of the part is 1."""
    groups, levels = (table[:-1], table[-1:]) if last else (table, ())
    for part in subsets(table):
        term = 1.0
        for column in groups:
            term *= 1 - 1 / sizes[column] if column in part else sizes[column] ** -2.0
        within = not levels or levels[0] in part
        size = float(sizes[levels[0]]) if levels else math.inf
        yield part, term * within, term * (-1 / size if within else size**-2.0)


def summed_up(sizes: Mapping[str, int], table: Key, part: Key) -> float:
    """Return how many cells of a table are summed up for one of a part."""
    return math.prod(float(sizes[column]) for column in table if column not in part)


def _component(table: Floats, columns: Key, part: Key) -> Floats:
    """Return the part of a table: summed over the other columns, and centred along each of its own."""
    others = tuple(i for i, column in enumerate(columns) if column not in part)
    component = table.sum(axis=others)
    for axis in range(component.ndim):
        component = component - component.mean(axis=axis, keepdims=True)
    return component
