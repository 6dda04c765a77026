"""Hyperplanes between two sets of points: the widest by a linear program, and an exact proof that there is one."""

import numpy as np
import scipy

from semipriv.core.types import Bools, Floats
from semipriv.geometry.predicates import integers, scaled


def widest(points: Floats, inside: Bools) -> Floats:
    """Return the direction in [-1, 1]^d that separates a dichotomy (n,) of points (n, d) the farthest; 0 if none."""
    d = points.shape[1]
    sign = np.where(inside, -1.0, 1.0)[:, None]
    rows = np.column_stack([sign * points, sign, np.ones(len(inside))])
    bounds = [(-1, 1)] * d + [(None, None), (None, 1)]
    solution = scipy.optimize.linprog(np.eye(d + 2)[-1] * -1, rows, np.zeros(len(rows)), bounds=bounds)
    return np.zeros(d) if solution.x is None else np.asarray(solution.x[:d])


def separated(points: Floats, inside: Bools) -> bool:
    """Tell whether the widest direction separates a dichotomy (n,) of points (n, d), by integers: no is no proof.

    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> [separated(square, np.array([True, False, False, diagonal])) for diagonal in (False, True)]
    [True, False]
    """
    if inside.all() or not inside.any():
        return True
    whole, _ = integers(points)
    relative = whole - whole[0]
    floats, bits = scaled(relative)
    direction = integers(widest(floats, inside)[:, None])[0][:, 0]
    stretched = [w << int(bits.max() - b) for w, b in zip(direction, bits, strict=True)]
    value = relative @ np.array(stretched, object)
    return bool(min(value[inside]) > max(value[~inside]))
