"""A declared schema of categorical columns: what a record may be, before any record is seen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.registry import check_name

if TYPE_CHECKING:
    import pandas as pd

Codes = NDArray[np.int64]
"""(n, c): records as places of their values in their columns, from 0."""

_LARGEST = 2**62


def _name(name: str, given: Any) -> str:
    if not isinstance(given, str) or not given:
        raise ValueError(f"{name} = {given!r}: must be text, the name of a column")
    return given


def _values(name: str, given: Any) -> range | tuple[str, ...]:
    if type(given) is not bool and isinstance(given, Integral):
        return range(checks.size(name, given))
    if isinstance(given, range):
        if not len(given) or given.step < 0 or max(abs(given[0]), abs(given[-1])) > _LARGEST:
            raise ValueError(f"{name} = {given!r}: must be an increasing range of at least one integer below 2^62")
        return given[:]
    if not isinstance(given, list | tuple) or not given or not all(isinstance(text, str) for text in given):
        raise ValueError(f"{name} = {given!r}: must be a number of categories, a range of integers, or a list of texts")
    if len(set(given)) < len(given):  # one look at each: there may be many
        twice = next(text for text, times in Counter(given).items() if times > 1)
        raise ValueError(f"{name}: {twice!r} is listed twice")
    return tuple(map(str, given))


@value
class Column:
    """A column: its name, and all values that it may have.

    values: a number K of categories, which stands for the integers 0, ..., K - 1; a range of integers, any step; or a
    list of texts.

    >>> Column("age", range(17, 91)).size, Column("sex", ["F", "M"]).size, Column("region", 5).values
    (74, 2, range(0, 5))
    """

    name: str = checked(_name)
    values: range | tuple[str, ...] = checked(_values)

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.values)

    def codes(self, given: Any, what: str) -> Codes:
        """Return the place of each of (n,) values, (n,); raises ValueError with the row of the first other value."""
        cells = np.asarray(given)
        if cells.ndim != 1:
            raise ValueError(f"{what}: column {self.name!r}: must have shape (n,), got {cells.shape}")
        place = self._integers(cells) if isinstance(self.values, range) else self._texts(cells)
        if np.any(place < 0):
            row = int(np.argmax(place < 0))
            raise ValueError(
                f"{what}: column {self.name!r}, row {row} = {cells[row : row + 1].tolist()[0]!r}: must be {self.rule}"
            )
        return place

    @property
    def rule(self) -> str:
        """Which values are allowed, in words."""
        if not isinstance(self.values, range):
            return f"one of {', '.join(self.values)}"
        step = "" if self.values.step == 1 else f" in steps of {self.values.step}"
        return f"an integer from {self.values[0]} to {self.values[-1]}{step}"

    def decoded(self, codes: Codes) -> NDArray[Any]:
        """Return the values at places (n,): int64, or texts as objects."""
        if isinstance(self.values, range):
            return self.values.start + self.values.step * codes
        return np.array(self.values, object)[codes]

    def _integers(self, given: NDArray[Any]) -> Codes:
        """Return places, -1 for what is not a value of the range."""
        grid = self.values
        assert isinstance(grid, range), "texts have no grid"
        if given.dtype.kind == "O":
            whole = np.array([type(cell) is not bool and isinstance(cell, Integral) for cell in given], bool)
            inside = np.array([bool(ok and cell in grid) for ok, cell in zip(whole, given, strict=True)], bool)
        elif given.dtype.kind in "iuf":
            with np.errstate(invalid="ignore"):
                inside = (given >= grid[0]) & (given <= grid[-1]) & (given == np.floor(given))
        else:
            inside = np.zeros(len(given), bool)
        place = np.full(len(given), -1)
        steps, rest = np.divmod(given[inside].astype(np.int64) - grid[0], grid.step)
        place[inside] = np.where(rest == 0, steps, -1)
        return place

    def _texts(self, given: NDArray[Any]) -> Codes:
        import pandas as pd  # noqa: PLC0415  (slow import, tables only)

        assert isinstance(self.values, tuple), "integers have no texts"
        return pd.Index(self.values, dtype=object).get_indexer(given.astype(object)).astype(np.int64)


def _columns(name: str, given: Any) -> tuple[Column, ...]:
    pairs = given.items() if isinstance(given, Mapping) else None
    columns = tuple(given) if pairs is None else tuple(Column(key, values) for key, values in pairs)
    if not columns or not all(isinstance(column, Column) for column in columns):
        raise ValueError(f"{name}: must be a mapping of at least one column to its values")
    names = [column.name for column in columns]
    twice = [column for i, column in enumerate(names) if column in names[:i]]
    if twice:
        raise ValueError(f"{name}: column {twice[0]!r} is listed twice")
    return columns


@value
class Schema:
    """The columns of a table, in their order.  It is declared, and never read off private rows.

    A table is a DataFrame, or a mapping of names to arrays (n,), with these columns and no others.

    Args:
        columns: a mapping of names to values, or the columns themselves.

    Examples:
        >>> schema = Schema({"age": range(20, 80, 20), "sex": ["F", "M"]})
        >>> codes = schema.codes({"age": [40, 20], "sex": ["M", "M"]}, "table")
        >>> codes.tolist(), schema.sizes
        ([[1, 1], [0, 1]], (3, 2))
    """

    columns: Sequence[Column] = checked(_columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each column."""
        return tuple(column.size for column in self.columns)

    def place(self, name: object) -> int:
        """Return the place of a column.

        Args:
            name: name of a column.

        Returns:
            Its place, from 0.

        Raises:
            ValueError: for an unknown name, with the allowed ones.
        """
        return self.names.index(check_name("column", name, list(self.names)))

    def codes(self, table: Any, what: str) -> Codes:
        """Return the rows of a table as places, each column in a block of memory of its own.

        An error is for whoever holds the rows, and not part of a release.

        Args:
            table: a DataFrame, or a mapping of names to arrays (n,).
            what: what messages call the table.

        Returns:
            Places (n, c), each below the size of its column.

        Raises:
            ValueError: for other columns, columns of different lengths, and the first value that is not declared, with
                its column, row and value.
        """
        import pandas as pd  # noqa: PLC0415  (slow import, tables only)

        if not isinstance(table, Mapping | pd.DataFrame):
            raise ValueError(f"{what}: is {type(table).__name__}, must be a DataFrame or a mapping of columns")
        names = list(table.keys())
        for name in self.names:
            if name not in names:
                raise ValueError(f"{what}: column {name!r} is missing (given: {', '.join(map(str, names))})")
        for name in names:
            if name not in self.names:
                known = ", ".join(self.names)
                raise ValueError(
                    f"{what}: column {name!r} is not declared (declared: {known}): declare it or leave it out"
                )
        parts = [column.codes(table[column.name], what) for column in self.columns]
        for name, part in zip(self.names, parts, strict=True):
            if len(part) != len(parts[0]):
                raise ValueError(f"{what}: column {name!r} has {len(part)} rows, {self.names[0]!r} has {len(parts[0])}")
        return np.array(parts).T

    def table(self, codes: Codes) -> "pd.DataFrame":
        """Return places as a table; ``codes`` inverts this.

        Args:
            codes: (n, c) places.

        Returns:
            A DataFrame of the declared columns, values and types.
        """
        import pandas as pd  # noqa: PLC0415  (slow import, tables only)

        return pd.DataFrame({column.name: column.decoded(codes[:, i]) for i, column in enumerate(self.columns)})

    def description(self) -> list[list[Any]]:
        """Return name and values of each column as values of JSON; ``restored`` inverts this.

        Returns:
            A pair for each column.
        """
        return [[column.name, _described(column.values)] for column in self.columns]

    @classmethod
    def restored(cls, description: list[list[Any]]) -> "Schema":
        """Return the schema with this description.

        Args:
            description: what ``description`` returned.

        Returns:
            The schema.
        """
        return cls(tuple(Column(name, range(*v) if isinstance(v[0], int) else v) for name, v in description))


def _described(values: range | tuple[str, ...]) -> list[Any]:
    return [values.start, values.stop, values.step] if isinstance(values, range) else list(values)
