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

__all__ = ["Key", "Residuals", "subsets"]

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
        self._weights: dict[Key, dict[Key, float]] = {}
        for table, variance in variances.items():
            for part in subsets(table):
                self._weights.setdefault(part, {})[table] = 1 / (max(variance, _SMALLEST) * self._cells(table, part))
        self.variances = {part: 1 / sum(weights.values()) for part, weights in self._weights.items()}
        """Variance of the estimate of each part, before it is centred."""

    def knows(self, table: Key) -> bool:
        """Return whether all parts of a table were measured."""
        return all(part in self.variances for part in subsets(table))

    def shape(self, table: Key) -> tuple[int, ...]:
        """Return the shape of a table."""
        return tuple(self.sizes[one] for one in table)

    def _cells(self, table: Key, part: Key) -> float:
        """Return how many cells of a table are summed up for one of a part."""
        return math.prod(float(self.sizes[one]) for one in table if one not in part)

    def parts(self, measured: Mapping[Key, Floats]) -> dict[Key, Floats]:
        """Return the estimates of all parts from noisy tables, each of its shape."""
        found: dict[Key, Floats] = {}
        for part, weights in self._weights.items():
            terms = [weight * _component(measured[table], table, part) for table, weight in weights.items()]
            found[part] = self.variances[part] * np.sum(terms, axis=0)
        return found

    def table(self, parts: Parts, table: Key, total: float | None = None) -> Floats:
        """Return the estimate of a table; total: of its cells, in the place of the known one."""
        whole = self.total if total is None else total
        found = np.full(self.shape(table), whole / self._cells(table, ()))
        for part in subsets(table):
            shape = [self.sizes[one] if one in part else 1 for one in table]
            found += parts[part].reshape(shape) / self._cells(table, part)
        return found

    def spread(self, table: Key, last: bool = True) -> tuple[float, float]:
        """Return (p, q): the noise of sum_l f_l x[group, l] has variance p sum_l f_l^2 + q (sum_l f_l)^2.

        x is the estimate of a table whose last column has levels l, f any numbers, one for each level.  last: whether
        it has such a column; if not, p is the variance of each cell and q is 0.
        """
        groups, levels = (table[:-1], table[-1:]) if last else (table, ())
        p = q = 0.0
        for part in subsets(table):
            term = self.variances[part]
            for one in groups:
                term *= 1 - 1 / self.sizes[one] if one in part else self.sizes[one] ** -2.0
            if not levels or levels[0] in part:
                p += term
            if levels:
                q += term * (-1 / self.sizes[levels[0]] if levels[0] in part else self.sizes[levels[0]] ** -2.0)
        return p, q


def _component(table: Floats, columns: Key, part: Key) -> Floats:
    """Return the part of a table: summed over the other columns, and centred along each of its own."""
    others = tuple(i for i, one in enumerate(columns) if one not in part)
    found = table.sum(axis=others)
    for axis in range(found.ndim):
        found = found - found.mean(axis=axis, keepdims=True)
    return found
