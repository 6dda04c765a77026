"""What a database counts or sums up for a release, and what leaves it."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from semipriv.practice.asking.request import Request
from semipriv.practice.columns.coding import OUTSIDE
from semipriv.practice.columns.schema import Records
from semipriv.practice.engine.beside import COUNTS, ROWS, SUMS, apart, elsewhere, reason_to_read
from semipriv.practice.engine.chosen import number_of, table_of
from semipriv.practice.engine.counting_plans import Named, Plan, columns_of, plans
from semipriv.practice.sources.stored import Stored
from semipriv.practice.sums.records import Count
from semipriv.practice.sums.statistic import Statistic


@attrs.frozen
class Leaving:
    """What leaves a database, and how often rows are read for it.

    what: COUNTS, SUMS or ROWS.  why: rows are read here; empty if they are not.  reads: of all rows, for sums or rows;
    None if that is not known.  size: about how many bytes a read moves here, if rows leave: 8 of each cell.
    """

    what: str
    why: str = ""
    reads: int | None = None
    size: int = 0


def counted(
    request: Request,
    records: Records,
    statistics: Sequence[Statistic],
    named: Named | None = None,
    judging: Sequence[str] = (),
    *,
    streamed: bool = False,
) -> tuple[list[Statistic], dict[str, Any]]:
    """Count what the database can count; return the statistics that need the rows, and what the certificate says.

    judging: queries that judge what will be drawn.  streamed: whether rows will be read to judge it.  Raise
    PrivateTableError, by the column, if a cell is not what is declared.
    """
    source = request.private
    if not isinstance(source, Stored):
        return list(statistics), {}
    planned = plans(request, records, statistics, named)
    rows = number_of(request, held=False) if planned else None
    for plan in planned:
        plan.count(source, rows or 0)
    done = {id(plan.statistic) for plan in planned}
    waiting = [statistic for statistic in statistics if id(statistic) not in done]
    left = left_by(request, waiting, named)
    waiting = [statistic for statistic in waiting if not _summed(request, records, statistic, named, left)]
    entry = source.access([*_texts(source, planned), *judging], streamed=streamed or left == ROWS, summed=left == SUMS)
    return waiting, {"database": entry}


def leaving(
    request: Request,
    records: Records,
    statistics: Sequence[Statistic],
    named: Named | None = None,
    rereads: int | None = None,
    *,
    judging: bool = False,
) -> Leaving | None:
    """Return what would leave a database; None if the rows are in files.

    rereads: how often learners read rows anew, if known.  judging: whether rows are read to judge what is drawn.
    """
    if not isinstance(request.private, Stored):
        return None
    done = {id(plan.statistic) for plan in plans(request, records, statistics, named)}
    waiting = [statistic for statistic in statistics if id(statistic) not in done]
    what = left_by(request, waiting, named)
    if what == COUNTS and not judging:
        return Leaving(COUNTS)
    once = sum(not statistic.rereads or named is not None or apart(request) for statistic in waiting)
    reads = None if rereads is None else rereads + (min(once, 1) if what == ROWS else once) + judging
    if what == SUMS and not judging:
        return Leaving(SUMS, reads=reads)
    if what != ROWS:
        why = "rows that judge what is drawn are read here"
    else:
        why = reason_to_read(request, persons=named is not None) or "the learner needs rows one by one"
    return Leaving(ROWS, why, reads, 8 * request.private.rows() * len(request.private_columns))


def rows_stay(request: Request, records: Records, statistic: Statistic, named: Named | None = None) -> bool:
    """Return whether a database counts or sums up rows for a statistic, so that none leaves it."""
    if not isinstance(request.private, Stored):
        return False
    waiting = [] if plans(request, records, [statistic], named) else [statistic]
    return left_by(request, waiting, named) != ROWS


def left_by(request: Request, waiting: Sequence[Statistic], named: Named | None) -> str:
    """Return what leaves a database if some statistics wait for more than counts: COUNTS, SUMS or ROWS."""
    if not waiting:
        return COUNTS
    kept = any(statistic.summand() is None and not statistic.rereads for statistic in waiting)
    return ROWS if kept or reason_to_read(request, persons=named is not None) else SUMS


def _summed(request: Request, records: Records, waiting: Statistic, named: Named | None, left: str) -> bool:
    """Sum a statistic up without a row here; return whether that was done."""
    if isinstance(waiting, Count) and not apart(request) and named is None:
        waiting.count(request.private.rows())
        return True
    summand = waiting.summand()
    make = None if left == ROWS or summand is None else elsewhere(request, records, persons=named is not None)
    if make is None or summand is None:
        return False
    waiting.take(*make(summand))
    return True


def counted_outside(
    request: Request, records: Records, statistics: Sequence[Statistic], named: Named | None = None
) -> dict[str, int] | None:
    """Return how many cells of each column are undeclared, by the queries that count.

    None if rows must be read for a statistic, or are in files.
    """
    source = request.private
    planned = plans(request, records, statistics, named, held=None)
    if not isinstance(source, Stored) or len(planned) < len(statistics):
        return None
    counts: dict[str, int] = {}
    groups = None if request.held_out is None else request.held_out.groups
    if groups is not None and groups.column.column not in records.columns:
        own = [(groups.column.column, groups.column.rule, groups.column.coding(np.empty(0)))]
        columns, table = columns_of(source, own), table_of(request, held=True)
        coded = [(name, coding) for name, _, coding in columns or ()]
        asked = source.session.database.counting(table, coded) if coded else None
        if asked is None:
            return None
        (answer,) = asked.read(source.session.database.read(asked.asked))
        counts[groups.column.column] = int(answer.rows[answer.codes[0] == OUTSIDE].sum())
    for query in (query for plan in planned for query in plan.queries):
        for asked, answer in query.read(source):
            for (name, _, _), code in zip(asked.columns, answer.codes, strict=True):
                counts[name] = max(counts.get(name, 0), int(answer.rows[code == OUTSIDE].sum()))
    return counts


def queries(
    request: Request, records: Records, statistics: Sequence[Statistic], named: Named | None = None
) -> list[str]:
    """Return the text of the queries that would count; none is sent."""
    source = request.private
    return _texts(source, plans(request, records, statistics, named)) if isinstance(source, Stored) else []


def rehearse(request: Request, records: Records, statistics: Sequence[Statistic], named: Named | None = None) -> None:
    """Send every query that will be sent, but for no row; raise ValueError for what the database refuses."""
    source = request.private
    source.rehearse(request.private_columns)
    if request.unlabelled is not None:
        request.unlabelled.rehearse([feature.column for feature in records.features])
    if isinstance(source, Stored):
        for plan in plans(request, records, statistics, named, nothing=True):
            for query in plan.queries:
                source.session.database.read(query.sent.asked)


def _texts(source: Stored, planned: Sequence[Plan]) -> list[str]:
    return [source.session.database.sql(query.sent.asked) for plan in planned for query in plan.queries]
