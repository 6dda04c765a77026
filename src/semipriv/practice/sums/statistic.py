"""What a sum over private records is: exact, and sums of parts add up to the sum of the whole.

Each record counts once; or records have units of persons (``core.persons``), and all of a person's count together as
much as those of any other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from semipriv.core.arrays import Arrays
from semipriv.core.entries import Entries
from semipriv.core.errors import PublicError
from semipriv.core.persons import contents, units_of
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Bools, Floats, Integers
from semipriv.learners._totals import Chunk, Summand, weighted
from semipriv.practice.columns.coding import Question
from semipriv.privacy.guarantee import Release, by_person
from semipriv.queries.unit_mass import units as in_units

BATCH = 2**20
"""Records that are added at once: a sum over k hypotheses costs a part for each batch, whatever its size."""
T = TypeVar("T")
Elsewhere = Callable[[Summand], tuple[int, Integers]]
"""Returns the number of all private records, and the sum of a function over them, made where the records are."""
AVERAGE, ONE = "average", "one"
"""How rows of a person count: they share the person's units, or one of them counts."""


def silent(work: Callable[[], T]) -> T:
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
            silent(lambda: self._sum(points, labels, units))

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


class Summed(Statistic):
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
