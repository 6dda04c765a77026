"""Codes of cells that a database can compute: each tells only the place of a cell among public numbers.

A learner that counts rows by cells of a grid needs, of each coordinate, the number of breaks that it reaches.  All
encodings of cells are monotone, or look cells up in a list.  So that number follows from the cell by a few public cuts,
or by a public list.  The result is the same, to the last bit, as encoding first and comparing then.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from semipriv.core.samples import Points
from semipriv.core.types import Floats, Integers
from semipriv.queries.unit_mass import UNITS, Sums, units

_EXACT = 2**53 - 1
"""Integers up to here are floats, and so are their neighbours."""
TOGETHER = 2**14
"""Cells up to which questions are asked as one."""
OUTSIDE = -1
"""Code of a cell that is not what is declared, and that nothing stands for."""


@attrs.frozen(eq=False)
class Steps:
    """A code for each piece of the line: piece i holds the finite numbers that reach i of the cuts.

    cuts: (k,) strictly increasing, finite.  pieces: (k + 1,) codes.  whole: whether numbers that are no integers are
    unknown.  unknown: code of cells that are not such numbers: text, missing, infinite.  dated: whether cells are dates
    or times, which count as seconds since 1970, rounded down.
    """

    cuts: Floats
    pieces: Integers
    whole: bool
    unknown: int
    dated: bool = False

    @property
    def on_integers(self) -> "Steps":
        """The same function of integers, by integer cuts: also for integers that floats round, as a reader of files
        does.

        >>> Steps(np.array([0.5, 0.7, 3.0]), np.arange(4), False, -1).on_integers.pieces
        array([0, 2, 3])
        """
        cuts = np.unique(np.ceil(self.cuts))
        pieces = self.pieces[np.append(0, np.searchsorted(self.cuts, cuts, "right"))]
        return Steps(cuts, pieces, True, self.unknown, self.dated) if np.all(np.abs(cuts) <= _EXACT) else self

    def in_seconds(self, unit: int) -> "Steps":
        """Return the same function of whole units of so many seconds, as one of seconds since 1970."""
        whole = self.on_integers
        return Steps(whole.cuts * unit, whole.pieces, True, self.unknown, True)

    @property
    def first(self) -> int | None:
        """The first cut, if cuts are consecutive integers that floats hold; else None."""
        if not len(self.cuts) or np.any(np.diff(self.cuts) != 1) or np.any(np.abs(self.cuts) > _EXACT):
            return None
        return int(self.cuts[0]) if self.cuts[0] == np.floor(self.cuts[0]) else None


@attrs.frozen(eq=False)
class Listed:
    """A code for each text of a list.  unknown: code of all other cells."""

    listed: Mapping[str, int]
    unknown: int


Coding = Steps | Listed


@attrs.frozen(eq=False)
class Amount:
    """The units of a number, ``unit_mass.units`` of its place (x - low) / (high - low), as a function of a cell.

    x: the cell, or the whole units of so many seconds (``unit``) of a date or a time.  first, last: the least x of 1
    unit or more, and of all units.  unknown: units of cells that are no such numbers.  cells: tells which are.
    """

    low: float
    high: float
    first: float
    last: float
    unit: int
    unknown: int
    cells: Steps

    def of(self, x: Floats) -> Integers:
        """Return the units of numbers (n,)."""
        return units((np.clip(x, self.low, self.high) - self.low) / (self.high - self.low))

    def steps(self, coding: Steps) -> Steps | None:
        """Return a coding of the cells as one of their units; None if there are cuts between numbers of equal units."""
        cuts = coding.cuts / self.unit
        reached = self.of(cuts)
        before = self.of(cuts - 1 if coding.dated else np.nextafter(cuts, -np.inf))
        if np.any(reached == before):
            return None
        return Steps(reached.astype(np.float64), coding.pieces, False, coding.unknown)

    @property
    def identity(self) -> "Amount":
        """The amount of a column that holds units."""
        cells = Steps(np.empty(0), np.zeros(1, np.int64), False, OUTSIDE)
        return Amount(0.0, float(UNITS), 1.0, float(UNITS), 1, self.unknown, cells)


@attrs.frozen(eq=False)
class Summing:
    """What is summed up in cells: the amount of a column, and up to which power, 1 or 2."""

    column: str
    amount: Amount
    degree: int


@attrs.frozen(eq=False)
class Question:
    """Numbers of rows that are asked for: in each cell of a grid of some coordinates, by label if labels count.

    axes: coordinates.  breaks: increasing numbers for each of them; the code of a row is the number of breaks that its
    coordinate reaches.  labels: number of labels; None if they do not count.  number: a coordinate in [0, 1] that is
    summed up in each cell besides, in ``unit_mass.units``; None: rows are counted alone.  degree: up to which power.
    """

    axes: Sequence[int]
    breaks: Sequence[Floats]
    labels: int | None = None
    number: int | None = None
    degree: int = 0

    @property
    def cells(self) -> tuple[int, ...]:
        """Shape of the grid: labels first if they count, then one more code than breaks on each axis."""
        sizes = tuple(len(ends) + 1 for ends in self.breaks)
        return sizes if self.labels is None else (self.labels, *sizes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the answer: the cells; of a number, degree + 1 sums in each: of u^0 = 1, of u, of u^2."""
        return self.cells if self.number is None else (*self.cells, self.degree + 1)

    def rows(self, answer: Integers) -> int:
        """Return how many rows an answer counts, or how many units."""
        return int(answer.sum() if self.number is None else answer[..., 0].sum())

    def answer(self, points: Points, labels: Any = None, units: Integers | None = None) -> Integers:
        """Return the answer for points (n, d), exactly; units: how often each row counts, (n,); None: once.

        labels: (n,), if they count.

        >>> Question((0,), (np.array([0.5]),), number=0, degree=2).answer(np.array([[0.25], [1.0], [2**-17]]))
        array([[         2,      16385,  268435457],
               [         1,      65536, 4294967296]])
        """
        axes, breaks = tuple(self.axes), tuple(self.breaks)
        if self.labels is not None:
            axes, breaks = (points.shape[1], *axes), (np.arange(1.0, self.labels), *breaks)
            points = np.column_stack([points, labels])
        return Sums(axes, breaks, self.number, self.degree).of(points, units)


def together(questions: Sequence[Question], cells: int = TOGETHER) -> list[tuple[Question, list[int]]]:
    """Return questions of at most so many cells that answer all of these, each with the places of those it answers.

    In order, each question joins the first joint question that has all of its axes, or to which they can be added.  A
    question of more cells stays by itself.

    >>> pairs = [Question(axes, [np.array([1.0])] * 2) for axes in ((0, 1), (0, 2), (1, 2), (0, 3))]
    >>> [(list(joint.axes), places) for joint, places in together(pairs, 8)]
    [([0, 1, 2], [0, 1, 2]), ([0, 3], [3])]
    """
    joint: list[tuple[Question, list[int]]] = []
    for place, question in enumerate(questions):
        for i, (other, places) in enumerate(joint):
            joined = _joined(other, question)
            if joined is not None and np.prod(joined.cells, dtype=float) <= cells:
                joint[i] = (joined, [*places, place])
                break
        else:
            joint.append((question, [place]))
    return joint


def _joined(question: Question, other: Question) -> Question | None:
    """Return the question with the axes of both, and the number that either of them sums up.

    Return None if they cut an axis differently, if labels count in only one of them, or if they sum up different
    numbers.
    """
    numbers = {part.number for part in (question, other)} - {None}
    if len(numbers) > 1:
        return None
    breaks = dict(zip(question.axes, question.breaks, strict=True))
    for axis, own in zip(other.axes, other.breaks, strict=True):
        if not np.array_equal(breaks.setdefault(axis, own), own):
            return None
    if question.labels != other.labels:
        return None
    number_and_degree = (next(iter(numbers), None), max(question.degree, other.degree))
    return Question(list(breaks), list(breaks.values()), question.labels, *number_and_degree)


def summed(counts: Integers, asked: Question, wanted: Question) -> Integers:
    """Return the answer to the question ``wanted``, from that to ``asked``, which has all of its axes."""
    if asked.number is not None:
        powers = [counts[..., power] for power in range(wanted.degree + 1)]
        plain = [attrs.evolve(question, number=None, degree=0) for question in (asked, wanted)]
        sums = [summed(count, *plain) for count in powers]
        return sums[0] if wanted.number is None else np.stack(sums, axis=-1)
    labels = [] if asked.labels is None else [0]
    kept = [list(asked.axes).index(axis) + len(labels) for axis in wanted.axes]
    others = tuple(i for i in range(counts.ndim) if i not in (*labels, *kept))
    left = sorted(kept)
    order = [*labels, *(left.index(i) + len(labels) for i in kept)]
    return np.asarray(counts.sum(axis=others).transpose(order))


def steps(place: Callable[[Floats], Floats], low: float, high: float, breaks: Floats) -> tuple[Floats, Integers]:
    """Return cuts (k,) of numbers x, strictly increasing, and how many breaks ``place`` of x reaches in each piece.

    place: an increasing function of numbers (n,) in [low, high], in floating point; numbers outside are clipped first.
    breaks: (m,) increasing.  By bisection over all floats between, for all breaks together.

    >>> steps(lambda x: x / 10.0, 0.0, 10.0, np.array([0.0, 0.3, 0.7, 2.0]))
    (array([3., 7.]), array([1, 2, 3]))
    """
    first, last = (int(np.searchsorted(breaks, place(np.array([end]))[0], "right")) for end in (low, high))
    asked = breaks[first:last]
    below, above = (np.repeat(_keys(np.array([end])), len(asked)) for end in (low, high))
    while True:
        middle = (below & above) + ((below ^ above) >> 1)
        if np.array_equal(middle, below):
            break
        reached = place(_floats(middle)) >= asked
        above, below = np.where(reached, middle, above), np.where(reached, below, middle)
    cuts, reached_there = np.unique(_floats(above), return_counts=True)
    return cuts, first + np.concatenate([[0], np.cumsum(reached_there)]).astype(np.int64)


def _keys(values: Floats) -> Integers:
    """Return integers (n,) in the order of floats: neighbours for neighbours, 0 for both zeros."""
    bits = (values + 0.0).view(np.int64)
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)


def _floats(keys: Integers) -> Floats:
    """Return the floats of ``_keys``."""
    return np.where(keys < 0, np.iinfo(np.int64).min - keys, keys).view(np.float64)


def pieces(ends: Floats, code: Callable[[Floats], Integers]) -> tuple[Floats, Integers]:
    """Return cuts and the codes of their pieces, for codes that change at these ends alone, or right after them.

    ends: (m,) finite.  code: codes of numbers (n,).

    >>> pieces(np.array([3.0]), lambda x: (x == 3).astype(np.int64))[1].tolist()
    [0, 1, 0]
    """
    cuts = np.unique(np.concatenate([ends, np.nextafter(ends, np.inf)]) + 0.0)
    cuts = cuts[np.isfinite(cuts)]
    return cuts, code(np.concatenate([[np.nextafter(cuts[0], -np.inf)], cuts]))
