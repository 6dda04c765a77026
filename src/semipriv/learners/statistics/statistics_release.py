"""Statistics by group: counts, sums, means, variances and quantiles, consistent, from noisy tables of unit mass."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import checks, estimates, fields
from semipriv.core.fields import changed, checked, one_of, positive, value
from semipriv.core.randomness import Randomness, as_randomness
from semipriv.core.samples import as_points
from semipriv.core.types import Floats, Integers
from semipriv.core.work import Cost, check_work
from semipriv.learners.outputs.report import Report, Row
from semipriv.learners.statistics.asked import Asked, as_asked, table_of
from semipriv.learners.statistics.estimates import lines_of, shapes_of
from semipriv.learners.statistics.measure import Ends, deviations, fit_of, mass_of, measured
from semipriv.learners.statistics.noises import noise_alone
from semipriv.learners.statistics.plan import ENDS, Plan, plan_of
from semipriv.learners.statistics.prepared import Prepared
from semipriv.learners.statistics.quantile_lines import expected_told, rank_deviations
from semipriv.learners.statistics.quantiles import Trees
from semipriv.learners.statistics.reading import Answers
from semipriv.learners.statistics.reporting import Line, Outlook, expected_ends, judged, ordered, report_of
from semipriv.privacy.events import Account, Event, budget_event
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.queries.noise import draw_cost
from semipriv.queries.unit_mass import UNITS, ReportSchema, Sums

__all__ = ["StatisticsRelease"]

_LARGEST = 2**62
"""Integers of sums are below it, so that noise has room."""
_EPSILONS = 1e-4, 1e5
"""Epsilons among which the smallest one that meets all wishes is looked for."""
_CELLS = 2**25
"""Numbers in the answer to one question, at most."""
_FEWEST = 32
"""Cuts of a number of which quantiles are asked for, at least: fewer tell nothing."""
_AFTER_DRAW, _AFTER_OWN, _AFTER_TREE, _AFTER_LEVEL = 6e-5, 1e-3, 4e-4, 2e-4
"""Seconds in a group for a draw of a quantile with what is made of it, and for that beside where the group has public
rows of its own; after a noisy tree, and after it for a level.
"""
_SUREST = 1 - 1e-9
"""Largest chance of limits: beyond it floats have no room for what is left."""


def _interval(name: str, given: Any) -> float:
    chance = checks.between(name, given, 0, 1)
    if chance > _SUREST:
        raise ValueError(f"{name} = {given!r}: must be at most {_SUREST!r}")
    return chance


@value
class StatisticsRelease:
    """Counts, sums, means, variances and quantiles by group, of a private table.

    Public stage: the request and public rows are kept.  Private stage: each table that is measured gets discrete noise;
    in it every row has the same mass, whatever its number is (`semipriv.queries.unit_mass`).  After it: tables are made
    consistent by least squares, and statistics are read off.

    Privacy, for replacing one row, n public: a table in which a row has mass T moves by at most 2 T in L1 and sqrt(2) T
    in L2.  So discrete Laplace noise of scale b T is 2 / b - DP, and discrete Gaussian noise of scale sigma T is
    1 / sigma^2 - zCDP; where no quantile is asked for, Gaussian noise is all that is done, and accounted exactly
    (`semipriv.privacy.gaussians`).  Which tables are measured, and with which part of the budget, follows from n, the
    request and public rows; parts add up to at most 1.  The rest is post-processing.

    Args:
        epsilon: of the budget, for replacing one private row, finite and > 0.
        delta: of the budget, in [0, 1); 0 for pure epsilon, with discrete Laplace noise.
        statistics: what is asked for, a list of ``Asked`` or of mappings of its parameters.
        interval: chance with which limits hold, > 0 and at most 1 - 1e-9.
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
    delta: float = fields.delta(default=0.0)
    statistics: Sequence[Asked] = checked(as_asked, kw_only=True)
    interval: float = checked(_interval, default=0.95, kw_only=True)
    ends: str = one_of(ENDS, "a report", default="auto", kw_only=True)

    releasable = True

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private row."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def event(self) -> Event:
        """What a release does to the private rows, whatever the request: it pays for all from one account."""
        return budget_event(self.guarantee, noise_alone(self.statistics))

    # ------------------------------------------------------------------ public stage
    def prepare(self, points: ArrayLike, schema: ReportSchema) -> Prepared:
        """Carry out the public stage: check the request against the columns, and keep public rows.

        Args:
            points: public rows (m, d), in the schema's coordinates; m = 0 is allowed.
            schema: the columns.

        Returns:
            Input of the private stage.

        Raises:
            ValueError: for columns that the schema does not have or that are of the wrong kind, for too many groups,
                and for rows that are not of the schema.
        """
        if not isinstance(schema, ReportSchema):
            raise ValueError(f"schema: is {type(schema).__name__}, must be a ReportSchema of columns")
        self.check_schema(schema)
        rows = checked_points(points, schema, "public rows")
        if self.ends == "public" and not len(rows):
            raise ValueError("ends = 'public': there is no public row, take 'auto' or 'declared'")
        return Prepared(schema, self.statistics, rows)

    def check_schema(self, schema: ReportSchema) -> None:
        """Check the request against the columns, without any row.

        Args:
            schema: the columns.

        Raises:
            ValueError: for columns that the schema does not have or that are of the wrong kind, and for too many
                groups.
        """
        for place, request in enumerate(self.statistics):
            try:
                if request.column is not None:
                    schema.number(request.column)
                groups = math.prod(schema.grouping(column).size for column in request.by)
            except ValueError as error:
                raise ValueError(f"statistics[{place}]: {error}") from None
            if groups > _CELLS:
                raise ValueError(
                    f"statistics[{place}].by: the {request.title} has {groups:,} groups, at most {_CELLS:,} fit: "
                    "group by fewer columns, or by coarser ones"
                )
        blind = Prepared(schema, self.statistics, np.empty((0, schema.dimension)))
        for place, request in enumerate(self.statistics):
            if request.statistic != "quantiles" or request.column is None:
                continue
            bins = len(blind.cuts(request.column)) + 1
            if bins <= _FEWEST:
                raise ValueError(
                    f"statistics[{place}]: the {request.title} would be of {bins} bins, as there are so many groups of "
                    f"this column (at least {_FEWEST + 1} are needed): ask for fewer groups"
                )

    def plan(self, prepared: Prepared, n: int) -> Plan:
        """Return what will be measured and with which noise, by the request, public rows and n.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            The plan.
        """
        return plan_of(prepared, self.guarantee, self.ends, n)

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
        return list(self.plan(prepared, n).sums.values())

    def expected(self, prepared: Prepared, n: int) -> list[Row]:
        """Return every number that a release will hold with what public rows predict of it, and the deviation of its
        noise: public, before anything is paid.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            A row for each number, with NaN as value and limits.  Quantiles have no deviation, ``expected_ranks`` tells
            how exact they are.
        """
        return list(self.expected_report(prepared, n).rows())

    def expected_report(self, prepared: Prepared, n: int) -> Report:
        """Return what ``expected`` tells as a report, with NaN as values, limits, and deviations of quantiles.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            The report.  Its ends are those to which numbers are expected to be clipped.
        """
        plan = self.plan(prepared, n)
        return self._expected_report(plan, expected_ends(plan))

    def _expected_report(self, plan: Plan, ends: Ends) -> Report:
        prepared, n, lines = plan.prepared, plan.n, []
        fit = fit_of(prepared, plan.measures, ends, n)
        for place, request in enumerate(self.statistics):
            nothing = np.full(prepared.cells(request.by), np.nan)
            if request.statistic == "quantiles":
                lines += [Line.of(place, at, values=nothing) for at in request.at]
                continue
            key = table_of(request, prepared.schema)
            table = prepared.predicted(key, ends.get(key[-1]) if key else None, n)
            sd = ordered(deviations(request, prepared, ends, table, fit), request, prepared)
            lines.append(Line.of(place, values=nothing, sd=sd))
        return report_of(self.statistics, plan, ends, lines, self.interval)

    def outlook(self, prepared: Prepared, n: int) -> Outlook:
        """Return all that is told of each number before anything is paid: public.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            What is expected: deviations after clipping and by the declared range, those of ranks, which quantiles are
            told, and by what a wish is judged.
        """
        plan, report = self.plan(prepared, n), self.expected_report(prepared, n)
        declared = dict.fromkeys((part.column for part in plan.shapes if part.column in plan.ends), (0, UNITS))
        most = self._expected_report(plan, {**plan.ends, **declared}).noise_sd
        ranks, expected = np.full(len(report), np.nan), np.ones(len(report), bool)
        for own in plan.quantiles:
            rows = report.place == self.statistics.index(own.asked)
            ranks[rows] = np.concatenate(rank_deviations(plan, own))
            expected[rows] = np.concatenate(expected_told(plan, own))
        return Outlook(report, most, ranks, expected, judged(report, prepared))

    def expected_ranks(self, prepared: Prepared, n: int) -> dict[Asked, list[Floats]]:
        """Return of quantiles the standard deviation of their rank, as a share of the rows expected in a group: public.

        What a quantile's value is off by depends on how dense private rows are around it, which nothing public tells.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            Of each statistic of quantiles, for each level (groups,).
        """
        plan = self.plan(prepared, n)
        return {own.asked: rank_deviations(plan, own) for own in plan.quantiles}

    def smallest_epsilon(self, prepared: Prepared, n: int) -> float | None:
        """Return the smallest epsilon that is found to meet all wishes, rounded up to two digits: public.

        A wish is met if the deviation of the noise that is expected is at most as large in every group of which there
        are public rows; in every group, where there is no public row (``Prepared.judged``).  Looked for
        from large ones on, by quarters and then by halving, with the other parameters as they are.  Parts of the budget
        and ends change with epsilon, so that a wish that is met may not be at a slightly larger epsilon.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            The epsilon; None without a wish, and if none up to 10^5 meets all.
        """
        if all(request.wish is None for request in self.statistics):
            return None
        first = self.expected_report(prepared, n)
        wishes = np.array([math.inf if request.wish is None else request.wish for request in self.statistics])[
            first.place
        ]
        by = judged(first, prepared) & np.isfinite(wishes)

        def met(epsilon: float) -> bool:
            report = changed(self, epsilon=epsilon).expected_report(prepared, n)
            return bool(np.all(report.noise_sd[by] <= wishes[by]))

        least, low = _EPSILONS
        high = math.inf
        while met(low):  # from above: where there is hardly any signal, ends that are close together leave no noise
            if low <= least:
                return least
            low, high = max(low / 4, least), low
        if math.isinf(high):
            return None
        while high > low * 1.005:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if met(middle) else (middle, high)
        unit = Fraction(10) ** (math.floor(math.log10(high)) - 1)
        rounded = math.ceil(Fraction(high) / unit)
        return next((float(k * unit) for k in range(rounded, rounded + 20) if met(float(k * unit))), None)

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
        for question in plan.sums.values():
            if question.cells > _CELLS:
                raise ValueError(
                    f"statistics: {question.cells:,} sums of private rows are too many (at most {_CELLS:,}): ask for "
                    "fewer groups, or coarser ones"
                )
        cells = f"{plan.cells:,} cells of tables that get noise"
        check_work(cells, self.draw_cost(prepared, n), "ask for fewer groups, or coarser ones", begins=False)
        for measure in plan.measures:
            mass = mass_of(prepared, measure.table, most, units)
            if n * mass > _LARGEST:
                names = ", ".join(measure.table)
                raise ValueError(f"statistics by {names}: {n:,} rows are too many for sums of 64 bits")
            measure.noise.per(mass).check_width()
        trees = [own.how.noise for own in plan.quantiles if isinstance(own.how, Trees)]
        for noise in (*trees, *(shape.noise for shape in plan.shapes)):
            noise.per(units).check_width()
        Account(self.guarantee, noise_alone(self.statistics)).pay(plan.event)

    def draw_cost(self, prepared: Prepared, n: int) -> Cost:
        """Return what a release takes, about, beyond counting rows: exact noise (``Secure``), and what follows.

        Args:
            prepared: what ``prepare`` returned.
            n: number of private rows, or of persons.

        Returns:
            Seconds on one core, and memory.
        """
        plan, seconds = self.plan(prepared, n), 0.0
        for own in plan.quantiles:
            levels, groups = len(own.asked.at), prepared.cells(own.asked.by)
            if isinstance(own.how, Trees):
                seconds += groups * (_AFTER_TREE + levels * _AFTER_LEVEL)
            else:
                seconds += levels * (groups * _AFTER_DRAW + min(groups, prepared.n_public) * _AFTER_OWN)
        drawn = draw_cost(plan.cells, self.guarantee, len(plan.measures))
        return drawn + estimates.reported(plan.measured) + Cost(seconds)

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
        sums = [question.of(rows) for question in self.questions(prepared, len(rows))]
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
        plan = self.plan(prepared, n)
        answers = Answers(plan, sums)
        found_shapes = shapes_of(plan, answers, randomness, units)
        ends = plan.ends_of(found_shapes)
        exact = {measure.table: answers.table(measure.table, ends) for measure in plan.measures}
        measurement = measured(prepared, plan.measures, ends, exact, n, randomness, units)
        lines = lines_of(self.statistics, plan, answers, measurement, found_shapes, randomness, self.interval, units)
        output = report_of(self.statistics, plan, ends, lines, self.interval, measurement, units)
        cost = {"tables": float(len(plan.measures)), "shapes": float(len(plan.shapes)), "cells": float(plan.cells)}
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
