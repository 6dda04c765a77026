"""What numbers, arrays, samples, names and statistics are refused, and in which words."""

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import refused

import semipriv
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.thresholds import Thresholds
from semipriv.core import checks, registry
from semipriv.core.arrays import to_column
from semipriv.core.entries import PartlyLabelled
from semipriv.core.least import least_size
from semipriv.core.randomness import Secure, Simulation
from semipriv.core.rounding import above
from semipriv.core.samples import MixedSample, Sample, as_labels, as_points, as_statuses
from semipriv.core.statistics import bernstein_interval, clopper_pearson, linear_slope, loglog_slope, mean_interval
from semipriv.mechanisms.selection.exponential import ExponentialMechanism

CHECKS = (
    checks.real,
    checks.positive,
    partial(checks.between, low=0, high=2),
    checks.delta,
    checks.size,
)
SELECTION = "mechanisms/selection"
NOT_NUMBERS = (
    (None, "x = None: must be a number"),
    (True, "x = True: must be a number"),
    ([1.0], r"x = \[1.0\]: must be a number"),
    (1 + 2j, r"x = \(1\+2j\): must be a number"),
    (np.bool_(True), "x = .*True.*: must be a number"),
    ("one", "x = 'one': is text, must be a number"),
    ("", "x = '': is text, must be a number"),
    (math.nan, "x = nan: must be finite"),
    (math.inf, "x = inf: must be finite"),
    ("-inf", "x = .*-?inf'?: must be finite"),
    ("nan", "x = .*nan'?: must be finite"),
    (10**400, "x: is too large for a float"),
)


def entries(*labels: float | None) -> PartlyLabelled:
    return PartlyLabelled.of([[1.0], [2.0], [3.0]], labels)


def mixed(private: Sequence[object], model: str = "any") -> MixedSample:
    return MixedSample([[1.0], [2.0]], [0, 1], private, model)


REFUSED = {
    "numbers": [
        *((partial(check, "x", value), words) for check in CHECKS for value, words in NOT_NUMBERS),
        (lambda: checks.positive("epsilon", 0), "epsilon = 0: must be > 0"),
        (lambda: checks.positive("epsilon", "-1e-6"), "epsilon = '-1e-6': must be > 0"),
        (lambda: checks.between("sigma", 1.5, 0, 1, closed="h"), r"sigma = 1.5: must be in \(0, 1\]"),
        (lambda: checks.delta("delta", 1), r"delta = 1: must be in \[0, 1\)"),
        (lambda: checks.delta("delta", -1e-9), r"delta = -1e-09: must be in \[0, 1\)"),
        (lambda: checks.size("n_public", 2.5), "n_public = 2.5: must be an integer"),
        (lambda: checks.size("n_public", 0), "n_public = 0: must be >= 1"),
        (lambda: checks.size("n_public", 1, minimum=2), "n_public = 1: must be >= 2"),
        (lambda: least_size(lambda n: 1 / n, 1.5), r"beta = 1\.5: must be in \(0, 1\)"),
        (lambda: above("x", 10**400), "x: is too large for a float"),
        (lambda: above("x", Fraction(sys.float_info.max) + 1), "x = inf: must be finite"),
    ],
    "samples": [
        (lambda: as_points(np.zeros((2, 2, 2))), r"points: must have shape \(n, d\), got \(2, 2, 2\)"),
        (lambda: as_points(3.0), r"points: must have shape \(n, d\), got \(\)"),
        (lambda: as_points([[1.0, 2.0]], 3), r"points: must have 3 feature\(s\), got 2"),
        (lambda: as_points([1.0, 2.0], 2, name="public"), r"public: must have 2 feature\(s\), got 1"),
        (lambda: as_points([["a"]]), "points: holds text, must be numbers"),
        (lambda: as_points([["1.5"]]), "points: holds text, must be numbers"),
        (lambda: as_points(np.array([[1.0, "2"]], object)), "points: holds text, must be numbers"),
        (lambda: as_points(np.array([b"1"])), "points: holds text, must be numbers"),
        (lambda: as_points(np.array([1 + 0j])), "points: holds complex numbers, must be numbers"),
        (lambda: as_points(np.array([1j], object)), "points: holds complex numbers, must be numbers"),
        (lambda: as_points(np.array(["2020-01-01"], "M8[D]")), "points: holds dates, must be numbers"),
        (lambda: as_points(np.ma.masked_equal([1.0, 2.0], 2.0)), "points: is a masked array, whose mask would be lost"),
        (lambda: as_points([np.ma.masked_equal([1.0, 2.0], 2.0)]), "points: is a masked array"),
        (lambda: as_labels(np.ma.masked_equal([0, 1], 1)), "labels: is a masked array"),
        (lambda: as_labels(["0", "1"]), "labels: holds text, must be numbers"),
        (lambda: as_labels(np.array([0, 1 + 0j])), "labels: holds complex numbers"),
        (lambda: as_statuses(np.ma.masked_equal([0, 1], 1), 2), "private: is a masked array"),
        (lambda: MixedSample([1.0], [1], ["1"]), "private: holds text"),
        (lambda: Thresholds().minimise([1.0], [1], np.ma.masked_equal([2.0], 2.0)), "weights: is a masked array"),
        (lambda: FiniteClass([["0", "1"]]), "table: holds text"),
        (lambda: ExponentialMechanism(1).sample(np.ma.masked_equal([0, 1], 1), Secure()), "scores: is a masked array"),
        (lambda: to_column({"x": np.ma.masked_equal([0, 1], 1)}), "array 'x': is a masked array"),
        (lambda: as_points([[1.0], [1.0, 2.0]]), "points: must be numbers"),
        (lambda: as_points([[None]]), "points: row 0, feature 0 = nan: must be finite"),
        (lambda: as_labels([0, 1, 2, 3]), "labels: row 2 = .*2.*: must be 0 or 1"),
        (lambda: as_labels([0, -1]), "labels: row 1 = .*-1.*: must be 0 or 1"),
        (lambda: as_labels([0.0, 0.5]), "labels: row 1 = .*0.5.*: must be 0 or 1"),
        (lambda: as_labels([1.0, np.nan]), "labels: row 1 = .*nan.*: must be 0 or 1"),
        (lambda: as_labels(["yes", "no"]), "labels: holds text, must be numbers"),
        (lambda: as_labels([[0, 1]]), r"labels: must have shape \(n,\), got \(1, 2\)"),
        (lambda: as_labels([0, 1], 3, name="y"), "y: must be 3 labels, one for each point, got 2"),
        (lambda: Sample([1.0, 2.0], [0]), "labels: must be 2 labels, one for each point, got 1"),
        (lambda: Sample([1.0, np.inf], [0, 1]), "points: row 1, feature 0 = inf: must be finite"),
        (lambda: mixed([0, 2]), "private: row 1 = .*2.*: must be 0 or 1"),
        (lambda: mixed([0]), "one status for each point"),
        (lambda: mixed([[0, 1]]), "must have shape"),
        (lambda: mixed([1, 1], "label"), "'label' is not a valid StatusModel"),
    ],
    "entries": [
        (lambda: entries(0, None, 1), "row 2 is labelled, row 1 is not: labelled entries come first"),
        (lambda: entries(0.5, None, None), "row 0 = .*0.5"),
        (lambda: entries(0, 2, None), "row 1 = .*2.*: must be 0 or 1"),
        (lambda: entries(0, 1), "labels: must be 3, one for each point, None for none, got 2"),
        (lambda: entries(0, 1, None, None), "labels: must be 3, one for each point, None for none, got 4"),
    ],
    "columns of arrays": [
        *(
            (partial(to_column, {"fine": np.zeros(1, np.int64), "x": np.array([*others, value])}), words)
            for words in [r"^array 'x': holds an integer beyond 2\^53$"]
            for value in (2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63))
            for others in ([], [0], [-1, 1])
        ),
        *(
            (
                partial(to_column, {"x": np.zeros(1, kind)}),
                rf"^array 'x': has type {kind}, must be one of bool, int8, int64, float64$",
            )
            for kind in ("int32", "uint64", "float32", "object")
        ),
    ],
    "randomness": [
        *(
            (partial(Simulation, seed), f"seed = {seed!r}: must be an integer >= 0")
            for seed in (-1, 1.0, True, "1", None)
        ),
        *((partial(Secure().below, bound), f"bound = {bound}: must be >= 1") for bound in (0, -1, -(2**80))),
        (lambda: Secure(seed=1), "seed", TypeError),
    ],
    "names": [
        (lambda: registry.load("classes", "threshold"), "unknown class 'threshold': did you mean 'thresholds'?"),
        (lambda: registry.load("classes", "zzz"), r"unknown class 'zzz' \(allowed: .*halfspaces.*thresholds.*\)"),
        (lambda: registry.load("classes", "base"), "unknown class 'base'"),
        (lambda: registry.load("classes", None), "unknown class None"),
        (lambda: registry.load(SELECTION, "exponentail"), "unknown mechanism .*did you mean 'exponential'?"),
        (lambda: registry.load("distributions/marginals", "norm"), "unknown marginal 'norm': did you mean 'normal'?"),
        (lambda: registry.load("distributions/shifts", "tilts"), "unknown shift 'tilts': did you mean 'tilt'?"),
        (lambda: registry.build("classes", {"dimension": 2}), r"a class needs a 'name' \(allowed: .*thresholds"),
        (lambda: registry.build("classes", "thresholds"), "a class needs a 'name' .*got 'thresholds'"),
        (
            lambda: registry.build("classes", {"name": "halfspaces", "dimensions": 2}),
            r"unknown parameter of class 'halfspaces' 'dimensions': did you mean 'dimension'\? \(allowed: dimension\)",
        ),
        (
            lambda: registry.build("distributions/shifts", {"name": "region", "sgima": 0.1}),
            "unknown parameter of shift 'region' 'sgima': did you mean 'sigma'",
        ),
        (lambda: registry.build(SELECTION, {"name": "exponential"}), "mechanism 'exponential' needs epsilon"),
        (lambda: registry.build("distributions/marginals", {"name": "beta"}), "marginal 'beta' needs a, b"),
        (
            lambda: registry.build("distributions/labelings", {"name": "realizable", "target": "left"}),
            "target = 'left': is text, must be a number",
        ),
        (lambda: semipriv.Threshold, "No semipriv attribute Threshold", AttributeError),
    ],
    "statistics": [
        *(
            (partial(clopper_pearson, *counts, 0.1), "needs 0 <= successes <= trials and trials >= 1")
            for counts in ((-1, 5), (6, 5), (0, 0), ([1, 9], [5, 5]))
        ),
        *(
            (partial(clopper_pearson, 1, 2, level), r"level = .*: must be in \(0, 1\)")
            for level in (0, 1, -0.1, 2, np.nan)
        ),
        (lambda: mean_interval([]), "the mean of no value is undefined"),
        *(
            (partial(slope, x, np.ones(len(x))), "a slope needs two distinct values of x")
            for slope in (linear_slope, loglog_slope)
            for x in ([1.0], [2, 2])
        ),
        (lambda: bernstein_interval([1.0], 1, 0.05), "two values"),
    ],
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)


def test_all_rows_that_are_not_refused_are_told() -> None:
    """By the tables of these tests: a call that is not refused, other words, another error, and two lines."""

    def lines() -> None:
        raise ValueError("first\nsecond")

    rows: list[refused.Row] = [
        (lambda: None, "a call"),
        (lambda: int("x"), "other words"),
        (lambda: {}["x"], "another error"),
        (lines, "first"),
        (lambda: int("x"), "invalid literal"),
    ]
    with pytest.raises(AssertionError, match="not refused as the table has it") as caught:
        refused.check(rows)
    message = str(caught.value)
    assert all(f"{words}: " in message for _, words in rows[:4])
    assert "invalid literal: " not in message
