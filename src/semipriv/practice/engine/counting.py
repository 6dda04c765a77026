"""Counts that a database makes, instead of rows that leave it.

A statistic that follows from numbers of rows in cells of public grids asks for these; the codes of a row are functions
of its cells by public cuts and lists (``columns.coding``).  So only counts leave the database, and they are the same
integers that the rows would give.  All other statistics read the rows as a stream.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from semipriv.core.types import Integers
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.coding import OUTSIDE, Coding, Listed, Question, Steps, summed, together
from semipriv.practice.columns.features import Feature
from semipriv.practice.columns.labels import ClassLabel, Label
from semipriv.practice.columns.schema import REFUSED, PrivateTableError, Records
from semipriv.practice.sources.stored import Stored
from semipriv.practice.sums.tallies import Statistic


@attrs.frozen(eq=False)
class Asked:
    """A question, the columns that answer it, and the query.

    columns: name, rule and coding of each, the label first if it counts.  answers: places of the statistic's questions
    that follow from this one.
    """

    question: Question
    columns: Sequence[tuple[str, str, Coding]]
    query: Any
    answers: Sequence[int] = ()


@attrs.frozen(eq=False)
class Plan:
    """Queries for the questions of a statistic, and some that only tell whether all other cells are declared."""

    statistic: Statistic
    questions: Sequence[Question]
    asked: Sequence[Asked]
    checks: Sequence[Asked]

    def count(self, source: Stored) -> None:
        """Ask, and answer the statistic."""
        answers: dict[int, Integers] = {}
        for one in (*self.asked, *self.checks):
            counts = _answer(source, one)
            answers |= {place: summed(counts, one.question, self.questions[place]) for place in one.answers}
        self.statistic.answer(source.rows(), [answers[place] for place in range(len(self.questions))])


def plans(request: Request, records: Records, statistics: Sequence[Statistic]) -> list[Plan]:
    """Return plans of the statistics that the database can count; the others need the rows.

    Rows that are held out, or public by a column, or that must have a label, are told apart one by one: then none can.
    """
    source = request.private
    if not isinstance(source, Stored) or request.held_out or request.status or request.ones_only:
        return []
    made = (_plan(source, records, one) for one in statistics)
    return [one for one in made if one is not None]


def counted(
    request: Request, records: Records, statistics: Sequence[Statistic]
) -> tuple[list[Statistic], dict[str, Any]]:
    """Count what the database can count; return the statistics that need the rows, and what the certificate says.

    Raise PrivateTableError, by the column, if a cell is not what is declared.
    """
    source = request.private
    if not isinstance(source, Stored):
        return list(statistics), {}
    found = plans(request, records, statistics)
    for plan in found:
        plan.count(source)
    done = {id(plan.statistic) for plan in found}
    waiting = [one for one in statistics if id(one) not in done]
    return waiting, {"database": source.told(_texts(source, found), streamed=bool(waiting))}


def counted_outside(request: Request, records: Records, statistics: Sequence[Statistic]) -> dict[str, int] | None:
    """Return how many cells of each column are none of what is declared, by the queries that count.

    None if rows must be read for a statistic, and of files.
    """
    source = request.private
    found = plans(request, records, statistics)
    if not isinstance(source, Stored) or len(found) < len(statistics):
        return None
    counts: dict[str, int] = {}
    for one in (asked for plan in found for asked in (*plan.asked, *plan.checks)):
        codes, rows = one.query.read(source.session.database.read(one.query.asked))
        for (name, _, _), code in zip(one.columns, codes, strict=True):
            counts[name] = max(counts.get(name, 0), int(rows[code == OUTSIDE].sum()))
    return counts


def queries(request: Request, records: Records, statistics: Sequence[Statistic]) -> list[str]:
    """Return the text of the queries that would count; none is sent."""
    source = request.private
    return _texts(source, plans(request, records, statistics)) if isinstance(source, Stored) else []


def rehearse(request: Request, records: Records, statistics: Sequence[Statistic]) -> None:
    """Ask for no row all that is going to be asked for the rows; raise ValueError for what the database refuses."""
    source = request.private
    source.rehearse(request.private_columns)
    if isinstance(source, Stored):
        for plan in plans(request, records, statistics):
            for one in (*plan.asked, *plan.checks):
                source.session.rehearse_counting([(name, coding) for name, _, coding in one.columns])


def _texts(source: Stored, found: Sequence[Plan]) -> list[str]:
    return [source.session.database.sql(one.query.asked) for plan in found for one in (*plan.asked, *plan.checks)]


def _plan(source: Stored, records: Records, statistic: Statistic) -> Plan | None:
    questions = statistic.questions()
    if questions is None:
        return None
    axes = list(_axes(records))
    seen = {axis for one in questions for axis in one.axes}
    names = {feature.column for axis, feature in enumerate(axes) if axis in seen and feature is not None}
    more = [Question((axis,), (np.empty(0),)) for axis, one in enumerate(axes) if one and one.column not in names]
    label = records.label
    if isinstance(label, Label | ClassLabel) and all(one.labels is None for one in questions):
        more.append(Question((), (), 2 if isinstance(label, Label) else len(label.classes)))
    cells = source.session.database.together
    small = [place for place, one in enumerate(questions) if _small(source, axes, one)]
    asked = [
        (one, [small[i] for i in places]) for one, places in together([questions[place] for place in small], cells)
    ]
    asked += [(one, [place]) for place, one in enumerate(questions) if place not in small]
    made = [_asked(source, records, axes, one, places) for one, places in asked]
    checks = [_asked(source, records, axes, one, ()) for one in more]
    if None in made or None in checks or None in axes:
        return None
    return Plan(statistic, questions, [one for one in made if one], [one for one in checks if one])


def _axes(records: Records) -> Iterator[Feature | None]:
    """Yield the feature of each coordinate, None where it has several."""
    for feature in records.features:
        yield from [feature] if feature.width == 1 else [None] * feature.width


def _small(source: Stored, axes: Sequence[Feature | None], question: Question) -> bool:
    """Return whether the columns of a question are declared so that they hold about as many values as it has cells."""
    types = source.types(source.name)
    for axis, breaks in zip(question.axes, question.breaks, strict=True):
        feature = axes[axis]
        coding = None if feature is None else feature.coding(breaks)
        if feature is None or coding is None:
            return False
        whole = isinstance(coding, Steps) and not coding.dated and pa.types.is_integer(types[feature.column])
        if not isinstance(coding, Listed) and not (whole and coding.on_integers.first is not None):
            return False
    return True


def _asked(
    source: Stored, records: Records, axes: Sequence[Feature | None], question: Question, answers: Sequence[int]
) -> Asked | None:
    """Return the query for a question; None if there is none that is faster than to read the rows."""
    columns: list[tuple[str, str, Coding]] = []
    if question.labels is not None:
        assert isinstance(records.label, Label | ClassLabel)
        columns.append((records.label.column, records.label.rule, records.label.coding))
    for axis, breaks in zip(question.axes, question.breaks, strict=True):
        feature = axes[axis]
        coding = None if feature is None else feature.coding(breaks)
        if feature is None or coding is None:
            return None
        columns.append((feature.column, feature.rule, coding))
    types = source.types(source.name)
    if not all(_countable(types[name], coding) for name, _, coding in columns):
        return None
    query = source.session.counting([(name, coding) for name, _, coding in columns])
    return None if query is None else Asked(question, columns, query, answers)


def _countable(kind: pa.DataType, coding: Coding) -> bool:
    """Return whether a database tells the codes of a column of this type as a reader of files does."""
    if isinstance(coding, Listed):
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_decimal(kind)
        return bool(text or pa.types.is_integer(kind) or pa.types.is_floating(kind))
    if coding.dated:
        return bool(pa.types.is_date32(kind) or (pa.types.is_timestamp(kind) and kind.tz is None))
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return True
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _answer(source: Stored, asked: Asked) -> Integers:
    """Return the answer, of the shape of the question; raise PrivateTableError for a cell that is not declared."""
    codes, rows = asked.query.read(source.session.database.read(asked.query.asked))
    for (name, rule, _), one in zip(asked.columns, codes, strict=True):
        if np.any(rows[one == OUTSIDE]):
            raise PrivateTableError(f"{source.name}: column {name!r}: must be {rule}; {REFUSED}")
    counts = np.zeros(asked.question.shape, np.int64)
    np.add.at(counts, tuple(codes), rows)
    return counts
