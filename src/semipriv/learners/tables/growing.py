"""From noisy marginals to weighted rows: a fit, and rows drawn of the fitted model.  All is post-processing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from semipriv.core.randomness import Simulation
from semipriv.core.rows import distinct_rows
from semipriv.core.types import Bools, Floats, Integers
from semipriv.learners.outputs._drawing import systematic
from semipriv.learners.tables.noisy import Noisy
from semipriv.learners.tables.plan import Plan
from semipriv.learners.tables.prior import Prior, prior
from semipriv.learners.tables.support import MOST_PLACES, TREE_ROWS, Support
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.queries.chow_liu import Tree
from semipriv.queries.gibbs import LogLinear
from semipriv.queries.log_linear import Cells, Fit, Places, Problem, fit, place_type
from semipriv.queries.schema import Codes

__all__ = ["Grown", "Origin", "grown"]

Origins = NDArray[np.int8]

TOLERANCE, LOOSE = 1e-3, 5e-2
"""Error of the fitted weights in L1, and of those before, which rows are drawn by."""
_WORK, _BETWEEN = 15 * 10**8, 5 * 10**8
"""Rows times marginals times products of the last fit, and of those before, at most."""
_FEWEST, _MOST = 100, 2_000
"""Products of a fit."""
_ROWS, _SWEEPS, _SWEPT = 8_000, 4, 2 * 10**9
"""Rows that are drawn of the models, sweeps of each, and additions of all sweeps at most."""
_FEWEST_ROWS, _EACH = 1_000, 500
"""Rows that are drawn at least, of all models, and of one that has any mass."""
_LEAST = 0.01
"""Records that are taken for noise in each cell, where there is less."""
_RIDGES = 1e-24, 1e60
"""Ends of a ridge, whatever kappa is declared: below, rounding alone is an error above the tolerance."""


class Origin(IntEnum):
    """Where a row comes from; of a row that comes from several the first counts."""

    PUBLIC = 0
    TREE = 1
    MODEL = 2
    NOISY = 3


@dataclass(frozen=True, eq=False)
class Grown:
    """Rows (s, c), where they come from (s,), their fitted weights (s,), and how far these are from the best ones.

    prior: to which they were fitted.
    """

    rows: Codes
    origins: Origins
    weights: Floats
    error: float
    prior: Prior


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of all sources, those of one distinct: (s, c).

    places: of the rows that joined at each time, one after the other, the place in each measured marginal.  source:
    place in the sources, of which 0 are the public rows.  origins, log_prior: (s,).
    """

    rows: Codes
    places: tuple[Places, ...]
    source: Integers
    origins: Origins
    log_prior: Floats

    def with_rows(self, rows: Codes, places: Places, source: int, origin: Origin, log_prior: Floats) -> "_Rows":
        """Return these rows and others of a source."""
        count = len(rows)
        return _Rows(
            np.concatenate([self.rows, rows]),
            (*self.places, places),
            np.concatenate([self.source, np.full(count, source)]),
            np.concatenate([self.origins, np.full(count, origin, np.int8)]),
            np.concatenate([self.log_prior, log_prior]),
        )


@dataclass(frozen=True, eq=False)
class _Weighed:
    """A fit of rows, and z of all measured cells, those of no row included."""

    fit: Fit
    z: Floats


def grown(support: Support, plan: Plan, shares: Sequence[Floats], n: int) -> Grown:
    """Fit rows to noisy shares of the measured marginals; then, ``plan.rounds`` times, draw more, and fit again.

    The prior is a mixture of sources: the public rows, their tree, and a tree of the noisy marginals (``prior``).  The
    fit's z makes of each tree a log-linear model of all records: share tree(x) exp(-sum of z over the cells of x).  A
    cell without a row has z = -v / r there, as stationarity says.  Rows of this model, by Gibbs sweeps from rows of the
    source that were drawn by their weights, join the source, and all are fitted again.  With W the fitted mass of the
    source, S the normaliser and m the number of new rows, a new row has the prior W S exp(+sum z) / 2 m, and the other
    rows of the source half of theirs: the model stays the same, and its sample moves to where its mass is.  Public rows
    keep their prior.
    """
    deviations = np.maximum(plan.deviations, _LEAST) / n
    spread = 5.0 if any(isinstance(noise, DiscreteLaplace) for noise in plan.noises) else 2.0
    noisy = Noisy(support.workload.part(plan.measured), np.concatenate(shares), deviations, n, spread)
    before, coins = prior(support, plan, noisy), Simulation(0).spawn("rows").generator
    with np.errstate(over="ignore"):
        ridge = np.repeat(np.clip(before.kappa * deviations**2, *_RIDGES), np.diff(noisy.workload.starts))
    trees, held = (support.tree, before.tree), _held(support, plan, noisy, before, coins)
    between, last = (LOOSE, _BETWEEN), (TOLERANCE, _WORK)
    now = _weighed(noisy, held, ridge, between if plan.rounds else last, None)
    for left in reversed(range(plan.rounds)):
        joined = _joined(support, noisy, trees, held, now, coins)
        if joined is None:
            break
        held, now = joined, _weighed(noisy, joined, ridge, between if left else last, now.z)
    distinct = distinct_rows(held.rows)
    weights = np.asarray(np.bincount(distinct.place, now.fit.weights, len(distinct.rows)), np.float64)
    origins = np.full(len(distinct.rows), max(Origin), np.int8)
    np.minimum.at(origins, distinct.place, held.origins)
    return Grown(np.asfortranarray(distinct.rows), origins, weights, now.fit.error, before)


def _held(support: Support, plan: Plan, noisy: Noisy, before: Prior, coins: np.random.Generator) -> _Rows:
    """Return the rows of all sources, with the prior."""
    groups, none = len(noisy.workload.groups), np.zeros(0, np.int64)
    held = _Rows(support.rows[:0], (), none, none.astype(np.int8), np.zeros(0))
    drawn = before.tree.draw(min(TREE_ROWS, max(_FEWEST_ROWS, MOST_PLACES // groups)) if before.share else 0, coins)
    own = distinct_rows(drawn[support.possible(drawn)])
    share = before.share if len(own.rows) else 0.0
    parts = (
        (support.rows, support.public, Origin.PUBLIC, (1 - share) * (1 - plan.tree)),
        (support.rows, support.grown, Origin.TREE, (1 - share) * plan.tree),
        (own.rows, own.counts, Origin.NOISY, share),
    )
    for source, (rows, counts, origin, part) in enumerate(parts):
        there = counts > 0
        if part and there.any():
            log_prior = np.log(part * counts[there] / counts.sum())
            held = held.with_rows(rows[there], _places(noisy, rows[there]), source, origin, log_prior)
    return held


def _joined(
    support: Support,
    noisy: Noisy,
    trees: tuple[Tree, ...],
    held: _Rows,
    now: _Weighed,
    coins: np.random.Generator,
) -> _Rows | None:
    """Return the rows with new ones of the models of all trees among them; None if there is no room for these."""
    models = [_model(noisy, tree, now.z) for tree in trees]
    masses = [np.where(held.source == 1 + k, now.fit.weights, 0.0) for k in range(len(trees))]
    total = sum(float(mass.sum()) for mass in masses)
    number = min(
        _ROWS,
        _SWEPT // (_SWEEPS * max(model.work for model in models)),
        MOST_PLACES // len(noisy.workload.groups) - len(held.rows),
    )
    if number < _FEWEST_ROWS or not total > 0:
        return None
    rows = held
    for k, (model, mass) in enumerate(zip(models, masses, strict=True)):
        part = float(mass.sum()) / total
        if not part > 0:
            continue
        start = held.rows[systematic(mass / mass.sum(), max(_EACH, int(number * part)))]
        swept = model.swept(start, _SWEEPS, coins)
        new = distinct_rows(swept[support.possible(swept)])
        if not len(new.rows):
            continue
        places = _places(noisy, new.rows)
        along = Cells(places, noisy.workload.starts).along(now.z)
        log_new = np.log(part * total * new.counts / (2 * new.counts.sum())) + along + now.fit.log_sum
        rows = replace(rows, log_prior=np.where(rows.source == 1 + k, rows.log_prior - np.log(2), rows.log_prior))
        rows = rows.with_rows(new.rows, places, 1 + k, Origin.MODEL, log_new)
    return rows


def _places(noisy: Noisy, rows: Codes) -> Places:
    """Return the place of each row in each measured marginal, (s, T)."""
    workload = noisy.workload
    places = np.empty((len(rows), len(workload.groups)), place_type(int(np.diff(workload.starts).max())), order="F")
    rows = np.asfortranarray(rows)
    for t in range(len(workload.groups)):
        places[:, t] = workload.place(rows, t)
    return places


def _weighed(noisy: Noisy, held: _Rows, ridge: Floats, limits: tuple[float, int], start: Floats | None) -> _Weighed:
    """Fit rows, within limits of error and work.

    Cells that hold none of them are left out, as they change the objective by a constant.
    """
    workload = noisy.workload
    places: Places = np.empty((len(held.rows), len(workload.groups)), held.places[0].dtype, order="F")
    met = []
    for t, size in enumerate(np.diff(workload.starts).tolist()):
        among = np.concatenate([part[:, t] for part in held.places])
        here: Bools = np.zeros(size, bool)
        here[among] = True
        places[:, t] = (np.cumsum(here) - 1)[among]
        met.append(here)
    (there,) = np.nonzero(np.concatenate(met))
    cells = Cells(places, np.cumsum([0, *(int(here.sum()) for here in met)]))
    tolerance, work = limits
    most = min(_MOST, max(_FEWEST, work // places.size))
    begun = None if start is None else start[there]
    fitted = fit(Problem(cells, noisy.values[there], ridge[there], held.log_prior), tolerance, begun, most)
    z = -noisy.values / ridge
    z[there] = fitted.dual
    return _Weighed(fitted, z)


def _model(noisy: Noisy, tree: Tree, z: Floats) -> LogLinear:
    """Return the log-linear model of a tree and a fit: the tree, times exp(-z) of the cells of measured marginals."""
    workload = noisy.workload
    parts = np.split(-z, workload.starts[1:-1])
    edges = [np.log(table).ravel() for table in tree.tables]
    groups = [*workload.groups, *tree.edges, (tree.first,)]
    return LogLinear(workload.schema, groups, [*parts, *edges, np.log(tree.root)])
