"""Quantiles by group: what is measured of them, and their lines in a report."""

from collections.abc import Sequence

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Integers
from semipriv.learners.outputs.report import KINDS
from semipriv.learners.statistics import shapes
from semipriv.learners.statistics.asked import level, table_of
from semipriv.learners.statistics.measure import Measured
from semipriv.learners.statistics.plan import Plan, QuantilesOf
from semipriv.learners.statistics.quantiles import (
    Candidates,
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
from semipriv.queries.residuals import Key

__all__ = ["quantile_lines", "rank_deviations"]


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
    Bayes' rule, without limits: they would hold only as far as public rows are like the group.  How far noise moves the
    value of a quantile depends on how dense the rows around it are: none has a deviation.

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

    kinds = [(KINDS[0], rising(alone), limited(around))]
    if len(public) or isinstance(own.how, Trees):
        best = rising([candidates.value[each.best] for each in bayes])
        kinds.append((KINDS[1] if len(public) else KINDS[2], best, limited(None)))
    return [
        Line.of(place, at, values=values[i], limits=limits[i], kind=kind)
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


def rank_deviations(plan: Plan, own: QuantilesOf) -> list[Floats]:
    """Return for each level the standard deviation of the rank of a quantile by group, as a share of the rows that
    public rows predict for the group, at most 1: not of its value, which the unknown distribution of the group decides.

    Args:
        plan: of the release.
        own: the quantiles.
    """
    prepared, one = plan.prepared, own.asked
    by, _ = _key(own, plan)
    rows = np.asarray(prepared.predicted(by, None, plan.n) if by else float(plan.n))
    levels = [own.how] * len(one.at) if isinstance(own.how, Trees) else own.how
    ranks = [each.deviation(len(own.cuts) + 1) if isinstance(each, Trees) else each.deviation for each in levels]
    return [ordered(np.minimum(rank / np.maximum(rows, 1.0), 1.0), one, prepared) for rank in ranks]
