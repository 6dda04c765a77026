from collections.abc import Iterator

import numpy as np

from semipriv.audit.properties.class_cases import (
    Case,
    halfspaces,
    real_candidates,
    real_domain_points,
    real_many_points,
    remembered,
)
from semipriv.classes.halfspace_intersections import HalfspaceIntersections
from semipriv.classes.halfspaces import Halfspaces


def says(h: HalfspaceIntersections, parameters: list[float], x: list[float]) -> bool:
    step, halfspaces_of = h.dimension + 1, Halfspaces(h.dimension)
    return all(halfspaces.says(halfspaces_of, parameters[i : i + step], x) for i in range(0, h.k * step, step))


@remembered
def dichotomies(h: HalfspaceIntersections, x: list[list[float]]) -> set[tuple[bool, ...]]:
    """Intersections of those of halfspaces, as sets of bits."""
    single = halfspaces.dichotomies(Halfspaces(h.dimension), x)
    codes = {sum(1 << i for i, inside in enumerate(row) if inside) for row in single}
    patterns = set(codes)
    for _ in range(h.k - 1):
        patterns |= {a & b for a in patterns for b in codes}
    return {tuple(bool(code >> i & 1) for i in range(len(x))) for code in patterns}


def parameters(h: HalfspaceIntersections, rng: np.random.Generator, r: int) -> np.ndarray:
    """Every third of one halfspace only."""
    theta = rng.integers(-3, 4, (r, h.k, h.dimension + 1)).astype(float)
    theta[::3, 1:] = np.append(np.zeros(h.dimension), 1.0)
    return theta.reshape(r, -1)


def many_points(h: HalfspaceIntersections, rng: np.random.Generator, n: int) -> np.ndarray:
    """Of those whose cover is to be listed, at most 12 distinct ones where it would be large."""
    points = real_many_points(h, rng, n)
    return points[rng.integers(0, 12, n)] if n == 30 and h.k * h.dimension > 4 else points


def candidates(h: HalfspaceIntersections, size: int) -> Iterator[list[list[float]]]:
    """Points of the moment curve first, then any."""
    t = np.arange(float(size))[:, None]
    yield (t ** np.arange(1, h.dimension + 1)).tolist()
    yield from list(real_candidates(h, size))[:20]


def dual_hypotheses(h: HalfspaceIntersections) -> np.ndarray:
    """Coordinate halfspaces for k = 1, else two overlapping slabs of each coordinate; and some others."""
    d, rows = h.dimension, []
    for axis in np.eye(d):
        for low, high in ((-2, 0), (-1, 1)):
            theta = np.tile(np.append(np.zeros(d), 1.0), (h.k, 1))
            theta[0] = [*axis, -low]
            if h.k > 1:
                theta[1] = [*-axis, high]
            rows.append(theta.ravel())
    return np.concatenate([rows, parameters(h, np.random.default_rng(4), 14 - 2 * d)])


PLANE_AND_SPACE = tuple(HalfspaceIntersections(*size) for size in ((2, 2), (2, 3), (3, 2)))
"""Without a known dual VC dimension: the properties that need it are left out, by the unit tests of the class."""
CASE = Case(
    dichotomies,
    says,
    parameters,
    domain_points=real_domain_points,
    many_points=many_points,
    candidates=candidates,
    dual_hypotheses=dual_hypotheses,
)
