"""Points on the faces of arrangements of hyperplanes, exact as integers and then as floating-point numbers.

The points of a hyperplane and the traces of the others on it are an arrangement of one dimension less: its cells are
faces of the whole.  A rounded point is on a face only if evaluation gives 0 there, which takes few digits.
"""

import itertools
from collections.abc import Iterator

import numpy as np

from semipriv.core.types import Bools, Floats, Whole
from semipriv.geometry.arrangements import cell_points, crossings, primitive
from semipriv.geometry.predicates import affine_values, rounding_bound, scaled

__all__ = ["face_points", "on_faces"]


_BLOCK = 4_000_000
_SMALL = 2**16
"""Hyperplanes with coefficients below it are mapped by integers."""
_DIGITS = 32
"""Binary digits of the largest coordinate that a point of a face may be rounded to."""
_NEAR = 64.0
"""How many times the rounding error of one evaluation a rounded point of a face may be off it."""


def face_points(whole: Whole, generators: Bools) -> Iterator[Floats]:
    """Return points (r, d) of the faces of dimension < d in which hyperplanes (k, d + 1) marked as generators meet.

    whole: distinct and ``primitive``.  A face of dimension d - j is a cell of the arrangement inside the intersection
    of j generators; integers keep these arrangements exact.  Points are rounded, to as few digits as their cell allows.
    """
    d = whole.shape[1] - 1
    if d == 1:
        if generators.any():
            yield crossings(whole[generators])[:, None]
        return
    for i in np.flatnonzero(generators):
        linear, constant, scale = _chart(whole[i])
        inside = np.column_stack([whole[:, :-1] @ linear, whole[:, :-1] @ constant + scale * whole[:, -1]])
        inside, place = primitive(inside)
        later = np.zeros(len(inside), bool)
        later[place[(place >= 0) & generators & (np.arange(len(whole)) > i)]] = True
        slopes = np.array([[v / scale for v in row] for row in linear.tolist()])
        start = np.array([v / scale for v in constant.tolist()])
        cells = _few_digits(inside, cell_points(inside)[0])
        for points in itertools.chain([cells], face_points(inside, later)):
            yield points @ slopes.T + start


def _chart(plane: Whole) -> tuple[Whole, Whole, int]:
    """Return integers V (d, d - 1), o (d,), q such that t -> (V t + o) / q maps R^(d - 1) onto {x: a x + c = 0}.

    Small coefficients: with a U = (g, 0, ..., 0) and U unimodular, x = U (-c / g, t).  If the hyperplane has points of
    finitely many binary digits, g is a power of 2 and the map is one to one on them.  Large coefficients: t is x
    without the coordinate of the largest coefficient, for accuracy.
    """
    a, c = plane[:-1], plane[-1]
    if max(abs(v) for v in a) < _SMALL:
        u = _unimodular(a)
        g = int(a @ u[:, 0])
        return u[:, 1:] * g, u[:, 0] * -c, g
    p = int(np.argmax(np.abs(a)))
    linear, constant = np.delete(np.eye(len(a), dtype=object) * a[p], p, axis=1), np.zeros(len(a), object)
    linear[p], constant[p] = -np.delete(a, p), -c
    return linear, constant, a[p]


def _unimodular(a: Whole) -> Whole:
    """Return integers U (d, d) of determinant +-1 with a U = (g, 0, ..., 0), by Euclid's algorithm on the columns."""
    u, left = np.eye(len(a), dtype=object), a.copy()
    while True:
        places = np.flatnonzero(left)
        p = int(places[np.argmin(np.abs(left[places]))])
        if len(places) == 1:
            return np.column_stack([u[:, p], np.delete(u, p, axis=1)])
        for j in places:
            if j != p:
                u[:, j] -= left[j] // left[p] * u[:, p]
                left[j] %= left[p]


def _few_digits(whole: Whole, points: Floats) -> Floats:
    """Return points (r, d), each moved to a point of fewer digits in the same cell of the hyperplanes (k, d + 1)."""
    if len(whole) == 0 or len(points) == 0:
        return points
    floats, bits = scaled(whole)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        y = np.ldexp(points, bits[:-1] - bits[-1])
        planes = _around(floats, y[:, 0]) if y.shape[1] == 1 else floats
        sides = affine_values(planes, y.T) > 0
        step = np.ldexp(1.0, np.frexp(np.abs(y).max(axis=1, keepdims=True))[1])
        fewer, left = y.copy(), np.ones(len(y), bool)
        for digits in range(0, _DIGITS, 2):
            tried = np.rint(y * 2.0**digits / step) * step / 2.0**digits
            value = affine_values(planes, tried.T)
            sure = (value > 0) == sides
            sure &= np.abs(value) > rounding_bound(planes, tried.T)
            fits = left & np.all(sure.reshape(-1, len(y)), axis=0)
            fewer[fits], left = tried[fits], left & ~fits
        return np.ldexp(fewer, bits[-1] - bits[:-1])


def _around(planes: Floats, y: Floats) -> Floats:
    """Return for numbers y (r,) the rows (a, c) of (k, 2) whose ends -c / a are next below and above them: (2, 2, r).

    On the line a number that is certainly between these two is certainly in its cell.
    """
    ends = -planes[:, 1] / planes[:, 0]
    order = np.argsort(ends, kind="stable")
    above = np.searchsorted(ends[order], y)
    last = len(ends) - 1
    return np.stack([planes[order[np.maximum(above - 1, 0)]].T, planes[order[np.minimum(above, last)]].T])


def on_faces(planes: Floats, points: Floats) -> Floats:
    """Return points (r, d) near faces of the hyperplanes (k, d + 1), moved onto them in floating point: (s, d), s >= r.

    On a face, all ``affine_values`` that rounding may have made non-zero are zero, and the others are certain.  The
    point with fewer digits, the point itself and its neighbours are tried.  If none is on a face, the first two are
    kept: another hyperplane may pass too near to tell.
    """
    d = points.shape[1]
    kept = [np.zeros((0, d))]
    finite = points[np.all(np.isfinite(points), axis=1)]
    with np.errstate(over="ignore", invalid="ignore"):
        for block in np.array_split(finite, 1 + len(finite) * len(planes) // _BLOCK):
            kept += _moved(planes, block)
    return np.concatenate(kept)


def _moved(planes: Floats, x: Floats) -> Iterator[Floats]:
    """Return the finite points x (r, d) that each way of moving brings ``on_faces``, and those that none brings."""
    on = ~(np.abs(affine_values(planes, x.T)) > _NEAR * rounding_bound(planes, x.T))
    plane, point = np.nonzero(on)  # few: the hyperplanes that should be zero are tried first
    left = np.ones(len(x), bool)
    shifts = sorted(itertools.product((0, 1, -1), repeat=x.shape[1]), key=lambda shift: sum(map(abs, shift)))
    for shift in (None, *shifts):
        tried = _rounded(x) if shift is None else x + np.array(shift) * np.spacing(x)
        near = _of_pairs(planes[plane], tried[point])
        fits = left.copy()
        fits[point[near != 0]] = False
        (some,) = np.nonzero(fits)
        certain = np.abs(affine_values(planes, tried[some].T)) > rounding_bound(planes, tried[some].T)
        fits[some] = np.all(on[:, some] | certain, axis=0)
        yield tried[fits]
        left &= ~fits
    yield _rounded(x[left])
    yield x[left]


def _of_pairs(planes: Floats, points: Floats) -> Floats:
    """Return ``affine_values`` of the i-th hyperplane at the i-th point: (e, d + 1), (e, d) -> (e,)."""
    return affine_values(planes.T[None], points.T)[0, 0]


def _rounded(x: Floats) -> Floats:
    """Return points (r, d) without the last 8 bits of their largest coordinate."""
    step = np.spacing(np.abs(x).max(axis=1, initial=0.0, keepdims=True)) * 2.0**8
    return np.rint(x / step) * step
