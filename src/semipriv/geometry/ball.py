"""Least squares over the unit ball: one eigendecomposition for any number of linear terms."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.types import Bools, Floats

_UNIT = 2.0**-52
_ROUNDS = 100
"""Most steps of Newton; it converges quadratically, and 60 steps were never needed."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """A symmetric matrix A = V diag(a) V^T without negative eigenvalues: values a (p,) rising, vectors V (p, p)."""

    values: Floats
    vectors: Floats

    @classmethod
    def of(cls, matrix: ArrayLike) -> "Spectrum":
        """Return the spectrum of a symmetric matrix (p, p); eigenvalues that rounding made negative become 0."""
        values, vectors = np.linalg.eigh(np.asarray(matrix, np.float64))
        return cls(np.maximum(values, 0.0), vectors)

    @property
    def flat(self) -> Bools:
        """Whether each eigenvalue may be rounding alone, (p,): at most 64 p u times the largest, u = 2^-52."""
        return self.values <= _noise(len(self.values)) * self.values.max(initial=0.0)

    def in_range(self, linear: ArrayLike) -> Floats:
        """Return b without what rounding put outside the range of A, for a b that is in it except for rounding."""
        kept = self.vectors[:, ~self.flat]
        return np.asarray(np.asarray(linear) @ kept @ kept.T)


def minimisers(spectrum: Spectrum, linear: ArrayLike) -> Floats:
    """Return for each b the w with ||w|| <= 1 that minimises w^T A w - 2 b^T w: (k, p) -> (k, p), or (p,) -> (p,).

    w = (A + nu I)^-1 b with nu = 0 if that lies in the ball, else with the nu > 0 for which ||w|| = 1.  Newton's method
    on 1/||w(nu)|| - 1, which is concave and rises in nu, starts below its root at max(0, max_i |c_i| - a_i), c = V^T b,
    and rises to it.  Among several minimisers it is the shortest.  A function of A and b alone.
    """
    rows = np.atleast_2d(np.asarray(linear, np.float64))
    turned = rows @ spectrum.vectors
    size = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    turned[(np.abs(turned) <= _noise(len(turned.T)) * size) & spectrum.flat] = 0.0  # not of b: the shortest has none
    minima = _within(spectrum.values, turned) @ spectrum.vectors.T
    return minima if np.ndim(linear) == 2 else minima[0]


def _within(values: Floats, turned: Floats) -> Floats:
    """Return the minimisers in the eigenvectors' coordinates: (p,), (k, p) -> (k, p)."""
    shift = np.maximum(0.0, (np.abs(turned) - values).max(axis=1, initial=0.0))
    points = _divided(turned, values + shift[:, None])
    square = (points * points).sum(axis=1)
    rest = np.flatnonzero(square > 1.0)
    for _ in range(_ROUNDS):
        if not len(rest):
            break
        w, norm = points[rest], np.sqrt(square[rest])
        slope = _divided(w * w, values + shift[rest, None]).sum(axis=1)  # -d ||w||^2 / d nu / 2
        step = norm * norm * (norm - 1.0) / slope
        moved = shift[rest] + step
        rising = moved > shift[rest]
        rest = rest[rising]
        shift[rest] = moved[rising]
        points[rest] = _divided(turned[rest], values + shift[rest, None])
        square[rest] = (points[rest] * points[rest]).sum(axis=1)
        rest = rest[square[rest] > 1.0 + 4 * _UNIT]
    return points / np.maximum(1.0, np.sqrt(square))[:, None]


def _noise(p: int) -> float:
    """Return how large rounding may be beside the numbers that it comes from."""
    return 64 * p * _UNIT


def _divided(numbers: Floats, by: Floats) -> Floats:
    """Return numbers / by, and 0 for 0 / 0."""
    return np.divide(numbers, by, out=np.zeros_like(numbers), where=numbers != 0)
