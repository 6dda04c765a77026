"""Halfspaces of the line and of the plane."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv import checks
from semipriv.classes.base import HypothesisClass, Minimum, Parameters, Predictions, Rays, cell_representative
from semipriv.geometry.halfplanes import separators, splits
from semipriv.samples import Labels, Points, as_points, distinct

__all__ = ["Halfspaces"]


@dataclass(frozen=True)
class Halfspaces(HypothesisClass):
    """h(x) = 1[w_1 x_1 + ... + w_d x_d + b >= 0] in dimension d = 1 or 2; parameters (w_1, ..., w_d, b).

    All-zero w with b >= 0 is everywhere 1, with b < 0 everywhere 0.  VC dimension d + 1, dual VC dimension d, infinite
    Littlestone dimension, growth 2 sum_{i <= d} C(m - 1, i).

    Parameters are double-precision numbers and predictions their floating-point evaluation.  Which dichotomies occur is
    decided exactly; of points on one line up to rounding, those that only a finer halfspace separates are left out.
    """

    dimension: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", checks.size("dimension", self.dimension))
        if self.dimension not in (1, 2):
            raise ValueError(f"dimension = {self.dimension!r}: halfspaces are implemented for dimension 1 and 2")

    @property
    def vc_dimension(self) -> int:
        """d + 1."""
        return self.dimension + 1

    @property
    def dual_vc_dimension(self) -> int:
        """d: k hyperplanes cut R^d into all 2^k sign patterns iff k <= d (they make at most sum_{i <= d} C(k, i))."""
        return self.dimension

    @property
    def littlestone_dimension(self) -> float:
        """Infinite."""
        return math.inf

    def growth(self, m: int) -> int:
        """2 sum_{i <= d} C(m - 1, i) (Cover 1965); 1 for no point."""
        return 2 * sum(math.comb(m - 1, i) for i in range(self.dimension + 1)) if m else 1

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """(k, d + 1), (n, d) -> (k, n) bool.

        Terms are added one coordinate at a time, so that a prediction depends on its own example alone and not, as in
        a matrix product, on how the examples are blocked.
        """
        theta = np.asarray(parameters, np.float64).reshape(-1, self.dimension + 1)
        columns = np.ascontiguousarray(as_points(points, self.dimension).T)
        with np.errstate(over="ignore"):  # an infinite sum has the right sign
            value = theta[:, :1] * columns[0]
            for j in range(1, self.dimension):
                value += theta[:, j : j + 1] * columns[j]
            value += theta[:, -1:]
        return np.asarray(value >= 0)

    def _representatives(self, points: Points, representative: str) -> Parameters:
        one, zero = [0.0] * self.dimension + [1.0], [0.0] * self.dimension + [-1.0]
        if len(points) == 0:
            return np.array([one])
        if self.dimension == 1:
            x = points[:, 0]
            cut = cell_representative(x[:-1], x[1:], representative, open_low=True)
            below = cell_representative(x[:-1], x[1:], representative, open_low=False)
            ones = np.ones_like(cut)
            inner = np.concatenate([np.column_stack([ones, -cut]), np.column_stack([-ones, below])])
            return np.concatenate([[one, zero], inner])
        parts: list[Parameters] = [np.array([one, zero])]
        for a, b, inside in splits(points):
            theta = separators(points, a, b, inside)
            parts += [theta[self._realised(points, theta, inside)], -theta[self._realised(points, -theta, ~inside)]]
        return np.concatenate(parts)

    def _realised(self, points: Points, theta: Parameters, inside: Predictions) -> NDArray[np.bool_]:
        """Whether each row predicts its dichotomy in floating point, as everybody will who evaluates it."""
        return np.asarray(np.all(self.predict(theta, points) == inside, axis=1))

    def _minimise(self, points: Points, labels: Labels, weights: NDArray[np.float64]) -> Minimum:
        """Exact over all dichotomies of the examples; only the best one is given a representative."""
        x = distinct(points)
        if self.dimension == 1 or len(x) < 2:
            return super()._minimise(points, labels, weights)
        signed = np.where(labels == 1, -weights, weights)
        place = {row.tobytes(): i for i, row in enumerate(x)}
        cost = np.bincount([place[row.tobytes()] for row in points], weights=signed, minlength=len(x))
        total = float(cost.sum())
        best, parameters = min(
            ((total, np.array([0.0, 0.0, 1.0])), (0.0, np.array([0.0, 0.0, -1.0]))), key=lambda pair: pair[0]
        )
        for a, b, inside in splits(x):
            value = inside.astype(np.float64) @ cost
            for sign, values, wanted in ((1.0, value, inside), (-1.0, total - value, ~inside)):
                for i in np.argsort(values, kind="stable"):
                    if not values[i] < best:
                        break
                    theta = sign * separators(x, a[i : i + 1], b[i : i + 1], inside[i : i + 1])
                    if self._realised(x, theta, wanted[i : i + 1])[0]:
                        best, parameters = float(values[i]), theta[0]
        return Minimum(parameters, best + float(weights[labels == 1].sum()))

    def positive_rays(self, parameters: Parameters) -> Rays | None:
        """On the line: {x >= -b / w} or {x <= -b / w}; the whole line and the empty set as rays from -infinity."""
        if self.dimension != 1:
            return None
        w, b = parameters[:, 0], parameters[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.where(w == 0, np.where(b >= 0, -np.inf, np.inf), -b / w)
        return Rays(np.zeros(len(w), np.intp), ends, w >= 0, np.ones(len(w), bool))
