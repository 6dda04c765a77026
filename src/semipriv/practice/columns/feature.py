"""A column of a private table and the values that it may have; it encodes its cells record by record.

A column is one coordinate of the points, or several (``names``).
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import Any, ClassVar, Self

import attrs
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.core.types import Floats
from semipriv.practice.columns.cells import Known, as_spelt, check_type, is_text
from semipriv.practice.columns.coding import Amount, Coding
from semipriv.practice.columns.hints import hint, shown

QUOTED = " (write yes, no, true, false, dates in quotes)"
"""Said of values that YAML reads as something else."""
PUBLIC = "public"
"""Instead of declared values: those of the public rows, from about the smallest to the largest, or all that occur.

Of what is unknown: what the public rows say, the median of numbers and the most frequent one of categories.
"""
REFUSE = "refuse"
"""Instead of what stands for unknown cells: nothing does, and a table with such a cell is refused."""


class Usual(Enum):
    """The value for unknown cells is still to be read from public rows."""

    UNKNOWN = PUBLIC


USUAL = Usual.UNKNOWN


def usual(given: Any) -> Any:
    """Return what stands for unknown cells as it is declared, ``USUAL`` for the word ``PUBLIC``."""
    return USUAL if isinstance(given, str) and given == PUBLIC else given


class Feature(ABC):
    """A column and the values that it may have.

    unknown: the value that replaces any other cell; ``USUAL`` until it is read from public rows; None: such a cell is
    refused.
    """

    kind: ClassVar[str]
    """The key that declares it."""
    column: Any
    unknown: Any

    @property
    @abstractmethod
    def rule(self) -> str:
        """What a cell must be."""

    @property
    def hint(self) -> str:
        """What to declare where no cell is that."""
        return ""

    @abstractmethod
    def read(self, column: pa.ChunkedArray) -> Any:
        """Return the cells of a column as what they stand for.  Raise ColumnTypeError for one that cannot hold it."""

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError if no column of this type can hold such values."""
        check_type(self.read, kind)

    @abstractmethod
    def encode(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return places (n,), and whether each cell is what is declared or has a place for what is unknown.

        Raise ColumnTypeError for a column that cannot hold such values.
        """

    @property
    def box(self) -> Sequence[tuple[float, float]]:
        """The least and the greatest value of each coordinate: one, the place, if nothing else is said."""
        return (self.ends,)

    @property
    def names(self) -> Sequence[str]:
        """What each coordinate is called."""
        return (self.column,)

    @property
    def width(self) -> int:
        """Number of coordinates, known before the values of public rows are."""
        return len(self.names)

    def coordinates(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return the coordinates (n, width), and whether each cell is known, as ``encode`` does."""
        places, known = self.encode(column)
        return places[:, None], known

    def coding(self, breaks: Floats, coordinate: int = 0) -> Coding | None:
        """Return how many of the breaks (m,), increasing, a coordinate of a cell reaches, as a function of the cell.

        None if nothing but the coordinate tells it.
        """
        return None

    @property
    def amount(self) -> Amount | None:
        """The units of the place of a cell, as a function of the cell; None if there is none."""
        return None

    @abstractmethod
    def decode(self, places: Floats) -> pa.Array | pa.ChunkedArray:
        """Return places (n,) as values of the column."""

    @abstractmethod
    def shown(self, places: Floats) -> NDArray[Any]:
        """Return places (n,) as places on an axis: numbers, or times; those of categories as they are."""

    @property
    def open(self) -> bool:
        """Whether its values are still to be read from public rows."""
        return bool(self._declared() == PUBLIC)

    @property
    def reads_public(self) -> bool:
        """Whether its values, or the value of unknown cells, are still to be read from public rows."""
        return self.open or self.unknown is USUAL

    def closed(self, column: pa.ChunkedArray) -> Self:
        """Return the feature, completed by the values of a column of public rows where nothing is declared.

        Raise ValueError if the rows have one value only, or none.
        """
        closed = self._with_values(column) if self.open else self
        if closed.unknown is not USUAL:
            return closed
        return attrs.evolve(closed, unknown=closed._usual(column))  # type: ignore[misc]

    def _with_values(self, column: pa.ChunkedArray) -> Self:
        """Return the feature with the values that occur in a column of public rows."""
        values = self._occurring(column)
        if not values:
            raise self._none(column)
        if len(set(values)) < 2:
            raise ValueError(f"column {self.column!r} is the same in all public rows that have {self.rule} there")
        return attrs.evolve(self, **{self.kind: values})  # type: ignore[misc]

    def _none(self, column: pa.ChunkedArray) -> ValueError:
        """Return the error for a column in which no public row is as declared; it names what is there instead."""
        cells = [str(cell) for cell in as_spelt(column).drop_null().to_pylist() if str(cell).strip()]
        wrong = f"column {self.column!r}: no public row has {self.rule} there"
        if not cells:
            return ValueError(f"{wrong}; all of them are missing")
        ((text, _),) = Counter(cells).most_common(1)
        like = hint(text, self.values if isinstance(self.values, tuple) and is_text(column.type) else ())
        return ValueError(f"{wrong}, but {shown(text)}" + (f": {like}" if like else self.hint))

    @abstractmethod
    def _usual(self, column: pa.ChunkedArray) -> Any:
        """Return what a column of public rows says of an unknown cell, as it is declared; raise ValueError for none."""

    @abstractmethod
    def _occurring(self, column: pa.ChunkedArray) -> list[Any]:
        """Return the values that occur in a column, in the form in which they are declared."""

    def named(self, places: Floats) -> list[str]:
        """Return what each of the places (n,) is called: its value, nothing for a missing one."""
        return ["" if value is None else str(value) for value in self.decode(places).to_pylist()]

    @property
    def values(self) -> range | tuple[str, ...] | None:
        """All values of the places 0, 1, ...; None if they have no finite list."""
        return None

    @property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """The least and the greatest place."""

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored_feature`` inverts this."""
        return {"column": self.column, self.kind: self._declared(), "unknown": self._unknown_declared()}

    def _unknown_declared(self) -> Any:
        return REFUSE if self.unknown is None else PUBLIC if self.unknown is USUAL else self.unknown

    @abstractmethod
    def _declared(self) -> Any:
        """Return the declared values as those of JSON."""


def filled(encoded: Floats, known: Known, place: float | None) -> tuple[Floats, Known]:
    """Fill in the place of ``unknown`` where a cell is none of the declared values, if there is such a place."""
    if place is None or known.all():
        return encoded, known
    return np.where(known, encoded, place), np.ones_like(known)
