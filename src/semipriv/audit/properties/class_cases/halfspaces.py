import itertools
from fractions import Fraction

import numpy as np

from semipriv.audit.properties.class_cases import Case, remembered
from semipriv.classes.halfspaces import Halfspaces


def says(h: Halfspaces, parameters: list[float], x: list[float]) -> bool:
    *w, b = map(Fraction, parameters)
    return sum((wj * Fraction(xj) for wj, xj in zip(w, x, strict=True)), b) >= 0


def affine_dependence(points: list[list[Fraction]]) -> list[Fraction] | None:
    """Numbers c, not all zero, with sum c = 0 and sum c x = 0, if there are such; by elimination in rationals."""
    n = len(points)
    rows = [[Fraction(1)] * n, *(list(coordinate) for coordinate in zip(*points, strict=True))]
    pivots: list[int] = []
    for column in range(n):
        rank = len(pivots)
        row = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if row is None:
            solution = [Fraction(0)] * n
            solution[column] = Fraction(1)
            for i, pivot in enumerate(pivots):
                solution[pivot] = -rows[i][column]
            return solution
        rows[rank], rows[row] = rows[row], rows[rank]
        rows[rank] = [v / rows[rank][column] for v in rows[rank]]
        for i in range(len(rows)):
            if i != rank and rows[i][column]:
                factor = rows[i][column]
                rows[i] = [v - factor * u for v, u in zip(rows[i], rows[rank], strict=True)]
        pivots.append(column)
    return None


@remembered
def dichotomies(h: Halfspaces, x: list[list[float]]) -> set[tuple[bool, ...]]:
    """Those in which no two disjoint sets of the points on different sides have convex hulls that meet, in rationals.

    Hulls of the two sides meet iff those of the two parts of some minimal affinely dependent set do (Radon 1921,
    Kirchberger 1903): at most d + 2 points, whose dependence is unique and splits them by its signs.
    """
    points = [[Fraction(v) for v in p] for p in x]
    meeting: list[tuple[int, int]] = []
    supports: list[int] = []
    for size in range(2, h.dimension + 3):
        for chosen in itertools.combinations(range(len(points)), size):
            mask = sum(1 << i for i in chosen)
            if any(known & mask == known for known in supports):
                continue
            dependence = affine_dependence([points[i] for i in chosen])
            if dependence is not None:
                supports.append(mask)
                positive = sum(1 << i for i, c in zip(chosen, dependence, strict=True) if c > 0)
                meeting.append((positive, mask ^ positive))
    everything = (1 << len(points)) - 1

    def separable(pattern: int) -> bool:
        complement = everything ^ pattern
        return not any(
            (p & pattern == p and q & complement == q) or (p & complement == p and q & pattern == q) for p, q in meeting
        )

    return {
        tuple(bool(pattern >> i & 1) for i in range(len(points)))
        for pattern in range(everything + 1)
        if separable(pattern)
    }


def parameters(h: Halfspaces, rng: np.random.Generator, k: int) -> np.ndarray:
    return rng.integers(-3, 4, (k, h.dimension + 1)).astype(float)


CASE = Case(dichotomies, says, parameters)
