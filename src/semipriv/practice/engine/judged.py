"""Mistakes on the rows that judge, as a database counts them: rows by label, by group, and by cells of public cuts.

The cuts are those by which a learner was counted.  They decide what each of its hypotheses predicts, so they are known
before anything is drawn, and no row leaves the database to judge what is drawn.
"""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from semipriv.core.errors import PublicError
from semipriv.core.types import Integers
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.coding import Coding
from semipriv.practice.columns.schema import Records
from semipriv.practice.engine.chosen import table_of
from semipriv.practice.engine.counting_plans import axes_of, check_codes, columns_of
from semipriv.practice.sources.stored import Stored
from semipriv.practice.sums.statistic import Statistic
from semipriv.privacy.guarantee import Release

Column = tuple[str, str, Coding]
"""Name, rule and coding."""


@attrs.frozen(eq=False)
class Judge:
    """A query for the rows that judge: the label, the cells of a question, and the group if groups are told."""

    columns: Sequence[Column]
    sent: Any


def judges(
    request: Request, records: Records, statistics: Sequence[Statistic], *, nothing: bool = False
) -> list[list[Judge]] | None:
    """Return the queries for the questions of each statistic; None if rows are read to judge, or nothing is judged.

    Rows are read from files, where a secret key chooses persons to hold out, where numbers are predicted, and where a
    statistic is not a sum over cells of public cuts.  nothing: whether queries are for no row.
    """
    source, held = request.private, request.held_out
    if not isinstance(source, Stored) or request.person is not None or not _judged(request):
        return None
    table = table_of(request, held=True, nothing=nothing)
    if table is None or (held is not None and held.squared is not None):
        return None
    groups: list[Column] = []
    if held is not None and held.groups is not None:
        group = held.groups.column
        coding = group.coding(np.arange(1.0, len(group.values)))
        if coding is None or columns_of(source, [(group.column, group.rule, coding)]) is None:
            return None
        groups = [(group.column, group.rule, coding)]
    by_statistic = []
    for statistic in statistics:
        asked = []
        for question in statistic.judging():
            columns = columns_of(source, axes_of(records, question))
            if columns is None:
                return None
            own = [*columns, *groups]
            sent = source.session.database.counting(table, [(name, coding) for name, _, coding in own])
            if sent is None:
                return None
            asked.append(Judge(own, sent))
        if not asked:
            return None
        by_statistic.append(asked)
    return by_statistic


def _judged(request: Request) -> bool:
    return request.held_out is not None or request.unprotected_diagnostic


def queries(request: Request, records: Records, statistics: Sequence[Statistic]) -> list[str]:
    """Return the texts of the queries that may judge what is drawn; none is sent."""
    source, asked = request.private, judges(request, records, statistics)
    if asked is None or not isinstance(source, Stored):
        return []
    return list(dict.fromkeys(source.session.database.sql(judge.sent.asked) for own in asked for judge in own))


def reads_rows(request: Request, records: Records, statistics: Sequence[Statistic]) -> bool:
    """Return whether rows are read to judge what is drawn."""
    return _judged(request) and judges(request, records, statistics, nothing=True) is None


def rehearse(request: Request, records: Records, statistics: Sequence[Statistic]) -> None:
    """Send every query that may be sent, but for no row; raise ValueError for what the database refuses."""
    source = request.private
    for own in judges(request, records, statistics, nothing=True) or ():
        for judge in own:
            assert isinstance(source, Stored), "a database is asked"
            source.session.database.read(judge.sent.asked)


def mistakes(
    request: Request,
    records: Records,
    statistics: Sequence[Statistic],
    releases: Sequence[Release[Any]],
    rows: int,
) -> Integers | None:
    """Return mistakes and right answers of each release in each group, (K, G, 2); None if rows are read to judge.

    rows: their number; raise PublicError if others are counted, and PrivateTableError for a cell that is not declared.
    """
    asked = judges(request, records, statistics)
    source, held = request.private, request.held_out
    if asked is None or not isinstance(source, Stored):
        return None
    size = 1 if held is None or held.groups is None else len(held.groups.names)
    counts = np.zeros((len(releases), size, 2), np.int64)
    for own, statistic, release, judge in zip(counts, statistics, releases, asked, strict=True):
        chosen = judge[statistic.asked_of(release.output)]
        (answer,) = chosen.sent.read(source.session.database.read(chosen.sent.asked))
        check_codes(source, chosen.columns, answer)
        label, *cell = answer.codes
        group = cell.pop() if held is not None and held.groups is not None else np.zeros_like(label)
        right = statistic.labelled(release.output, cell) == label
        np.add.at(own, (group, right.astype(np.int64)), answer.rows)
        if own.sum() != rows:
            raise PublicError(f"{source.name}: other rows were read than counted; it was changed meanwhile")
    return counts
