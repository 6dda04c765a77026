"""Oracles for the combinatorial claims of BMN20: few integer points, sets of them as bits of 64-bit words.

They share no code with ``geometry`` and ``regions``.  Dichotomies come from moving hyperplanes onto points; the hull of
a set is what no halfspace separates from it; histograms list index sets; empty intersections have multipliers (Farkas).
"""

import itertools
import math

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.rows import distinct_numbers
from semipriv.core.types import Bools, Integers

__all__ = [
    "affine_basis",
    "certificates",
    "dichotomies",
    "examine",
    "histogram",
    "independent_sets",
    "mistakes",
    "witness",
    "word",
]


def word(flags: Bools) -> int:
    """Return the word whose bit i is set iff flags[i] is: (n,) bool, n <= 62.

    >>> word(np.array([True, False, True]))
    5
    """
    return sum(1 << i for i in np.flatnonzero(flags).tolist())


# ---------------------------------------------------------------------------------------------------- dichotomies
def dichotomies(points: Integers) -> Integers:
    """Return all intersections of n <= 62 distinct integer points (n, d), d <= 3, with halfspaces, as increasing words.

    A halfspace can be moved until points span its boundary.  Points strictly inside or outside stay so; a halfspace of
    the boundary cuts the points on it.

    >>> dichotomies(np.array([[0], [2], [1]])).tolist()
    [0, 1, 2, 5, 6, 7]
    """
    n, d = points.shape
    if n == 0:
        return np.zeros(1, np.int64)
    padded = np.zeros((n, 3), np.int64)
    padded[:, :d] = points
    return distinct_numbers(_cuts(padded))


@njit(cache=True)
def _cross(points: Integers, a: int, b: int, c: int) -> tuple[int, int, int]:
    """Return (b - a) x (c - a)."""
    u0, u1, u2 = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    v0, v1, v2 = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    return u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0


@njit(cache=True)
def _split(points: Integers, subset: int, normal: tuple[int, int, int], a: int) -> tuple[int, int, int]:
    """Return the points of a subset above, below and on the plane through point a with that normal."""
    above, below, on = 0, 0, 0
    for i in range(len(points)):
        if subset >> i & 1:
            s = 0
            for j in range(3):
                s += normal[j] * (points[i, j] - points[a, j])
            if s > 0:
                above |= 1 << i
            elif s < 0:
                below |= 1 << i
            else:
                on |= 1 << i
    return above, below, on


@njit(cache=True)
def _line_cuts(points: Integers, subset: int, cuts: list[int], above: int, below: int) -> None:
    """Append above | c and below | c for all cuts c of collinear points: prefixes and suffixes lexicographically."""
    prefix = 0
    while True:
        cuts.append(above | prefix)
        cuts.append(below | prefix)
        cuts.append(above | (subset ^ prefix))
        cuts.append(below | (subset ^ prefix))
        if prefix == subset:
            return
        least = -1
        for i in range(len(points)):
            if (subset ^ prefix) >> i & 1:
                if least < 0:
                    least = i
                    continue
                for j in range(3):
                    if points[i, j] != points[least, j]:
                        if points[i, j] < points[least, j]:
                            least = i
                        break
        prefix |= 1 << least


@njit(cache=True)
def _plane_cuts(
    points: Integers, subset: int, normal: tuple[int, int, int], cuts: list[int], above: int, below: int
) -> None:
    """Append above | c and below | c for all cuts c of points in a plane with that normal, not all on a line."""
    n = len(points)
    for whole in (0, subset):
        cuts.append(above | whole)
        cuts.append(below | whole)
    for a in range(n):
        for b in range(a + 1, n):
            if subset >> a & 1 and subset >> b & 1:
                u0, u1, u2 = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
                w0, w1, w2 = normal
                across = (w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0)
                left, right, on = _split(points, subset, across, a)
                _line_cuts(points, on, cuts, above | left, below | left)
                _line_cuts(points, on, cuts, above | right, below | right)


@njit(cache=True)
def _cuts(points: Integers) -> Integers:
    """Return all cuts of points (n, 3), with repetitions."""
    n = len(points)
    everyone = (1 << n) - 1
    cuts = [0]
    flat, spread, normal = True, False, (0, 0, 0)
    nothing = np.int64(0)  # of a constant, functions would be compiled twice
    for a in range(n):
        for b in range(a + 1, n):
            for c in range(b + 1, n):
                w = _cross(points, a, b, c)
                if w[0] == 0 and w[1] == 0 and w[2] == 0:
                    continue
                flat, normal = False, w
                above, below, on = _split(points, everyone, w, a)
                if above | below:
                    spread = True
                    _plane_cuts(points, on, w, cuts, above, below)
    if flat:
        _line_cuts(points, everyone, cuts, nothing, nothing)
    elif not spread:
        _plane_cuts(points, everyone, normal, cuts, nothing, nothing)
    cuts.append(everyone)
    return np.array(cuts)


def mistakes(words: Integers, negatives: Integers, positives: Integers) -> Integers:
    """Return the mistakes of hypotheses that are 1 on exactly the points of words (k,): (k,).

    negatives, positives: (n,) numbers of examples with each label at each point.

    >>> mistakes(np.array([0b01, 0b11]), np.array([0, 2]), np.array([1, 1])).tolist()
    [1, 2]
    """
    inside = words[:, None] >> np.arange(len(negatives)) & 1
    return np.asarray(positives.sum() + inside @ (negatives - positives))


# ---------------------------------------------------------------------------------------------------- intersections
@njit(cache=True)
def witness(target: int, kept: int, hull: int, members: Integers, most: int) -> Integers:
    """Return the fewest members that contain ``kept`` and whose intersection in the hull misses ``target``.

    There are 1 to ``most`` <= 3 of them.  Returns their indices in increasing order, of the first such set; no index if
    there is no such set.
    """
    usable = np.array([i for i in range(len(members)) if members[i] & kept == kept], np.int64)
    bad = target & hull
    f = len(usable)
    for i in range(f):
        if bad & members[usable[i]] == 0:
            return usable[i : i + 1]
    if most >= 2:
        for i in range(f):
            for j in range(i + 1, f):
                if bad & members[usable[i]] & members[usable[j]] == 0:
                    return np.array([usable[i], usable[j]])
    if most >= 3:
        for i in range(f):
            for j in range(i + 1, f):
                both = bad & members[usable[i]] & members[usable[j]]
                for k in range(j + 1, f):
                    if both & members[usable[k]] == 0:
                        return np.array([usable[i], usable[j], usable[k]])
    return usable[:0]


@njit(cache=True)
def examine(words: Integers, public: int, hull: int, members: Integers, most: int) -> Integers:
    """Decide observation 4.2 and corollary 4.4 for every halfspace h whose T = public without h is not empty.

    words: all dichotomies of the points; members, hull: the family, as sets of points.  Returns counts of h, (6,): all
    of them; those for which conv(T) is not the intersection of the hull and the members that contain T; those without
    ``most`` members that serve for corollary 4.4; those that need 1, 2 and 3 members.
    """
    result = np.zeros(6, np.int64)
    for h in words:
        kept = public & ~h
        if kept == 0:
            continue
        result[0] += 1
        inside = hull
        for member in members:
            if member & kept == kept:
                inside &= member
        convex = -1
        for other in words:
            if other & kept == kept:
                convex &= other
        result[1] += inside != convex or inside & h != 0
        needed = len(witness(h, kept, hull, members, most))
        if needed == 0:
            result[2] += 1
        else:
            result[2 + needed] += 1
    return result


@njit(cache=True)
def histogram(listed: Integers, hull: int, most: int, negatives: Integers, positives: Integers) -> Integers:
    """Count the mistakes of the empty region and of each index set of 1 to ``most`` <= 3 listed sets.

    negatives, positives: (n,) public and private examples at each point.  A region is wrong on the negatives outside
    and the positives inside it.  Returns how many regions make each number of mistakes.
    """
    counts = np.zeros(negatives.sum() + positives.sum() + 1, np.int64)
    counts[negatives.sum()] += 1
    f = len(listed)
    for i in range(f):
        inside = listed[i] & hull
        counts[_mistakes(inside, negatives, positives)] += 1
        if most >= 2:
            for j in range(i + 1, f):
                two = inside & listed[j]
                counts[_mistakes(two, negatives, positives)] += 1
                if most >= 3:
                    for k in range(j + 1, f):
                        counts[_mistakes(two & listed[k], negatives, positives)] += 1
    return counts


@njit(cache=True)
def _mistakes(region: int, negatives: Integers, positives: Integers) -> int:
    total = 0
    for i in range(len(negatives)):
        total += positives[i] if region >> i & 1 else negatives[i]
    return total


# ---------------------------------------------------------------------------------------------------- Helly
def affine_basis(points: Integers) -> list[int]:
    """Return the first affinely independent rows of integer points (m, d), by elimination in integers."""
    chosen: list[int] = []
    reduced: list[tuple[int, list[int]]] = []
    for i, point in enumerate(points.tolist()):
        row = [*point, 1]
        for column, other in reduced:
            row = [other[column] * a - row[column] * b for a, b in zip(row, other, strict=True)]
        column = next((c for c, v in enumerate(row) if v), -1)
        if column >= 0:
            reduced.append((column, row))
            chosen.append(i)
    return chosen


def independent_sets(points: Integers) -> tuple[int, int]:
    """Return the dimension k <= 3 of the hull of distinct points (m, d), and how many sets of k are independent.

    >>> independent_sets(np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]]))
    (3, 9)
    """
    m, k = len(points), len(affine_basis(points)) - 1
    if k < 3:  # distinct points and pairs of them are independent
        return k, math.comb(m, k)
    a, b, c = np.array(list(itertools.combinations(range(m), 3))).T
    normals = np.cross(points[b] - points[a], points[c] - points[a])
    return k, int(np.count_nonzero(np.any(normals != 0, axis=1)))


def certificates(members: Integers, halfspaces: list[list[int]]) -> list[tuple[int, ...] | None]:
    """Return k members whose intersection misses h within their k-dimensional space, or None, for each halfspace h.

    h is closed.  A member is the set {f_i >= 0} of an affine function.  members: (f, k + 1) values of the functions at
    k + 1 affinely independent points; halfspaces: the same for each h.  The members' normals must span the space.  By
    Farkas' lemma k members miss h iff sum_i l_i f_i + f_h is a negative constant for some l >= 0.  By Caratheodory's,
    if any members miss h, some k of independent normals do.  Found in floats, decided in integers.
    """
    f, width = members.shape
    chosen = list(itertools.combinations(range(f), width - 1))
    subsets = np.array(chosen, np.intp).reshape(len(chosen), width - 1)
    systems = np.ones((len(subsets), width, width))
    systems[:, :, : width - 1] = np.swapaxes(members[subsets], 1, 2)
    systems /= np.abs(systems).max(axis=1, keepdims=True).clip(1.0)
    regular = np.abs(np.linalg.det(systems)) > 1e-12
    inverse = np.zeros_like(systems)
    inverse[regular] = np.linalg.inv(systems[regular])
    smallest: list[tuple[int, ...] | None] = []
    for target in halfspaces:
        size = max(map(abs, target)) or 1
        least = np.where(regular, (inverse @ np.array([-v / size for v in target])).min(axis=1), -np.inf)
        candidates = (chosen[i] for i in np.argsort(-least, kind="stable"))
        smallest.append(next((s for s in candidates if _empty(members[list(s)], target)), None))
    return smallest


def alone(members: Integers, target: list[int]) -> bool:
    """Return whether h has no point in common with some single member, in the arguments of ``certificates``.

    That is so iff l f_i + f_h is a negative constant for some l >= 0: l is found from the first values that differ.
    """
    for row in members.tolist():
        differences = [(a - row[0], b - target[0]) for a, b in zip(row, target, strict=True)]
        a, b = next(((a, b) for a, b in differences if a), (1, 0))
        if a < 0:
            a, b = -a, -b
        if b <= 0 and all(a * y == b * x for x, y in differences) and a * target[0] - b * row[0] < 0:
            return True
    return False


def _empty(members: Integers, target: list[int]) -> bool:
    """Return whether the only solution of sum_i l_i f_i + c = -f_h has l >= 0 and c > 0, by elimination in integers."""
    rows = [[*column, 1, -v] for column, v in zip(members.T.tolist(), target, strict=True)]
    n = len(rows)
    for c in range(n):
        pivot = next((r for r in range(c, n) if rows[r][c] != 0), None)
        if pivot is None:
            return False
        rows[c], rows[pivot] = rows[pivot], rows[c]
        for r in range(n):
            if r != c and rows[r][c] != 0:
                rows[r] = [rows[c][c] * a - rows[r][c] * b for a, b in zip(rows[r], rows[c], strict=True)]
    *others, constant = (row[-1] * row[i] for i, row in enumerate(rows))
    return all(sign >= 0 for sign in others) and constant > 0
