"""All that will be done to private rows, worked out of public numbers before one of them is read."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache

import attrs
import numpy as np

from semipriv.core.types import Floats, Integers
from semipriv.learners.statistics import shapes
from semipriv.learners.statistics.allocation import allocated
from semipriv.learners.statistics.asked import Asked, level, table_of
from semipriv.learners.statistics.measure import Ends, fit_of
from semipriv.learners.statistics.noises import Measure, noise_alone, noise_of
from semipriv.learners.statistics.prepared import Prepared
from semipriv.learners.statistics.quantiles import Draws, Trees, planned
from semipriv.learners.statistics.shapes import FIRST, Shape, coarse, tree_event, tree_noise, worthwhile
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.privacy.events import Composed, Event, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.consistency import best_tree
from semipriv.queries.hierarchy import Tree
from semipriv.queries.residuals import Key
from semipriv.queries.unit_mass import UNITS, Sums, break_of

__all__ = ["ENDS", "Plan", "QuantilesOf", "ShapeOf", "chosen", "plan_of"]

ENDS = ("auto", "declared", "public")
"""Which ends numbers are clipped to."""


@attrs.frozen(eq=False)
class ShapeOf:
    """A noisy tree of a number over all rows, from which its ends follow: two of its cuts, or those of the range.

    If the number may be missing, the last cell counts the rows where it is.
    """

    column: str
    cuts: Integers
    tree: Tree
    noise: DiscreteNoise

    @property
    def event(self) -> Event:
        """What it does to private rows."""
        return tree_event(self.tree, self.noise)


@attrs.frozen(eq=False)
class QuantilesOf:
    """How the quantiles of a statistic are measured: by a draw for each level and group, or a tree for each group."""

    asked: Asked
    cuts: Integers
    how: tuple[Draws, ...] | Trees

    @property
    def event(self) -> Event:
        """What it does to private rows."""
        return self.how.event if isinstance(self.how, Trees) else Composed([(draw.event, 1) for draw in self.how])


@attrs.frozen(eq=False)
class Plan:
    """All that will be done to private rows.

    shapes: of numbers whose ends are chosen afterwards.  measures: tables.  quantiles: of each statistic.  ends: of
    each number; those that are expected where they are chosen afterwards, and declared ones where signal is too little.
    """

    prepared: Prepared
    n: int
    shapes: tuple[ShapeOf, ...]
    measures: tuple[Measure, ...]
    quantiles: tuple[QuantilesOf, ...]
    ends: Ends

    @cached_property
    def event(self) -> Event:
        """One part for each tree, each table, and each set of quantiles."""
        events = [part.event for part in self.shapes] + [part.event for part in self.measures]
        return Composed([(part, 1) for part in events + [part.event for part in self.quantiles]])

    @cached_property
    def cuts(self) -> dict[tuple[Key, str], Integers]:
        """Cuts of a number that are asked for in groups: those of all that is made of it there."""
        by_table: dict[tuple[Key, str], list[Integers]] = {}
        chosen_later = {part.column: part.cuts for part in self.shapes}
        for shape in self.shapes:
            by_table.setdefault(((), shape.column), []).append(shape.cuts)
        for measure in self.measures:
            column = measure.table[-1]
            if column in self.ends:
                inside = np.array([end for end in self.ends[column] if 0 < end < UNITS], np.int64)
                by_table.setdefault((measure.table[:-1], column), []).append(chosen_later.get(column, inside))
        for part in self.quantiles:
            table = table_of(part.asked, self.prepared.schema)
            by_table.setdefault((table[:-1], table[-1]), []).append(part.cuts)
        return {key: np.unique(np.concatenate(cuts)) for key, cuts in by_table.items()}

    @cached_property
    def sums(self) -> dict[tuple[Key, str | None], Sums]:
        """What is read of private rows: counts by groups, and sums of a number in groups and bins."""
        schema = self.prepared.schema
        by_groups: dict[tuple[Key, str | None], Sums] = {}
        tables = {measure.table for measure in self.measures}
        for table in tables:
            if table[-1] not in self.ends:
                by_groups[table, None] = Sums(*self._grid(table))
        for (by, column), cuts in self.cuts.items():
            axes, breaks = self._grid(by)
            axis, indicator = schema.axis(column), schema.indicator(column)
            if indicator is not None:
                axes, breaks = (*axes, indicator), (*breaks, np.array([0.5]))
            degree = 1 + self.prepared.levels[column].squares if (*by, column) in tables else 0
            by_groups[by, column] = Sums((*axes, axis), (*breaks, break_of(cuts)), axis, degree)
        return {key: by_groups[key] for key in sorted(by_groups, key=lambda key: (key[0], key[1] or ""))}

    def _grid(self, by: Key) -> tuple[tuple[int, ...], tuple[Floats, ...]]:
        schema = self.prepared.schema
        return tuple(map(schema.axis, by)), tuple(np.arange(1.0, schema.grouping(column).size) for column in by)

    def ends_of(self, shape_of: Mapping[str, Shape]) -> Ends:
        """Return the ends of each number, where shapes were measured those that are best by them."""
        fit = fit_of(self.prepared, self.measures, self.ends, self.n)
        spreads = {key: fit.spread(key, key[-1] in self.ends)[0] for key in self.prepared.tables}
        later = {
            part.column: chosen(self.prepared, part.column, shape_of[part.column], spreads, self.n, part.cuts)
            for part in self.shapes
            if part.column in self.ends
        }
        return {**self.ends, **later}

    @property
    def measured(self) -> int:
        """Number of cells of all measured tables."""
        return sum(math.prod(self.prepared.sizes[column] for column in measure.table) for measure in self.measures)

    @property
    def cells(self) -> int:
        """Number of draws, about."""
        return (
            self.measured
            + sum(2 * len(part.cuts) for part in self.shapes)
            + sum(self.prepared.cells(part.asked.by) * _draws(part) for part in self.quantiles)
        )


def _draws(part: QuantilesOf) -> int:
    return 2 * len(part.cuts) if isinstance(part.how, Trees) else len(part.how)


@lru_cache(maxsize=16)
def plan_of(prepared: Prepared, budget: Guarantee, ends: str, n: int) -> Plan:
    """Return the plan of a release, by public numbers alone.

    Args:
        prepared: what is asked for, and public rows.
        budget: of the release.
        ends: of ``ENDS``.
        n: number of private rows, or of persons.

    Raises:
        ValueError: for a budget of which one table would have noise that is too wide, if it had all.
    """
    only = noise_alone(prepared.asked)
    noise_of(budget, Fraction(1), only).check_width()
    spent, gaussian = whole(budget, only), budget.delta > 0
    counted = _counted(prepared, budget, n) if ends == "auto" else {}
    later, trees = list(counted), []
    rest = Fraction(1) - FIRST if later else Fraction(1)
    for column, cuts in counted.items():
        tree = best_tree(len(cuts) + 1 + prepared.schema.number(column).missing)
        trees.append(ShapeOf(column, cuts, tree, tree_noise(tree, spent * FIRST / len(later), gaussian)))
    expected = _expected(prepared, _with_equal_parts(prepared, budget, rest), ends, later, n)
    parts = allocated(prepared, expected, n, noise_of(budget, rest, only))
    measures = tuple(
        Measure(key, rest * part, noise_of(budget, rest * part, only)) for key, part in parts.tables.items()
    )
    fit = fit_of(prepared, measures, expected, n)
    spreads = {key: fit.spread(key, key[-1] in expected)[0] for key in prepared.tables}
    expected = _expected(prepared, spreads, ends, later, n)
    quantiles = []
    for request, part in parts.quantiles.items():
        assert request.column is not None, "quantiles have a column"
        cuts = prepared.cuts(request.column)
        how = planned(
            len(cuts) + 1, [level(at) for at in request.at], spent * rest * part, gaussian, prepared.n_public > 0
        )
        quantiles.append(QuantilesOf(request, cuts, how if isinstance(how, Trees) else tuple(how)))
    return Plan(prepared, n, tuple(trees), measures, tuple(quantiles), expected)


def _with_equal_parts(prepared: Prepared, budget: Guarantee, rest: Fraction) -> dict[Key, float]:
    """Return the variance of a cell of each table that is read if they have equal parts of the rest of a budget."""
    noise = noise_of(budget, rest / max(len(prepared.tables), 1), noise_alone(prepared.asked))
    return dict.fromkeys(prepared.tables, noise.variance)


def _counted(prepared: Prepared, budget: Guarantee, n: int) -> dict[str, Integers]:
    """Return between which cuts all rows are counted, of each number whose ends are chosen after that.

    Few ones where there is little signal: those that public rows suggest, as they are or doubted, and some beside.
    Where quantiles by group lean on the shape, too, they are few only if many could not be told from noise.
    """
    epsilon, by_column = budget.epsilon / max(len(prepared.shaped), 1), {}
    leaning = {request.column for request in prepared.asked if request.statistic == "quantiles" and request.by}
    spreads = _with_equal_parts(prepared, budget, 1 - FIRST)
    for column in prepared.shaped:
        public, cuts = prepared.units(column), prepared.cuts(column)
        if not worthwhile(n, epsilon, public):
            continue
        if len(public) and column in prepared.numbers and not (column in leaning and worthwhile(n, epsilon)):
            suggested = (Shape.of(public), shapes.doubted(public))
            inner = [end for option in suggested for end in chosen(prepared, column, option, spreads, n)]
            cuts = coarse(n * epsilon, inner, cuts)
        if len(cuts):
            by_column[column] = cuts
    return by_column


def _expected(prepared: Prepared, spreads: Mapping[Key, float], ends: str, later: Sequence[str], n: int) -> Ends:
    """Return the ends of each number that follow from public rows; where ends are chosen later, those expected.

    spreads: the variance of the noise of a level in each table that is read, in rows.
    """
    expected = {}
    for column in prepared.numbers:
        public, cuts = prepared.units(column), prepared.cuts(column)
        if ends != "public" and column not in later:
            expected[column] = (0, UNITS)
        elif len(public):
            expected[column] = chosen(prepared, column, shapes.doubted(public), spreads, n)
        else:
            expected[column] = chosen(prepared, column, shapes.expected_shape(cuts), spreads, n)
    return expected


def chosen(
    prepared: Prepared,
    column: str,
    shape: Shape | Sequence[tuple[float, Shape]],
    spreads: Mapping[Key, float],
    n: int,
    cuts: Integers | None = None,
) -> tuple[int, int]:
    """Return the ends to which a number is best clipped, for all statistics of it together, in units.

    Args:
        prepared: what is asked for, and public rows.
        column: the number.
        shape: its shape, or shapes with chances.
        spreads: the variance of the noise of a level in each table that is read, in rows.
        n: number of private rows.
        cuts: at which ends may be, beside 0 and 2^16; None: all of the number.
    """
    tables = [key for key in prepared.tables if key[-1] == column]
    largest = max(spreads[key] for key in tables)
    sizes = [
        (n * np.maximum(prepared.shares(key[:-1]), 0.5 / prepared.cells(key[:-1]))).ravel()
        * (largest / max(spreads[key], 1e-300)) ** 0.5
        for key in tables
    ]
    return shapes.ends(prepared.cuts(column) if cuts is None else cuts, shape, np.concatenate(sizes), largest)
