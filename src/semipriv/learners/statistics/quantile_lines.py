"""Quantiles by group: what is measured of them, and their lines in a report."""

from collections.abc import Sequence

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Integers
from semipriv.learners.outputs.report import KINDS
from semipriv.learners.statistics import shapes
from semipriv.learners.statistics.asked import table_of
from semipriv.learners.statistics.measure import Measured
from semipriv.learners.statistics.plan import Plan, QuantilesOf
from semipriv.learners.statistics.quantiles import (
    Candidates,
    Trees,
    beliefs,
    found_in_trees,
    found_of_draws,
    level,
    limits_of_trees,
    prior,
    sizes_in_trees,
    unshrunk,
)
from semipriv.learners.statistics.reading import Answers
from semipriv.learners.statistics.reporting import Line, ordered
from semipriv.learners.statistics.shapes import Shape
from semipriv.queries.residuals import Key
from semipriv.queries.unit_mass import UNITS

__all__ = ["quantile_deviations", "quantile_lines"]


def quantile_lines(
    place: int,
    plan: Plan,
    own: QuantilesOf,
    answers: Answers,
    found: Measured,
    shape: Shape | None,
    randomness: Randomness,
    chance: float,
    units: int,
) -> list[Line]:
    """Measure the quantiles of a statistic, and return their lines.

    The number of kind ``noise`` is the draw itself, whose limits would need a guess of the group's distribution, and
    are left out; or it is what a noisy tree alone says, with limits by its noise.  Beside it is the one that is best by
    Bayes' rule, where there are public rows with limits by that rule.

    Args:
        place: of the statistic.
        plan: of the release.
        own: the quantiles.
        answers: what was read of private rows.
        found: what tables say: sizes of groups, released before.
        shape: of the number over all rows, released before; None: not measured.
        randomness: Secure() for a release.
        chance: of limits.
        units: of a person; 1: rows were counted.
    """
    prepared, one = plan.prepared, own.asked
    by, column = _key(own, plan)
    groups, cells = prepared.cells(by), len(own.cuts) + 1
    counts = answers.binned(by, column, own.cuts)[0].reshape(groups, cells)
    (sizes, unsure), public = _sizes(plan, by, column, found), prepared.units(column)
    candidates, levels = Candidates.of(own.cuts, public), [level(at) for at in one.at]
    given = beliefs(
        own.cuts, groups, prepared.binned(by, column, own.cuts), _shares(own.cuts, shape), _worth(plan, column)
    )
    alone: list[Floats] = []
    around: list[tuple[Floats, Floats]] | None = None
    if isinstance(own.how, Trees):
        nodes = own.how.release(counts, randomness, units)
        sizes = sizes_in_trees(own.how, nodes, sizes, unsure)
        alone = [candidates.value[one] for one in unshrunk(own.how, candidates, nodes, sizes, levels)]
        around = [limits_of_trees(own.how, nodes, sizes, q, own.cuts, chance) for q in levels]
        bayes = found_in_trees(own.how, candidates, nodes, given, sizes, levels)
    else:
        bayes = []
        for draws in own.how:
            before = prior(draws, candidates, given, sizes)
            drawn = draws.release(candidates, counts, before, randomness, units)
            alone.append(candidates.value[drawn])
            bayes.append(found_of_draws(draws, candidates, drawn, before, given, sizes))
    number, groups_of = prepared.schema.number(column), [prepared.sizes[name] for name in by]

    def made(places: Floats) -> Floats:
        return ordered(np.asarray(number.at(places)).reshape(groups_of), one, prepared)

    def rising(by_level: Sequence[Floats]) -> list[Floats]:
        """Return values (groups,) of each level, put in order: of a higher level none is lower."""
        order = np.argsort(one.at)
        in_order = np.empty((len(one.at), groups))
        in_order[order] = np.sort(np.array(by_level)[order], axis=0)
        return [made(each) for each in in_order]

    def limited(limits: Sequence[tuple[Floats, Floats]] | None) -> Sequence[tuple[Floats, Floats] | None]:
        if limits is None:
            return [None] * len(one.at)
        return list(zip(*(rising([each[side] for each in limits]) for side in (0, 1)), strict=True))

    deviations = quantile_deviations(plan, own, sizes, shape)
    kinds = [(KINDS[0], rising(alone), limited(around))]
    if len(public) or isinstance(own.how, Trees):
        best = rising([candidates.value[each.best] for each in bayes])
        by_rule = [each.limits(own.cuts, chance) for each in bayes] if len(public) else None
        kinds.append((KINDS[1] if len(public) else KINDS[2], best, limited(by_rule)))
    return [
        Line.of(place, at, sd=deviations[i], values=values[i], limits=limits[i], kind=kind)
        for i, at in enumerate(one.at)
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
    for one in plan.shapes:
        if one.column == column:
            deviation = Trees(one.tree, one.noise).deviation(len(one.cuts) + 1)
            return 0.25 * (plan.n / max(deviation, 1e-9)) ** 2 + plan.prepared.n_public
    return 0.0


def _sizes(plan: Plan, by: Key, column: str, found: Measured) -> tuple[Floats, Floats]:
    """Return rows of the groups that have a number, about, and the deviation of that, (groups,) each.

    Measured sizes are off by their noise, predicted ones by half of them, and by a quarter more where numbers may be
    missing.
    """
    if not by:
        size, off = np.array([float(plan.n)]), np.zeros(1)
    elif found.fit.knows(by):
        size = np.maximum(found.fit.table(found.parts, by), 0.5).ravel()
        off = np.full(size.shape, found.fit.spread(by, False)[0] ** 0.5)
    else:
        size = plan.prepared.predicted(by, None, plan.n).ravel()
        off = size / 2
    return size, off + size / 4 if plan.prepared.schema.number(column).missing else off


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
    by, column = _key(own, plan)
    rows = (prepared.predicted(by, None, plan.n).ravel() if by else np.array([plan.n])) if sizes is None else sizes
    law = shapes.expected_shape(own.cuts, prepared.units(column)) if shape is None else shape
    below = np.concatenate([[0.0], np.cumsum(law.masses)])
    through, ends = (below[1:] + below[:-1]) / 2, prepared.schema.number(column)
    found = []
    for i, at in enumerate(one.at):
        rank = own.how.deviation(len(own.cuts) + 1) if isinstance(own.how, Trees) else own.how[i].deviation
        share = np.minimum(rank / np.maximum(rows, 1.0), 1.0)
        low, high = (np.interp(np.clip(at + side * share, 0.0, 1.0), through, law.points) for side in (-1, 1))
        found.append(
            ordered(
                ((high - low) / 2 * (ends.high - ends.low) / UNITS).reshape([prepared.sizes[name] for name in by]),
                one,
                prepared,
            )
        )
    return found
