"""An integer program as an oracle: HiGHS proposes a halfspace with a bound, and exact arithmetic checks it."""

import math

import numpy as np
import scipy

from semipriv.classes.base import HypothesisClass, Predictions
from semipriv.core.fields import value
from semipriv.core.rows import distinct_rows
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats
from semipriv.geometry.predicates import integers, scaled
from semipriv.geometry.separation import separated
from semipriv.learners.oracles.base import OfHalfspaces
from semipriv.learners.oracles.exact import Exact

__all__ = ["HiGHS"]

_SLACK = 1e-5
"""Ten times the largest tolerance of HiGHS: labels of points nearer to the hyperplane are left open."""
_MARGIN = 0.5
"""How far above the next smaller integer the bound must be."""
_LARGEST = 1e8
"""Sum of weights up to which rounding errors of the bound are far below the margin."""
_NODES = 20_000
"""Nodes after which the search gives up."""


@value
class HiGHS(OfHalfspaces):
    """The answer of HiGHS if it is certainly least, else the exact search on the same weights.

    For halfspaces of three features and more, and weights that are integers; for others it is the exact search.  The
    integer program (``program``) admits every dichotomy, with room above the tolerances of HiGHS, and some labelings
    that are not dichotomies.  So its bound holds for all dichotomies.  An answer is certified if a hyperplane separates
    its labels, by integer arithmetic, and the bound leaves no smaller integer, by a margin of 1/2.  That the bound is
    right to the margin is the word of a solver in floating point, so a learner that asks it has no guarantee.  The
    search that follows a failure has the same weights; only the time tells.
    """

    exact = False

    def labels(self, hypothesis_class: HypothesisClass, points: Points, labels: Labels, weights: Floats) -> Predictions:
        """Return the labels of a minimiser."""
        least = certified(points, labels, weights)
        return Exact().labels(hypothesis_class, points, labels, weights) if least is None else least


def certified(points: Points, labels: Labels, weights: Floats) -> Predictions | None:
    """Return the labels (n,) of a halfspace of least cost, None if HiGHS and the checks do not show one."""
    x, place, _ = distinct_rows(points)
    cost = np.zeros(len(x))
    np.add.at(cost, place, np.where(labels == 1, -weights, weights))
    counted = bool(np.all(weights == np.rint(weights))) and float(np.abs(weights).sum()) <= _LARGEST
    if not counted or points.shape[1] < 3 or len(x) < 2:
        return None
    whole, _ = integers(x)
    solution = program(scaled(whole - whole[0])[0], cost)
    if solution.x is None or solution.mip_dual_bound is None:
        return None
    inside = solution.x[: len(x)] > 0.5
    if solution.mip_dual_bound <= math.fsum(cost[inside]) - 1 + _MARGIN:
        return None
    return inside[place] if separated(x, inside) else None


def program(points: Floats, cost: Floats) -> scipy.optimize.OptimizeResult:
    """Return what HiGHS finds for points (n, d) in the cube [-1, 1]^d and costs (n,) of the label 1.

    Minimise sum_i cost_i f_i over f_i in {0, 1}, w in [-1, 1]^d with a coordinate of size 1, and b in [-d, d]:
    f_i = 1 asks for w x_i + b >= -s, f_i = 0 for w x_i + b <= s, s a slack.  Which coordinate of w has size 1, and its
    sign, are 2 d more numbers in {0, 1}.  BBD24, section on exact oracles, with a slack instead of a margin.
    """
    n, d = points.shape
    affine = np.column_stack([points, np.ones(n)])
    most = np.abs(points).sum(axis=1) + d
    reach = np.diag(most)
    none = np.zeros((n, 2 * d))
    unit = np.column_stack([np.eye(d), np.zeros(d)])
    rows = np.block(
        [
            [-reach, none, affine],  # w x + b >= -s - most (1 - f)
            [reach, none, -affine],  # w x + b <= s + most f
            [np.zeros((d, n)), -2 * np.eye(d), np.zeros((d, d)), unit],  # w_k >= 1 - 2 (1 - z_k)
            [np.zeros((d, n)), np.zeros((d, d)), -2 * np.eye(d), -unit],
            [np.zeros((1, n)), np.ones((1, 2 * d)), np.zeros((1, d + 1))],
        ]
    )
    least = np.concatenate([-_SLACK - most, np.full(n, -_SLACK), np.full(2 * d, -1.0), [1.0]])
    binary = n + 2 * d
    bound = np.concatenate([np.ones(binary), np.ones(d), [d]])
    return scipy.optimize.milp(
        np.concatenate([cost, np.zeros(3 * d + 1)]),
        integrality=np.arange(len(bound)) < binary,
        bounds=scipy.optimize.Bounds(np.where(np.arange(len(bound)) < binary, 0.0, -bound), bound),
        constraints=scipy.optimize.LinearConstraint(rows, least),
        options={"mip_rel_gap": 0.0, "node_limit": _NODES},
    )
