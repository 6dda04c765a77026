"""Affine hulls of grid points, and the hyperplanes inside them that points span: exact, in integers."""

import itertools
from dataclasses import dataclass

import numpy as np

from semipriv.core.types import Integers
from semipriv.geometry.predicates import independent_columns

__all__ = ["AffineHull", "spanned"]


@dataclass(frozen=True, eq=False)
class AffineHull:
    """The affine hull of grid points, of dimension k.

    pivots: k features onto which the hull projects one to one; equations: (d - k, d + 1) integers (w, b), one for each
    other feature, with w . x + b = 0 exactly on the hull.  ambient: d.
    """

    pivots: tuple[int, ...]
    equations: Integers
    ambient: int

    @classmethod
    def of(cls, points: Integers) -> "AffineHull":
        """Return the hull of m >= 1 grid points (m, d)."""
        d = points.shape[1]
        rows = np.column_stack([points, np.ones(len(points), np.int64)])
        pivots = tuple(independent_columns(rows.astype(object))[:-1])
        equations = np.zeros((d - len(pivots), d + 1), np.int64)
        basis = _basis(rows[:, [*pivots, d]]) if len(equations) else []
        for equation, feature in zip(equations, sorted(set(range(d)) - set(pivots)), strict=True):
            columns = [*pivots, feature, d]
            equation[columns] = _normals(rows[basis][:, columns][None])[0]
        return cls(pivots, equations, d)

    @property
    def dimension(self) -> int:
        """k, the dimension of the hull."""
        return len(self.pivots)

    def contains(self, points: Integers) -> np.ndarray:
        """Return whether grid points lie in the hull: (n, d) -> (n,) bool."""
        return np.all(points @ self.equations[:, :-1].T + self.equations[:, -1] == 0, axis=1)

    def project(self, points: Integers) -> Integers:
        """Return the pivot coordinates of points: (n, d) -> (n, k)."""
        return np.ascontiguousarray(points[:, list(self.pivots)])

    def lift(self, hyperplanes: Integers) -> Integers:
        """Return hyperplanes of the hull (t, k + 1), in pivot coordinates, as hyperplanes of the space (t, d + 1)."""
        lifted = np.zeros((len(hyperplanes), self.ambient + 1), np.int64)
        lifted[:, [*self.pivots, self.ambient]] = hyperplanes
        return lifted


def spanned(points: Integers, subsets: np.ndarray) -> Integers:
    """Return the hyperplanes through sets of k points of R^k: points (m, k), subsets (s, k) -> (s, k + 1) rows (w, b).

    w . x + b = 0 on the hyperplane.  Rows are in lowest terms and their first nonzero entry is > 0, so that equal
    hyperplanes have equal rows; a row is 0 if the points of the set are affinely dependent.

    >>> spanned(np.array([[0, 0], [2, 4], [1, 2], [0, 3]]), np.array([[0, 1], [0, 2], [1, 3], [0, 3]])).tolist()
    [[2, -1, 0], [2, -1, 0], [1, -2, 6], [1, 0, 0]]
    """
    rows = np.column_stack([points, np.ones(len(points), np.int64)])
    return _normals(rows[subsets])


def _basis(rows: Integers) -> list[int]:
    """Return the first r of the rows (m, r) that are linearly independent."""
    chosen: list[int] = []
    for i in range(len(rows)):
        if len(independent_columns(rows[[*chosen, i]].astype(object))) > len(chosen):
            chosen.append(i)
        if len(chosen) == rows.shape[1]:
            break
    return chosen


def _normals(rows: Integers) -> Integers:
    """Return vectors (s, r + 1), each orthogonal to r vectors (s, r, r + 1), in lowest terms and of fixed sign.

    Minors by Laplace expansion along the last row.  With the bits of a grid none exceeds 2^53.
    """
    width = rows.shape[2]
    minors: dict[tuple[int, ...], Integers] = {(): np.ones(len(rows), np.int64)}
    for r in range(width - 1):
        larger = {}
        for chosen in itertools.combinations(range(width), r + 1):
            total = np.zeros(len(rows), np.int64)
            for place, c in enumerate(chosen):
                total += (-1) ** (r + place) * rows[:, r, c] * minors[chosen[:place] + chosen[place + 1 :]]
            larger[chosen] = total
        minors = larger
    every = tuple(range(width))
    normals = np.stack([(-1) ** c * minors[every[:c] + every[c + 1 :]] for c in every], axis=1)
    normals //= np.maximum(np.gcd.reduce(normals, axis=1), 1)[:, None]
    leading = np.take_along_axis(normals, np.argmax(normals != 0, axis=1)[:, None], axis=1)
    return np.where(leading < 0, -normals, normals)
