"""Which tables are measured, and with which parts of the budget: a function of public numbers.

With q_t the part of table t, the precision of its noise is proportional to q_t^e, with e = 2 for discrete Laplace noise
and e = 1 for discrete Gaussian noise.  The part s of a table (`semipriv.queries.residuals`) then has the variance
1 / h_s, h_s = sum over tables t that hold s of q_t^e / (cells of t summed up for one of s), and statistic i has the
variance v_i = sum_s K_is / h_s.  A set of quantiles, measured by itself with part q, has a variance proportional to
q^-e.

Minimised is sum_i a_i log v_i, with a_i the importance, over parts that add up to 1, under a floor: no v_i is above
what it is if the statistic has a table of its own with the part a_i / sum_j a_j, and nothing but this table, with as
many levels of the number.  Parts in that proportion are a feasible start.  K is that of equal groups whose numbers
spread evenly over the declared range, so parts follow from the request alone: public rows move none, so that they take
no precision from a count, which they do not help (``allocated``).

Where a statistic is wished to be more precise than that, ``steered`` moves parts towards it, by what public rows
predict: first the largest of log v_i - log wish_i^2 is minimised, until no wish is missed, then the sum again.  The
floor is lower there: of a statistic's own part half is kept.

Then parts are rounded to multiples of 2^-12 that add up to exactly 1, which may move a variance above the floor by that
much.  What the optimisation leaves undone costs accuracy, and never privacy.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs
import numpy as np
from scipy import optimize

from semipriv.core.fields import changed
from semipriv.core.types import Floats
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.measure import Ends, moments, most_deviation
from semipriv.learners.statistics.prepared import Prepared
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.queries.residuals import Key, subsets, summed_up, weights
from semipriv.queries.unit_mass import UNITS, ReportSchema

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
_KEPT = 0.5
"""Share of a statistic's own part of the budget that wishes of others leave it."""
_MARGIN = 0.01
"""How far the logarithm of a variance is brought below that of a wish, as parts are rounded."""
_Map = Callable[[Floats], tuple[Any, Floats]]
"""Values at the logarithms of parts, and their derivatives."""


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
    by = {column for request in prepared.asked if request.statistic != "quantiles" for column in request.by}
    every = tuple(sorted(by, key=prepared.schema.place))
    if not every or prepared.cells(every) > _CROSS:
        return read
    crossed = [(*every, column) for column in prepared.numbers] or [every]
    return list(dict.fromkeys(read + crossed))


def allocated(prepared: Prepared, ends: Ends, n: int, noise: DiscreteNoise) -> Parts:
    """Return the parts of a budget.

    They follow from the request alone, unless a wish is missed by them: then public rows, ends and n tell by how much.

    Args:
        prepared: what is asked for, and public rows.
        ends: that are expected of each number.
        n: number of private rows.
        noise: of a cell of the one table that would get the whole budget, if a row had mass 1.
    """
    quantiles = [request for request in prepared.asked if request.statistic == "quantiles"]
    if not _read(prepared):
        return _rounded({}, dict(zip(quantiles, _importance(quantiles).tolist(), strict=True)))
    power = 1 if isinstance(noise, DiscreteGaussian) else 2
    problem, best = _of_request(prepared.schema, tuple(prepared.asked), power)
    if problem.tables < _TOO_MANY:
        problem, best = _steered(problem, best, prepared, ends, n, noise)
    tables = candidates(prepared)
    q = np.exp(best)
    q = _sparse(problem, q / q.sum(), tables)
    kept = {table: part for table, part in zip(tables, q, strict=False) if part > 0}
    return _rounded(kept, dict(zip(quantiles, q[len(tables) :], strict=True)))


def _read(prepared: Prepared) -> list[Asked]:
    """Return the statistics that are read off tables."""
    return [
        request for request in prepared.asked if request.statistic != "quantiles" and table_of(request, prepared.schema)
    ]


@lru_cache(maxsize=16)
def _of_request(schema: ReportSchema, asked: tuple[Asked, ...], power: int) -> tuple[_Problem, Floats]:
    """Return the problem, and the best parts, as logarithms, without a look at public rows, at n or at wishes."""
    problem, start = _problem(Prepared(schema, asked, np.empty((0, schema.dimension))), power)
    return problem, _solved(problem, start)


def _rounded(tables: dict[Key, float], quantiles: dict[Asked, float]) -> Parts:
    """Return parts as fractions that add up to exactly 1: multiples of a unit, at least one each if there is room.

    The nearest ones, and the largest, the first of them in order, has what is left.  Floats may differ in their last
    digits on another machine, and parts that were charged must be those by which noise is drawn.
    """
    given: list[tuple[Key | Asked, float]] = [*tables.items(), *quantiles.items()]
    units = {key: max(math.floor(part * _UNIT + 0.5), 1) for key, part in given}
    largest = max(units, key=lambda key: units[key])
    units[largest] = max(_UNIT - sum(units.values()) + units[largest], 1)
    total = sum(units.values())  # the unit, but for requests of more parts than there are units
    exact = {key: Fraction(part, total) for key, part in units.items()}
    return Parts({key: exact[key] for key in tables}, {key: exact[key] for key in quantiles})


def _importance(asked: Sequence[Asked]) -> Floats:
    """Return importance as shares that add up to 1, none smaller than that of a part that is hardly any."""
    given = np.array([request.importance for request in asked])
    given = np.maximum(given / given.max(initial=0.0), math.exp(_NOTHING))
    return np.asarray(given / given.sum())


def _parts(prepared: Prepared) -> dict[Key, int]:
    """Return the parts of all tables off which statistics are read, with their places."""
    parts = dict.fromkeys(part for request in _read(prepared) for part in subsets(table_of(request, prepared.schema)))
    return {part: i for i, part in enumerate(parts)}


def _problem(prepared: Prepared, power: int) -> tuple[_Problem, Floats]:
    """Return the problem, and parts in proportion to importance, as logarithms.

    A statistic without noise, as a count by a column of one category, has no part in it; nor has its table, beyond the
    little that any has.
    """
    sizes, tables, place = prepared.sizes, candidates(prepared), _parts(prepared)
    shares = np.zeros((len(place), len(tables)))
    for j, table in enumerate(tables):
        for part in subsets(table):
            if part in place:
                shares[place[part], j] = 1 / summed_up(sizes, table, part)
    declared = dict.fromkeys(prepared.numbers, (0, UNITS))
    noisy, keys, loads, alone = [], [], [], []
    for request in _read(prepared):
        key, load = (
            table_of(request, prepared.schema),
            _loads(request, prepared, declared, prepared.cells(request.by), 0),
        )
        if load.max() > 0:
            load /= load.max()  # only ratios count
            noisy.append(request)
            keys.append(key)
            loads.append(load)
            alone.append(sum(load[place[part]] * summed_up(sizes, key, part) for part in subsets(key)))
    quantiles = [request for request in prepared.asked if request.statistic == "quantiles"]
    importance = _importance([*noisy, *quantiles])
    floor = np.append(np.log(alone), np.zeros(len(quantiles))) - power * np.log(importance)
    start = np.zeros(len(tables))
    for key, part in zip(keys, importance, strict=False):
        start[tables.index(key)] += part
    x = np.log(np.maximum(np.append(start, importance[len(noisy) :]), math.exp(_NOTHING)))
    return _Problem(shares, np.reshape(loads, (-1, len(place))), power, importance, floor), x


def _loads(request: Asked, prepared: Prepared, ends: Ends, n: int, groups: Any) -> Floats:
    """Return K of some groups of a statistic, (groups, parts s), or of one, (parts s,); n: number of private rows."""
    key, place = table_of(request, prepared.schema), _parts(prepared)
    predicted = prepared.predicted(key, ends.get(key[-1]), n)
    squares, totals = (part.ravel()[groups] for part in moments(request, prepared, ends, predicted))
    loads = np.zeros((*np.shape(squares), len(place)))
    for part, p, q in weights(prepared.sizes, key, request.column is not None):
        loads[..., place[part]] = np.maximum(p * squares + q * totals, 0.0)
    return loads


def _solved(problem: _Problem, start: Floats) -> Floats:
    """Return the best feasible parts that are found, as logarithms.

    Started from proportional ones, and from those with half of the budget in one table: each of few tables; of more,
    some of those that serve most.  Of very many, and where nothing has noise, proportional parts are taken.
    """
    starts = [start]
    tables = np.argsort(-np.count_nonzero(problem.shares, axis=0), kind="stable")
    for j in tables if len(tables) <= _MANY else tables[:_STARTS]:
        starts.append(_with_half(start, [j]))
    best = start - math.log(np.exp(start).sum())
    if problem.tables >= _TOO_MANY or not len(problem.importance):
        return np.asarray(best)
    for candidate in starts:
        best = _better(problem, candidate, best)
    return np.asarray(best)


def _with_half(x: Floats, tables: Sequence[int]) -> Floats:
    """Return parts of which some tables get half of the budget, evenly."""
    parts = np.exp(x) / 2
    parts[tables] += 0.5 / len(tables)
    return np.asarray(np.log(parts))


def _better(problem: _Problem, start: Floats, best: Floats) -> Floats:
    """Return feasible parts of less cost that are found from a start; the best ones so far, if there are none."""

    def cost(x: Floats) -> tuple[float, Floats]:
        logs, slopes = problem.logs(x)
        return float(problem.importance @ logs), problem.importance @ slopes

    def room(x: Floats) -> tuple[Floats, Floats]:
        logs, slopes = problem.logs(x)
        return problem.floor - logs, -slopes

    solution = _minimum(cost, room, start)
    return solution if problem.feasible(solution) and problem.cost(solution) < problem.cost(best) - _WORSE else best


def _minimum(cost: _Map, room: _Map, start: Floats, extra: Sequence[float] = ()) -> Floats:
    """Return the logarithms of parts that add up to 1, and the numbers >= 0 after them that start as ``extra``.

    At them the cost is small, and no room is below 0, as far as the optimisation goes.
    """
    count = len(start)

    def shares_only(x: Floats) -> Floats:
        return np.append(np.exp(x[:count]), np.zeros(len(extra)))

    solution = optimize.minimize(
        cost,
        np.append(start, extra),
        jac=True,
        method="SLSQP",
        bounds=[(_NOTHING, 0.0)] * count + [(0.0, None)] * len(extra),
        constraints=[
            {"type": "eq", "fun": lambda x: shares_only(x).sum() - 1, "jac": shares_only},
            {"type": "ineq", "fun": lambda x: room(x)[0], "jac": lambda x: room(x)[1]},
        ],
        options={"maxiter": 60, "ftol": 1e-7},
    )
    x = np.array(solution.x)
    x[:count] -= math.log(np.exp(x[:count]).sum())
    return x


def _sparse(problem: _Problem, q: Floats, tables: list[Key]) -> Floats:
    """Return parts without those of tables that hardly count, if no variance is above the floor without them."""
    kept = q.copy()
    for j in np.argsort(q[: len(tables)]):
        if kept[j] >= _LEAST:
            break
        reduced = kept.copy()
        reduced[j] = 0.0
        reduced /= reduced.sum()
        if np.all(problem.shares @ reduced[: len(tables)] > 0) and problem.feasible(
            np.log(np.maximum(reduced, math.exp(8 * _NOTHING)))
        ):
            kept = reduced
    return kept


# ------------------------------------------------------------------------------------------------- wishes
def _steered(
    problem: _Problem, best: Floats, prepared: Prepared, ends: Ends, n: int, noise: DiscreteNoise
) -> tuple[_Problem, Floats]:
    """Return the problem with a row for each wish, and parts by which the largest excess over one is as small as found.

    If no wish is missed, the problem and its best parts are returned as they are.  A wish is judged by its worst group.
    """
    inverse = 1 / np.maximum(problem.shares @ np.exp(problem.power * best[: problem.tables]), 1e-300)
    unit, tables = max(noise.per(UNITS).variance / UNITS**2, 1e-300), candidates(prepared)
    loads, floor, own = [], [], []
    for request in _read(prepared):
        if request.wish is None or request.wish >= most_deviation(request, prepared, ends):
            continue
        key = table_of(request, prepared.schema)
        judged = prepared.judged(changed(request, by=[name for name in key if name != request.column]))
        by_group = _loads(request, prepared, ends, n, np.flatnonzero(judged))
        load = by_group[np.argmax(by_group @ inverse)]
        if load.max() > 0:
            loads.append(load / load.max())
            floor.append(2 * math.log(request.wish) - math.log(unit) - math.log(load.max()) - _MARGIN)
            own.append(tables.index(key))
    rows = slice(len(problem.loads), len(problem.loads) + len(loads))
    wished = _Problem(
        problem.shares,
        np.vstack([problem.loads, *loads]),
        problem.power,
        np.insert(problem.importance, rows.start, np.zeros(len(loads))),
        np.insert(problem.floor - problem.power * math.log(_KEPT), rows.start, floor),
    )
    if wished.feasible(best):
        return problem, best
    solutions = [_evenly(wished, rows, start) for start in (best, _with_half(best, own))]
    least = min(excess for excess, _ in solutions)
    reached = _raised(wished, rows, least + _WORSE)
    parts = [_better(reached, x, x) for excess, x in solutions if excess <= least + _WORSE]
    return reached, min(parts, key=reached.cost)


def _raised(problem: _Problem, rows: slice, excess: float) -> _Problem:
    """Return the problem with a floor that is higher for some rows."""
    floor = problem.floor.copy()
    floor[rows] += excess
    return attrs.evolve(problem, floor=floor)


def _evenly(problem: _Problem, rows: slice, start: Floats) -> tuple[float, Floats]:
    """Return by how much some log v_i are above the floor at most, and parts at which that is as little as found.

    All others are kept below their floor, as they are at the start.
    """
    indicator = np.zeros(len(problem.floor))
    indicator[rows] = 1.0

    def excess(x: Floats) -> float:
        return max(0.0, float((problem.logs(x)[0] - problem.floor)[rows].max()))

    def room(x: Floats) -> tuple[Floats, Floats]:
        logs, slopes = problem.logs(x[:-1])
        return problem.floor - logs + indicator * x[-1], np.column_stack([-slopes, indicator])

    end = np.append(np.zeros(len(start)), 1.0)
    x = _minimum(lambda x: (float(x[-1]), end), room, start, [excess(start)])[:-1]
    good = _raised(problem, rows, excess(x)).feasible(x) and excess(x) < excess(start)
    return (excess(x), x) if good else (excess(start), start)
