"""A synthetic table of a declared schema."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.types import Floats
from semipriv.learners.outputs._rows import RowsOutput, as_rows
from semipriv.queries.schema import Codes, Schema

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["restore"]


@value(eq=False)
class SyntheticRows(RowsOutput):
    """Rows (size, c) that were written: what is answered and measured is of these rows, and of no model behind them."""

    kind: ClassVar[str] = "synthetic_rows"

    schema: Schema
    rows: Codes = attrs.field(converter=attrs.Converter(as_rows, takes_self=True))

    @cached_property
    def weights(self) -> Floats:
        """Every row weighs the same."""
        return np.full(len(self.rows), 1 / len(self.rows))

    def table(self) -> "pd.DataFrame":
        """Return the rows with the columns, values and types of the schema: int64, or texts."""
        return self.schema.table(self.rows)

    def arrays(self) -> Arrays:
        """Return the rows."""
        return {"rows": self.rows}


def restore(description: dict[str, Any], arrays: Arrays) -> SyntheticRows:
    """Return the rows with the schema of the description."""
    return SyntheticRows(Schema.restored(description["schema"]), arrays["rows"])
