"""Texts or integers from a declared list: places in it, or a coordinate for each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.types import Floats
from semipriv.practice.columns.cells import Known, as_cells, check_texts, places, texts
from semipriv.practice.columns.coding import OUTSIDE, Listed
from semipriv.practice.columns.feature import PUBLIC, QUOTED, REFUSE, Feature, Usual, filled

_SHOWN = 12
"""Categories that a message lists at most."""
MOST = 1_000_000
"""Categories that a column may have."""
_ROWS, _BYTES = 2**20, 2**31 - 1
"""Rows that are decoded at once at most, and bytes of their texts: an array of texts holds no more."""


def _categories(name: str, given: Any) -> Any:
    """Return declared values; texts are read as cells are: without blanks around them, and 1.0 as 1."""
    if isinstance(given, str) and given == PUBLIC:
        return PUBLIC
    if not isinstance(given, list | tuple | range) or len(given) < 2:
        raise ValueError(f"{name} = {given!r}: must be a list of at least two values")
    if len(given) > MOST:
        raise ValueError(f"{name}: has {len(given):,} values, must have at most {MOST:,}")
    for category in given:
        if isinstance(category, bool) or not isinstance(category, str | int):
            raise ValueError(f"{name}: {category!r} must be text or an integer{QUOTED}")
        if isinstance(category, int) and not -(2**63) <= category < 2**63:
            raise ValueError(f"{name}: {category!r} is beyond integers of 64 bits: write it as text, in quotes")
    try:
        shown = as_cells(list(map(str, given)))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    first: dict[str, int] = {}
    for place, cell in enumerate(shown):
        if (other := first.setdefault(cell, place)) != place:
            category, before = given[place], given[other]
            same = "" if str(category) == str(before) else f", once as {before!r}: cells of both are read as {cell!r}"
            raise ValueError(f"{name}: {category!r} is listed twice{same}")
    return tuple(cell if isinstance(category, str) else category for category, cell in zip(given, shown, strict=True))


def _unknown(name: str, given: Any) -> Any:
    return as_cells([given])[0] if isinstance(given, str) else given


@value
class Categories(Feature):
    """Texts or integers from a list; their places in it are the coordinates.

    An ``unknown`` that is not in the list is one more category, the last one, of missing cells and of all others;
    ``USUAL`` is the most frequent category of the public rows.  With one_hot each of three or more categories is a
    coordinate, 1 for rows that have it and 0 for others; two categories already are one such coordinate.

    >>> Categories("sex", ["F", "M"], "none").encode(pa.chunked_array([["M", None, "x", "none"]]))
    (array([1., 2., 2., 2.]), array([ True,  True,  True,  True]))
    >>> Categories("sex", ["F", "M"], "none", one_hot=True).coordinates(pa.chunked_array([["M", None]]))[0].tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    kind = "categories"
    column: str
    categories: Any = checked(_categories)
    unknown: str | int | Usual | None = checked(_unknown, default=None)
    one_hot: bool = checked(checks.boolean, default=False)

    def __attrs_post_init__(self) -> None:
        wide = isinstance(self.unknown, int) and not -(2**63) <= self.unknown < 2**63
        if isinstance(self.unknown, bool) or wide or not isinstance(self.unknown, str | int | Usual | None):
            raise ValueError(f"unknown of {self.column!r} = {self.unknown!r}: must be text or an integer{QUOTED}")
        if self.one_hot and self.open:
            raise ValueError(
                "categories = 'public': a learner of numbers gives each category a weight, so they must be listed, as "
                "[A, B, C]; of many codes list groups, made by a public table of codes, or the most frequent ones of "
                "the public rows, with unknown: other for the rest (`semipriv release --example TABLE --public ROWS` "
                "writes that)"
            )

    @property
    def rule(self) -> str:
        """One of the list, of which the first ones are named."""
        if self.open:
            return "text or an integer"
        rest = ", ..." if len(self.categories) > _SHOWN else ""
        return f"one of the declared categories ({', '.join(map(str, self.categories[:_SHOWN]))}{rest})"

    def read(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return texts, null where there is none."""
        return texts(column)

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError if no column of this type can hold such values."""
        if self.open:
            super().check_type(kind)
        else:
            check_texts(self.values, kind)

    def _occurring(self, column: pa.ChunkedArray) -> list[Any]:
        cells = {cell for cell in self.read(column).to_pylist() if cell is not None}
        return sorted(cells | (set() if self._other is None else {str(self._other)}))

    @property
    def _other(self) -> str | int | None:
        """The category of unknown cells; None if there is none, or if it is still to be read from public rows."""
        return None if isinstance(self.unknown, Usual) else self.unknown

    def _usual(self, column: pa.ChunkedArray) -> Any:
        """Return the most frequent category, the first in the list among equally frequent ones."""
        codes = places(self.read(column), list(self.values))
        if not np.any(codes >= 0):
            raise self._none(column)
        return self._all[int(np.argmax(np.bincount(codes[codes >= 0])))]

    @property
    def _all(self) -> tuple[str | int, ...]:
        listed = tuple(self.categories)
        return listed if self._other is None or str(self._other) in map(str, listed) else (*listed, self._other)

    @property
    def values(self) -> tuple[str, ...]:
        """All values as texts."""
        return tuple(map(str, self._all))

    @property
    def ends(self) -> tuple[float, float]:
        """0 and the last place."""
        return 0.0, float(len(self.values) - 1)

    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Look up the place; cells that are not in the list are unknown."""
        indices = places(self.read(column), list(self.values))
        place = None if self._other is None else float(self.values.index(str(self._other)))
        return filled(indices.astype(np.float64), indices >= 0, place)

    def coding(self, breaks: Floats, coordinate: int = 0) -> Listed | None:
        """Return how many breaks the place of each text of the list reaches; None if each is a coordinate."""
        if self._wide:
            return None
        codes = np.searchsorted(breaks, np.arange(len(self.values)), "right").tolist()
        listed = dict(zip(self.values, codes, strict=True))
        return Listed(listed, OUTSIDE if self._other is None else listed[str(self._other)])

    @property
    def _wide(self) -> bool:
        return self.one_hot and len(self.values) > 2

    @property
    def box(self) -> Sequence[tuple[float, float]]:
        """The ends of the place, or 0 and 1 for each category."""
        return ((0.0, 1.0),) * len(self.values) if self._wide else (self.ends,)

    @property
    def names(self) -> Sequence[str]:
        """The column, or the column with each category."""
        return tuple(f"{self.column} = {value}" for value in self.values) if self._wide else (self.column,)

    def coordinates(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return the places, or 1 at the place of each row's category; a row that is not known has 0 everywhere."""
        places, known = self.encode(column)
        if not self._wide:
            return places[:, None], known
        return (places == np.arange(len(self.values))[:, None]).astype(np.float64).T, known

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored_feature`` inverts this."""
        return super().description() | ({"one_hot": True} if self.one_hot else {})

    def decode(self, places: Floats) -> pa.Array | pa.ChunkedArray:
        """Return the values at these places: integers if all of them are, else texts."""
        whole = all(isinstance(value, int) for value in self._all)
        values = pa.array(self._all, pa.int64()) if whole else pa.array(self.values, pa.string())
        longest = 8 if whole else max(len(text.encode()) for text in self.values)
        rows, size = np.rint(places).astype(np.int64), max(1, min(_ROWS, _BYTES // max(1, longest)))
        parts = [values.take(pa.array(rows[start : start + size])) for start in range(0, len(rows), size)]
        return parts[0] if len(parts) == 1 else pa.chunked_array(parts, values.type)

    def shown(self, places: Floats) -> NDArray[Any]:
        """Return the places."""
        return places

    def _unknown_declared(self) -> Any:
        if self.unknown is None and not self.open and REFUSE in self.categories:
            raise ValueError(f"unknown of {self.column!r} = {REFUSE!r}: is a category, too: name that otherwise")
        return super()._unknown_declared()

    def _declared(self) -> Any:
        return PUBLIC if self.categories == PUBLIC else list(self.categories)
