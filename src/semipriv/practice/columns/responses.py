"""The response of a private table: a column of numbers, whose range is declared."""

from typing import Any

import numpy as np
import pyarrow as pa

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.samples import Responses
from semipriv.core.types import Floats
from semipriv.practice.columns.cells import Known, check_type, numbers
from semipriv.practice.columns.dates import is_date
from semipriv.practice.columns.feature import REFUSE


def _range(name: str, given: Any) -> tuple[float, float]:
    if not isinstance(given, list | tuple) or len(given) != 2 or any(map(is_date, given)):
        raise ValueError(f"response.{name} = {given!r}: must be [low, high], two numbers")
    low, high = (checks.real(f"response.{name}", end) for end in given)
    if not low < high or not np.isfinite(high - low):
        raise ValueError(f"response.{name} = [{low!r}, {high!r}]: low must be < high, and their distance a number")
    return low, high


def _unknown(name: str, given: Any) -> float | None:
    return None if given is None or given == REFUSE else checks.real(f"response.{name}", given)


@value
class Response:
    """A column of numbers, clipped into [low, high] and mapped affinely to [-1, 1].

    unknown: the number of the range that replaces a cell without a number; None: such a cell is refused.

    >>> Response("dollars", [0, 10]).encode(pa.chunked_array([[-3.0, 5.0, 1e9, None]]))
    (array([-1.,  0.,  1., -1.]), array([ True,  True,  True, False]))
    """

    column: str
    range: tuple[float, float] = checked(_range)
    unknown: float | None = checked(_unknown, default=None)
    rule = "a finite number"

    def __attrs_post_init__(self) -> None:
        low, high = self.range
        if self.unknown is not None and not low <= self.unknown <= high:
            raise ValueError(f"response.unknown = {self.unknown!r}: must be in [{low!r}, {high!r}]")

    def check_type(self, kind: pa.DataType) -> None:
        """Raise ColumnTypeError if no column of this type can hold numbers."""
        check_type(numbers, kind)

    def read(self, column: pa.ChunkedArray) -> tuple[Floats, Known]:
        """Return numbers (n,), and whether each cell is one."""
        return numbers(column)

    def encode(self, column: pa.ChunkedArray) -> tuple[Responses, Known]:
        """Return responses (n,), and whether each cell is a number or has a place for what is unknown."""
        values, known = self.read(column)
        if self.unknown is not None:
            values, known = np.where(known, values, self.unknown), np.ones(len(known), bool)
        low, high = self.range
        return np.clip(2 * ((np.clip(values, low, high) - low) / (high - low)) - 1, -1.0, 1.0), known

    def decode(self, responses: Responses) -> Floats:
        """Return responses (n,) in [-1, 1] in the units of the column, within the range however sums round."""
        low, high = self.range
        return np.clip(low + (responses + 1) / 2 * (high - low), low, high)

    def description(self) -> dict[str, Any]:
        """Return values of JSON; the constructor takes them."""
        unknown = REFUSE if self.unknown is None else self.unknown
        return {"column": self.column, "range": list(self.range), "unknown": unknown}
