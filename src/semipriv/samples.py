"""Validated containers of points and labels: behind this border shapes, types and finiteness can be relied on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]
"""(n, d) finite float64: n points with d features."""
Labels = NDArray[np.int8]
"""(n,) int8 with values 0 and 1."""


def as_points(values: ArrayLike, dimension: int | None = None, name: str = "points") -> Points:
    """Return values as (n, d) float64 points; (n,) is read as n points of one feature.

    Raises ValueError with the position of the first value that is not finite, or when d differs from ``dimension``.
    Negative zero becomes zero, so that equal points have equal bytes.
    """
    try:
        points = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: must be numbers") from None
    if points.ndim == 1:
        columns = 1 if dimension is None or points.size else dimension
        points = points.reshape(-1, columns)
    if points.ndim != 2:
        raise ValueError(f"{name}: must have shape (n, d), got {points.shape}")
    if dimension is not None and points.shape[1] != dimension:
        raise ValueError(f"{name}: must have {dimension} feature(s), got {points.shape[1]}")
    bad = np.argwhere(~np.isfinite(points))
    if bad.size:
        row, column = map(int, bad[0])
        raise ValueError(f"{name}: row {row}, feature {column} = {points[row, column]}: must be finite")
    return points + 0.0


def as_labels(values: ArrayLike, n: int | None = None, name: str = "labels") -> Labels:
    """Return values as (n,) int8 labels in {0, 1}; raises ValueError with the row of the first other value."""
    raw = np.asarray(values)
    if raw.ndim != 1:
        raise ValueError(f"{name}: must have shape (n,), got {raw.shape}")
    if n is not None and raw.size != n:
        raise ValueError(f"{name}: must be {n} labels, one for each point, got {raw.size}")
    ok = np.isin(raw, (0, 1)) if raw.size else np.ones(0, bool)
    if not np.all(ok):
        row = int(np.argmin(ok))
        raise ValueError(f"{name}: row {row} = {raw[row]!r}: must be 0 or 1")
    return raw.astype(np.int8)


def distinct(points: Points) -> Points:
    """Return the distinct points, (k, d), sorted lexicographically by feature 0, 1, ...; exact comparison."""
    if points.shape[1] == 1:  # the same, without the detour through rows
        return np.unique(points[:, 0])[:, None]
    return np.unique(points, axis=0) if len(points) else points


@dataclass(frozen=True, eq=False)
class Sample:
    """Labelled examples: points (n, d) float64 and labels (n,) in {0, 1}, validated on construction."""

    points: Points
    labels: Labels

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", as_points(self.points))
        object.__setattr__(self, "labels", as_labels(self.labels, len(self.points)))

    def __len__(self) -> int:
        return len(self.labels)
