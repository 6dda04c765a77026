"""The declared form of the records of a private table, and how a record becomes a point and a label.

Nothing is inferred from private rows: no range, no category, no class of labels.  Each record is encoded by itself.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import attrs
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.core.errors import PublicError
from semipriv.core.fields import value
from semipriv.core.samples import Labels, Points, Responses
from semipriv.core.types import Floats
from semipriv.practice.columns.alone import is_of_objects, texts_of
from semipriv.practice.columns.cells import ColumnTypeError, Known, is_number, whole_numbers
from semipriv.practice.columns.features import Categories, Feature, restored_feature
from semipriv.practice.columns.labels import AnyLabel, label_of
from semipriv.practice.columns.responses import Response
from semipriv.queries.schema import Column, Schema

T = TypeVar("T")


class PrivateTableError(PublicError):
    """A cell that is not as the schema declares; the message names file, column and row, never the content.

    It is for the holder of the table.  It is raised before anything is drawn, and nothing is published then.  The
    guarantee does not cover a table with such a cell, only tables of the schema.  The error occurs only where a request
    says ``unknown: refuse``: otherwise every cell has a value, and no table is refused for one record.
    """


REFUSED = "the request refuses other cells (unknown: refuse)"
"""Why a cell is refused, behind what it must be."""


@attrs.frozen(eq=False)
class Chunk:
    """Rows of one file, or of a table of a database: their columns, and their numbers there (n,), from 1 on."""

    file: Path | str
    table: pa.Table
    numbers: NDArray[np.int64]

    def kept(self, chosen: Known) -> "Chunk":
        """Return the chosen rows, chosen: (n,) bool."""
        return self if chosen.all() else Chunk(self.file, self.table.filter(pa.array(chosen)), self.numbers[chosen])

    def read(self, column: str, encode: Callable[[pa.ChunkedArray], T], rule: str = "must be readable") -> T:
        """Return what encode makes of a column; raise PrivateTableError for what Arrow cannot read, without a cell."""
        wrong = f"cannot be read, {rule}"
        try:
            return encode(self.table.column(column))
        except ColumnTypeError as error:
            wrong = str(error)
        except (pa.ArrowException, ValueError, OverflowError):  # their messages hold cells
            pass
        raise PrivateTableError(f"{self.file}: column {column!r} {wrong}")  # here no other error hangs on it

    def refuse(self, column: str, known: Known, rule: str) -> None:
        """Raise PrivateTableError for the first cell of a column that is not known, known: (n,) bool."""
        if not known.all():
            row = int(self.numbers[int(np.argmin(known))])
            raise PrivateTableError(f"{self.file}: column {column!r}, row {row}: {rule}")


def known_cells(
    chunk: Chunk, column: str, encode: Callable[[pa.ChunkedArray], tuple[NDArray[Any], Known]], rule: str
) -> NDArray[Any]:
    """Return what encode makes of a column; raise PrivateTableError for the first cell that is not known."""
    values, known = chunk.read(column, encode, rule)
    chunk.refuse(column, known, f"{rule}; {REFUSED}")
    return values


@value
class Records:
    """How records become points and labels: features in the order of the coordinates; a label, a response, or None.

    A range becomes [0, 1], integers and categories become places 0, 1, ..., or several coordinates (``Feature``); a
    response becomes [-1, 1].
    """

    features: Sequence[Feature] = attrs.field(converter=tuple)
    label: AnyLabel | None = None

    def __attrs_post_init__(self) -> None:
        if not self.features:
            raise ValueError("features: must be a mapping of at least one column")
        for column in self.columns:
            if self.columns.count(column) > 1:
                other = "response" if isinstance(self.label, Response) else "label"
                raise ValueError(f"column {column!r} is both a feature and the {other}")

    @property
    def declared(self) -> tuple[Feature | AnyLabel, ...]:
        """The columns that are read, the label last."""
        return tuple(self.features) if self.label is None else (*self.features, self.label)

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(column.column for column in self.declared)

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """Least and greatest coordinates, (d,) each, whatever the records."""
        low, high = zip(*(ends for feature in self.features for ends in feature.box), strict=True)
        return np.array(low), np.array(high)

    @property
    def width(self) -> int:
        """d, the number of coordinates."""
        return sum(feature.width for feature in self.features)

    @property
    def plain(self) -> bool:
        """Whether each feature is one coordinate, its place."""
        return self.width == len(self.features)

    @property
    def names(self) -> tuple[str, ...]:
        """What the coordinates are called."""
        return tuple(name for feature in self.features for name in feature.names)

    @property
    def schema(self) -> Schema:
        """The columns as those of a table of categories; raise ValueError for a range, which has no finite list."""
        columns = []
        for feature in self.features:
            values = feature.values
            if values is None:
                raise ValueError(f"features.{feature.column}: a table of marginals needs categories, integers or bins")
            if feature.width > 1:
                raise ValueError(f"features.{feature.column}: a table of marginals has no one_hot and no indicator")
            columns.append(Column(feature.column, values))
        return Schema(columns)

    def encode(self, chunk: Chunk, *, labelled: bool = True) -> tuple[Points, Labels | Responses]:
        """Return points (n, d) and labels or responses (n,), 0 without any; values outside ranges are clipped.

        Raise PrivateTableError, by file, column and row, for the first cell that is not what is declared.
        """
        points, start = np.empty((len(chunk.numbers), self.width), order="F"), 0
        for feature in self.features:
            end = start + feature.width
            points[:, start:end] = known_cells(chunk, feature.column, feature.coordinates, f"must be {feature.rule}")
            start = end
        if self.label is None or not labelled:
            return points, np.zeros(len(points), np.int8)
        return points, known_cells(chunk, self.label.column, self.label.encode, f"must be {self.label.rule}")

    def points(self, table: Any, what: str = "table") -> Points:
        """Return the points (n, d) of a DataFrame, a mapping of columns or a pyarrow Table, for predictions."""
        return self.encode(self.chunk(table, what), labelled=False)[0]

    def chunk(self, table: Any, what: str) -> Chunk:
        """Return the columns of the features of a DataFrame, a mapping of columns or a pyarrow Table, as of a file.

        Raise ValueError, with no cell, for a column that is missing, twice there, or of a type that cannot be read.
        """
        needed = ", ".join(feature.column for feature in self.features)
        columns = {
            feature.column: _array(table, feature.column, what, needed, are_texts=isinstance(feature, Categories))
            for feature in self.features
        }
        if len(set(map(len, columns.values()))) > 1:
            raise ValueError(f"{what}: must be a DataFrame or a mapping of columns of equal length")
        cells = pa.table(columns)
        return Chunk(what, cells, np.arange(1, cells.num_rows + 1))

    def closed(self, chunks: Sequence[Chunk]) -> "Records":
        """Return the records with the values of public rows where ``public`` stands for them.

        Raise ValueError, with the file and the column, if they have none.
        """
        features, wrong = [], ""
        for feature in self.features:
            try:
                column = pa.chunked_array(
                    [part for chunk in chunks for part in chunk.table.column(feature.column).chunks]
                )
                features.append(feature.closed(column))
            except (pa.ArrowException, TypeError):
                wrong = f"column {feature.column!r} has different types in different files"
            except ValueError as error:
                wrong = str(error)
            if wrong:
                raise ValueError(f"{chunks[0].file}: {wrong}")
        return Records(features, self.label)

    def table(self, points: Points) -> pa.Table:
        """Return points (n, d) as columns of the table: numbers of the ranges, integers, texts."""
        return pa.table({f.column: f.decode(points[:, i]) for i, f in enumerate(self.features)})

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored`` inverts this."""
        features = [feature.description() for feature in self.features]
        return {"features": features, "label": None if self.label is None else self.label.description()}

    @classmethod
    def restored(cls, description: Mapping[str, Any]) -> "Records":
        """Return the records with this description."""
        label = description["label"]
        return cls(tuple(map(restored_feature, description["features"])), None if label is None else label_of(label))


def _array(table: Any, name: str, what: str, needed: str, *, are_texts: bool) -> Any:
    """Return a column of a DataFrame, a mapping or a Table as an array of Arrow.

    needed: names of all columns.  are_texts: whether texts are declared, not numbers or dates: then floats stand for
    integers, since integers of a DataFrame are floats beside a missing one.  The type of the array follows from that of
    the column, never from its cells: Python objects become texts, one by one.
    """
    wrong = "must be a DataFrame or a mapping of columns of equal length"
    try:
        column = table[name]
        if isinstance(column, pa.ChunkedArray | pa.Array):
            return column
        if getattr(column, "ndim", 1) == 1:
            if is_of_objects(column):
                return texts_of(column, are_texts=are_texts)
            wrong = f"column {name!r} is of a type that cannot be read"
            cells = pa.array(column, from_pandas=True)
            return whole_numbers(cells) if are_texts and is_number(cells.type) else cells
        wrong = f"column {name!r} occurs twice"
    except KeyError:
        wrong = f"column {name!r} is missing (needed: {needed})"
    except (pa.ArrowException, TypeError, ValueError, IndexError, OverflowError):  # IndexError: an array without names
        pass
    raise ValueError(f"{what}: {wrong}")  # here no other error, which might hold a cell, hangs on it
