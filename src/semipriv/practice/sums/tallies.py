"""Sums of private records, which are all that a release needs: they are exact, and sums of parts add up to the whole.

Each record counts once; or records have units of persons (``core.persons``), and all of a person's count together as
much as those of any other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from semipriv.classes.base import Cover, HypothesisClass, ListedCover, ListedTally
from semipriv.core.arrays import Arrays
from semipriv.core.entries import Entries
from semipriv.core.errors import PublicError
from semipriv.core.estimates import rows_elsewhere
from semipriv.core.persons import contents, units_of
from semipriv.core.randomness import Randomness, shuffled
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Bools, Floats, Integers
from semipriv.geometry.shapes import Rays
from semipriv.learners._answering import Answering
from semipriv.learners._selecting import Selecting
from semipriv.learners._totals import Chunk, Examples, Summand, Totalling, weighted
from semipriv.learners.base import AnyLearner
from semipriv.learners.stages.representative_domain import Domain
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.asking.releasable import REAL
from semipriv.practice.columns.coding import Question
from semipriv.privacy.guarantee import Release, by_person
from semipriv.queries.cells import LineCells
from semipriv.queries.unit_mass import units as in_units

BATCH = 2**20
"""Records that are added at once: a sum over k hypotheses costs a part for each batch, whatever its size."""
MOST_CELLS = 2**23
"""Cells of a grid up to which labels are counted by cell."""
KEPT = 2**30
"""Bytes that records may take where a release needs them one by one."""

T = TypeVar("T")
Again = Callable[[], Iterable[Chunk]]
"""Yields all private records once more, in chunks with units, None where each record counts once, at each call."""
Elsewhere = Callable[[Summand], tuple[int, Integers]]
"""Returns the number of all private records, and the sum of a function over them, made where the records are."""
AVERAGE, ONE = "average", "one"
"""How rows of a person count: they share the person's units, or one of them counts."""


def _silent(work: Callable[[], T]) -> T:
    """Return what work makes of private records; raise ValueError without what is private for one that does not fit."""
    try:
        return work()
    except (ValueError, IndexError, ArithmeticError):  # its message may hold what is private
        pass
    raise PublicError("private rows: one is outside of what is learned")


class Statistic(ABC):
    """An additive sum over records.  Its limits depend on public numbers only.

    ``release`` has the distribution of the learner's release on all records at once.  Records are added in chunks of
    any size.
    rereads: whether ``release`` reads the records again.  averages: whether records may have more than one unit.
    units: of a person, 1 where each record counts once.  persons: whether records have units of persons.
    """

    rereads: ClassVar[bool] = False
    averages: ClassVar[bool] = True

    def __init__(self, learner: Any, prepared: Any) -> None:
        self.learner = learner
        self.prepared = prepared
        self.units = 1
        self.persons = False
        self.added = 0
        """Records so far, or their units."""
        self._waiting: list[Chunk] = []

    def of_persons(self, count: int, rows: str | None = None) -> Self:
        """Let records have units of so many persons; rows: 'average', 'one', or None: the average where that is known.

        Raise PublicError for an average where the learner reads records one by one.
        """
        if rows == AVERAGE and not self.averages:
            name = type(self.learner).__name__
            raise PublicError(f"rows = {AVERAGE}: {name} reads records one by one; take {ONE}, a record of each person")
        self.persons = True
        self.units = units_of(count) if self.averages and rows != ONE else 1
        return self

    def order(self, points: Points, labels: Labels) -> Integers:
        """Return the keys by which the records of a person are ordered, (n, k): all that decides what they add.

        Codes in the finest grid of the questions, the label if it counts, and the numbers that are summed up, in units,
        as a database tells them; without questions a hash of a record.
        """
        questions = self.questions()
        if questions is None:
            return contents(points, labels)
        codes = [np.searchsorted(breaks, points[:, axis], "right") for axis, breaks in finest(questions)]
        if any(question.labels is not None for question in questions):
            codes.append(np.asarray(labels))
        codes += [in_units(points[:, axis]) for axis in numbers(questions)]
        return np.stack([np.asarray(code, np.int64) for code in codes], axis=1)

    @property
    def waiting(self) -> int:
        """Number of records that are not summed up yet."""
        return sum(len(labels) for _, labels, _ in self._waiting)

    def whole(self, count: int) -> bool:
        """Return whether so many records, or persons, were added."""
        self.flush()
        return self.added == count * self.units

    def add(self, points: Points, labels: Labels, units: Integers | None = None) -> None:
        """Add records (n, d), (n,), with their units (n,) if persons have such; they must not change afterwards."""
        assert (units is not None) == self.persons, "records have units if persons have"
        self._waiting.append((points, labels, units))
        if self.waiting >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Sum what waits."""
        if self._waiting:
            points, labels = (np.concatenate([chunk[i] for chunk in self._waiting]) for i in (0, 1))
            units = np.concatenate([chunk[2] for chunk in self._waiting]) if self.persons else None
            self._waiting = []
            self.added += len(labels) if units is None else int(units.sum())
            _silent(lambda: self._sum(points, labels, units))

    @abstractmethod
    def _sum(self, points: Points, labels: Labels, units: Integers | None) -> None:
        """Add a batch."""

    def questions(self) -> Sequence[Question] | None:
        """Return numbers of rows in cells of public grids from which the sums follow; None if there are no such."""
        return None

    def judging(self) -> Sequence[Question]:
        """Return the questions in each of whose cells every possible hypothesis is constant; none if there are none."""
        return ()

    def asked_of(self, output: Any) -> int:
        """Return the place of the question of ``judging`` whose cells tell the labels of what was drawn."""
        raise NotImplementedError(f"{type(self).__name__} asks no question")

    def labelled(self, output: Any, cells: Sequence[Integers]) -> Bools:
        """Return what was drawn says in cells of that question (m,), by their codes on each axis."""
        raise NotImplementedError(f"{type(self).__name__} asks no question")

    def answer(self, rows: int, counts: Sequence[Integers]) -> None:
        """Add rows by the answers to ``questions``, each of its shape; raise ValueError if a row is not in each.

        rows: their number, or that of their units.
        """
        self.flush()
        if any(question.rows(count) != rows for question, count in zip(self.questions() or (), counts, strict=True)):
            raise PublicError("private rows: the counts of one query are not those of another")
        self.added += rows
        self._answer(counts)

    def _answer(self, counts: Sequence[Integers]) -> None:
        """Add counts."""
        raise NotImplementedError(f"{type(self).__name__} asks no question")

    def summand(self) -> Summand | None:
        """Return a function of public numbers that gives what records add, if each counts once; None if there is none.

        Another process can be sent it, and sum up records there.
        """
        return None

    def take(self, rows: int, sums: Integers) -> None:
        """Add so many records by the sum of ``summand`` over them."""
        self.flush()
        self.added += rows
        self._take(sums)

    def _take(self, sums: Integers) -> None:
        """Add a sum."""
        raise NotImplementedError(f"{type(self).__name__} has no summand")

    def arrays(self) -> Arrays:
        """Return the sums, for a private file."""
        self.flush()
        return {"rows": np.array([self.added]), **self._arrays()}

    def restore(self, arrays: Arrays) -> None:
        """Add what ``arrays`` returned: sums of the same learner and public data, over rows that come after."""
        self.flush()
        self.added += int(arrays["rows"][0])
        self._restore(arrays)

    @abstractmethod
    def _arrays(self) -> Arrays:
        """Return the sums."""

    @abstractmethod
    def _restore(self, arrays: Arrays) -> None:
        """Add sums."""

    def release(self, randomness: Randomness, unlabelled: Entries | None = None) -> Release[Any]:
        """Draw the release.  unlabelled: entries, for a learner that reads such."""
        self.flush()
        released = self._release(randomness, unlabelled)
        if not self.persons or released.guarantee is None:
            return released
        return replace(released, guarantee=by_person(released.guarantee))

    @abstractmethod
    def _release(self, randomness: Randomness, unlabelled: Entries | None) -> Release[Any]:
        """Draw from the sums."""


def finest(questions: Sequence[Question]) -> list[tuple[int, Floats]]:
    """Return each axis of some questions with all breaks on it, increasing."""
    breaks: dict[int, list[Floats]] = {}
    for question in questions:
        for axis, ends in zip(question.axes, question.breaks, strict=True):
            breaks.setdefault(int(axis), []).append(np.asarray(ends, np.float64))
    return [(axis, np.unique(np.concatenate(breaks[axis]))) for axis in sorted(breaks)]


def numbers(questions: Sequence[Question]) -> list[int]:
    """Return the coordinates that some questions sum up, increasing."""
    return sorted({question.number for question in questions if question.number is not None})


class _Summed(Statistic):
    """A sum that is one array of integers: that of what each record adds, times its units."""

    def __init__(self, learner: Any, prepared: Any, shape: tuple[int, ...]) -> None:
        super().__init__(learner, prepared)
        self.sums = np.zeros(shape, np.int64)

    def _arrays(self) -> Arrays:
        return {"sums": self.sums}

    def _restore(self, arrays: Arrays) -> None:
        self._take(arrays["sums"])

    def _take(self, sums: Integers) -> None:
        self.sums += sums.reshape(self.sums.shape)

    def _sum(self, points: Points, labels: Labels, units: Integers | None) -> None:
        self._take(weighted(self.summand(), points, labels, units))

    @abstractmethod
    def summand(self) -> Summand:
        """Return what records add, if each counts once."""


class Mistakes(_Summed):
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


class Cells(_Summed):
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


class CellCounts(_Summed):
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


class MarginalCounts(_Summed):
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


class Rows(Statistic):
    """The encoded records themselves, in their order, for learners whose release needs more than sums.

    One record of each person counts.  So the learner reads a table with one record of each person, and a proof for
    replacing one record holds for replacing a person.  Some learners split records by their places, and the rows of a
    replacement may stand elsewhere, which would move all records between.  So the records of persons come in a random
    order that does not depend on the places of rows: then exactly one record is replaced, in its place.
    """

    averages = False

    def __init__(self, learner: AnyLearner, prepared: Any) -> None:
        super().__init__(learner, prepared)
        self.points: list[Points] = []
        self.labels: list[Labels] = []

    def _sum(self, points: Points, labels: Labels, units: Integers | None) -> None:
        kept = slice(None) if units is None else units == 1
        self.points.append(points[kept])
        self.labels.append(labels[kept])

    def _arrays(self) -> Arrays:
        if not self.labels:
            return {}
        return {"points": np.concatenate(self.points), "labels": np.concatenate(self.labels)}

    def _restore(self, arrays: Arrays) -> None:
        if "labels" in arrays:
            self._sum(arrays["points"], arrays["labels"], None)

    def _release(self, randomness: Randomness, unlabelled: Entries | None) -> Release[Any]:
        if not self.labels:
            raise PublicError("0 private rows: there is nothing to learn from")
        points, labels = np.concatenate(self.points), np.concatenate(self.labels)
        if self.persons:
            order = np.argsort(contents(points, labels)[:, 0], kind="stable")[shuffled(len(labels), randomness)]
            points, labels = points[order], labels[order]
        options = {"unlabelled": unlabelled} if self.learner.reads_unlabelled else {}
        return self.learner.release(self.prepared, points, labels, randomness, **options)


class Count(Statistic):
    """The number of records alone, for a learner whose release reads them again: once for each of its sums.

    again: reads them here.  elsewhere: sums them up where they are; None: nothing does.
    """

    rereads = True

    def __init__(
        self, learner: Totalling[Any], prepared: Any, again: Again | None, elsewhere: Elsewhere | None = None
    ) -> None:
        super().__init__(learner, prepared)
        self.again, self.elsewhere = again, elsewhere

    def add(self, points: Points, labels: Labels, units: Integers | None = None) -> None:
        """Count records, or their units; none waits."""
        self.added += len(labels) if units is None else int(units.sum())

    def count(self, rows: int) -> None:
        """Add records of which the number is known."""
        self.added += rows

    def _sum(self, points: Points, labels: Labels, units: Integers | None) -> None:
        pass

    def _arrays(self) -> Arrays:
        return {}

    def _restore(self, arrays: Arrays) -> None:
        pass

    def _release(self, randomness: Randomness, unlabelled: Entries | None) -> Release[Any]:
        assert self.again is not None, "records are read again"
        examples = _Reread(self.added // self.units, self.again, self.units, self.elsewhere)
        with nullcontext() if self.elsewhere is None else rows_elsewhere():
            return self.learner.release_totals(self.prepared, examples, randomness)


@dataclass(frozen=True, eq=False)
class _Reread(Examples):
    """Examples whose sums say nothing of a record where they fail.  elsewhere: sums them up where they are."""

    elsewhere: Elsewhere | None = None

    def total(self, summand: Summand) -> Any:
        """Return the sum over all rows; raise ValueError if there are others than there were."""
        seen, total = self._here(summand) if self.elsewhere is None else self.elsewhere(summand)
        if seen != self.count * self.units:
            raise PublicError("private rows: others were read than counted; they were changed meanwhile")
        return total

    def _here(self, summand: Summand) -> tuple[int, Any]:
        seen = 0

        def counted() -> Iterator[Chunk]:
            nonlocal seen
            for points, labels, units in self.chunks():
                seen += len(labels) if units is None else int(units.sum())
                yield points, labels, units

        again = Examples(self.count, counted, self.units)
        total = again.total(lambda points, labels: _silent(lambda: summand(points, labels)))
        return seen, total


def statistic(
    learner: Any, prepared: Any, n_private: int, again: Again | None = None, elsewhere: Elsewhere | None = None
) -> Statistic:
    """Return an empty statistic of a learner; prepared: what its public stage made.

    n_private: public number of all private rows.  again: reads them once more, for a learner that needs several sums
    one after the other; elsewhere: makes such a sum where they are.

    Raise ValueError if so many rows cannot be kept where they must be.

    Mistakes of every hypothesis, or ones and zeros by cell, where one selection by mistakes is the whole release;
    records by cell for queries, marginals and statistics by group; their number where they are read again; else the
    records, at most KEPT bytes.
    """
    if isinstance(learner, Totalling):
        return Count(learner, prepared, again, elsewhere)
    if isinstance(learner, TableRelease | PublicRowsRelease):
        return MarginalCounts(learner, prepared)
    if isinstance(learner, StatisticsRelease):
        return Grouped(learner, prepared, n_private)
    if isinstance(learner, Answering) and type(learner).release is Answering.release:
        return CellCounts(learner, prepared)
    if isinstance(learner, Selecting) and type(learner).release is Selecting.release and isinstance(prepared, Cover):
        breaks = prepared.breaks()
        if breaks is not None and np.prod([len(axis) + 1.0 for axis in breaks]) <= MOST_CELLS:
            return Cells(learner, prepared, breaks)
        if isinstance(prepared, ListedCover):
            return Mistakes(learner, prepared)
    cover = getattr(prepared, "cover", prepared)
    dimension = int((getattr(cover, "functions", None) or cover.hypothesis_class).dimension)
    width, adding = (8, "public_ridge_regression") if learner.output_kind == REAL else (1, "sspp")
    most = KEPT // (8 * dimension + width)
    if n_private > most:
        raise PublicError(
            f"private: has {n_private:,} rows; {type(learner).__name__} reads them one by one, at most {most:,} of "
            f"{dimension} feature(s): take {adding}, or fewer rows"
        )
    return Rows(learner, prepared)
