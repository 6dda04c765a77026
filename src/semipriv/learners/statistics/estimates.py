"""Private stage: trees of numbers, tables and quantiles are measured, and statistics are read off them."""

from collections.abc import Mapping, Sequence

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Indices, Integers
from semipriv.learners.outputs.report import KINDS
from semipriv.learners.statistics import shapes
from semipriv.learners.statistics.asked import Asked, table_of
from semipriv.learners.statistics.leaning import Leaning
from semipriv.learners.statistics.limits import limits_of
from semipriv.learners.statistics.measure import Measured, deviations, values
from semipriv.learners.statistics.plan import Plan, QuantilesOf
from semipriv.learners.statistics.prepared import Prepared
from semipriv.learners.statistics.quantiles import (
    Found,
    Trees,
    beliefs,
    found_in_trees,
    found_of_draws,
    level,
    prior,
)
from semipriv.learners.statistics.quantiles import values as bin_values
from semipriv.learners.statistics.reading import Answers
from semipriv.learners.statistics.reporting import Line, ordered
from semipriv.learners.statistics.shapes import Shape
from semipriv.queries.residuals import Key
from semipriv.queries.unit_mass import UNITS

__all__ = ["lines_of", "quantile_deviations", "shapes_of"]

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
        public = plan.prepared.units(one.column)
        found[one.column] = shapes.shape(one.cuts, one.tree, nodes, variance, plan.n, public, missing)
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
    leaning = Leaning(found, dict(shape), level)
    public = KINDS[1] if prepared.n_public else KINDS[2]
    for place, one in enumerate(asked):
        if one.statistic == "quantiles":
            own = next(other for other in plan.quantiles if other.asked == one)
            lines += _quantiles(place, plan, own, answers, found, shape, randomness, level, units)
            continue
        table = found.estimates.get(table_of(one, prepared.schema), np.array(float(plan.n)))
        number = values(one, prepared, found.ends, table)
        sd = deviations(one, prepared, found.ends, table, found.fit)
        limits = limits_of(one, found, number, level)
        lines.append(_line(place, one, prepared, (number, sd, *limits), KINDS[0]))
        if (shrunk := leaning.of(one)) is not None:
            lines.append(_line(place, one, prepared, shrunk, public))
    return lines


def _line(place: int, one: Asked, prepared: Prepared, made: Sequence[Floats], kind: str) -> Line:
    """Return a line of values, deviations, lower and upper limits, each (*by)."""
    number, sd, low, high = (ordered(part, one, prepared) for part in made)
    return Line.of(place, sd=sd, values=number, limits=(low, high), kind=kind)


# ------------------------------------------------------------------------------------------------- quantiles
def _quantiles(
    place: int,
    plan: Plan,
    own: QuantilesOf,
    answers: Answers,
    found: Measured,
    shape: Shapes,
    randomness: Randomness,
    chance: float,
    units: int,
) -> list[Line]:
    """Measure the quantiles of a statistic, and return their lines."""
    prepared, one = plan.prepared, own.asked
    assert one.column is not None, "quantiles have a column"
    by = table_of(one, prepared.schema)[:-1]
    groups, cells = prepared.cells(by), len(own.cuts) + 1
    counts = answers.binned(by, one.column, own.cuts)[0].reshape(groups, cells)
    sizes = _sizes(plan, by, found).ravel()
    given = beliefs(
        own.cuts, groups, prepared.binned(by, one.column, own.cuts), _shares(own.cuts, shape.get(one.column))
    )
    public = prepared.units(one.column)
    where, spread = bin_values(own.cuts, public), quantile_deviations(plan, own, sizes, shape.get(one.column))
    lines: list[Line] = []
    measured: list[tuple[Found, Indices | None]] = []
    if isinstance(own.how, Trees):
        levels = own.how.release(counts, randomness, units)
        measured = [
            (each, None) for each in found_in_trees(own.how, levels, given, sizes, [level(at) for at in one.at])
        ]
    else:
        for draws in own.how:
            before = prior(draws, given, sizes)
            drawn = draws.release(counts, before, randomness, units)
            measured.append((found_of_draws(draws, drawn, before, given, sizes), drawn))
    for at, sd, (each, drawn) in zip(one.at, spread, measured, strict=True):
        options = {KINDS[0]: drawn, KINDS[1]: each.best}
        for kind, bins in options.items():
            if bins is not None:
                number = prepared.schema.number(one.column).at(where[bins])
                lines.append(
                    Line.of(
                        place, at, sd=sd, values=ordered(number.reshape(_shape(prepared, by)), one, prepared), kind=kind
                    )
                )
    return lines


def _shape(prepared: Prepared, by: Key) -> tuple[int, ...]:
    return tuple(prepared.sizes[one] for one in by)


def _sizes(plan: Plan, by: Key, found: Measured) -> Floats:
    """Return numbers of rows by group: measured ones, at least those of half a row, else predicted ones."""
    if not by:
        return np.array(float(plan.n))
    if not found.fit.knows(by):
        return plan.prepared.predicted(by, None, plan.n)
    return np.maximum(found.fit.table(found.parts, by), 0.5)


def _shares(cuts: Integers, shape: Shape | None) -> Floats | None:
    """Return the shares of bins by a shape."""
    if shape is None:
        return None
    cells = np.rint(shape.points).astype(np.int64)
    return np.bincount(shapes.bins(cuts, cells), shape.masses, len(cuts) + 1).astype(np.float64)


def quantile_deviations(
    plan: Plan, own: QuantilesOf, sizes: Floats | None = None, shape: Shape | None = None
) -> list[Floats]:
    """Return for each level the standard deviation of the noise of quantiles by group, about, in the number's unit.

    That of a rank, over the rows of the group, is carried over by the slope of the distribution of all rows.

    Args:
        plan: of the release.
        own: the quantiles.
        sizes: rows of the groups; None: those that are predicted.
        shape: of all rows; None: that which is expected.
    """
    prepared, one = plan.prepared, own.asked
    assert one.column is not None, "quantiles have a column"
    by = table_of(one, prepared.schema)[:-1]
    rows = (prepared.predicted(by, None, plan.n).ravel() if by else np.array([plan.n])) if sizes is None else sizes
    law = shapes.expected_shape(own.cuts, prepared.units(one.column)) if shape is None else shape
    below = np.concatenate([[0.0], np.cumsum(law.masses)])
    through, ends = (below[1:] + below[:-1]) / 2, prepared.schema.number(one.column)
    found = []
    for i, at in enumerate(one.at):
        rank = own.how.deviation(len(own.cuts) + 1) if isinstance(own.how, Trees) else 2**0.5 / own.how[i].rate
        share = np.minimum(rank / np.maximum(rows, 1.0), 1.0)
        low, high = (np.interp(np.clip(at + side * share, 0.0, 1.0), through, law.points) for side in (-1, 1))
        found.append(
            ordered(((high - low) / 2 * (ends.high - ends.low) / UNITS).reshape(_shape(prepared, by)), one, prepared)
        )
    return found
