"""Statistics by group: counts, sums, means, variances and quantiles, consistent, from noisy tables of unit mass."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import fields
from semipriv.core.fields import checked, one_of, positive, value
from semipriv.core.randomness import Randomness, as_randomness
from semipriv.core.samples import as_points
from semipriv.core.types import Floats, Integers
from semipriv.core.work import check_work
from semipriv.learners.outputs.report import Report, Row
from semipriv.learners.statistics.allocation import Plan, allocated
from semipriv.learners.statistics.asked import Asked, as_asked, table_of
from semipriv.learners.statistics.measure import Ends, Measured, deviations, fit_of, mass_of, measured, values
from semipriv.learners.statistics.prepared import Prepared
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.privacy.events import Account, Event, budget_event
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.queries.noise import draw_seconds
from semipriv.queries.residuals import Key
from semipriv.queries.unit_mass import UNITS, ReportSchema, Sums, break_of

__all__ = ["ENDS", "StatisticsRelease"]

ENDS = ("auto", "declared", "public")
"""Which ends numbers are clipped to."""
_LARGEST = 2**62
"""Integers of sums are below it, so that noise has room."""


@value
class StatisticsRelease:
    """Counts, sums, means, variances and quantiles by group, of a private table.

    Public stage: the request and public rows are kept.  Private stage: each table that is measured gets discrete noise;
    in it every row has the same mass, whatever its number is (`semipriv.queries.unit_mass`).  After it: tables are made
    consistent by least squares, and statistics are read off.

    Privacy, for replacing one row, n public: a table in which a row has mass T moves by at most 2 T in L1 and sqrt(2) T
    in L2.  So discrete Laplace noise of scale b T is 2 / b - DP, and discrete Gaussian noise of scale sigma T is
    1 / sigma^2 - zCDP.  Which tables are measured, and with which part of the budget, follows from n, the request and
    public rows; parts add up to at most 1.  The rest is post-processing.

    Args:
        epsilon: of the budget, for replacing one private row, finite and > 0.
        delta: of the budget, in [0, 1); 0 for pure epsilon, with discrete Laplace noise.
        statistics: what is asked for, a list of ``Asked`` or of mappings of its parameters.
        interval: chance with which limits hold, in (0, 1).
        ends: to which numbers are clipped before they are summed: 'declared', those of their ranges; 'public', those
            that public rows suggest; 'auto', those that a noisy tree suggests where there are rows enough for one.

    Source:
        This package; proof in docs/findings.md.

    Examples:
        >>> from semipriv.core.randomness import Simulation
        >>> from semipriv.queries.schema import Column
        >>> from semipriv.queries.unit_mass import Number
        >>> asked = [{"statistic": "count", "by": "ward"}, {"statistic": "mean", "column": "days", "by": "ward"}]
        >>> learner = StatisticsRelease(1.0, statistics=asked, ends="declared")
        >>> prepared = learner.prepare(np.empty((0, 2)), ReportSchema([Column("ward", 2), Number("days", 0, 60)]))
        >>> rows = np.column_stack([np.arange(4000) % 2, np.where(np.arange(4000) % 2, 0.25, 0.5)])
        >>> report = learner.release(prepared, rows, Simulation(1)).output
        >>> report.find("mean", "days", "ward").round().tolist()
        [30.0, 15.0]
    """

    epsilon: float = positive()
    delta: float = fields.delta()
    statistics: Sequence[Asked] = checked(as_asked, kw_only=True)
    interval: float = fields.between(0, 1, default=0.95, kw_only=True)
    ends: str = one_of(ENDS, "a report", default="auto", kw_only=True)

    releasable = True

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private row."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def event(self) -> Event:
        """What a release does to the private rows, whatever the request: it pays for all from one account."""
        return budget_event(self.guarantee)

    # ------------------------------------------------------------------ public stage
    def prepare(self, points: ArrayLike, schema: ReportSchema) -> Prepared:
        """Carry out the public stage: check the request against the columns, and keep public rows.

        Args:
            points: public rows (m, d), in the schema's coordinates; m = 0 is allowed.
            schema: the columns.

        Returns:
            Input of the private stage.

        Raises:
            ValueError: for columns that the schema does not have or that are of the wrong kind, and for rows that are
                not of the schema.
        """
        if not isinstance(schema, ReportSchema):
            raise ValueError(f"schema: is {type(schema).__name__}, must be a ReportSchema of columns")
        for one in self.statistics:
            if one.column is not None:
                schema.number(one.column)
            for column in one.by:
                schema.grouping(column)
        return Prepared(schema, self.statistics, checked_points(points, schema, "public rows"))

    def plan(self, prepared: Prepared, n: int) -> Plan:
        """Return what will be measured and with which noise, by the request, public rows and n.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            The plan.
        """
        return Plan(allocated(prepared, self.guarantee, n))

    def release_event(self, prepared: Prepared, n: int) -> Event:
        """Return what a release does to the private rows, table by table; its cost is at most that of ``event``.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            One part for each table.
        """
        return self.plan(prepared, n).event

    def questions(self, prepared: Prepared, n: int) -> list[Sums]:
        """Return all sums that are read of private rows, in the order in which ``release_counts`` takes them.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            The sums.
        """
        return [self._question(prepared, one.table) for one in self.plan(prepared, n).measures]

    def _question(self, prepared: Prepared, table: Key) -> Sums:
        schema, column = prepared.schema, table[-1]
        by = table if column not in prepared.levels else table[:-1]
        axes = [schema.axis(one) for one in by]
        breaks = [np.arange(1.0, schema.grouping(one).size) for one in by]
        if column not in prepared.levels:
            return Sums(tuple(axes), tuple(breaks))
        levels, axis = prepared.levels[column], schema.axis(column)
        if levels.missing:
            axes.append(axis + 1)
            breaks.append(np.array([0.5]))
        return Sums((*axes, axis), (*breaks, break_of(self._cuts(prepared, column))), axis, 1 + levels.squares)

    def _cuts(self, prepared: Prepared, column: str) -> Integers:
        """Return where ends of a number may be, besides 0 and 2^16, in units."""
        return np.zeros(0, np.int64)

    def _ends(self, prepared: Prepared) -> Ends:
        return dict.fromkeys(prepared.numbers, (0, UNITS))

    def expected(self, prepared: Prepared, n: int) -> list[Row]:
        """Return every number that a release will hold with what public rows predict of it, and the deviation of its
        noise: public, before anything is paid.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            A row for each number, with NaN as value and limits.
        """
        plan, ends = self.plan(prepared, n), self._ends(prepared)
        fit = fit_of(prepared, plan, ends, n)
        tables = {key: prepared.predicted(key, ends.get(key[-1]), n) for key in prepared.tables}
        spread = {}
        for one in self.statistics:
            table = tables.get(table_of(one, prepared.schema), np.array(float(n)))
            sd = _ordered(deviations(one, prepared, ends, table, fit), one, prepared)
            spread[one] = np.full(sd.size, np.nan), sd
        return list(_report(self, prepared, n, ends, spread).rows())

    def check_release(self, prepared: Prepared, n: int = 1, units: int = 1) -> None:
        """Check that a release can be drawn, whatever the private rows are: public numbers decide.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.
            units: of a person; 1: rows are counted.

        Raises:
            ValueError: for no private row, more rows than integers of 64 bits sum up, noise that is too wide or not
                within the budget, and tables that are too large.
        """
        if n < 1:
            raise ValueError("private table: has no row, statistics are of its rows")
        plan, most = self.plan(prepared, n), dict.fromkeys(prepared.numbers, (0, UNITS))
        cells = f"{self._cells(prepared, plan):,} cells of tables that get noise"
        check_work(cells, self.draw_seconds(prepared, n), "ask for fewer groups, or coarser ones", begins=False)
        for one in plan.measures:
            mass = mass_of(prepared, one.table, most, units)
            if n * mass > _LARGEST:
                raise ValueError(f"statistics by {', '.join(one.table)}: {n:,} rows are too many for sums of 64 bits")
            one.noise.per(mass).check_width()
        Account(self.guarantee).pay(plan.event)

    def draw_seconds(self, prepared: Prepared, n: int) -> float:
        """Return how long the noise of all cells takes, about, if it is drawn exactly (``Secure``).

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            Seconds on one core.
        """
        return draw_seconds(self._cells(prepared, self.plan(prepared, n)), self.guarantee)

    def _cells(self, prepared: Prepared, plan: Plan) -> int:
        return sum(int(np.prod([prepared.sizes[one] for one in measure.table])) for measure in plan.measures)

    # ------------------------------------------------------------------ private stage
    def release(self, prepared: Prepared, points: ArrayLike, randomness: Randomness) -> Release[Report]:
        """Measure tables of private rows, and report statistics of them.

        Args:
            prepared: what ``prepare`` returned.
            points: private rows (n, d), in the schema's coordinates.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            The report, with its guarantee and cost.

        Raises:
            ValueError: for what ``prepare`` did not return, rows that are not of the schema, and no private row.
        """
        if not isinstance(prepared, Prepared):
            raise ValueError(f"prepared: is {type(prepared).__name__}, must be what `prepare` returns")
        rows = checked_points(points, prepared.schema, "private rows")
        self.check_release(prepared, len(rows))
        sums = [one.of(rows) for one in self.questions(prepared, len(rows))]
        return self.release_counts(prepared, sums, len(rows), randomness)

    def release_counts(
        self, prepared: Prepared, sums: Sequence[Integers], n: int, randomness: Randomness, units: int = 1
    ) -> Release[Report]:
        """Release private rows of which the answers to ``questions`` are known; answers of parts add up.

        Args:
            prepared: what ``prepare`` returned.
            sums: answers to ``questions``, each of its shape.
            n: number of private rows, >= 1; of persons, if units of persons are counted.
            randomness: Secure() for a release, Simulation(seed) for a simulation.
            units: of a person (``core.persons``); 1: rows are counted.

        Returns:
            The report, with its guarantee and cost.
        """
        randomness = as_randomness(randomness)
        self.check_release(prepared, n, units)
        plan, ends = self.plan(prepared, n), self._ends(prepared)
        exact = {}
        for measure, answer in zip(plan.measures, sums, strict=True):
            column = measure.table[-1]
            exact[measure.table] = (
                prepared.levels[column].table(answer, self._cuts(prepared, column), ends[column])
                if column in prepared.levels
                else answer
            )
        found = measured(prepared, plan, ends, exact, n, randomness, units)
        spread = {}
        for one in self.statistics:
            table = found.estimates.get(table_of(one, prepared.schema), np.array(float(n)))
            made = values(one, prepared, ends, table), deviations(one, prepared, ends, table, found.fit)
            spread[one] = tuple(_ordered(part, one, prepared) for part in made)
        output = _report(self, prepared, n, ends, spread, found, units)
        cost = {"tables": float(len(plan.measures)), "cells": float(self._cells(prepared, plan))}
        return Release(output, self.guarantee, randomness.source, cost)


def checked_points(points: ArrayLike, schema: ReportSchema, what: str) -> Floats:
    """Return rows (n, d) of a schema's coordinates; raise ValueError with the first that is none, and its column."""
    rows = as_points(points, schema.dimension, what)
    for column in schema.columns:
        axis = schema.axis(column.name)
        cells = rows[:, axis]
        if hasattr(column, "size"):
            wrong, rule = (cells != np.floor(cells)) | (cells < 0) | (cells >= column.size), f"0 to {column.size - 1}"
        else:
            wrong, rule = (cells < 0) | (cells > 1), "a place in [0, 1]"
            if column.missing:
                other = rows[:, axis + 1]
                wrong, rule = wrong | ((other != 0) & (other != 1)), rule + " and 0 or 1"
        if wrong.any():
            raise ValueError(f"{what}: column {column.name!r}, row {int(np.argmax(wrong))}: must be {rule}")
    return rows


def _ordered(given: Floats, one: Asked, prepared: Prepared) -> Floats:
    """Return numbers by group, flat, with the axes in the order that was asked for."""
    by = sorted(one.by, key=prepared.schema.place)
    return given.transpose([by.index(name) for name in one.by]).ravel()


def _report(
    learner: StatisticsRelease,
    prepared: Prepared,
    n: int,
    ends: Ends,
    spread: Any,
    found: Measured | None = None,
    units: int = 1,
) -> Report:
    place, cell, numbers, sds = [], [], [], []
    for i, one in enumerate(learner.statistics):
        if one not in spread:
            continue
        number, sd = spread[one]
        place.append(np.full(number.size, i))
        cell.append(np.arange(number.size))
        numbers.append(number.ravel())
        sds.append(sd.ravel())
    all_values, none = np.concatenate(numbers), np.full(sum(map(len, numbers)), np.nan)
    laws = [] if found is None else list(found.noises.values())
    return Report(
        prepared.schema,
        learner.statistics,
        np.concatenate(place),
        none,
        np.concatenate(cell),
        all_values,
        none,
        none,
        np.concatenate(sds),
        np.zeros(len(none), np.int8),
        tables=() if found is None else tuple(found.tables),
        noisy=np.concatenate([np.zeros(0)] + ([] if found is None else [one.ravel() for one in found.tables.values()])),
        masses=np.array([] if found is None else list(found.masses.values()), np.float64),
        scales=np.array([float(getattr(one, "sigma", 0) or getattr(one, "scale", 0)) for one in laws]),
        noise="gaussian" if any(isinstance(one, DiscreteGaussian) for one in laws) else "laplace",
        ends={name: prepared.clipped(name, *pair) for name, pair in ends.items()},
        n=n,
        units=units,
        interval=learner.interval,
    )
