"""The numbers of a report, statistic after statistic."""

from collections.abc import Sequence

import attrs
import numpy as np

from semipriv.core.types import Bools, Floats
from semipriv.learners.outputs.report import KINDS, Report
from semipriv.learners.statistics.asked import Asked
from semipriv.learners.statistics.measure import Ends, Measured, fit_of
from semipriv.learners.statistics.plan import Plan, chosen
from semipriv.learners.statistics.prepared import Prepared
from semipriv.learners.statistics.shapes import Shape, expected_shape
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian

__all__ = ["Line", "Outlook", "expected_ends", "judged", "ordered", "report_of"]


@attrs.frozen(eq=False)
class Line:
    """The numbers of one statistic, a level of it if it is of quantiles, in all groups: each array (groups,).

    place: of the statistic.  level: of quantiles, else NaN.  kind: place in ``report.KINDS``.
    """

    place: int
    level: float
    values: Floats
    low: Floats
    high: Floats
    noise_sd: Floats
    kind: int

    @classmethod
    def of(
        cls,
        place: int,
        level: float = float("nan"),
        *,
        values: Floats,
        sd: Floats | None = None,
        limits: tuple[Floats, Floats] | None = None,
        kind: str = KINDS[0],
    ) -> "Line":
        """Return a line; deviations and limits that are not given are NaN."""
        nothing = np.full(values.shape, np.nan)
        low, high = (nothing, nothing) if limits is None else limits
        return cls(place, level, values, low, high, nothing if sd is None else sd, KINDS.index(kind))


@attrs.frozen(eq=False)
class Outlook:
    """What is told of each number of a report before a private row is read, arrays (r,): public.

    report: with the deviations that are expected, of numbers clipped to the ends that are expected, and NaN as values.
    most: the deviations by the declared range, if ends are chosen after a tree is measured; else those of the report.
    ranks: of quantiles, whose deviation is not known, that of the rank, as a share of the rows that are expected in the
    group; else NaN.  told: of quantiles, whether a number is expected to be told.  judged: whether a wish is judged by
    the number (``Prepared.judged``).
    """

    report: Report
    most: Floats
    ranks: Floats
    told: Bools
    judged: Bools


def judged(report: Report, prepared: Prepared) -> Bools:
    """Return of each number of a report, (r,), whether a wish is judged by it."""
    result = np.zeros(len(report), bool)
    for place, request in enumerate(report.asked):
        rows = report.place == place
        result[rows] = prepared.judged(request)[report.cell[rows]]
    return result


def expected_ends(plan: Plan) -> Ends:
    """Return the ends to which each number is expected to be clipped: public.

    Where noisy counts of the number will tell them, those by the shape of public rows, or, without these, by the shape
    that is expected of the counts; else those of the plan.
    """
    prepared, fit = plan.prepared, fit_of(plan.prepared, plan.measures, plan.ends, plan.n)
    spreads, ends_of = {key: fit.spread(key, key[-1] in plan.ends)[0] for key in prepared.tables}, dict(plan.ends)
    for part in plan.shapes:
        if part.column in plan.ends:
            public = prepared.units(part.column)
            shape = Shape.of(public) if len(public) else expected_shape(part.cuts)
            ends_of[part.column] = chosen(prepared, part.column, shape, spreads, plan.n, part.cuts)
    return ends_of


def ordered(given: Floats, request: Asked, prepared: Prepared) -> Floats:
    """Return numbers by group, (*by) in the schema's order of columns, flat in the order that was asked for."""
    by = sorted(request.by, key=prepared.schema.place)
    return given.transpose([by.index(name) for name in request.by]).ravel()


def report_of(
    asked: Sequence[Asked],
    plan: Plan,
    ends: Ends,
    lines: Sequence[Line],
    interval: float,
    measurement: Measured | None = None,
    units: int = 1,
) -> Report:
    """Return the report of some lines; measurement: what was measured, None before anything is."""
    noises = [] if measurement is None else list(measurement.noises.values())
    tables = {} if measurement is None else measurement.tables
    repeated = [(line, np.ones(len(line.values))) for line in lines]
    return Report(
        plan.prepared.schema,
        asked,
        np.concatenate([ones * line.place for line, ones in repeated]).astype(np.int64),
        np.concatenate([ones * line.level for line, ones in repeated]),
        np.concatenate([np.arange(len(line.values)) for line in lines]),
        np.concatenate([line.values for line in lines]),
        np.concatenate([line.low for line in lines]),
        np.concatenate([line.high for line in lines]),
        np.concatenate([line.noise_sd for line in lines]),
        np.concatenate([ones * line.kind for line, ones in repeated]).astype(np.int8),
        tables=tuple(tables),
        noisy=np.concatenate([np.zeros(0), *(table.ravel() for table in tables.values())]),
        masses=np.array([] if measurement is None else list(measurement.masses.values()), np.float64),
        scales=np.array([float(getattr(noise, "sigma", 0) or getattr(noise, "scale", 0)) for noise in noises]),
        noise="gaussian" if any(isinstance(noise, DiscreteGaussian) for noise in noises) else "laplace",
        ends={name: plan.prepared.clipped(name, *pair) for name, pair in ends.items()},
        n=plan.n,
        units=units,
        interval=interval,
    )
