"""Tables of what is refused: a row is a call, the words of its message, and the error if that is no ValueError."""

from collections.abc import Callable, Iterable, Mapping

import pytest

Row = tuple[Callable[[], object], str] | tuple[Callable[[], object], str, type[Exception]]


def each(table: Mapping[str, Iterable[Row]]) -> pytest.MarkDecorator:
    """Return a mark that gives a test the rows of a subject of a table, under its name."""
    return pytest.mark.parametrize("rows", [pytest.param(list(rows), id=subject) for subject, rows in table.items()])


def check(rows: Iterable[Row]) -> None:
    """Check that each call is refused in one line, with its words; what is not is told of all rows together."""
    wrong = []
    for call, words, *error in rows:
        try:
            with pytest.raises(*error or [ValueError], match=words) as caught:
                call()
            assert "\n" not in str(caught.value), "refused in several lines"
        except (Exception, pytest.fail.Exception) as failure:
            wrong.append(f"{words}: {type(failure).__name__}: {failure}")
    assert not wrong, "\n".join(["not refused as the table has it:", *wrong])
