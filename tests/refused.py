"""Tables of what is refused: a row is a call, the words of its message, and the error if that is no ValueError."""

from collections.abc import Callable, Iterable, Mapping

import pytest

Row = tuple[Callable[[], object], str] | tuple[Callable[[], object], str, type[Exception]]


def each(table: Mapping[str, Iterable[Row]]) -> pytest.MarkDecorator:
    """Return a mark that gives every row of a table, of subjects with their rows, to a test."""
    rows = [pytest.param(row, id=f"{subject}: {row[1]}") for subject, rows in table.items() for row in rows]
    return pytest.mark.parametrize("row", rows)


def check(row: Row) -> None:
    """Check that the call is refused in one line, with these words."""
    call, words, *error = row
    with pytest.raises(*error or [ValueError], match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
