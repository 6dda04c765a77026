"""Which tables are measured, and with which parts of the budget: a function of public numbers.

With q_t the part of table t, the precision of its noise is proportional to q_t^e, with e = 2 for discrete Laplace noise
and e = 1 for discrete Gaussian noise.  The part s of a table (`semipriv.queries.residuals`) then has the variance
1 / h_s, h_s = sum over tables t that hold s of q_t^e / (cells of t summed up for one of s), and statistic i has the
variance v_i = sum_s K_is / h_s, a mean over its groups at what public rows predict.  A set of quantiles, measured by
itself with part q, has a variance proportional to q^-e.

Minimised is sum_i a_i log v_i, with a_i the importance, over parts that add up to 1, under a floor: no v_i is above
what it is if the statistic has a table of its own with the part a_i / sum_j a_j, and nothing but this table, with as
many levels of the number.  Parts in that proportion are a feasible start.  Then parts are rounded to multiples of
2^-12 that add up to exactly 1, which may move a variance above the floor by that much.  What the optimisation leaves
undone costs accuracy, and never privacy.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import attrs
import numpy as np
from scipy import optimize

from semipriv.core.types import Floats
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.measure import Ends, moments
from semipriv.learners.statistics.prepared import Prepared
from semipriv.queries.residuals import Key, subsets, summed_up, weights

__all__ = ["Parts", "allocated"]

_UNIT = 2**12
"""Parts of the budget are multiples of its inverse: so coarse that another processor finds the same ones."""
_LEAST = 0.004
"""A table with a smaller part is left out, if others serve."""
_CROSS = 2**15
"""Groups of a table of all columns by which anything is asked for, at most, for it to be a candidate."""
_NOTHING = -14.0
"""Logarithm of the part of a table that has hardly any."""
_MANY, _TOO_MANY, _STARTS = 10, 40, 4
"""From so many tables on few of them are starts, and from so many on nothing is optimised: it would take minutes."""
_WORSE = 1e-6
"""How much the logarithm of a variance may be above the floor, by rounding."""


@attrs.frozen
class Parts:
    """Parts of a budget, whose sum is 1: of each table, and of each set of quantiles."""

    tables: dict[Key, Fraction]
    quantiles: dict[Asked, Fraction]


@attrs.frozen(eq=False)
class _Problem:
    """The variances of statistics as a function of parts: tables first, then sets of quantiles.

    shares: (parts s, tables), 1 / cells of the table summed up for one of s, 0 where it does not hold s.  loads: K,
    (statistics, parts s).  floor: logarithms of variances that are allowed.
    """

    shares: Floats
    loads: Floats
    power: int
    importance: Floats
    floor: Floats

    @property
    def tables(self) -> int:
        return self.shares.shape[1]

    def logs(self, x: Floats) -> tuple[Floats, Floats]:
        """Return log v_i at the logarithms x of parts, and their derivatives (statistics, len(x))."""
        q = np.exp(self.power * x[: self.tables])
        h = np.maximum(self.shares @ q, 1e-300)
        v = self.loads @ (1 / h)
        slopes = -self.power * (self.loads / h**2) @ (self.shares * q) / v[:, None]
        quantiles = len(x) - self.tables
        full = np.zeros((len(v) + quantiles, len(x)))
        full[: len(v), : self.tables] = slopes
        full[len(v) :, self.tables :] = -self.power * np.eye(quantiles)
        return np.concatenate([np.log(v), -self.power * x[self.tables :]]), full

    def feasible(self, x: Floats) -> bool:
        """Return whether no variance is above the floor."""
        return bool(np.all(self.logs(x)[0] <= self.floor + _WORSE))

    def cost(self, x: Floats) -> float:
        """Return what is minimised."""
        return float(self.importance @ self.logs(x)[0])


def candidates(prepared: Prepared) -> list[Key]:
    """Return the tables that are read, and for each number, or for counts, one by all columns asked for."""
    read = list(prepared.tables)
    by = {column for one in prepared.asked if one.statistic != "quantiles" for column in one.by}
    every = tuple(sorted(by, key=prepared.schema.place))
    if not every or prepared.cells(every) > _CROSS:
        return read
    crossed = [(*every, column) for column in prepared.numbers] or [every]
    return list(dict.fromkeys(read + crossed))


def allocated(prepared: Prepared, ends: Ends, n: int, gaussian: bool) -> Parts:
    """Return the parts of a budget.

    Args:
        prepared: what is asked for, and public rows.
        ends: that are expected of each number.
        n: number of private rows.
        gaussian: whether parts are of rho, not of epsilon.
    """
    return _allocated(prepared, tuple(ends.items()), n, gaussian)


@lru_cache(maxsize=16)
def _allocated(prepared: Prepared, ends: tuple[tuple[str, tuple[int, int]], ...], n: int, gaussian: bool) -> Parts:
    read = [one for one in prepared.asked if one.statistic != "quantiles" and table_of(one, prepared.schema)]
    quantiles = [one for one in prepared.asked if one.statistic == "quantiles"]
    tables = candidates(prepared)
    if not read:
        return _rounded({}, dict(zip(quantiles, _importance(quantiles).tolist(), strict=True)))
    problem, start = _problem(prepared, dict(ends), n, 1 if gaussian else 2, read, quantiles, tables)
    best = _solved(problem, start)
    q = np.exp(best)
    q = _sparse(problem, q / q.sum(), tables)
    kept = {table: part for table, part in zip(tables, q, strict=False) if part > 0}
    return _rounded(kept, dict(zip(quantiles, q[len(tables) :], strict=True)))


def _rounded(tables: dict[Key, float], quantiles: dict[Asked, float]) -> Parts:
    """Return parts as fractions that add up to exactly 1: multiples of a unit, at least one each if there is room.

    The nearest ones, and the largest, the first of them in order, has what is left.  Floats may differ in their last
    digits on another machine, and parts that were charged must be those by which noise is drawn.
    """
    given: list[tuple[Key | Asked, float]] = [*tables.items(), *quantiles.items()]
    found = {key: max(math.floor(part * _UNIT + 0.5), 1) for key, part in given}
    largest = max(found, key=lambda key: found[key])
    found[largest] = max(_UNIT - sum(found.values()) + found[largest], 1)
    total = sum(found.values())  # the unit, but for requests of more parts than there are units
    exact = {key: Fraction(part, total) for key, part in found.items()}
    return Parts({key: exact[key] for key in tables}, {key: exact[key] for key in quantiles})


def _importance(asked: Sequence[Asked]) -> Floats:
    """Return importance as shares that add up to 1, none smaller than that of a part that is hardly any."""
    given = np.array([one.importance for one in asked])
    given = np.maximum(given / given.max(initial=0.0), math.exp(_NOTHING))
    return np.asarray(given / given.sum())


def _problem(
    prepared: Prepared,
    ends: Ends,
    n: int,
    power: int,
    read: Sequence[Asked],
    quantiles: Sequence[Asked],
    tables: list[Key],
) -> tuple[_Problem, Floats]:
    """Return the problem, and parts in proportion to importance, as logarithms.

    A statistic without noise, as a count by a column of one category, has no part in it; nor has its table, beyond the
    little that any has.
    """
    sizes = prepared.sizes
    parts = list(dict.fromkeys(part for one in read for part in subsets(table_of(one, prepared.schema))))
    place = {part: i for i, part in enumerate(parts)}
    shares = np.zeros((len(parts), len(tables)))
    for j, table in enumerate(tables):
        for part in subsets(table):
            if part in place:
                shares[place[part], j] = 1 / summed_up(sizes, table, part)
    noisy, keys, loads, alone = [], [], [], []
    for one in read:
        key, load = table_of(one, prepared.schema), np.zeros(len(parts))
        predicted = prepared.predicted(key, ends.get(key[-1]), n)
        squares, totals = (float(np.mean(part)) for part in moments(one, prepared, ends, predicted))
        for part, p, q in weights(sizes, key, one.column is not None):
            load[place[part]] = max(p * squares + q * totals, 0.0)
        if load.max() > 0:
            load /= load.max()  # only ratios count
            noisy.append(one)
            keys.append(key)
            loads.append(load)
            alone.append(sum(load[place[part]] * summed_up(sizes, key, part) for part in subsets(key)))
    importance = _importance([*noisy, *quantiles])
    floor = np.append(np.log(alone), np.zeros(len(quantiles))) - power * np.log(importance)
    start = np.zeros(len(tables))
    for key, part in zip(keys, importance, strict=False):
        start[tables.index(key)] += part
    x = np.log(np.maximum(np.append(start, importance[len(noisy) :]), math.exp(_NOTHING)))
    return _Problem(shares, np.reshape(loads, (-1, len(parts))), power, importance, floor), x


def _solved(problem: _Problem, start: Floats) -> Floats:
    """Return the best feasible parts that are found, as logarithms.

    Started from proportional ones, and from those with half of the budget in one table: each of few tables; of more,
    some of those that serve most.  Of very many, and where nothing has noise, proportional parts are taken.
    """
    starts = [start]
    tables = np.argsort(-np.count_nonzero(problem.shares, axis=0), kind="stable")
    for j in tables if len(tables) <= _MANY else tables[:_STARTS]:
        one = np.exp(start) / 2
        one[j] += 0.5
        starts.append(np.log(one))
    best = start - math.log(np.exp(start).sum())
    if problem.tables >= _TOO_MANY or not len(problem.importance):
        return np.asarray(best)
    for one in starts:
        found = optimize.minimize(
            lambda x: (problem.cost(x), problem.importance @ problem.logs(x)[1]),
            one,
            jac=True,
            method="SLSQP",
            bounds=[(_NOTHING, 0.0)] * len(one),
            constraints=[
                {"type": "eq", "fun": lambda x: np.exp(x).sum() - 1, "jac": np.exp},
                {
                    "type": "ineq",
                    "fun": lambda x: problem.floor - problem.logs(x)[0],
                    "jac": lambda x: -problem.logs(x)[1],
                },
            ],
            options={"maxiter": 60, "ftol": 1e-7},
        )
        x = found.x - math.log(np.exp(found.x).sum())
        if np.all(np.isfinite(x)) and problem.feasible(x) and problem.cost(x) < problem.cost(best) - _WORSE:
            best = x
    return np.asarray(best)


def _sparse(problem: _Problem, q: Floats, tables: list[Key]) -> Floats:
    """Return parts without those of tables that hardly count, if no variance is above the floor without them."""
    kept = q.copy()
    for j in np.argsort(q[: len(tables)]):
        if kept[j] >= _LEAST:
            break
        less = kept.copy()
        less[j] = 0.0
        less /= less.sum()
        if np.all(problem.shares @ less[: len(tables)] > 0) and problem.feasible(
            np.log(np.maximum(less, math.exp(8 * _NOTHING)))
        ):
            kept = less
    return kept
