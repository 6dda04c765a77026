"""What public rows let a request declare of a column; no private row is read for it.

The rule reads the public cells that are not empty, and the type of the private column, which is public:

- at least nine in ten are dates or times of ISO 8601: ``range: public`` with a ``unit``
- at least nine in ten are numbers: ``range: public``; of two whole numbers, as 0 and 1, their list as ``categories``
- at most ``LISTED`` different texts: their list as ``categories``; digits with a zero in front are texts
- more, each in at least two rows on average: the ``TOP`` most frequent as ``categories``, all others as one more
- anything else is left open, with the reason

A range is proposed as ``public``, not as two numbers: ends read off a few rows are not ranges known in advance, for
which ``auto`` takes another learner.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from semipriv.practice.columns.cells import ColumnTypeError, is_text, numbers, texts, undictionaried
from semipriv.practice.columns.dates import UNITS, numbers_of_dates
from semipriv.practice.columns.features import PUBLIC, Categories, Range, feature
from semipriv.practice.columns.hints import WITH_A_UNIT, hint, shown

LISTED, TOP = 30, 20
"""Texts that are listed; and the most frequent ones that are, if there are more."""
_MOST = 0.9
"""Share of cells that make a column one of numbers, or of dates."""
_OTHER = "other"
_CODE = r"^0[0-9]+$"
_UNKNOWN = "any other cell counts as the most frequent one, unless `unknown` says more"


@attrs.frozen
class Proposal:
    """What may be declared of a column, and a note on it; declared: None if that is open, and the note says why."""

    declared: Mapping[str, Any] | None
    note: str


def proposed(name: str, cells: pa.ChunkedArray, private: pa.DataType) -> Proposal:
    """Return what to declare of a column by its public cells (n,) and the type of the private column.

    >>> proposed("sex", pa.chunked_array([["F", "M", "F"]]), pa.string()).declared
    {'categories': ['F', 'M']}
    >>> proposed("age", pa.chunked_array([["31", "40", "57", ""]]), pa.string()).declared
    {'range': 'public'}
    """
    cells = undictionaried(cells).drop_null()
    if is_text(cells.type):
        cells = cells.filter(pc.not_equal(pc.fill_null(texts(cells), ""), ""))
    if not len(cells):
        return Proposal(None, "no public row has a cell there")
    proposal = _dates(cells) or _numbers(cells) or _texts(cells)
    return proposal if proposal.declared is None else _checked(name, proposal, cells, private)


def _checked(name: str, proposal: Proposal, cells: pa.ChunkedArray, private: pa.DataType) -> Proposal:
    """Return the proposal if both columns can hold what it declares, with what a range becomes; else why not."""
    assert proposal.declared is not None
    try:
        declared = feature(name, proposal.declared)
        declared.check_type(private)
        closed = declared.closed(cells)
    except ColumnTypeError as error:
        return Proposal(None, f"public rows propose {dict(proposal.declared)}, and the private column {error}")
    except ValueError as error:
        return Proposal(None, str(error).removeprefix(f"features.{name}: "))
    if isinstance(closed, Range):
        low, high = (str(end).removesuffix(".0") for end in closed.public_values)
        ends = f"public values {low} to {high} make it {closed.interval}; write [low, high] if you know better"
        return attrs.evolve(proposal, note="; ".join(filter(None, [ends, proposal.note])))
    return proposal


def _dates(cells: pa.ChunkedArray) -> Proposal | None:
    try:
        seconds, known = numbers_of_dates(cells, "second")
    except ColumnTypeError:
        return None
    if known.mean() < _MOST:
        return None
    unit = next(unit for unit, long in UNITS.items() if not np.any(seconds[known] % long))
    return Proposal({Range.kind: PUBLIC, "unit": unit}, _others(known, "date"))


def _numbers(cells: pa.ChunkedArray) -> Proposal | None:
    if pa.types.is_boolean(cells.type):
        return Proposal({Categories.kind: ["false", "true"]}, "")
    try:
        values, known = numbers(cells)
    except ColumnTypeError:
        return None
    if known.mean() < _MOST:
        return None
    if is_text(cells.type) and pc.any(pc.match_substring_regex(texts(cells), _CODE)).as_py():
        return None
    distinct = np.unique(values[known])
    if len(distinct) == 2 and np.all(distinct == np.floor(distinct)):
        return Proposal({Categories.kind: [int(value) for value in distinct]}, _UNKNOWN)
    return Proposal({Range.kind: PUBLIC}, _others(known, "number"))


def _others(known: Any, what: str) -> str:
    """Say how many public cells are not of the kind of the majority."""
    wrong = int(np.sum(~known))
    return f"{wrong} of {len(known)} public cells are no {what} and count as the median" if wrong else ""


def _texts(cells: pa.ChunkedArray) -> Proposal:
    try:
        counts = Counter(texts(cells).drop_null().to_pylist())
    except ColumnTypeError as error:
        return Proposal(None, f"the public column {error}")
    spelt = Counter[str]()
    for text, count in counts.items():
        spelt[hint(text)] += count
    ((like, most),) = spelt.most_common(1) or [("", 0)]
    if like not in ("", WITH_A_UNIT) and most >= _MOST * len(cells):
        return Proposal(None, f"{shown(counts.most_common(1)[0][0])} is {like}")
    if len(counts) == 1:
        return Proposal(None, "all public cells are the same: nothing can be learned from it")
    if not all(map(str.isprintable, counts)):
        return Proposal(None, "holds characters that are not printed: list the values by hand")
    if len(counts) <= LISTED:
        return Proposal({Categories.kind: sorted(counts)}, _UNKNOWN)
    if 2 * len(counts) > len(cells):
        return Proposal(
            None,
            f"{len(counts)} different texts in {len(cells)} public cells: names and free text are not learned from, so "
            "remove the line; of codes list groups, made by a public table",
        )
    ranked = sorted(counts, key=lambda text: (-counts[text], text))
    return Proposal(
        {Categories.kind: sorted(ranked[:TOP]), "unknown": _OTHER},
        f"the {TOP} most frequent of {len(counts)} public texts; all others are {_OTHER!r}",
    )
