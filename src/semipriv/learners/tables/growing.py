"""From noisy marginals to weighted rows: a fit, and rows drawn of the fitted model.  All is post-processing."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from semipriv.core.randomness import Simulation
from semipriv.core.rows import distinct_rows
from semipriv.core.types import Floats
from semipriv.learners.outputs._drawing import systematic
from semipriv.learners.tables.plan import Plan
from semipriv.learners.tables.support import MOST_PLACES, Support
from semipriv.queries.gibbs import LogLinear
from semipriv.queries.log_linear import Cells, Fit, Problem, fit
from semipriv.queries.schema import Codes

__all__ = ["Grown", "Origin", "grown"]

Origins = NDArray[np.int8]

TOLERANCE = 1e-3
"""Error of the fitted weights in L1."""
_WORK, _BETWEEN = 15 * 10**8, 5 * 10**8
"""Rows times marginals times products of the last fit, and of those before, at most."""
_FEWEST, _MOST = 100, 2_000
"""Products of a fit."""
_ROWS, _SWEEPS, _SWEPT = 8_000, 4, 2 * 10**9
"""Rows that are drawn of the model, sweeps of each, and additions of all sweeps at most."""
_FEWEST_ROWS = 1_000
_LEAST = 0.01
"""Records that the fit takes for noise in each cell, where there is less."""
_RIDGES = 1e-24, 1e60
"""Ends of a ridge, whatever kappa is declared: below, rounding alone is an error above the tolerance."""


class Origin(IntEnum):
    """Where a row comes from."""

    PUBLIC = 0
    TREE = 1
    MODEL = 2


@dataclass(frozen=True, eq=False)
class Grown:
    """Rows (s, c), where they come from (s,), their fitted weights (s,), and how far these are from the best ones."""

    rows: Codes
    origins: Origins
    weights: Floats
    error: float


@dataclass(frozen=True, eq=False)
class _Weighed:
    """A fit of rows, and z of all measured cells, those of no row included."""

    fit: Fit
    z: Floats


def grown(support: Support, plan: Plan, shares: Sequence[Floats], n: int) -> Grown:
    """Fit the rows of the support to noisy shares of the measured marginals; then, ``plan.rounds`` times, draw more.

    The fit's z is a log-linear model of all records: tree(x) exp(-sum of z over the cells of x).  A cell without a row
    has z = -v / r there, as stationarity says.  Rows of this model, by Gibbs sweeps from grown rows that were drawn by
    their weights, join those of the tree, and all are fitted again.  With W the fitted mass of grown rows, S the
    normaliser and m the number of new rows, a new row has the prior W S exp(+sum z) / 2 m, and the other grown rows
    half of theirs: the model stays the same, and its sample moves to where its mass is.  Public rows keep their prior.
    """
    values = np.concatenate(shares)
    sizes = np.diff(support.workload.starts)[list(plan.measured)]
    with np.errstate(over="ignore"):
        ridges = np.clip(plan.kappa * (np.maximum(plan.deviations, _LEAST) / n) ** 2, *_RIDGES)
    ridge = np.repeat(ridges, sizes)
    prior = support.prior(plan.tree)
    held = prior > 0
    rows, log_prior = support.rows[held], np.log(prior[held])
    origins = np.where(support.public[held] > 0, Origin.PUBLIC, Origin.TREE).astype(np.int8)
    now, coins = (
        _weighed(plan, support, rows, log_prior, values, ridge, _BETWEEN if plan.rounds else _WORK, None),
        Simulation(0).spawn("rows").generator,
    )
    for left in reversed(range(plan.rounds)):
        mass = np.where(origins == Origin.PUBLIC, 0.0, now.fit.weights)
        model = _model(support, plan, now.z, sizes)
        number = min(_ROWS, _SWEPT // (_SWEEPS * model.work), MOST_PLACES // len(plan.measured) - len(rows))
        if number < _FEWEST_ROWS or not mass.sum() > 0:
            break
        drawn = model.swept(rows[systematic(mass / mass.sum(), number)], _SWEEPS, coins)
        rows, log_prior, origins = _joined(support, plan, (rows, log_prior, origins), drawn, mass.sum(), now)
        now = _weighed(plan, support, rows, log_prior, values, ridge, _BETWEEN if left else _WORK, now.z)
    return Grown(rows, origins, now.fit.weights, now.fit.error)


def _joined(
    support: Support, plan: Plan, old: tuple[Codes, Floats, Origins], drawn: Codes, mass: float, now: _Weighed
) -> tuple[Codes, Floats, Origins]:
    """Return rows, ln prior and origins with the drawn rows among them.  Equal rows become one; priors add up.

    Drawn rows that are public, or cannot be, are left out.
    """
    rows, log_prior, origins = old
    drawn = drawn[support.possible(drawn)]
    both = distinct_rows(np.concatenate([rows, drawn]))
    first = np.full(len(both.rows), Origin.MODEL, np.int8)
    first[both.place[: len(rows)]] = origins
    new = first[both.place[len(rows) :]] != Origin.PUBLIC
    if not new.any():
        return old
    along = Cells(_index(support, plan, drawn[new]), len(now.z)).along(now.z)
    log_new = np.log(mass / (2 * int(new.sum()))) + along + now.fit.log_sum
    joined = np.full(len(both.rows), -np.inf)
    joined[both.place[: len(rows)]] = np.where(origins == Origin.PUBLIC, log_prior, log_prior - np.log(2))
    np.logaddexp.at(joined, both.place[len(rows) :][new], log_new)
    return np.asfortranarray(both.rows), joined, first


def _index(support: Support, plan: Plan, rows: Codes) -> NDArray[np.int32]:
    """Return the cell of each row in each measured marginal, among the cells of these, (s, T)."""
    workload, index, start = support.workload, np.empty((len(rows), len(plan.measured)), np.int32), 0
    for t, marginal in enumerate(plan.measured):
        index[:, t] = workload.cell(rows, marginal) - workload.starts[marginal] + start
        start += int(workload.starts[marginal + 1] - workload.starts[marginal])
    return index


def _weighed(
    plan: Plan,
    support: Support,
    rows: Codes,
    log_prior: Floats,
    values: Floats,
    ridge: Floats,
    work: int,
    start: Floats | None,
) -> _Weighed:
    """Fit rows; cells that hold none of them are left out, as they change the objective by a constant."""
    index = _index(support, plan, rows)
    met = np.zeros(len(values), bool)
    met[index] = True
    (held,) = np.nonzero(met)
    place = np.empty(len(values), np.int32)
    place[held] = np.arange(len(held), dtype=np.int32)
    cells = Cells(place[index], len(held))
    most = min(_MOST, max(_FEWEST, work // index.size))
    begun = None if start is None else start[held]
    found = fit(Problem(cells, values[held], ridge[held], log_prior), TOLERANCE, begun, most)
    z = -values / ridge
    z[held] = found.dual
    return _Weighed(found, z)


def _model(support: Support, plan: Plan, z: Floats, sizes: NDArray[np.int64]) -> LogLinear:
    """Return the log-linear model of the fit: the tree, times exp(-z) of the cells of the measured marginals."""
    tree, workload = support.tree, support.workload
    parts = np.split(-z, np.cumsum(sizes)[:-1])
    groups = [workload.groups[g] for g in plan.measured]
    edges = [np.log(table).ravel() for table in tree.tables]
    return LogLinear(workload.schema, [*groups, *tree.edges, (tree.first,)], [*parts, *edges, np.log(tree.root)])
