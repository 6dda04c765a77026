"""Private stage: trees of numbers, tables and quantiles are measured, and statistics are read off them."""

from collections.abc import Mapping, Sequence

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.learners.outputs.report import KINDS
from semipriv.learners.statistics import shapes
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.leaning import Leaning
from semipriv.learners.statistics.limits import limits_of
from semipriv.learners.statistics.measure import Measured, deviations, reported, values
from semipriv.learners.statistics.plan import Plan
from semipriv.learners.statistics.quantile_lines import quantile_lines
from semipriv.learners.statistics.reading import Answers
from semipriv.learners.statistics.reporting import Line, ordered
from semipriv.learners.statistics.shapes import Shape

__all__ = ["lines_of", "shapes_of"]

Shapes = Mapping[str, Shape]


def shapes_of(plan: Plan, answers: Answers, randomness: Randomness, units: int = 1) -> dict[str, Shape]:
    """Return the shape of each number whose tree is measured, from noisy counts over all rows.

    units: of a person; 1: rows were counted.
    """
    by_column = {}
    for tree_of in plan.shapes:
        counts, gone = answers.binned((), tree_of.column, tree_of.cuts)
        missing = plan.prepared.schema.number(tree_of.column).missing
        cells = np.append(counts, gone) if missing else counts
        nodes = shapes.measured(tree_of.tree, cells, tree_of.noise, randomness, units)
        variance = tree_of.noise.per(units).variance / units**2
        public, fine = plan.prepared.units(tree_of.column), plan.prepared.cuts(tree_of.column)
        by_column[tree_of.column] = shapes.shape(
            tree_of.cuts, tree_of.tree, nodes, variance, plan.n, public, missing, fine
        )
    return by_column


def lines_of(
    asked: Sequence[Asked],
    plan: Plan,
    answers: Answers,
    measurement: Measured,
    shape: Shapes,
    randomness: Randomness,
    level: float,
    units: int = 1,
) -> list[Line]:
    """Return all numbers of a report, in the order they were asked for; level: chance of limits."""
    prepared, lines = plan.prepared, []
    leaning = Leaning(measurement, dict(shape), units)
    public = KINDS[1] if prepared.n_public else KINDS[2]
    for place, request in enumerate(asked):
        if request.statistic == "quantiles":
            own = next(other for other in plan.quantiles if other.asked == request)
            own_shape = shape.get(own.asked.column or "")
            lines += quantile_lines(place, plan, own, answers, measurement, own_shape, randomness, level, units)
            continue
        table = measurement.estimates.get(table_of(request, prepared.schema), np.array(float(plan.n)))
        number = values(request, prepared, measurement.ends, table)
        some = reported(request, prepared, table, measurement.fit)
        sd = deviations(request, prepared, measurement.ends, table, measurement.fit)
        shown = (
            np.where(some, number, np.nan),
            np.where(some, sd, np.nan),
            *limits_of(request, measurement, number, level),
        )
        number, sd, low, high = (ordered(part, request, prepared) for part in shown)
        lines.append(Line.of(place, values=number, sd=sd, limits=(low, high)))
        if (shrunk := leaning.of(request)) is not None:
            lines.append(Line.of(place, values=ordered(shrunk, request, prepared), kind=public))
    return lines
