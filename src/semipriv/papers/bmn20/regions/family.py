"""A_ConstrHalf: the halfspaces that public points span (BMN20 algorithm 1)."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from semipriv.core.arrays import Arrays
from semipriv.core.registry import check_name
from semipriv.core.rows import distinct_rows
from semipriv.core.types import Integers
from semipriv.geometry.hulls import AffineHull, spanned

__all__ = ["LARGEST", "MODES", "Family", "construct"]

MODES = ["facet", "full"]
ARBITRARY = ["spanning", "containing"]
LARGEST = 2**33
"""Largest number of intersections of two or more halfspaces: they may have to be visited one by one."""
_MOST_SUBSETS = 2**21
_MOST_INDICES = 2**62


@dataclass(frozen=True, eq=False)
class Family:
    """An indexed list of closed halfspaces inside the affine hull of the public points; the regions are intersections.

    hull: None without public points.  points: (m, k), the public points in pivot coordinates.  hyperplanes: (t, k + 1)
    distinct rows (w, b) through k of them; halfspace 2 i is {w_i z + b_i >= 0}, halfspace 2 i + 1 its opposite, both
    within the hull.  multiplicity: (t,), how often each of the two stands in the list.  whole: how often the hull
    itself stands in the list, as a halfspace whose boundary holds all of it.  most: J, the largest number of halfspaces
    that are intersected.
    """

    hull: AffineHull | None
    points: Integers
    hyperplanes: Integers
    multiplicity: Integers
    whole: int
    most: int

    def arrays(self) -> Arrays:
        """Return the arrays from which ``of`` restores it."""
        arrays = {"points": self.points, "hyperplanes": self.hyperplanes, "multiplicity": self.multiplicity}
        arrays["sizes"] = np.array([self.whole, self.most])
        if self.hull is not None:
            arrays |= {"pivots": np.array(self.hull.pivots, np.int64), "equations": self.hull.equations}
        return arrays

    @classmethod
    def of(cls, arrays: Arrays) -> "Family":
        """Return the family that has these arrays."""
        hull = None
        if "equations" in arrays:
            equations = arrays["equations"]
            hull = AffineHull(tuple(arrays["pivots"].tolist()), equations, equations.shape[1] - 1)
        whole, most = arrays["sizes"].tolist()
        return cls(hull, arrays["points"], arrays["hyperplanes"], arrays["multiplicity"], whole, most)

    @property
    def count(self) -> int:
        """H, the length of the list."""
        return 2 * int(self.multiplicity.sum()) + self.whole

    @property
    def size(self) -> int:
        """|G| = 1 + sum_{j = 1}^{J} C(H, j): the empty region, and one for each set of 1 to J indices."""
        return 1 + sum(math.comb(self.count, j) for j in range(1, self.most + 1))

    @property
    def distinct(self) -> int:
        """Number of distinct halfspaces, with the hull if it is one of them."""
        return 2 * len(self.hyperplanes) + (self.whole > 0)

    @property
    def visits(self) -> int:
        """Number of intersections of distinct halfspaces, without the empty region."""
        return sum(math.comb(self.distinct, j) for j in range(1, self.most + 1))


def construct(points: Integers, mode: str = "facet", arbitrary: str = "spanning") -> Family:
    """Return the family of A_ConstrHalf for distinct grid points (m, d) in a fixed order.

    mode 'facet' (J = max(k, 1), k the dimension of the hull): for each set of k affinely independent points, both sides
    of the hyperplane of the hull through them.  If all points are equal, the family is the point itself.

    mode 'full' (J = d), the paper's: both sides of one hyperplane for each set of at most d points, the empty set
    included.  If the set does not determine the hyperplane, it goes through the first points that complete the set to k
    independent ones; if the set spans the hull, the hyperplane contains the hull, and both sides are the hull.
    arbitrary = 'containing': in full mode, if k < d, any hyperplane through the whole hull instead; the paper's words
    allow it, its proof does not (docs/findings.md).

    Raises ValueError for other modes, and if the points span too many hyperplanes or |G| is too large to be counted or
    visited, naming the number and its limit.
    """
    check_name("mode", mode, MODES)
    check_name("choice of arbitrary hyperplanes", arbitrary, ARBITRARY)
    m, d = points.shape
    if m == 0:
        return Family(None, np.zeros((0, 0), np.int64), np.zeros((0, 1), np.int64), np.zeros(0, np.int64), 0, 1)
    hull = AffineHull.of(points)
    k, projected = hull.dimension, hull.project(points)
    most = d if mode == "full" else max(k, 1)
    subsets = sum(math.comb(m, i) for i in range(d + 1)) if mode == "full" else math.comb(m, k)
    if subsets > _MOST_SUBSETS:
        raise _too_large(m, d, f"{subsets:.4g} sets of points that span hyperplanes, {_MOST_SUBSETS:,} can be listed")
    if (size := sum(math.comb(2 * subsets, j) for j in range(most + 1))) > _MOST_INDICES:
        raise _too_large(m, d, f"|G| = {size:.4g} hypotheses, {_MOST_INDICES:.4g} can be counted in 64 bits")
    if mode == "facet":
        normals = spanned(projected, _subsets(m, k)) if k else np.zeros((0, 1), np.int64)
        family = _family(hull, projected, normals[np.any(normals[:, :-1] != 0, axis=1)], 0 if k else 1, most)
    elif k == 0 or (k < d and arbitrary == "containing"):
        family = _family(hull, projected, np.zeros((0, k + 1), np.int64), 2 * subsets, most)
    else:
        family = _full(hull, projected, d)
    if most > 1 and family.visits > LARGEST:
        raise _too_large(m, d, f"|G| = {family.visits + 1:.4g} hypotheses, {LARGEST:.4g} can be visited one by one")
    return family


def _too_large(m: int, d: int, excess: str) -> ValueError:
    return ValueError(
        f"public points: {m} in dimension {d} give {excess}; construct from a subset of them (subset), or lower the "
        "dimension"
    )


def _subsets(m: int, size: int) -> np.ndarray:
    """Return all sets of ``size`` of m indices in lexicographic order, (s, size)."""
    flat = itertools.chain.from_iterable(itertools.combinations(range(m), size))
    return np.fromiter(flat, np.intp, math.comb(m, size) * size).reshape(math.comb(m, size), size)


def _family(hull: AffineHull, points: Integers, normals: Integers, whole: int, most: int) -> Family:
    distinct, _, counts = distinct_rows(normals)
    return Family(hull, points, distinct, counts, whole, most)


def _full(hull: AffineHull, points: Integers, ambient: int) -> Family:
    """Return the family with one hyperplane for each set of at most ``ambient`` points: points (m, k), k >= 1."""
    m, k = points.shape
    subsets = _subsets(m, k)
    normals = spanned(points, subsets)
    settled = np.any(normals[:, :-1] != 0, axis=1)
    others = [subset for size in range(ambient + 1) if size != k for subset in _subsets(m, size).tolist()]
    others += subsets[~settled].tolist()
    rows = [[*point, 1] for point in points.tolist()]
    bases = [_independent(rows, [*subset, *range(m)], k + 1) for subset in others]
    completed = [basis[:k] for basis, subset in zip(bases, others, strict=True) if not set(basis) <= set(subset)]
    normals = np.concatenate([normals[settled], spanned(points, np.array(completed, np.intp).reshape(-1, k))])
    return _family(hull, points, normals, 2 * (len(others) - len(completed)), ambient)


def _independent(rows: list[list[int]], order: list[int], count: int) -> list[int]:
    """Return the first ``count`` linearly independent rows in the given order, by elimination in integers."""
    chosen: list[int] = []
    pivots: list[tuple[int, list[int]]] = []
    for i in order:
        row = rows[i]
        for column, pivot in pivots:
            if row[column]:
                a, b = pivot[column], row[column]
                row = [a * v - b * u for u, v in zip(pivot, row, strict=True)]
        if any(row):
            common = math.gcd(*row)
            row = [v // common for v in row]
            pivots.append((next(c for c, v in enumerate(row) if v), row))
            chosen.append(i)
            if len(chosen) == count:
                break
    return chosen
