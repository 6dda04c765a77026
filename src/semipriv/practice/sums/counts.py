"""Sums that count records in cells of public grids: mistakes of hypotheses, and what queries and statistics ask for."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from semipriv.classes.base import HypothesisClass, ListedCover, ListedTally
from semipriv.core.arrays import Arrays
from semipriv.core.entries import Entries
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Bools, Floats, Integers
from semipriv.geometry.shapes import Rays
from semipriv.learners._answering import Answering
from semipriv.learners._selecting import Selecting
from semipriv.learners._totals import Summand
from semipriv.learners.stages.representative_domain import Domain
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.columns.coding import Question
from semipriv.practice.sums.statistic import Statistic, Summed
from semipriv.privacy.guarantee import Release
from semipriv.queries.cells import LineCells


class Mistakes(Summed):
    """Mistakes of each hypothesis of a listed cover, (k,)."""

    def __init__(self, learner: Selecting[Any], prepared: ListedCover) -> None:
        super().__init__(learner, prepared, (len(prepared),))

    def summand(self) -> Summand:
        """Return the number of mistakes of each hypothesis."""
        return partial(_mistakes, self.prepared)

    def questions(self) -> Sequence[Question] | None:
        """Return a question for each axis of the rays that hypotheses are, if they are rays; None if not."""
        functions = self.prepared.functions
        if not isinstance(functions, HypothesisClass) or not functions.exact_rays:
            return None
        return [Question((axis,), (_breaks(ends),), 2) for axis, ends in self._rays()]

    def judging(self) -> Sequence[Question]:
        """Return the questions: a ray starts at a break, or holds all or none of its axis."""
        return self.questions() or ()

    def asked_of(self, output: Any) -> int:
        """Return the place of the question of the axis of a ray."""
        rays = self.prepared.functions.ones(np.atleast_2d(output.parameters))
        return next(i for i, question in enumerate(self.judging()) if question.axes == (int(rays.feature[0]),))

    def labelled(self, output: Any, cells: Sequence[Integers]) -> Bools:
        """Return the labels of the least points of cells on that axis."""
        question = self.judging()[self.asked_of(output)]
        points = np.zeros((len(cells[0]), self.prepared.functions.dimension))
        points[:, question.axes[0]] = _least(question.breaks[0])[cells[0]]
        return np.asarray(output.predict(points) == 1)

    def _rays(self) -> Iterator[tuple[int, Floats]]:
        """Yield each axis with the number from which each of its rays is 1, or 0: (k,), of all rays of the axis."""
        rays = self.prepared.functions.ones(self.prepared.parameters)
        for axis in np.unique(rays.feature):
            yield int(axis), _starts(rays)[rays.feature == axis]

    def _answer(self, counts: Sequence[Integers]) -> None:
        rays = self.prepared.functions.ones(self.prepared.parameters)
        for (axis, ends), count in zip(self._rays(), counts, strict=True):
            reached = np.searchsorted(_breaks(ends), ends, "right") + (ends == np.inf)
            of_zero, of_one = np.pad(np.cumsum(count, axis=1), ((0, 0), (1, 0)))[:, reached]  # before each end
            wrong = of_one + (count[0].sum() - of_zero)  # of 1 from there on
            on_axis = rays.feature == axis
            self.sums[on_axis] += np.where(rays.upper[on_axis], wrong, count.sum() - wrong)

    def _release(self, randomness: Randomness, unlabelled: Entries | None) -> Release[Any]:
        return self.learner.release_tally(self.prepared, ListedTally(self.prepared, self.sums), randomness, self.units)


def _mistakes(cover: ListedCover, points: Points, labels: Labels) -> Integers:
    return np.asarray(cover.mistakes(points, labels))


def _starts(rays: Rays) -> Floats:
    """Return the number from which on each ray holds all numbers, or none: (k,)."""
    return np.where(rays.upper == rays.closed, rays.ends, np.nextafter(rays.ends, np.inf))


def _breaks(ends: Floats) -> Floats:
    return np.unique(ends[np.isfinite(ends)] + 0.0)


class Cells(Summed):
    """Zeros and ones in each cell of the grid of a cover's ``breaks``, (2, cells)."""

    def __init__(self, learner: Selecting[Any], prepared: Any, breaks: tuple[Floats, ...]) -> None:
        self.breaks = breaks
        self.shape = tuple(len(axis) + 1 for axis in breaks)
        super().__init__(learner, prepared, (2, int(np.prod(self.shape))))

    def summand(self) -> Summand:
        """Return zeros, then ones, by cell."""
        return partial(_by_cell, self.prepared.functions, self.breaks)

    def questions(self) -> Sequence[Question]:
        """Return the one question on which cells of the grid the ones and the zeros are in."""
        return [Question(range(len(self.breaks)), self.breaks, 2)]

    def _answer(self, counts: Sequence[Integers]) -> None:
        self.sums += counts[0].reshape(self.sums.shape)

    def judging(self) -> Sequence[Question]:
        """Return the one question: hypotheses change at breaks alone."""
        return self.questions()

    def asked_of(self, output: Any) -> int:
        """Return 0: there is one question."""
        return 0

    def labelled(self, output: Any, cells: Sequence[Integers]) -> Bools:
        """Return the labels of the least points of cells."""
        points = [_least(axis)[place] for axis, place in zip(self.breaks, cells, strict=True)]
        return np.asarray(output.predict(np.column_stack(points)) == 1)

    def tally(self) -> Any:
        """Return the mistakes of every hypothesis: each cell that holds a record stands for its least point."""
        self.flush()
        (met,) = np.nonzero(self.sums.any(axis=0))
        places = np.unravel_index(met, self.shape)
        points = np.column_stack([_least(axis)[place] for axis, place in zip(self.breaks, places, strict=True)])
        of_zero, of_one = self.sums[:, met]
        return self.prepared.tally_counts(points, of_one, of_zero)

    def _release(self, randomness: Randomness, unlabelled: Entries | None) -> Release[Any]:
        return self.learner.release_tally(self.prepared, self.tally(), randomness, self.units)


def _by_cell(functions: Any, breaks: Sequence[Floats], points: Points, labels: Labels) -> Integers:
    x = functions.validated(points)
    places = [np.searchsorted(axis, x[:, j], "right") for j, axis in enumerate(breaks)]
    shape = tuple(len(axis) + 1 for axis in breaks)
    size = int(np.prod(shape))
    return np.bincount(np.ravel_multi_index(tuple(places), shape) + size * (labels == 1), minlength=2 * size)


def _least(breaks: Floats) -> Floats:
    """Return a number of each piece: of the first the one before the first break, of the others where they start."""
    if not len(breaks):
        return np.zeros(1)
    with np.errstate(over="ignore"):
        return np.concatenate([np.nextafter(breaks[:1], -np.inf), breaks])


class CellCounts(Summed):
    """Records in each cell of the representative domain, (K,), for answers to queries."""

    def __init__(self, learner: Answering, prepared: Domain) -> None:
        super().__init__(learner, prepared, (len(prepared.representatives),))

    def summand(self) -> Summand:
        """Return records by cell."""
        return partial(_in_domain, self.prepared)

    def questions(self) -> Sequence[Question] | None:
        """Return the question on the pieces of the line, if cells are made of these; None if not."""
        cells = self.prepared.cells
        return [Question((0,), (cells.starts,))] if isinstance(cells, LineCells) else None

    def _answer(self, counts: Sequence[Integers]) -> None:
        np.add.at(self.sums, self.prepared.cells.cell, counts[0])

    def _release(self, randomness: Randomness, unlabelled: Entries | None) -> Release[Any]:
        return self.learner.release_counts(self.prepared, self.sums, randomness, self.units)


def _in_domain(domain: Domain, points: Points, labels: Labels) -> Integers:
    return np.asarray(domain.counts(points))


class MarginalCounts(Summed):
    """Records in each cell of all marginals of a table; points are places of values in their columns."""

    def __init__(self, learner: TableRelease | PublicRowsRelease, prepared: Any) -> None:
        super().__init__(learner, prepared, (prepared.workload.cells,))

    def _sum(self, points: Points, labels: Labels, units: Integers | None) -> None:
        self.sums += self.prepared.workload.counts(points.astype(np.int64), units)

    def summand(self) -> Summand:
        """Return records by cell of each marginal."""
        return partial(_in_marginals, self.prepared.workload)

    def questions(self) -> Sequence[Question]:
        """Return a question for each marginal."""
        workload = self.prepared.workload
        between = [np.arange(1.0, size) for size in workload.schema.sizes]
        return [Question(group, [between[axis] for axis in group]) for group in workload.groups]

    def _answer(self, counts: Sequence[Integers]) -> None:
        self.sums += np.concatenate([count.ravel() for count in counts])

    def _release(self, randomness: Randomness, unlabelled: Entries | None) -> Release[Any]:
        n = self.added // self.units
        return self.learner.release_counts(self.prepared, self.sums, n, randomness, self.units)


def _in_marginals(workload: Any, points: Points, labels: Labels) -> Integers:
    return np.asarray(workload.counts(points.astype(np.int64)))


class Grouped(Statistic):
    """Rows, and sums of numbers and of their squares, in the groups and bins that statistics by group ask for.

    n_private: public number of the rows of all parts, or of persons; no sum is beyond 64 bits where ``check_release``
    of the learner takes so many.
    """

    def __init__(self, learner: StatisticsRelease, prepared: Any, n_private: int) -> None:
        super().__init__(learner, prepared)
        self.n_private = n_private
        self.asked = [
            Question(question.axes, question.breaks, number=question.number, degree=question.degree)
            for question in learner.questions(prepared, n_private)
        ]
        self.sums = [np.zeros(question.shape, np.int64) for question in self.asked]

    def _sum(self, points: Points, labels: Labels, units: Integers | None) -> None:
        self._answer([question.answer(points, labels, units) for question in self.asked])

    def _arrays(self) -> Arrays:
        return {f"sums{place}": sums for place, sums in enumerate(self.sums)}

    def _restore(self, arrays: Arrays) -> None:
        self._answer([arrays[f"sums{place}"] for place in range(len(self.sums))])

    def summand(self) -> Summand:
        """Return the answers to all questions, one after the other."""
        return partial(_answers, self.asked)

    def _take(self, sums: Integers) -> None:
        parts = np.split(sums, np.cumsum([total.size for total in self.sums])[:-1])
        self._answer([part.reshape(total.shape) for part, total in zip(parts, self.sums, strict=True)])

    def questions(self) -> Sequence[Question]:
        """Return the questions of the learner."""
        return self.asked

    def _answer(self, counts: Sequence[Integers]) -> None:
        self.sums = [sums + count for sums, count in zip(self.sums, counts, strict=True)]

    def _release(self, randomness: Randomness, unlabelled: Entries | None) -> Release[Any]:
        return self.learner.release_counts(self.prepared, self.sums, self.n_private, randomness, self.units)


def _answers(asked: Sequence[Question], points: Points, labels: Any) -> Integers:
    return np.concatenate([question.answer(points, labels, None).ravel() for question in asked])
