"""How far halfspaces in the plane can differ that agree on random points."""

import numpy as np

from semipriv.core.types import Floats

PLACES = 2000
"""Points of the square, fixed, by which areas are measured."""


def largest_disagreements(m: int, draws: int, generator: np.random.Generator) -> Floats:
    """Draw the largest area on which two halfspaces differ that label m uniform points as x > 1/2 does, (draws,).

    Among lines through two of the points that have all points of one label on one closed side.  Such lines are the ends
    of the set of all lines that keep the labels.
    """
    places = np.random.default_rng(0).random((PLACES, 2))
    return np.array([_widest(generator.random((m, 2)), places) for _ in range(draws)])


def _widest(points: Floats, places: Floats) -> float:
    positives = points[:, 0] > 0.5
    normals, offsets = separating_lines(points[positives], points[~positives])
    sides = (normals @ places.T > offsets[:, None]).astype(np.float32)
    both = sides @ sides.T
    sizes = np.diag(both)
    return float((sizes[:, None] + sizes - 2 * both).max() / len(places)) if len(sizes) else 0.0


def separating_lines(positives: Floats, negatives: Floats) -> tuple[Floats, Floats]:
    """Return lines through two points with all ones at n x >= c and all zeros at n x <= c: normals (k, 2), c (k,).

    Both points may have one label.  Points on a line can be given either label by a small turn or shift.
    """
    every = np.concatenate([_facing(positives, 1.0), _facing(negatives, -1.0)])
    first, second = np.triu_indices(len(every), 1)
    along = every[second] - every[first]
    normals = np.stack([-along[:, 1], along[:, 0]], axis=1)
    normals *= np.where(normals[:, :1] < 0, -1.0, 1.0)
    offsets = np.einsum("ij,ij->i", normals, every[first])
    slack = 1e-12
    above = (normals @ positives.T).min(axis=1, initial=np.inf) >= offsets - slack
    below = (normals @ negatives.T).max(axis=1, initial=-np.inf) <= offsets + slack
    kept = above & below
    return normals[kept], offsets[kept]


def _facing(points: Floats, side: float) -> Floats:
    """Return the points on the convex hull's half that faces the other label: left for ones, right for zeros.

    Those are the ones that can be first, as a line with x to its right moves over the points.
    """
    order = points[np.argsort(points[:, 1], kind="stable")]
    hull: list[Floats] = []
    for p in order:
        while len(hull) > 1 and side * _turn(hull[-2], hull[-1], p) >= 0:
            hull.pop()
        hull.append(p)
    return np.array(hull).reshape(-1, 2)


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
