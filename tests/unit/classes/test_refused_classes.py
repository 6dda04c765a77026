"""What hypothesis classes refuse: the call, and the words of the error."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from semipriv.classes.base import HypothesisClass
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds, group_thresholds
from semipriv.classes.halfspace_intersections import HalfspaceIntersections
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.point_functions import PointFunctions
from semipriv.classes.rectangles import Rectangles
from semipriv.core.randomness import Secure, Simulation

CUBE, PLANE = DecisionStumps(2, domain="cube"), Rectangles(2)
THRESHOLDS, LONG = DiscreteThresholds(3), DiscreteThresholds(54)
STUMPS = [[j, 0.0, 1.0] for j in range(40)]
"""One cut of each of 40 features: 2^40 combinations."""


def many(d: int, n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def tallied(h: HypothesisClass, point: list[float]) -> object:
    return h.cover([[0.0] * len(point)]).tally([point], [1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DecisionStumps(2, "both", "cubes"), r"unknown domain of decision stumps 'cubes'.*real, cube"),
        (lambda: CUBE.cover([[1, -1], [1, 0]]), "row 1, feature 1 = 0.0: must be -1 or 1"),
        (lambda: CUBE.predict([[0, 0, 1]], [[2, 1]]), "row 0, feature 0 = 2.0: must be -1 or"),
        (
            lambda: DecisionStumps(40).representative_domain(STUMPS),
            r"the representative domain has up to 1\.1e\+12 points to list, .* fewer features",
        ),
        (
            lambda: DecisionStumps(2, "positive").check_parameters(np.array([[0.0, 0.5, 1.0], [0.0, 0.5, -1.0]])),
            "row 1: sign -1",
        ),
        (lambda: DecisionStumps(2).check_parameters(np.array([[0.0, 0.5, 0.0]])), "row 0: sign 0"),
        (lambda: DiscreteThresholds(0), "bits = 0: must be >= 1"),
        (lambda: DiscreteThresholds(10_001), "bits = 10001: must be <= 10000"),
        (lambda: DiscreteThresholds(3, "gt"), r"unknown orientation of discrete thresholds 'gt'.*\(allowed: lt, ge\)"),
        (lambda: THRESHOLDS.cover([0, 8]), "public points: row 1, feature 0 = 8.0: must be one of 0, ..., 7"),
        (lambda: THRESHOLDS.predict([[1]], [[0.5]]), "points: row 0, feature 0 = 0.5: must be one of"),
        (lambda: LONG.cover([[1, 0], [2, 0]]), "row 1, feature 0 = 2.0: must be one of 0, ..., 1"),
        (lambda: LONG.cover([[0, 2.0**53]]), "row 0, feature 1 = 9007199254740992.0: must be one of"),
        (lambda: LONG.cover([1, 2]), r"must have 2 feature\(s\), got 1"),
        (lambda: THRESHOLDS.encode([0, 8]), "points: row 1 = 8: must be one of 0, ..., 7"),
        (lambda: THRESHOLDS.encode([-1]), "points: row 0 = -1: must be one of 0, ..., 7"),
        (lambda: DiscreteThresholds(62).encode([2**62]), r"row 0 = 4611686018427387904: .* 0, ..., 2\^62 - 1"),
        (lambda: THRESHOLDS.encode([1.0]), "points: row 0 = 1.0: must be an integer"),
        (lambda: THRESHOLDS.encode_thresholds([9]), "thresholds: row 0 = 9: must be one of 0, ..., 8"),
        (lambda: group_thresholds([1], [2], 3), "labels: row 0 = .*2.*: must be 0 or 1"),
        (lambda: group_thresholds([1], [0, 1], 3), "labels: must be 1 labels"),
        (lambda: group_thresholds([1], [1], 3).draw(Fraction(-1), Secure()), "rate = -1: must be >= 0"),
        (
            lambda: HalfspaceIntersections(3, 2).vc_dimension,
            "^VC dimension of intersections of 2 halfspaces in dimension 3: not known, from 6 to 22$",
        ),
        (
            lambda: HalfspaceIntersections(2, 2).dual_vc_dimension,
            "^dual VC dimension of intersections of 2 .* not known, from 4 to 6$",
        ),
        (lambda: HalfspaceIntersections(0, 2), "dimension = 0: must be >= 1"),
        (lambda: HalfspaceIntersections(2, 0), "k = 0: must be >= 1"),
        (lambda: HalfspaceIntersections(2, 1.5), "k = 1.5: must be an integer"),
        (lambda: Halfspaces(2).representative_domain([[1.0, np.nan, 0.0]]), "parameters: must be finite"),
        (lambda: Halfspaces(4).representative_domain(many(5, 180)), "fewer hypotheses"),  # for the faces alone
        (lambda: tallied(Intervals(), [0.0]).log_partition(-0.1), "rate = -0.1: must be"),
        (lambda: tallied(Intervals(), [0.0]).log_partition(math.nan), "rate = nan: must be"),
        (lambda: tallied(Intervals(), [0.0]).log_partition(math.inf), "rate = inf: must be"),
        (lambda: tallied(Intervals(), [0.0]).expected_mistakes(-0.1), "rate = -0.1: must be"),
        (lambda: tallied(Intervals(), [0.0]).expected_mistakes(math.nan), "rate = nan: must be"),
        (lambda: tallied(Intervals(), [0.0]).expected_mistakes(math.inf), "rate = inf: must be"),
        (lambda: tallied(Intervals(), [0.0]).draw(Fraction(-1), Simulation(1)), "rate = -1: must be >= 0"),
        (lambda: PointFunctions(0), "dimension = 0: must be >= 1"),
        (lambda: PointFunctions(1, 0), "bits = 0: must be >= 1"),
        (lambda: PointFunctions(1, 54), "bits = 54: must be <= 53"),
        (
            lambda: PointFunctions(2, 1).cover([[0, 1], [0, 2]]),
            "public points: row 1, feature 1 = 2.0: must be one of 0, ..., 1",
        ),
        (
            lambda: PointFunctions(1, 3).minimise([0, 0.5], [0, 1]),
            "points: row 1, feature 0 = 0.5: must be one of 0, ..., 7",
        ),
        (lambda: PointFunctions(1, 3).predict([[0]], [[-1]]), "points: row 0, feature 0 = -1.0: must be one of"),
        (lambda: PointFunctions(1).representative_domain([[math.inf]]), "parameters: row 0, feature 0 = inf"),
        (lambda: Rectangles(0), "dimension = 0: must be >= 1"),
        (lambda: DiscreteRectangles(2, 54), "bits = 54: must be <= 53"),
        (lambda: DiscreteRectangles(2, 0), "bits = 0: must be >= 1"),
        (
            lambda: DiscreteRectangles(2, 2).cover([[0, 1], [0, 4]]),
            r"public points: row 1, feature 1 = 4.0: must be an integer from 0 to 2\^2 - 1",
        ),
        (lambda: DiscreteRectangles(1, 2).predict([[0, 1]], [[0.5]]), "points: row 0, feature 0 = 0.5: must be an int"),
        (lambda: tallied(Rectangles(2), [0, np.inf]), "points: row 0, feature 1 = inf"),
        (lambda: tallied(DiscreteRectangles(2, 3), [0, np.inf]), "points: row 0, feature 1 = inf"),
        (
            lambda: tallied(Rectangles(2), [0.0, 0.0]).member(1000, Simulation(1)),
            "mistakes = 1000: no hypothesis makes",
        ),
        (lambda: tallied(Rectangles(2), [0.0, 0.0]).draw(Fraction(-1), Simulation(1)), "rate = -1: must be >= 0"),
        (lambda: group_thresholds([1], [0], 3).draw(Fraction(-1), Secure()), "rate = -1: must be >= 0"),
    ],
)
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
