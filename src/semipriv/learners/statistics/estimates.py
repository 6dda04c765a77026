"""Private stage: trees of numbers, tables and quantiles are measured, and statistics are read off them."""

from collections.abc import Mapping, Sequence

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.learners.outputs.report import KINDS
from semipriv.learners.statistics import shapes
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.leaning import Leaning
from semipriv.learners.statistics.limits import limits_of
from semipriv.learners.statistics.measure import Measured, deviations, told, values
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
    found = {}
    for one in plan.shapes:
        counts, gone = answers.binned((), one.column, one.cuts)
        missing = plan.prepared.schema.number(one.column).missing
        cells = np.append(counts, gone) if missing else counts
        nodes = shapes.measured(one.tree, cells, one.noise, randomness, units)
        variance = one.noise.per(units).variance / units**2
        public, fine = plan.prepared.units(one.column), plan.prepared.cuts(one.column)
        found[one.column] = shapes.shape(one.cuts, one.tree, nodes, variance, plan.n, public, missing, fine)
    return found


def lines_of(
    asked: Sequence[Asked],
    plan: Plan,
    answers: Answers,
    found: Measured,
    shape: Shapes,
    randomness: Randomness,
    level: float,
    units: int = 1,
) -> list[Line]:
    """Return all numbers of a report, in the order they were asked for; level: chance of limits."""
    prepared, lines = plan.prepared, []
    leaning = Leaning(found, dict(shape), units)
    public = KINDS[1] if prepared.n_public else KINDS[2]
    for place, one in enumerate(asked):
        if one.statistic == "quantiles":
            own = next(other for other in plan.quantiles if other.asked == one)
            own_shape = shape.get(own.asked.column or "")
            lines += quantile_lines(place, plan, own, answers, found, own_shape, randomness, level, units)
            continue
        table = found.estimates.get(table_of(one, prepared.schema), np.array(float(plan.n)))
        number = values(one, prepared, found.ends, table)
        some = told(one, prepared, table, found.fit)
        sd = deviations(one, prepared, found.ends, table, found.fit)
        made = (np.where(some, number, np.nan), np.where(some, sd, np.nan), *limits_of(one, found, number, level))
        number, sd, low, high = (ordered(part, one, prepared) for part in made)
        lines.append(Line.of(place, values=number, sd=sd, limits=(low, high)))
        if (shrunk := leaning.of(one)) is not None:
            lines.append(Line.of(place, values=ordered(shrunk, one, prepared), kind=public))
    return lines
