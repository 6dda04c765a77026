"""Features mapped into a fixed box, one record at a time, by numbers that are declared or public."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from semipriv.core import checks
from semipriv.core.fields import value
from semipriv.core.registry import check_name
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.practice.columns.widening import widened

PUBLIC = "public"
"""Ranges that are those of the public points, half of their width wider on each side (``columns.widening``)."""
_FORMS = "a pair (low, high), d pairs, a mapping of columns to pairs, 'public' or None"


def _ends(given: Any) -> Floats:
    return np.asarray(given, np.float64) + 0.0


@value(eq=False)
class Scaling:
    """Clip feature j into [low_j, high_j], then map that range affinely to [bottom, top].

    low, high: (d,).  What a record becomes depends on that record alone.  A range of length 0 becomes its low end.

    >>> Scaling([0.0, 10.0], [4.0, 20.0]).encode(np.array([[1.0, 99.0], [-3.0, 15.0]])).tolist()
    [[0.25, 1.0], [0.0, 0.5]]
    """

    low: Floats = attrs.field(converter=_ends)
    high: Floats = attrs.field(converter=_ends)
    bottom: float = 0.0
    top: float = 1.0

    def encode(self, points: Points) -> Points:
        """Return points (n, d) in the box."""
        length = np.where(self.high > self.low, self.high - self.low, 1.0)
        unit = (np.clip(points, self.low, self.high) - self.low) / length
        return self.bottom + (self.top - self.bottom) * unit

    def spread(self, count: int) -> Points:
        """Return ``count`` points spread over the ranges, (count, d): the Halton sequence, which reads no data."""
        from scipy.stats.qmc import Halton  # noqa: PLC0415  (a slow import, for few)

        unit = Halton(len(self.low), scramble=False).random(count + 1)[1:]
        return self.low + unit * (self.high - self.low)

    def description(self) -> dict[str, Any]:
        """Return the ends and the box as values of JSON; ``Scaling(**description)`` inverts this."""
        return {"low": self.low.tolist(), "high": self.high.tolist(), "bottom": self.bottom, "top": self.top}


def scaling(
    ranges: Any, public: Points | None, dimension: int, columns: Sequence[str] | None, box: tuple[float, float]
) -> Scaling:
    """Return the scaling of d features that ``ranges`` declares; 'public' reads the public points (m, d).

    ranges: a pair (low, high) for all features, d pairs, a mapping of columns to pairs, or 'public'.  box:
    (bottom, top).  Raise ValueError with the feature for a missing, unknown or empty range.
    """
    if isinstance(ranges, str):
        if ranges != PUBLIC:
            raise ValueError(f"ranges = {ranges!r}: must be {_FORMS}")
        if public is None or not len(public):
            raise ValueError(
                "ranges = 'public': there are no public points to take them from; declare them, ranges=[(low, high), "
                "...], before private data are seen, or None for features that are to stay as they are"
            )
        low, high = public.min(axis=0), public.max(axis=0)
        _check_length(float(np.max(high / 2 - low / 2)), "'public'")
        return Scaling(*widened(low, high), *box)
    pairs = _pairs(ranges, dimension, columns)
    ends = np.array([_pair(name, pair) for name, pair in pairs], np.float64)
    return Scaling(ends[:, 0], ends[:, 1], *box)


def _pairs(ranges: Any, dimension: int, columns: Sequence[str] | None) -> list[tuple[str, Any]]:
    """Return the name and the pair of each feature."""
    names = [f"ranges[{column!r}]" for column in columns] if columns else [f"ranges[{j}]" for j in range(dimension)]
    if isinstance(ranges, Mapping):
        if columns is None:
            raise ValueError("ranges: is a mapping of columns, so the private rows must be a DataFrame with columns")
        for key in ranges:
            check_name("column of ranges", key, list(columns))
        missing = [column for column in columns if column not in ranges]
        if missing:
            raise ValueError(f"ranges: column {missing[0]!r} has none")
        return [(name, ranges[column]) for name, column in zip(names, columns, strict=True)]
    rows = np.asarray(ranges, object) if isinstance(ranges, list | tuple | np.ndarray) else np.empty(0)
    if rows.shape == (2,):
        return [(name, tuple(rows)) for name in names]
    if rows.shape != (dimension, 2):
        raise ValueError(f"ranges: has shape {rows.shape}, must be {_FORMS} for {dimension} feature(s)")
    return list(zip(names, map(tuple, rows), strict=True))


def _pair(name: str, given: Any) -> tuple[float, float]:
    if not isinstance(given, list | tuple | np.ndarray) or len(given) != 2:
        raise ValueError(f"{name} = {given!r}: must be a pair (low, high)")
    low, high = (checks.real(name, end) for end in given)
    if not low < high:
        raise ValueError(f"{name} = ({low!r}, {high!r}): low must be < high")
    _check_length(high / 2 - low / 2, name)
    return low, high


def _check_length(half: float, name: str) -> None:
    if not math.isfinite(2 * half):
        raise ValueError(f"{name}: the ends are too far apart for floats")
