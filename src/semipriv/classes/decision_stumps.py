"""Decision stumps: thresholds of one feature."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv import checks
from semipriv.classes.base import HypothesisClass, Parameters, Predictions, Rays
from semipriv.classes.thresholds import Thresholds
from semipriv.registry import check_name
from semipriv.samples import Labels, Points, as_points

__all__ = ["DecisionStumps"]

SIGNS = ["both", "positive"]


@dataclass(frozen=True)
class DecisionStumps(HypothesisClass):
    """h(x) = 1[x_j >= t], or its complement 1[x_j < t] when signs = 'both'; features j = 0, ..., dimension - 1.

    Parameters (j, t, s) with s = 1 for x_j >= t and s = -1 for the complement.  The levels of the Boolean lattice are
    covered by p chains (2 p with complements), which gives growth and VC dimension; dual VC dimension p.
    """

    dimension: int = 1
    signs: str = "both"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", checks.size("dimension", self.dimension))
        check_name("signs of decision stumps", self.signs, SIGNS)

    @property
    def _chains(self) -> int:
        """Dichotomies of one size that the features can make: each feature orders the points, one chain a sign."""
        return self.dimension * (2 if self.signs == "both" else 1)

    @property
    def vc_dimension(self) -> int:
        """Largest m with C(m, floor(m / 2)) <= p (both signs: 2 p): the chains must cover the middle level."""
        m = 1
        while math.comb(m + 1, (m + 1) // 2) <= self._chains:
            m += 1
        return m

    @property
    def dual_vc_dimension(self) -> int:
        """p: one stump of each feature is shattered, two of the same feature never are."""
        return self.dimension

    @property
    def littlestone_dimension(self) -> float:
        """Infinite."""
        return math.inf

    def growth(self, m: int) -> int:
        """2 + sum_{0 < i < m} min(C(m, i), p), with 2 p for both signs; 1 for no point."""
        return 2 + sum(min(math.comb(m, i), self._chains) for i in range(1, m)) if m else 1

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """(k, 3), (n, p) -> (k, n) bool."""
        theta = np.asarray(parameters, np.float64).reshape(-1, 3)
        x = as_points(points, self.dimension)
        above = x.T[theta[:, 0].astype(np.intp)] >= theta[:, 1:2]
        return np.asarray(above == (theta[:, 2:3] > 0))

    def _representatives(self, points: Points, representative: str) -> Parameters:
        parts = []
        for feature in range(self.dimension):
            cuts = Thresholds().cover(points[:, feature], representative).parameters
            for sign in (1.0, -1.0) if self.signs == "both" else (1.0,):
                parts.append(np.column_stack([np.full(len(cuts), feature), cuts, np.full(len(cuts), sign)]))
        theta = np.concatenate(parts)
        if len(points) == 0:
            return theta[:1]
        packed = np.packbits(self.predict(theta, points), axis=1)
        _, first = np.unique(packed, axis=0, return_index=True)
        return theta[np.sort(first)]

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> NDArray[np.int64]:
        """By thresholds, one feature at a time: O(p n log k)."""
        result = np.empty(len(parameters), np.int64)
        for feature in range(self.dimension):
            rows = np.flatnonzero(parameters[:, 0] == feature)
            if rows.size:
                wrong = Thresholds().mistakes(parameters[rows, 1:2], points[:, feature : feature + 1], labels)
                result[rows] = np.where(parameters[rows, 2] > 0, wrong, len(points) - wrong)
        return result

    def positive_rays(self, parameters: Parameters) -> Rays:
        """{x_j >= t} or {x_j < t}."""
        upper = parameters[:, 2] > 0
        return Rays(parameters[:, 0].astype(np.intp), parameters[:, 1], upper, upper)
