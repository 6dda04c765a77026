"""The label of an own table: both of its sides are declared."""

from collections.abc import Sequence
from typing import Any

from semipriv.fields import value

Side = Any
"""A tuple of values, or a mapping of one comparison (at_least, above, at_most, below) to a number."""


@value
class Label:
    """A column, the values that are 1 and those that are 0.  unknown: the label of all others; None: refused."""

    column: str
    one: Sequence[Any] | Any
    zero: Sequence[Any] | Any
    unknown: int | None = None
