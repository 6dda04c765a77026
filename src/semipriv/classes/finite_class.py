"""A finite class on a finite domain, given by its table."""

import itertools
import math
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import MOST_EXAMPLES, HypothesisClass, Predictions
from semipriv.core import checks, fields
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points, as_points
from semipriv.core.types import Bools, Indices

__all__ = ["FiniteClass"]

_MAX_SUBSETS = 2_000_000


def _distinct_rows(name: str, given: Any) -> tuple[tuple[int, ...], ...]:
    raw = checks.array(name, given)
    if raw.ndim != 2 or raw.size == 0 or not np.isin(raw, (0, 1)).all():
        raise ValueError(f"{name}: must be N >= 1 rows of M >= 1 entries 0 or 1 (a class is never empty)")
    _, first = np.unique(raw, axis=0, return_index=True)
    return tuple(tuple(int(v) for v in raw[i]) for i in np.sort(first))


@fields.value
class FiniteClass(HypothesisClass):
    """Hypothesis i maps the domain point j, one of 0, ..., M - 1, to table[i][j]; one parameter, the row i.

    Dimensions and growth are computed by exhaustion; they raise ValueError if that would take more than 2e6 subsets.

    Args:
        table: N rows of M entries 0 or 1, N >= 1; equal rows are merged, the first is kept.
    """

    table: Sequence[Sequence[int]] = fields.checked(_distinct_rows)

    @classmethod
    def examples(cls) -> "Sequence[FiniteClass]":
        """Return a cube, thresholds, singletons, tables drawn at random, a table with equal rows, and a single row."""
        return [
            FiniteClass(list(itertools.product((0, 1), repeat=3))),
            FiniteClass([[int(x >= t) for x in range(7)] for t in range(8)]),
            FiniteClass([[int(x == c) for x in range(6)] for c in range(6)]),
            FiniteClass(np.random.default_rng(1).integers(0, 2, (12, 6)).tolist()),
            FiniteClass(np.random.default_rng(2).integers(0, 2, (40, 7)).tolist()),
            FiniteClass([[0, 1], [0, 1], [1, 1]]),
            FiniteClass([[0, 1, 0]]),
        ]

    @property
    def example_points(self) -> Points:
        """The domain."""
        return self.whole_domain

    @property
    def whole_domain(self) -> Points:
        """0, ..., M - 1; equal rows of the table are merged."""
        return np.arange(float(self._bits.shape[1]))[:, None]

    dimension = 1
    width = 1
    """One: the number of a row of the table."""

    @cached_property
    def _bits(self) -> Bools:
        return np.asarray(self.table, dtype=np.bool_)

    def _largest_shattered(self, bits: Bools) -> int:
        """Return the largest number of columns with all dichotomies among the rows."""
        size = 0
        while 2 ** (size + 1) <= len(bits) and size < bits.shape[1]:
            self._check_subsets(bits.shape[1], size + 1)
            subsets = itertools.combinations(range(bits.shape[1]), size + 1)
            if not any(len(np.unique(bits[:, s], axis=0)) == 2 ** (size + 1) for s in map(list, subsets)):
                break
            size += 1
        return size

    @staticmethod
    def _check_subsets(domain: int, size: int) -> None:
        if math.comb(domain, size) > _MAX_SUBSETS:
            raise ValueError(f"exhaustion over C({domain}, {size}) subsets of the domain is too large (limit 2e6)")

    @property
    def vc_dimension(self) -> int:
        """By exhaustion over subsets of the domain."""
        return self._largest_shattered(self._bits)

    @property
    def dual_vc_dimension(self) -> int:
        """By exhaustion over subsets of the hypotheses."""
        return self._largest_shattered(np.unique(self._bits.T, axis=0))

    @property
    def littlestone_dimension(self) -> float:
        """By recursion: 1 + max over points of the smaller dimension of the two restrictions; finite."""
        bits = self._bits

        @cache
        def depth(rows: frozenset[int]) -> int:
            best = 0
            for j in range(bits.shape[1]):
                ones = frozenset(i for i in rows if bits[i, j])
                if 0 < len(ones) < len(rows):
                    best = max(best, 1 + min(depth(ones), depth(rows - ones)))
            return best

        return depth(frozenset(range(len(bits))))

    def growth(self, m: int) -> int:
        """Return the largest number of dichotomies of m domain points, by exhaustion."""
        size = min(m, self._bits.shape[1])
        self._check_subsets(self._bits.shape[1], size)
        subsets = itertools.combinations(range(self._bits.shape[1]), size)
        return max(len(np.unique(self._bits[:, s], axis=0)) if s else 1 for s in map(list, subsets))

    def validated(self, points: ArrayLike, name: str = "points") -> Points:
        """Check that points are of the domain, 0, ..., M - 1.

        Raises:
            ValueError: with the row of the first other point.
        """
        x = as_points(points, 1, name)
        columns, last = x[:, 0], self._bits.shape[1] - 1
        ok = (columns >= 0) & (columns <= last) & (columns == np.floor(columns))
        if not ok.all():
            row = int(np.argmin(ok))
            raise ValueError(f"{name}: row {row} = {columns[row]}: must be one of 0, ..., {last}")
        return x

    def _columns(self, points: ArrayLike) -> Indices:
        return self.validated(points)[:, 0].astype(np.intp)

    def check_parameters(self, parameters: Parameters, name: str = "parameters") -> None:
        """Check that the class has functions with these parameters.

        Raises:
            ValueError: for a row that the table does not have.
        """
        checks.indices(name, parameters[:, 0], len(self.table), "row of the table")

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, 1), (n, 1) -> (k, n) bool."""
        rows = np.asarray(parameters, np.float64).reshape(-1).astype(np.intp)
        return np.asarray(self._bits[rows][:, self._columns(points)])

    @property
    def minimise_size(self) -> int:
        """By the number of rows."""
        return max(1, min(MOST_EXAMPLES, 20_000_000 // len(self.table)))

    def _representatives(self, points: Points, representative: str) -> Parameters:
        """Return the first row of each dichotomy for 'lower' and 'midpoint', the last for 'upper'."""
        patterns = self._bits[:, self._columns(points)]
        if patterns.shape[1] == 0:
            return np.array([[len(patterns) - 1.0 if representative == "upper" else 0.0]])
        if representative == "upper":
            _, first = np.unique(patterns[::-1], axis=0, return_index=True)
            return np.sort(len(patterns) - 1 - first).astype(np.float64)[:, None]
        _, first = np.unique(patterns, axis=0, return_index=True)
        return np.sort(first).astype(np.float64)[:, None]

    def representative_domain(self, parameters: Parameters) -> Points:
        """Return the first domain point of each distinct column of the rows."""
        columns = self._bits[np.asarray(parameters, np.float64).reshape(-1).astype(np.intp)]
        if not len(columns):
            return np.zeros((1, 1))
        _, first = np.unique(columns, axis=1, return_index=True)
        return np.sort(first).astype(np.float64)[:, None]
