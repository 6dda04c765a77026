"""What a release keeps where sums over cells are not enough: the records, or a way to read them again."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from semipriv.core.arrays import Arrays
from semipriv.core.entries import Entries
from semipriv.core.errors import PublicError
from semipriv.core.estimates import rows_elsewhere
from semipriv.core.persons import contents
from semipriv.core.randomness import Randomness, shuffled
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Integers
from semipriv.learners._totals import Chunk, Examples, Summand, Totalling
from semipriv.learners.base import AnyLearner
from semipriv.practice.sums.statistic import Elsewhere, Statistic, silent
from semipriv.privacy.guarantee import Release

Again = Callable[[], Iterable[Chunk]]
"""Yields all private records once more, in chunks with units, None where each record counts once, at each call."""


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
        total = again.total(lambda points, labels: silent(lambda: summand(points, labels)))
        return seen, total
