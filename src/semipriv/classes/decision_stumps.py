"""Decision stumps: thresholds of one feature."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._cut_table import POINTS
from semipriv.classes.base import (
    DOMAIN,
    MOST_EXAMPLES,
    HypothesisClass,
    Minimum,
    Predictions,
    Shift,
    check_listing,
)
from semipriv.classes.thresholds import Thresholds
from semipriv.core import checks, estimates, fields
from semipriv.core.functions import Parameters
from semipriv.core.samples import Labels, Points, as_points
from semipriv.core.types import Bools, Floats, Indices, Integers
from semipriv.core.work import Cost
from semipriv.geometry.bits import first_of_each, packed
from semipriv.geometry.chains import new_sets
from semipriv.geometry.pieces import cell_representative
from semipriv.geometry.shapes import Rays

__all__ = ["DecisionStumps"]

_MANY = 10_000_000
"""Stumps times points from which on chains are compared, and no stump is evaluated at each point."""
_SORTED = 10_000_000
"""Numbers that are sorted in about a second."""
SIGNS = ["both", "positive"]
DOMAINS = ["real", "cube"]


@fields.value
class DecisionStumps(HypothesisClass):
    """h(x) = 1[x_j >= t], or its complement 1[x_j < t] when signs = 'both'; features j = 0, ..., dimension - 1.

    Parameters (j, t, s) with s = 1 for x_j >= t and s = -1 for the complement.  domain = 'real': R^p, all real and
    infinite t.  The levels of the Boolean lattice are covered by p chains (2 p with complements), which gives growth
    and VC dimension; dual VC dimension p.

    domain = 'cube': {-1, 1}^p, t = 0 alone: the p coordinates 1[x_j = 1], without the constants (BCM20, with signs =
    'positive').  Every set of the p hypotheses is where some point is 1, so that VC and Littlestone dimension are
    floor(log2 p), one more with complements; growth min(2^m, p), with complements min(2^m, 2 p).

    Args:
        dimension: p, number of features.
        signs: 'both', or 'positive' without complements.
        domain: 'real' (R^p) or 'cube' ({-1, 1}^p).

    Source:
        BBD24 3d (all features, both signs); BCM20 definition 12 (the cube).
    """

    dimension: int = fields.size(default=1)
    signs: str = fields.one_of(SIGNS, "decision stumps", default="both")
    domain: str = fields.one_of(DOMAINS, "decision stumps", default="real")

    @classmethod
    def examples(cls) -> "Sequence[DecisionStumps]":
        """Return those of few features, on the reals and on the cube."""
        return [
            *(DecisionStumps(p, signs) for p in (1, 2, 3) for signs in SIGNS),
            *(DecisionStumps(p, signs, "cube") for p in (1, 2, 3, 4) for signs in SIGNS),
        ]

    @property
    def example_points(self) -> Points | None:
        """The cube."""
        return np.array(list(itertools.product((-1.0, 1.0), repeat=self.dimension))) if self.domain == "cube" else None

    @property
    def _chains(self) -> int:
        """Features times signs.  A feature orders the points: one chain a sign, of one dichotomy of each size."""
        return self.dimension * (2 if self.signs == "both" else 1)

    width = 3
    """Three: the feature, its threshold, the sign."""

    @property
    def vc_dimension(self) -> int:
        """Largest m with C(m, floor(m / 2)) <= p (both signs: 2 p): the chains must cover the middle level.

        On the cube floor(log2 p) (both signs: log2 of 2 p): there must be as many hypotheses as dichotomies.
        """
        if self.domain == "cube":
            return self._chains.bit_length() - 1
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
        """Infinite; on the cube the VC dimension, as a mistake halves the hypotheses that are left at best."""
        return float(self.vc_dimension) if self.domain == "cube" else math.inf

    def growth(self, m: int) -> int:
        """Return 2 + sum_{0 < i < m} min(C(m, i), p), 2 p for both signs; 1 for no point.  On the cube min(2^m, p)."""
        if self.domain == "cube":
            return min(2 ** min(m, self._chains), self._chains if m else 1)
        if m >= self._chains:  # C(m, i) >= m for 0 < i < m
            return 2 + (m - 1) * self._chains
        return 2 + sum(min(math.comb(m, i), self._chains) for i in range(1, m)) if m else 1

    def validated(self, points: ArrayLike, name: str = "points") -> Points:
        """Return points of R^p, or {-1, 1}^p.

        Raises:
            ValueError: with the row of the first other point.
        """
        x = as_points(points, self.dimension, name)
        if self.domain == "cube" and (bad := np.argwhere(np.abs(x) != 1)).size:
            row, feature = map(int, bad[0])
            raise ValueError(f"{name}: row {row}, feature {feature} = {x[row, feature]}: must be -1 or 1")
        return x

    def check_parameters(self, parameters: Parameters, name: str = "parameters") -> None:
        """Check that the class has functions with these parameters.

        Raises:
            ValueError: for a feature or a sign that the class does not have.
        """
        checks.indices(name, parameters[:, 0], self.dimension, "feature")
        wrong = ~np.isin(parameters[:, 2], [1.0, -1.0] if self.signs == "both" else [1.0])
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(f"{name}: row {row}: sign {parameters[row, 2]:g}: {self!r} has no such stump")

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, 3), (n, p) -> (k, n) bool."""
        theta = np.asarray(parameters, np.float64).reshape(-1, 3)
        columns = np.ascontiguousarray(self.validated(points).T)
        result = np.empty((len(theta), columns.shape[1]), bool)
        starts = np.flatnonzero(np.diff(theta[:, 0], prepend=-1.0))  # runs of stumps of one feature
        for start, stop in itertools.pairwise([*starts.tolist(), len(theta)]):
            np.greater_equal(columns[int(theta[start, 0])], theta[start:stop, 1:2], out=result[start:stop])
        return np.equal(result, theta[:, 2:3] > 0, out=result)

    def _representatives(self, points: Points, representative: str) -> Parameters:
        """List the first stump of each dichotomy, by feature, sign and cut: O(p m min(p, m)) time."""
        m, signs = len(points), (1.0, -1.0) if self.signs == "both" else (1.0,)
        per_chain = 1 if self.domain == "cube" else m + 1
        rows = self._chains * per_chain
        merged = self.domain == "real" and self._chains < m and rows * m > _MANY
        cost = estimates.stumps_listed(m, self.dimension, self._chains, per_chain, merged=merged)
        check_listing(rows, 3, "take fewer public points or fewer features", cost=cost)
        parts = []
        for feature in range(self.dimension):
            if self.domain == "cube":
                cuts = np.zeros((1, 1))
            else:
                cuts = Thresholds().cover(points[:, feature], representative).listed().parameters
            parts += [np.column_stack([np.full(len(cuts), feature), cuts, np.full(len(cuts), sign)]) for sign in signs]
        theta = np.concatenate(parts)
        if m == 0:
            return theta[:1]
        if merged:
            return theta[self._new(points, parts)]
        return theta[first_of_each(packed(self.predict(theta, points)))]

    def _new(self, points: Points, parts: Sequence[Parameters]) -> Bools:
        """Return which stumps have a dichotomy of none before: (k,); parts: those of a feature and a sign, (k_i, 3)."""
        m = len(points)
        orders = np.empty((len(parts), m), np.int32)
        places, kept, sizes = np.empty_like(orders), np.zeros((len(parts), m + 1), bool), []
        for chain, part in enumerate(parts):
            feature, _, sign = part[0]
            x = points[:, int(feature)]
            upwards = np.argsort(x, kind="stable")
            orders[chain] = upwards if sign < 0 else upwards[::-1]
            places[chain, orders[chain]] = np.arange(m)
            below = np.searchsorted(x[upwards], part[:, 1])
            sizes.append(below if sign < 0 else m - below)
            kept[chain, sizes[-1]] = True
        new = new_sets(orders, places, kept)
        return np.concatenate([new[chain, size] for chain, size in enumerate(sizes)])

    @property
    def minimise_size(self) -> int:
        """Number of examples that are sorted by all features in about a second."""
        return max(1, min(MOST_EXAMPLES, _SORTED // self.dimension))

    def _minimise(self, points: Points, labels: Labels, weights: Floats) -> Minimum:
        """Minimise by cumulative sums over the points in the order of each feature: O(p n log n)."""
        signed = np.where(labels == 1, -weights, weights)  # cost of predicting 1 rather than 0
        best, least = (0, 0, 1.0), np.inf
        for feature in range(self.dimension):
            order, cuts = self._cuts(points[:, feature])
            below = np.append(0.0, np.cumsum(signed[order]))
            for sign, costs in ((1.0, below[-1] - below[cuts]), (-1.0, below[cuts])):
                place = int(np.argmin(costs))
                if costs[place] < least and (sign > 0 or self.signs == "both"):
                    best, least = (feature, int(cuts[place]), sign), float(costs[place])
        feature, below_cut, sign = best
        return Minimum(
            np.array([feature, self._threshold(points[:, feature], below_cut), sign]),
            least + float(weights[labels == 1].sum()),
        )

    def _cuts(self, x: Floats) -> tuple[Indices, Indices]:
        """Return the order of numbers (n,), and how many of them can lie below a cut, increasing."""
        order = np.argsort(x, kind="stable")
        if self.domain == "cube":
            return order, np.array([np.count_nonzero(x < 0)])
        ends = np.concatenate([[-np.inf], x[order], [np.inf]])
        return order, np.flatnonzero(ends[1:] > ends[:-1])

    def _threshold(self, x: Floats, below: int) -> float:
        """Return the midpoint of the cuts above so many of the numbers (n,)."""
        if self.domain == "cube":
            return 0.0
        ends = np.concatenate([[-np.inf], np.sort(x), [np.inf]])[below : below + 2]
        return float(cell_representative(ends[:1], ends[1:], "midpoint", open_low=True)[0])

    def largest_teaching_shift(self, m: int) -> Shift:
        """Return that of teaching sets of 3 p - 1 points at most, 2 on the line.

        Two points beside the cut tell the stumps of its feature apart.  Of another feature, two points beside a cut do
        if some stump of it has the same pattern; else three points in its order have labels that alternate, or two at
        one place differ.  A constant pattern takes both ends of each feature.  On the cube each point of a teaching set
        leaves out one more of the other hypotheses at least.

        Source:
            BBD24 3d.
        """
        most = self._chains - 1 if self.domain == "cube" else 3 * self.dimension - 1
        return Shift.of_teaching(min(m, most))

    def representative_domain(self, parameters: Parameters) -> Points:
        """Combine the features' own representatives: labels under the cuts of a feature tell its cells apart."""
        theta = np.asarray(parameters, np.float64).reshape(-1, 3)
        cuts = [theta[theta[:, 0] == feature, 1:2] for feature in range(self.dimension)]
        if self.domain == "cube":
            cells = [np.array([-1.0, 1.0]) if len(t) else np.ones(1) for t in cuts]
        else:
            cells = [Thresholds().representative_domain(t)[:, 0] for t in cuts]
        check_listing(math.prod(map(len, cells)), self.dimension, "take hypotheses of fewer features", DOMAIN)
        grid = np.meshgrid(*cells, indexing="ij")
        return np.stack(grid, axis=-1).reshape(-1, self.dimension)

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Count by thresholds, one feature at a time: O(p n log k)."""
        result = np.empty(len(parameters), np.int64)
        order = np.argsort(parameters[:, 0], kind="stable")
        starts = np.searchsorted(parameters[order, 0], np.arange(self.dimension + 1))
        for feature in range(self.dimension):
            rows = order[starts[feature] : starts[feature + 1]]
            if rows.size:
                wrong = Thresholds().mistakes(parameters[rows, 1:2], points[:, feature : feature + 1], labels)
                result[rows] = np.where(parameters[rows, 2] > 0, wrong, len(points) - wrong)
        return result

    def mistakes_cost(self, k: int, n: int) -> Cost:
        """Return what it takes to count examples between the cuts of each feature."""
        return estimates.cuts_counted(k, n, self.dimension, table=n in POINTS)

    @property
    def free_ends(self) -> bool:
        """Yes; not on the cube, where t = 0 alone."""
        return self.domain == "real"

    @property
    def exact_rays(self) -> bool:
        """Yes; not on the cube, which has two points on each axis."""
        return self.domain == "real"

    def ones(self, parameters: Parameters) -> Rays:
        """Return the rays {x_j >= t} or {x_j < t}."""
        upper = parameters[:, 2] > 0
        return Rays(parameters[:, 0].astype(np.intp), parameters[:, 1], upper, upper)
