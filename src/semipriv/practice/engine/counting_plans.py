"""Counts that a database makes, instead of rows that leave it.

A statistic may follow from the numbers of rows in the cells of public grids.  Then only these counts are asked for.
The codes of a row follow from its cells by public cuts and lists (``columns.coding``).  So only counts leave the
database, and they are the same integers that the rows would give.  All other statistics read the rows as a stream.

Where persons have units (``core.persons``), the database shares them among each person's rows, and units are counted.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.core.samples import Points
from semipriv.core.types import Integers
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.coding import OUTSIDE, Amount, Coding, Listed, Question, Steps, Summing, summed, together
from semipriv.practice.columns.features import Feature
from semipriv.practice.columns.labels import ClassLabel, Label
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import REFUSED, PrivateTableError, Records
from semipriv.practice.engine.chosen import listable, table_of
from semipriv.practice.sources.stored import Stored
from semipriv.practice.sums.statistic import Statistic, finest, numbers

Axis = tuple[Feature, int]
"""A coordinate of the points: a feature, and which of its coordinates it is."""


@attrs.frozen(eq=False)
class Named:
    """Persons, by the columns of their names; key: public, of the offsets by which rows share units."""

    columns: Sequence[str]
    key: str


@attrs.frozen(eq=False)
class Asked:
    """A question, and the columns that answer it.

    columns: name, rule and coding of each, the label first if it counts.  coarser: for each column, what each of its
    codes is in the question; None if it is the same.  answers: places of the statistic's questions that follow from
    this one.
    """

    question: Question
    columns: Sequence[tuple[str, str, Coding]]
    coarser: Sequence[Integers | None]
    answers: Sequence[int] = ()


@attrs.frozen(eq=False)
class Query:
    """A query, and the questions that it answers."""

    asked: Sequence[Asked]
    sent: Any

    def read(self, source: Stored) -> Iterator[tuple[Asked, Any]]:
        """Yield each question with what the database counts: codes of its columns, rows, units and sums."""
        yield from zip(self.asked, self.sent.read(source.session.database.read(self.sent.asked)), strict=True)


@attrs.frozen(eq=False)
class Plan:
    """Queries for the questions of a statistic; some only check that all other cells are as declared.

    named: persons, among whom the statistic has units.  apart: counts of a record that stands for each of them whose
    rows a query leaves out, by question.
    """

    statistic: Statistic
    questions: Sequence[Question]
    queries: Sequence[Query]
    named: Named | None
    apart: Sequence[Integers]

    def count(self, source: Stored, rows: int) -> None:
        """Ask, and answer the statistic; rows: their number, where each row counts once."""
        answers: dict[int, Integers] = {}
        for query in self.queries:
            for asked, answer in query.read(source):
                counts = _answer(source, asked, answer)
                answers |= {place: summed(counts, asked.question, self.questions[place]) for place in asked.answers}
        counted = [answers[place] for place in range(len(self.questions))]
        if self.named is None:
            self.statistic.answer(rows, counted)
            return
        units = self.statistic.units
        missing = units * source.dropped(self.named.columns)
        counted = [count + missing * other for count, other in zip(counted, self.apart, strict=True)]
        self.statistic.answer(units * source.persons(self.named.columns), counted)


def stand_in(records: Records) -> tuple[Points, NDArray[Any]]:
    """Return the record that counts for a person whose rows a query leaves out, with all of the person's units.

    The least coordinates, (1, d), and the first label, or the least response, (1,): public.
    """
    label = -1.0 if isinstance(records.label, Response) else 0
    return records.box[0][None, :], np.array([label], np.float64 if isinstance(records.label, Response) else np.int8)


def plans(
    request: Request,
    records: Records,
    statistics: Sequence[Statistic],
    named: Named | None = None,
    *,
    held: bool | None = False,
    nothing: bool = False,
) -> list[Plan]:
    """Return plans of the statistics that the database can count; the others need the rows.

    The database can count nothing where every row is checked for a label, or where a secret key chooses persons to hold
    out.  named: persons, if statistics have units of persons.  held: True counts the rows held out, False those to
    learn from, None both.  nothing: whether the queries are for no row.
    """
    source = request.private
    if not isinstance(source, Stored) or request.ones_only or (request.held_out and request.person):
        return []
    table = table_of(request, held=held, nothing=nothing)
    if table is None:
        return []
    built = (_plan(source, table, records, statistic, named) for statistic in statistics)
    return [plan for plan in built if plan is not None]


def _plan(source: Stored, table: Any, records: Records, statistic: Statistic, named: Named | None) -> Plan | None:
    """Return the plan of a statistic; None if the database cannot count it.

    A column that no question reads is only checked for undeclared cells, if it can hold any.
    """
    questions = statistic.questions()
    if questions is None:
        return None
    axes = _axes(records)
    names = {axes[axis][0].column for question in questions for axis in question.axes}
    extra = [
        Question((axis,), (np.empty(0),))
        for axis, (feature, coordinate) in enumerate(axes)
        if not coordinate and feature.column not in names
    ]
    label = records.label
    if isinstance(label, Label | ClassLabel) and all(question.labels is None for question in questions):
        extra.append(Question((), (), 2 if isinstance(label, Label) else len(label.classes)))
    cells = source.session.database.together
    small = [place for place, question in enumerate(questions) if _small(source, axes, question)]
    asked = [
        (question, [small[i] for i in places])
        for question, places in together([questions[place] for place in small], cells)
    ]
    asked += [(question, [place]) for place, question in enumerate(questions) if place not in small]
    checks = [
        _counting(source, table, records, question, ()) for question in extra if _may_be_refused(records, question)
    ]
    apart: list[Integers] = []
    if named is None:
        queries = [_counting(source, table, records, question, places) for question, places in asked]
    else:
        queries = [_sharing(source, table, records, asked, statistic, named)]
        apart = [question.answer(*stand_in(records)) for question in questions]
    if None in queries or None in checks:
        return None
    return Plan(statistic, questions, [query for query in (*queries, *checks) if query], named, apart)


def _may_be_refused(records: Records, question: Question) -> bool:
    """Return whether a column of a question can hold an undeclared cell."""
    codings = [coding for *_, coding in axes_of(records, question)]
    return any(
        coding is None or coding.unknown == OUTSIDE or (isinstance(coding, Steps) and OUTSIDE in coding.pieces)
        for coding in codings
    )


def _axes(records: Records) -> list[Axis]:
    """Return the feature of each coordinate, and which of its coordinates it is."""
    return [(feature, coordinate) for feature in records.features for coordinate in range(feature.width)]


def _small(source: Stored, axes: Sequence[Axis], question: Question) -> bool:
    """Return whether the columns of a question are declared to hold about as many values as the question has cells."""
    types = source.types(source.name)
    for axis, breaks in zip(question.axes, question.breaks, strict=True):
        feature, coordinate = axes[axis]
        coding = feature.coding(breaks, coordinate)
        if coding is None:
            return False
        whole = isinstance(coding, Steps) and not coding.dated and pa.types.is_integer(types[feature.column])
        if not isinstance(coding, Listed) and not (whole and coding.on_integers.first is not None):
            return False
    return True


def axes_of(records: Records, question: Question) -> list[tuple[str, str, Coding | None]]:
    """Return the columns of a question, the label first if it counts; without a coding where none tells the codes."""
    axes, columns = _axes(records), list[tuple[str, str, Coding | None]]()
    if question.labels is not None:
        assert isinstance(records.label, Label | ClassLabel)
        columns.append((records.label.column, records.label.rule, records.label.coding))
    for axis, breaks in zip(question.axes, question.breaks, strict=True):
        feature, coordinate = axes[axis]
        columns.append((feature.column, feature.rule, feature.coding(breaks, coordinate)))
    return columns


def columns_of(
    source: Stored, columns: Sequence[tuple[str, str, Coding | None]]
) -> list[tuple[str, str, Coding]] | None:
    """Return columns with their rules and codings; None if no query gives the codes of one of them."""
    types, coded = source.types(source.name), list[tuple[str, str, Coding]]()
    for name, rule, coding in columns:
        if coding is None or not _countable(types[name], coding):
            return None
        coded.append((name, rule, coding))
    return coded


def _amounts(source: Stored, axes: Sequence[Axis], questions: Sequence[Question]) -> list[tuple[str, Amount]] | None:
    """Return the columns of the numbers that questions sum up, by coordinate; None if no query gives one of them."""
    types = source.types(source.name)
    amounts = []
    for axis in numbers(questions):
        feature, coordinate = axes[axis]
        amount = feature.amount
        if coordinate or amount is None or not _countable(types[feature.column], amount.cells):
            return None
        amounts.append((feature.column, amount))
    return amounts


def _counting(source: Stored, table: Any, records: Records, question: Question, answers: Sequence[int]) -> Query | None:
    """Return the query for a question; None if no query is faster than reading the rows."""
    columns = columns_of(source, axes_of(records, question))
    if columns is None:
        return None
    summing = None
    if question.degree:
        amounts = _amounts(source, _axes(records), [question])
        if amounts is None:
            return None
        summing = Summing(*amounts[0], question.degree)
    query = source.session.database.counting(table, [(name, coding) for name, _, coding in columns], summing)
    return None if query is None else Query([Asked(question, columns, [None] * len(columns), answers)], query)


def _sharing(
    source: Stored,
    table: Any,
    records: Records,
    asked: Sequence[tuple[Question, Sequence[int]]],
    statistic: Statistic,
    named: Named,
) -> Query | None:
    """Return the one query that counts units of persons for all questions; None if reading rows is faster.

    Columns are in the order of ``Statistic.order``: the axes, cut as finely as any question does, the label, and the
    numbers that are summed up.
    """
    grid = finest([question for question, _ in asked])
    number = next((question.labels for question, _ in asked if question.labels is not None), None)
    whole = Question([axis for axis, _ in grid], [ends for _, ends in grid], number)
    columns = columns_of(source, axes_of(records, whole))
    amounts = _amounts(source, _axes(records), [question for question, _ in asked])
    if columns is None or amounts is None:
        return None
    if number is not None:
        columns = [*columns[1:], columns[0]]
    at = {axis: place for place, (axis, _) in enumerate(grid)}
    parts, chosen = [], []
    for question, answers in asked:
        label = [] if question.labels is None else [len(grid)]
        own = [*label, *(at[axis] for axis in question.axes)]
        coarser: list[Integers | None] = [None] * len(label)
        for axis, ends in zip(question.axes, question.breaks, strict=True):
            fine = grid[at[axis]][1]
            coarser.append(np.append(0, np.searchsorted(ends, fine, "right")) if len(fine) > len(ends) else None)
        parts.append(Asked(question, [columns[place] for place in own], coarser, answers))
        chosen.append(own)
    coded = [(name, coding) for name, _, coding in columns]
    places = {axis: place for place, axis in enumerate(numbers([question for question, _ in asked]))}
    powers = [None if question.number is None else (places[question.number], question.degree) for question, _ in asked]
    query = source.session.database.sharing(
        table, named.columns, coded, chosen, statistic.units, named.key, amounts, powers
    )
    return None if query is None else Query(parts, query)


def _countable(kind: pa.DataType, coding: Coding) -> bool:
    """Return whether a database gives a column of this type the codes that a reader of files gives it."""
    if isinstance(coding, Listed):
        return listable(kind)
    if coding.dated:
        return bool(pa.types.is_date32(kind) or (pa.types.is_timestamp(kind) and kind.tz is None))
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return True
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def check_codes(source: Stored, columns: Sequence[tuple[str, str, Coding]], answer: Any) -> None:
    """Raise PrivateTableError, by the column, if a cell that was counted is not what is declared."""
    for (name, rule, _), codes in zip(columns, answer.codes, strict=True):
        if np.any(answer.rows[codes == OUTSIDE]):
            raise PrivateTableError(f"{source.name}: column {name!r}: must be {rule}; {REFUSED}")


def _answer(source: Stored, asked: Asked, answer: Any) -> Integers:
    """Return the answer, of the shape of the question; raise PrivateTableError for a cell that is not declared."""
    check_codes(source, asked.columns, answer)
    cells = tuple(codes if to is None else to[codes] for codes, to in zip(answer.codes, asked.coarser, strict=True))
    question = asked.question
    counts = [np.zeros(question.cells, np.int64) for _ in range(question.degree + 1)]
    for sums, amounts in zip(counts, [answer.units, *answer.sums], strict=False):
        np.add.at(sums, cells, amounts)
    return counts[0] if question.number is None else np.stack(counts, axis=-1)
