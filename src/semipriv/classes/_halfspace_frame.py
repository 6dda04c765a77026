"""Points that span a space, seen at a scale where floats separate them: halfspaces of their dichotomies."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.base import Predictions
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Words
from semipriv.geometry.bits import packed
from semipriv.geometry.predicates import (
    affine_values,
    independent_columns,
    integers,
    rank_at_least,
    rounding_bound,
    scaled,
)

_BLOCK = 4_000_000
_SPAN = 24


def independent(points: Points) -> list[int]:
    """Return coordinates onto which the affine hull of the points (m, d) projects one to one, exactly."""
    whole, _ = integers(points)
    return independent_columns(np.column_stack([whole - whole[0], np.ones(len(whole), object)]))[:-1]


def span_at_least(points: Points) -> int:
    """Return a number up to 24 that the dimension of the affine hull of the points (m, d) is not below.

    It is that of some of them in some coordinates, both spread evenly: enough to tell that no list is possible.
    """
    varied = np.flatnonzero((points != points[0]).any(axis=0))
    if not len(varied):
        return 0
    columns = varied[np.linspace(0, len(varied) - 1, min(len(varied), _SPAN)).astype(int)]
    rows = np.unique(np.linspace(0, len(points) - 1, min(len(points), 4 * _SPAN)).astype(int))
    whole, _ = integers(points[np.ix_(rows, columns)])
    return rank_at_least(whole - whole[0])


class Frame:
    """Points (m, d) that span R^d, distinct, seen from the first of them at a scale where coordinates are at most 1.

    vectors: (m, d + 1) integers (x_i - x_1, 1).  duals: (m - 1, d + 1) rows (x_i - x_1, 1): directions w, with offset 1
    at the first point, are cut by {w: (x_i - x_1) w + 1 = 0} into the dichotomies that hold the first point.
    """

    def __init__(self, points: Points) -> None:
        self.points = points
        self.columns = np.ascontiguousarray(points.T)
        whole, exponents = integers(points)
        relative = whole - whole[0]
        self.vectors = np.column_stack([relative, np.ones(len(points), object)])
        self.relative, bits = scaled(relative)
        self.duals = np.column_stack([self.relative[1:], np.ones(len(points) - 1)])
        extent = bits + exponents
        self.stretch = max(0, int(extent.max()) - 900) - max(0, -int(extent.min()) - 900) - extent

    def blocks(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        """Yield rows, one for each dichotomy, in blocks that fit the memory when they meet all points."""
        return np.array_split(rows, 1 + len(rows) * len(self.points) // _BLOCK)

    def certain_separators(self, directions: Floats) -> Iterator[tuple[Parameters, Words]]:
        """Map directions (k, d), of offset 1 at the first point, to certain halfspaces and packed dichotomies."""
        for w in self.blocks(directions):
            with np.errstate(over="ignore", invalid="ignore"):
                inside = w @ self.relative.T + 1 > 0
            theta, sure = self.separators(w, inside)
            yield theta[sure], packed(inside[sure])

    def separators(self, directions: Floats, inside: Predictions) -> tuple[Parameters, Bools]:
        """Return halfspaces (k, d + 1) in these directions, half-way between the nearest points inside and outside.

        Also whether they certainly have the dichotomies inside (k, m): every value is beyond rounding errors.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            theta = np.column_stack([np.ldexp(directions, self.stretch), np.zeros(len(directions))])
            value = affine_values(theta, self.columns)
            nearest = np.min(value, axis=1, where=inside, initial=np.inf)
            outside = np.max(value, axis=1, where=~inside, initial=-np.inf)
            theta[:, -1] = -(nearest / 2 + outside / 2)
            finite = np.all(np.isfinite(theta), axis=1)
            theta[~finite] = 0.0
            value += theta[:, -1:]
            certain = ((value > 0) == inside) & (np.abs(value) > rounding_bound(theta, self.columns))
            return theta, finite & np.all(certain, axis=1)

    def flattest(self) -> list[int]:
        """Return all coordinates but the one of least extent: the points' best hyperplane projects well there."""
        centred = self.relative - self.relative.mean(axis=0)
        thin = np.linalg.svd(centred, full_matrices=False)[2][-1]
        return [j for j in range(len(thin)) if j != int(np.argmax(np.abs(thin)))]
