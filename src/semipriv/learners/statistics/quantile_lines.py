"""Quantiles by group: what is measured of them, and their lines in a report."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.core.types import Bools, Floats, Integers
from semipriv.learners.outputs.report import KINDS
from semipriv.learners.statistics import shapes
from semipriv.learners.statistics.asked import level, table_of
from semipriv.learners.statistics.measure import Measured, fit_of, numbered
from semipriv.learners.statistics.plan import Plan, QuantilesOf
from semipriv.learners.statistics.quantiles import (
    Candidates,
    Draws,
    Trees,
    beliefs,
    found_in_trees,
    found_of_draws,
    limits_of_trees,
    prior,
    sizes_in_trees,
    unshrunk,
)
from semipriv.learners.statistics.reading import Answers
from semipriv.learners.statistics.reporting import Line, ordered
from semipriv.learners.statistics.shapes import Shape
from semipriv.queries.least_squares import node_counts
from semipriv.queries.residuals import Key
from semipriv.queries.unit_mass import UNITS, Number

__all__ = ["expected_told", "quantile_lines", "rank_deviations"]

_LARGEST = 2.0
"""Of the ranks of all edges in a tree, the largest noise over its standard deviation, about, with the chance 1/2."""


def quantile_lines(
    place: int,
    plan: Plan,
    own: QuantilesOf,
    answers: Answers,
    measurement: Measured,
    shape: Shape | None,
    randomness: Randomness,
    chance: float,
    units: int,
) -> list[Line]:
    """Measure the quantiles of a statistic, and return their lines.

    The number of kind ``noise`` is the draw itself.  Limits are proved of its rank alone, by ``Draws.rank_limit``:
    nothing that is measured says which numbers have the ranks beside it, so it has no limits.  Or it is what a noisy
    tree alone says, with limits by its noise.  There is none, NaN, where ``reported`` says so.

    Beside it is the one that is best by Bayes' rule, without limits: they would hold only as far as public rows are
    like the group.  How far noise moves the value of a quantile depends on how dense the rows around it are: none has
    a deviation.

    Args:
        place: of the statistic.
        plan: of the release.
        own: the quantiles.
        answers: what was read of private rows.
        measurement: what tables say: sizes of groups, released before.
        shape: of the number over all rows, released before; None: not measured.
        randomness: Secure() for a release.
        chance: of limits.
        units: of a person; 1: rows were counted.
    """
    prepared, request = plan.prepared, own.asked
    by, column = _key(own, plan)
    groups, cells = prepared.cells(by), len(own.cuts) + 1
    counts = answers.binned(by, column, own.cuts)[0].reshape(groups, cells)
    found_sizes, unsure = _sizes(plan, by, column, measurement)
    candidates, levels = Candidates.of(own.cuts, UNITS * prepared.places(column)), [level(at) for at in request.at]
    number = prepared.schema.number(column)
    numbers = np.array([number_at(number, value / UNITS) for value in candidates.value.tolist()])
    given = beliefs(
        own.cuts, groups, prepared.binned(by, column, own.cuts), _shares(own.cuts, shape), _worth(plan, column)
    )
    alone: list[Floats] = []
    around: list[tuple[Floats, Floats]] | None = None
    if isinstance(own.how, Trees):
        nodes = own.how.release(counts, randomness, units)
        found_sizes, unsure = sizes_in_trees(own.how, nodes, found_sizes, unsure)
        sizes = np.maximum(found_sizes, 0.5)
        alone = [numbers[place] for place in unshrunk(own.how, candidates, nodes, sizes, levels)]
        limits = limits_of_trees(own.how, nodes, sizes, levels, own.cuts, chance)
        around = [(number.at(low), number.at(high)) for low, high in limits]
        bayes = found_in_trees(own.how, candidates, nodes, given, sizes, levels)
        reach: list[Floats | float] = [_LARGEST * own.how.deviation(cells)] * len(levels)
    else:
        bayes, reach, sizes = [], [], np.maximum(found_sizes, 0.5)
        for draws in own.how:
            before = prior(draws, candidates, given, sizes)
            drawn = draws.release(candidates, counts, before, randomness, units)
            alone.append(numbers[drawn])
            reach.append(draws.rank_limit(before, 0.5))
            if given.public:
                bayes.append(found_of_draws(draws, candidates, drawn, before, given, sizes))
    groups_of = [prepared.sizes[name] for name in by]
    some = np.array([reported(q, found_sizes, unsure, far) for q, far in zip(levels, reach, strict=True)])
    every = np.ones_like(some)

    def arranged(values: Floats) -> Floats:
        return ordered(np.asarray(values).reshape(groups_of), request, prepared)

    def rising(by_level: Sequence[Floats], kept: Bools) -> list[Floats]:
        """Return values (groups,) of each level, put in order: of a higher level none is lower; NaN where none is kept.

        kept: (levels, groups).
        """
        order = np.argsort(request.at)
        shown = kept[order]
        given = np.sort(np.where(shown, np.array(by_level)[order], np.inf), axis=0)
        in_order = np.empty(shown.shape)
        in_order[order] = np.where(shown, np.take_along_axis(given, np.cumsum(shown, axis=0) - shown, axis=0), np.nan)
        return [arranged(row) for row in in_order]

    def limited(limits: Sequence[tuple[Floats, Floats]] | None) -> Sequence[tuple[Floats, Floats] | None]:
        if limits is None:
            return [None] * len(request.at)
        return list(zip(*(rising([pair[side] for pair in limits], every) for side in (0, 1)), strict=True))

    kinds = [(KINDS[0], rising(alone, some), limited(around))]
    if given.public or isinstance(own.how, Trees):
        best = rising([numbers[result.best] for result in bayes], every)
        kinds.append((KINDS[1] if given.public else KINDS[2], best, limited(None)))
    return [
        Line.of(place, at, values=values[i], limits=limits[i], kind=kind)
        for i, at in enumerate(request.at)
        for kind, values, limits in kinds
    ]


def _key(own: QuantilesOf, plan: Plan) -> tuple[Key, str]:
    """Return the columns of the groups in the schema's order, and the number."""
    table = table_of(own.asked, plan.prepared.schema)
    return table[:-1], table[-1]


def _worth(plan: Plan, column: str) -> float:
    """Return how many rows a sample has that shows as much of a shape as its noisy tree and public rows; 0 without a
    tree.
    """
    for part in plan.shapes:
        if part.column == column:
            deviation = Trees(part.tree, part.noise).deviation(len(part.cuts) + 1)
            return 0.25 * (plan.n / max(deviation, 1e-9)) ** 2 + plan.prepared.n_public
    return 0.0


def reported(at: Fraction, sizes: Floats, unsure: Floats, reach: Floats | float) -> Bools:
    """Return of which groups a quantile is reported, (G,), by what was released or is public: post-processing.

    The group must be told from an empty one: its rows are at least 1/2, and at least what they are unsure by.  And the
    quantile must be told from the ends of the declared range, from which min(q, 1 - q) of the rows part it: these must
    be at least how far noise reaches.  Else any number beyond all rows fits about as well.

    Args:
        at: the level.
        sizes: rows of the groups that have a number, about, (G,).
        unsure: standard deviation of what these are off by, (G,).
        reach: rows by which a rank is off at most, with the chance 1/2.
    """
    aside = float(min(at, 1 - at)) * sizes
    return np.asarray((sizes >= np.maximum(0.5, unsure)) & (aside >= reach))


def number_at(number: Number, place: float) -> float:
    """Return the number at a place in [0, 1]: of all that have the place exactly, the one with the fewest decimals.

    So a number of a public row comes back as it was written, if it has up to about 15 digits.

    >>> number_at(Number("days", -0.7, 1), 0.7 / 1.7)
    0.0
    """
    width = number.high - number.low
    near = number.low + width * place
    first = -math.floor(math.log10(width))
    for decimals in range(first, first + 18):
        tried = round(near, decimals) + 0.0
        if number.low <= tried <= number.high and min((tried - number.low) / width, 1.0) == place:
            return tried
    return min(max(near, number.low), number.high)


def _each(own: QuantilesOf) -> Sequence[Draws | Trees]:
    """Return what measures each level."""
    return [own.how] * len(own.asked.at) if isinstance(own.how, Trees) else own.how


def _sizes(plan: Plan, by: Key, column: str, measurement: Measured) -> tuple[Floats, Floats]:
    """Return rows of the groups that have a number, about, and the deviation of that, (groups,) each.

    From a table of the number by the same groups, if one is measured; else from counts of the groups, and a quarter of
    the rows is unsure besides where numbers may be missing.  Sizes that are predicted are off by half of them.
    """
    prepared = plan.prepared
    if (*by, column) in measurement.estimates:
        rows, noise = numbered((*by, column), prepared, measurement.estimates[*by, column], measurement.fit)
        return rows.ravel(), np.full(rows.size, noise)
    if not by:
        size, off = np.array([float(plan.n)]), np.zeros(1)
    elif measurement.fit.knows(by):
        size = measurement.fit.table(measurement.parts, by).ravel()
        off = np.full(size.shape, measurement.fit.spread(by, False)[0] ** 0.5)
    else:
        size = prepared.predicted(by, None, plan.n).ravel()
        off = size / 2
    return size, off + np.maximum(size, 0.0) / 4 if prepared.schema.number(column).missing else off


def _shares(cuts: Integers, shape: Shape | None) -> Floats | None:
    """Return the shares of bins by a shape."""
    if shape is None:
        return None
    cells = np.rint(shape.points).astype(np.int64)
    return np.bincount(shapes.bins(cuts, cells), shape.masses, len(cuts) + 1).astype(np.float64)


def rank_deviations(plan: Plan, own: QuantilesOf) -> list[Floats]:
    """Return for each level the standard error of the rank of a quantile by group, as a share of the rows that public
    rows predict for the group: not of its value, which the unknown distribution of the group decides.

    It is that among evenly spread rows.  A rank counts as off by the rows between a candidate and the quantile: where
    many rows share a number it is off by less, or by up to 3 times as much if noise just about hides where they are.

    Args:
        plan: of the release.
        own: the quantiles.
    """
    prepared, request = plan.prepared, own.asked
    by, _ = _key(own, plan)
    rows = np.maximum(prepared.predicted(by, None, plan.n) if by else np.array(float(plan.n)), 1.0)
    cells = len(own.cuts) + 1
    errors = [
        way.rank_error(cells, level(at), rows) if isinstance(way, Trees) else way.rank_error(rows)
        for way, at in zip(_each(own), request.at, strict=True)
    ]
    return [ordered(error / rows, request, prepared) for error in errors]


def expected_told(plan: Plan, own: QuantilesOf) -> list[Bools]:
    """Return for each level of which groups a quantile is expected to be told, if they have the rows that public rows
    predict: public.

    Args:
        plan: of the release.
        own: the quantiles.
    """
    prepared, request = plan.prepared, own.asked
    by, column = _key(own, plan)
    groups, cells = prepared.cells(by), len(own.cuts) + 1
    fit = fit_of(prepared, plan.measures, plan.ends, plan.n)
    sizes = prepared.predicted(by, None, plan.n).ravel() if by else np.array([float(plan.n)])
    unsure = sizes / 2 if by else np.zeros(1)
    if by and fit.knows(by):
        unsure = np.full(groups, fit.spread(by, False)[0] ** 0.5)
    if by and prepared.schema.number(column).missing:
        unsure = unsure + sizes / 4
    reach: list[Floats | float]
    if isinstance(own.how, Trees):
        nothing = node_counts(own.how.tree, np.zeros((groups, cells), np.int64))
        _, unsure = sizes_in_trees(own.how, [counts.astype(np.float64) for counts in nothing], sizes, unsure)
        reach = [_LARGEST * own.how.deviation(cells)] * len(request.at)
    else:
        candidates = Candidates.of(own.cuts, UNITS * prepared.places(column))
        given, rows = beliefs(own.cuts, groups, prepared.binned(by, column, own.cuts)), np.maximum(sizes, 0.5)
        reach = [draws.rank_limit(prior(draws, candidates, given, rows), 0.5) for draws in own.how]
    pairs = zip(request.at, reach, strict=True)
    shares = (reported(level(at), sizes, unsure, far).astype(np.float64) for at, far in pairs)
    shape = [prepared.sizes[name] for name in by]
    return [ordered(some.reshape(shape), request, prepared) > 0 for some in shares]
