"""What a record of an own table may be, declared before any record is seen, and how it becomes a point and a label.

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

from semipriv.core.fields import value
from semipriv.core.samples import Labels, Points, Responses
from semipriv.core.types import Floats
from semipriv.practice.columns import ColumnTypeError, Known
from semipriv.practice.features import Categories, Feature, Integers, restored_feature
from semipriv.practice.labels import Label
from semipriv.practice.responses import Response
from semipriv.queries.schema import Column, Schema

T = TypeVar("T")


class PrivateTableError(ValueError):
    """A cell that is not what the schema declares; the message names file, column and row, never what is there.

    It is for the holder of the table.  It is raised before anything is drawn, and nothing is published then.  A table
    with such a cell is outside of what the guarantee speaks of, namely tables of the schema.  Whoever must not be
    refused for one record declares a place for what is unknown: ``unknown``, for each feature and for the label.
    """


@attrs.frozen(eq=False)
class Chunk:
    """Rows of one file: their columns, and their numbers in the file (n,); the first row of data has number 1."""

    file: Path
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


@value
class Records:
    """How records become points and labels: features in the order of the coordinates; a label, a response, or None.

    A range becomes [0, 1], integers and categories become places 0, 1, ...; a response becomes [-1, 1].
    """

    features: Sequence[Feature] = attrs.field(converter=tuple)
    label: Label | Response | None = None

    def __attrs_post_init__(self) -> None:
        if not self.features:
            raise ValueError("features: must be a mapping of at least one column")
        for column in self.columns:
            if self.columns.count(column) > 1:
                other = "response" if isinstance(self.label, Response) else "label"
                raise ValueError(f"column {column!r} is both a feature and the {other}")

    @property
    def declared(self) -> tuple[Feature | Label | Response, ...]:
        """The columns that are read, the label last."""
        return tuple(self.features) if self.label is None else (*self.features, self.label)

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(one.column for one in self.declared)

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """Least and greatest coordinates, (d,) each, whatever the records."""
        low, high = zip(*(feature.ends for feature in self.features), strict=True)
        return np.array(low), np.array(high)

    @property
    def schema(self) -> Schema:
        """The columns as those of a table of categories; raise ValueError for a range, which has no finite list."""
        columns = []
        for feature in self.features:
            if not isinstance(feature, Integers | Categories):
                raise ValueError(f"features.{feature.column}: a table of marginals needs categories or integers")
            columns.append(Column(feature.column, feature.values))
        return Schema(columns)

    def encode(self, chunk: Chunk, *, labelled: bool = True) -> tuple[Points, Labels | Responses]:
        """Return points (n, d) and labels or responses (n,), 0 without any; values outside ranges are clipped.

        Raise PrivateTableError, by file, column and row, for the first cell that is not what is declared.
        """
        points = np.empty((len(chunk.numbers), len(self.features)), order="F")
        for i, feature in enumerate(self.features):
            points[:, i] = self._column(chunk, feature, f"must be {feature.rule}")
        if self.label is None or not labelled:
            return points, np.zeros(len(points), np.int8)
        return points, self._column(chunk, self.label, f"must be {self.label.rule}")

    def _column(self, chunk: Chunk, of: Feature | Label | Response, rule: str) -> NDArray[Any]:
        encode: Callable[[Any], tuple[NDArray[Any], Known]] = of.encode
        values, known = chunk.read(of.column, encode, rule)
        chunk.refuse(of.column, known, f"{rule}; or declare its place for unknown ones")
        return values

    def points(self, table: Any, what: str = "table") -> Points:
        """Return the points (n, d) of a DataFrame, a mapping of columns or a pyarrow Table, for predictions."""
        try:
            columns = pa.table({feature.column: _array(table[feature.column]) for feature in self.features})
        except KeyError as error:
            raise ValueError(f"{what}: column {error} is missing (needed: {', '.join(self._names)})") from None
        except (pa.ArrowException, TypeError, ValueError, IndexError):  # IndexError: of an array without names
            raise ValueError(f"{what}: must be a DataFrame or a mapping of columns of equal length") from None
        return self.encode(Chunk(Path(what), columns, np.arange(1, columns.num_rows + 1)), labelled=False)[0]

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(feature.column for feature in self.features)

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
        return cls(tuple(map(restored_feature, description["features"])), None if label is None else _restored(label))


def _restored(label: Mapping[str, Any]) -> Label | Response:
    """Return the label or the response with this description."""
    return Response(**label) if "range" in label else Label(**label)


def _array(column: Any) -> Any:
    """Return a column of a DataFrame, a mapping or a Table as an array of Arrow."""
    return column if isinstance(column, pa.ChunkedArray | pa.Array) else pa.array(column, from_pandas=True)
