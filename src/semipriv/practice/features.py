"""Features of an own table: a range of numbers, integers, or categories; each encodes its column record by record."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from semipriv.samples import Points


class Feature(ABC):
    """A column and the values that it may have."""

    column: str

    @abstractmethod
    def encode(self, column: Any) -> tuple[Points, Any]:
        """Return coordinates (n,), and which cells are what is declared, (n,) bool."""

    @abstractmethod
    def decode(self, coordinates: Points) -> pa.Array:
        """Return coordinates (n,) as values of the column."""

    @abstractmethod
    def description(self) -> dict[str, Any]:
        """Return values of JSON."""


def restored_feature(description: Mapping[str, Any]) -> Feature:
    """Return the feature with this description."""
    raise NotImplementedError
