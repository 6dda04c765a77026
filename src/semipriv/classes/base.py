"""What every hypothesis class offers: cover, predictions, mistakes, exact ERM, combinatorial dimensions."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.samples import Labels, Points, as_labels, as_points, distinct

Parameters = NDArray[np.float64]
"""(k, p) float64: k hypotheses of p parameters each."""
Predictions = NDArray[np.bool_]

REPRESENTATIVES = ("midpoint", "lower", "upper")
_BLOCK = 4_000_000
_CACHE, _CHUNK = 32_768, 2_048
"""Predictions and examples handled at once where all hypotheses meet all examples: what fits a cache."""


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One hypothesis: its class and parameters (p,)."""

    hypothesis_class: "HypothesisClass"
    parameters: NDArray[np.float64]

    def predict(self, points: ArrayLike) -> Predictions:
        """Predictions of (n, d) points, (n,) bool."""
        return self.hypothesis_class.predict(self.parameters[None], points)[0]


@dataclass(frozen=True, eq=False)
class Cover:
    """One hypothesis of the class for each dichotomy of the distinct public points.  ABM19 algorithm 1, steps 1-5.

    points: (m, d) distinct public points, sorted; parameters: (k, p), one row a dichotomy, in a fixed order that
    depends on the public points alone.
    """

    hypothesis_class: "HypothesisClass"
    points: Points
    parameters: Parameters

    def __len__(self) -> int:
        return len(self.parameters)

    def __getitem__(self, index: int) -> Hypothesis:
        return Hypothesis(self.hypothesis_class, self.parameters[index])

    def dichotomies(self) -> Predictions:
        """The dichotomies of the public points, (k, m) bool."""
        return self.hypothesis_class.predict(self.parameters, self.points)

    def mistakes(self, points: ArrayLike, labels: ArrayLike) -> NDArray[np.int64]:
        """Number of labelled examples that each hypothesis gets wrong: (n, d), (n,) -> (k,) int64."""
        x = as_points(points, self.hypothesis_class.dimension)
        return self.hypothesis_class.mistakes(self.parameters, x, as_labels(labels, len(x)))


@dataclass(frozen=True, eq=False)
class Minimum:
    """An empirical risk minimiser: parameters (p,), and the weighted number of mistakes it attains."""

    parameters: NDArray[np.float64]
    value: float


@dataclass(frozen=True)
class HypothesisClass(ABC):
    """A class of functions from R^dimension to {0, 1}, with exact combinatorics."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of features of a point."""

    # ------------------------------------------------------------------ combinatorial dimensions
    @property
    @abstractmethod
    def vc_dimension(self) -> int:
        """Largest number of points on which all dichotomies occur."""

    @property
    @abstractmethod
    def dual_vc_dimension(self) -> int:
        """VC dimension of the points as functions on the hypotheses."""

    @property
    @abstractmethod
    def littlestone_dimension(self) -> float:
        """Depth of the largest shattered mistake tree; math.inf where there is no bound."""

    @abstractmethod
    def growth(self, m: int) -> int:
        """Largest number of dichotomies of m points."""

    # ------------------------------------------------------------------ hypotheses
    @abstractmethod
    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Predictions: (k, p), (n, d) -> (k, n) bool."""

    @abstractmethod
    def _representatives(self, points: Points, representative: str) -> Parameters:
        """Parameters (k, p), one row for each dichotomy of the distinct sorted points (m, d)."""

    def cover(self, points: ArrayLike, representative: str = "midpoint") -> Cover:
        """One representative for each dichotomy of the distinct public points.

        points: (m, d); none is legal (one dichotomy).  representative: where in its cell of parameters the
        representative lies: 'midpoint', 'lower' or 'upper'.  Raises ValueError for other words or non-finite points.
        """
        if representative not in REPRESENTATIVES:
            raise ValueError(f"representative = {representative!r}: must be one of {', '.join(REPRESENTATIVES)}")
        x = distinct(as_points(points, self.dimension, "public points"))
        return Cover(self, x, self._representatives(x, representative))

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> NDArray[np.int64]:
        """Mistakes of each hypothesis, (k,) int64: sum_i 1[h(x_i) != y_i]; worked in blocks that fit a cache.

        A sum over examples of terms that depend on one example each: replacing an example changes it by at most 1.
        """
        total = np.zeros(len(parameters), np.int64)
        ones = labels == 1
        few = max(1, _CACHE // max(1, min(len(points), _CHUNK)))
        for start in range(0, len(points), _CHUNK):
            x, y = points[start : start + _CHUNK], ones[start : start + _CHUNK]
            for first in range(0, len(parameters), few):
                wrong = self.predict(parameters[first : first + few], x) != y
                total[first : first + few] += np.count_nonzero(wrong, axis=1)
        return total

    def minimise(self, points: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None) -> Minimum:
        """Exact weighted empirical risk minimiser: argmin_h sum_i w_i 1[h(x_i) != y_i], weights of any sign.

        points: (n, d); labels: (n,) in {0, 1}; weights: (n,) finite, 1 by default.  The first minimiser in the order
        of the cover of the points is returned.
        """
        x = as_points(points, self.dimension)
        y = as_labels(labels, len(x))
        w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
        if w.shape != y.shape or not np.all(np.isfinite(w)):
            raise ValueError(f"weights: must be {len(x)} finite numbers")
        return self._minimise(x, y, w)

    def _minimise(self, points: Points, labels: Labels, weights: NDArray[np.float64]) -> Minimum:
        cover = self.cover(points)
        signed = np.where(labels == 1, -weights, weights)  # cost of predicting 1 rather than 0
        values = np.empty(len(cover))
        rows = max(1, _BLOCK // max(1, len(points)))
        for start in range(0, len(cover), rows):
            block = slice(start, start + rows)
            values[block] = self.predict(cover.parameters[block], points) @ signed
        best = int(np.argmin(values))
        return Minimum(cover.parameters[best], float(values[best] + weights[labels == 1].sum()))

    # ------------------------------------------------------------------ population
    def positive_rays(self, parameters: Parameters) -> "Rays | None":
        """For classes whose hypotheses are rays of one feature: the rays; None otherwise."""
        return None


@dataclass(frozen=True, eq=False)
class Rays:
    """Sets {x_j >= t}, {x_j > t} (upper) or {x_j <= t}, {x_j < t} (not upper), closed or not; all arrays (k,)."""

    feature: NDArray[np.intp]
    ends: NDArray[np.float64]
    upper: NDArray[np.bool_]
    closed: NDArray[np.bool_]


def sauer(m: int, d: int) -> int:
    """Sauer's bound sum_{i <= d} C(m, i) on the number of dichotomies of m points.

    >>> sauer(4, 1), sauer(3, 5)
    (5, 8)
    """
    return sum(math.comb(m, i) for i in range(d + 1))


def cell_representative(low: Parameters, high: Parameters, representative: str, *, open_low: bool) -> Parameters:
    """A float in each cell: (low, high] if open_low else [low, high); either end may be infinite.

    midpoint: the middle, or the infinite end; lower, upper: the least, the greatest float of the cell.
    """
    with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
        least = np.nextafter(low, np.inf) if open_low else low
        greatest = high if open_low else np.nextafter(high, -np.inf)
    least = np.where(np.isneginf(low), -np.inf, least)
    greatest = np.where(np.isposinf(high), np.inf, greatest)
    if representative == "lower":
        return least
    if representative == "upper":
        return greatest
    with np.errstate(invalid="ignore"):
        middle = np.where(np.isneginf(low), low, np.where(np.isposinf(high), high, low / 2 + high / 2))
    return np.clip(middle, least, greatest)
