"""What a record of an own table may be, declared before any record is seen, and how records become points and labels.

Nothing is inferred from private rows: no range, no category, no class of labels.  Each record is encoded by itself.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from semipriv.fields import value
from semipriv.practice.features import Feature, restored_feature
from semipriv.practice.labels import Label
from semipriv.samples import Labels, Points


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


@value
class Records:
    """How records become points and labels: features in the order of the coordinates, and the label or None.

    A range becomes [0, 1], integers and categories become places 0, 1, ....
    """

    features: Sequence[Feature] = attrs.field(converter=tuple)
    label: Label | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are read, the label last."""
        own = tuple(feature.column for feature in self.features)
        return own if self.label is None else (*own, self.label.column)

    @cached_property
    def box(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Least and greatest coordinates, (d,) each, whatever the records."""
        raise NotImplementedError

    def encode(self, chunk: Chunk, *, labelled: bool = True) -> tuple[Points, Labels]:
        """Return points (n, d) and labels (n,), 0 without a label; values outside ranges are clipped.

        Raise PrivateTableError, by file, column and row, for the first cell that is not what is declared.
        """
        raise NotImplementedError

    def points(self, table: Any, what: str = "table") -> Points:
        """Return the points (n, d) of a DataFrame, a mapping of columns or a pyarrow Table, for predictions."""
        raise NotImplementedError

    def table(self, points: Points) -> pa.Table:
        """Return points (n, d) as columns of the table: numbers of the ranges, integers, texts."""
        raise NotImplementedError

    def description(self) -> dict[str, Any]:
        """Return values of JSON; ``restored`` inverts this."""
        raise NotImplementedError

    @classmethod
    def restored(cls, description: Mapping[str, Any]) -> "Records":
        """Return the records with this description."""
        return cls(tuple(map(restored_feature, description["features"])))
