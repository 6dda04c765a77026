"""Confidence limits cover, slopes stay within their limits, and verdicts follow their rules."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, linregress, t

from semipriv.core.statistics import (
    GATE_LEVEL,
    Interval,
    Verdict,
    bernstein_interval,
    clopper_pearson,
    equality_verdict,
    joint_verdict,
    loglog_slope,
    mean_interval,
    r_squared,
    regression_slope,
    slope_interval,
    turns,
    upper_bound_verdict,
    within_verdict,
)


# ---------------------------------------------------------------------------------------------------- proportions
@pytest.mark.parametrize("n", [1, 2, 7, 30, 200])
@pytest.mark.parametrize("level", [0.5, 0.05, GATE_LEVEL])
def test_clopper_pearson_covers_each_probability(n, level):
    """Exactly computed coverage is at least 1 - level, and each side errs at most level / 2."""
    k = np.arange(n + 1)
    low, high = clopper_pearson(k, np.full(n + 1, n), level)
    for p in [0.0, 1e-6, 0.003, 0.1, 1 / 3, 0.5, 0.77, 0.99, 1.0, *low[1:4], *high[:3]]:
        mass = binom.pmf(k, n, p)
        assert mass[(low <= p) & (p <= high)].sum() >= 1 - level - 1e-12
        assert mass[low > p * (1 + 1e-12)].sum() <= level / 2 + 1e-12
        assert mass[high < p * (1 - 1e-12)].sum() <= level / 2 + 1e-12


@given(st.integers(1, 10_000), st.floats(0, 1), st.sampled_from([0.3, 0.05, 1e-4]))
def test_clopper_pearson_is_the_exact_interval(n, share, level):
    k = round(share * n)
    low, high = clopper_pearson(k, n, level)
    expected = binomtest(k, n).proportion_ci(confidence_level=1 - level, method="exact")
    assert float(low) == pytest.approx(expected.low, rel=1e-8, abs=1e-12)
    assert float(high) == pytest.approx(expected.high, rel=1e-8, abs=1e-12)


def test_clopper_pearson_is_monotone_and_symmetric():
    for n in (1, 5, 60):
        k = np.arange(n + 1)
        low, high = clopper_pearson(k, n, 0.05)
        assert np.all(np.diff(low) > 0)
        assert np.all(np.diff(high) > 0)
        np.testing.assert_allclose(low, 1 - high[::-1], atol=1e-14)
        wider_low, wider_high = clopper_pearson(k, n, 0.01)
        assert np.all(wider_low <= low)
        assert np.all(wider_high >= high)
        assert low[0] == 0
        assert high[-1] == 1


# ---------------------------------------------------------------------------------------------------- means
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20), st.sampled_from([0.05, 0.3]))
def test_mean_interval_is_students(values, level):
    interval = mean_interval(values, level)
    x = np.array(values)
    half = t.ppf(1 - level / 2, x.size - 1) * np.sqrt(np.sum((x - x.mean()) ** 2) / (x.size - 1) / x.size)
    assert interval.value == pytest.approx(x.mean(), abs=1e-9)
    assert interval.high - interval.value == pytest.approx(half, rel=1e-9, abs=1e-9)
    assert interval.value - interval.low == pytest.approx(half, rel=1e-9, abs=1e-9)


def test_mean_interval_covers():
    rng = np.random.default_rng(0)
    intervals = [mean_interval(rng.normal(3, 2, 5), 0.1) for _ in range(4000)]
    low, high = clopper_pearson(sum(i.low <= 3 <= i.high for i in intervals), 4000)
    assert low <= 0.9 <= high


def test_means_of_too_few():
    assert mean_interval([2.0]) == Interval(2.0, -np.inf, np.inf)


# ---------------------------------------------------------------------------------------------------- slopes
SIZES = st.lists(st.floats(0.01, 100), min_size=2, max_size=6, unique=True).filter(lambda x: max(x) > 1.01 * min(x))


@given(SIZES, st.floats(-3, 3), st.floats(0.1, 10))
def test_the_slope_of_a_power_law_is_its_exponent(x, exponent, factor):
    slope = loglog_slope(x, factor * np.array(x) ** exponent)
    assert slope.value == pytest.approx(exponent, abs=1e-6)
    assert slope.low == slope.value == slope.high


@given(SIZES, st.integers(0, 10**6))
def test_the_slope_is_least_squares_and_its_limits_are_sharp(x, seed):
    """Whatever the values within their limits, the slope is within its limits, which are attained at corners."""
    rng = np.random.default_rng(seed)
    y = rng.lognormal(size=len(x))
    low, high = y * rng.uniform(0.2, 1, len(x)), y * rng.uniform(1, 5, len(x))
    slope = loglog_slope(x, y, low, high)
    scale = 1e-9 * (1 + abs(slope.low) + abs(slope.high))
    assert slope.value == pytest.approx(linregress(np.log(x), np.log(y)).slope, abs=scale)
    corners = [loglog_slope(x, corner).value for corner in itertools.product(*zip(low, high, strict=True))]
    assert slope.low == pytest.approx(min(corners), abs=scale)
    assert slope.high == pytest.approx(max(corners), abs=scale)
    assert slope.low <= slope.value <= slope.high


def test_a_lower_limit_of_zero_leaves_the_slope_open():
    """As Clopper-Pearson gives it; the middle point has no weight and no say."""
    assert loglog_slope([1, 2, 4], [1, 2, 4], [1, 0, 4], [1, 9, 4]) == Interval(1.0, 1.0, 1.0)
    slope = loglog_slope([1, 2, 4], [1, 2, 4], [0, 2, 4], [1, 2, 4])
    assert slope.low == pytest.approx(1)
    assert slope.high == np.inf
    slope = loglog_slope([1, 2, 4], [1, 2, 4], [1, 2, 0], [1, 2, 4])
    assert slope.low == -np.inf
    assert slope.high == pytest.approx(1)


def regressions(scatter: float, trials: int = 3000, exponent: float = -2.0) -> list[Interval]:
    """Slopes of a power law whose values scatter as told (1: by their standard errors, of 1 to 4 per cent)."""
    rng = np.random.default_rng(1)
    x = np.array([1.0, 2, 5, 10, 30, 100])
    relative = np.array([0.01, 0.04, 0.02, 0.01, 0.03, 0.02])
    truth = 5 * x**exponent
    y = truth * (1 + scatter * relative * rng.normal(size=(trials, x.size)))
    return [regression_slope(x, row, relative * truth, level=0.05) for row in y]


def test_curves_that_turn():
    """Rise and fall beyond the errors, in whichever order and however far apart; less than that is neither."""
    for values, expected in (
        ([1, 2, 1], True),
        ([2, 1, 2], True),
        ([1, 1.3, 1.6, 1.9, 1.6, 1.3, 1], True),
        ([1, 2, 3, 2.5], False),
        ([3, 2.5, 2, 2.5], False),
        ([1, 2, 3], False),
        ([3, 2, 1], False),
        ([1, 1], False),
    ):
        for order in (values, values[::-1]):
            assert turns(order, [0.2] * len(order)) is expected, order  # limits of a difference are 0.55
            assert not turns(order, [2.0] * len(order))
    assert turns([1, 1.3, 1], [0.1, 0.1, 0.1])
    assert not turns([1, 1.3, 1], [0.1, 0.1, 0.1], level=0.01)


def test_regression_slope_covers():
    """At least at its level, and not much above it: the inflation by the scatter only widens."""
    hits = sum(i.low <= -2 <= i.high for i in regressions(1.0))
    low, high = clopper_pearson(hits, 3000)
    assert high >= 0.95
    assert low <= 0.985


def test_regression_slope_notices_scatter_beyond_the_errors():
    """Six times the scatter: limits from the errors alone would cover in a quarter of the trials."""
    hits = sum(i.low <= -2 <= i.high for i in regressions(6.0, exponent=-2.0))
    assert clopper_pearson(hits, 3000)[0] > 0.8


def test_regression_slope_weights_by_precision():
    """A point with an enormous error has no say; equal relative errors give the plain slope."""
    x, y = np.array([1.0, 2, 4, 8]), np.array([3.0, 7, 11, 30])
    plain = regression_slope(x, y, 0.1 * y)
    assert plain.value == pytest.approx(loglog_slope(x, y).value)
    without = regression_slope(x[:3], y[:3], 0.1 * y[:3])
    assert regression_slope(x, y, [0.3, 0.7, 1.1, 3e6]).value == pytest.approx(without.value, abs=1e-6)


def test_regression_limits_are_normal_when_the_points_agree():
    """On an exact power law the variance is 1 / sum w (u - mean)^2."""
    x, relative = np.array([1.0, 10, 100]), 0.05
    slope = regression_slope(x, x**-1.0, relative / x, level=0.05)
    half = 1.959963984540054 * relative / np.sqrt(2 * np.log(10) ** 2)
    assert slope.value == pytest.approx(-1)
    assert slope.high - slope.value == pytest.approx(half)
    assert slope.value - slope.low == pytest.approx(half)


# ---------------------------------------------------------------------------------------------------- verdicts
@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.1, 0.2, Verdict.HOLDS),
        (0.1, 1.0, Verdict.HOLDS),
        (0.9, 1.1, Verdict.INCONCLUSIVE),
        (1.0, 1.1, Verdict.INCONCLUSIVE),
        (1.1, 1.2, Verdict.VIOLATED),
        (-np.inf, np.inf, Verdict.INCONCLUSIVE),
        (np.nan, np.nan, Verdict.INCONCLUSIVE),
    ],
)
def test_upper_bound_verdict(low, high, verdict):
    assert upper_bound_verdict(Interval(0.5, low, high), 1.0) is verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.0, 2.0, Verdict.HOLDS),
        (1.2, 1.3, Verdict.HOLDS),
        (0.5, 1.5, Verdict.INCONCLUSIVE),
        (1.5, 2.5, Verdict.INCONCLUSIVE),
        (0.0, 3.0, Verdict.INCONCLUSIVE),
        (0.0, 0.9, Verdict.VIOLATED),
        (2.1, 2.2, Verdict.VIOLATED),
        (np.nan, np.nan, Verdict.INCONCLUSIVE),
    ],
)
def test_within_verdict(low, high, verdict):
    assert within_verdict(Interval(0.0, low, high), 1.0, 2.0) is verdict


def test_joint_verdict_is_a_conjunction():
    """Violated if one is, holds if all do, else inconclusive; of nothing nothing is known."""
    three = [Verdict.HOLDS, Verdict.VIOLATED, Verdict.INCONCLUSIVE]
    for n in (1, 2, 3):
        for verdicts in itertools.product(three, repeat=n):
            expected = Verdict.INCONCLUSIVE
            if Verdict.VIOLATED in verdicts:
                expected = Verdict.VIOLATED
            elif set(verdicts) == {Verdict.HOLDS}:
                expected = Verdict.HOLDS
            assert joint_verdict(list(verdicts)) is expected
    assert joint_verdict([]) is Verdict.INCONCLUSIVE


def test_an_exact_value_has_no_width():
    assert Interval.exact(0.25) == Interval(0.25, 0.25, 0.25)
    assert upper_bound_verdict(Interval.exact(1.0), 1.0) is Verdict.HOLDS


def test_slope_and_straightness() -> None:
    x = tuple(range(8, 57, 8))
    exact = [Interval.exact(2.0 * b + 1) for b in x]
    assert slope_interval(x, exact).low == pytest.approx(2.0)
    assert r_squared(x, exact).low == pytest.approx(1.0)
    truth = np.array([30.0, 44, 71, 90, 120, 139, 166])
    generator = np.random.default_rng(0)
    for _ in range(50):  # whatever the values within limits that contain the truth
        values = truth + generator.uniform(-3, 3, 7)
        shown = [Interval(v, v - 3, v + 3) for v in values]
        u = np.array(x) - np.mean(x)
        slope = u @ truth / (u @ u)
        rest = truth - truth.mean() - slope * u
        interval = slope_interval(x, shown)
        assert interval.low <= slope <= interval.high
        square = r_squared(x, shown)
        assert square.low <= 1 - rest @ rest / np.sum((truth - truth.mean()) ** 2) <= square.high <= 1
        assert square.value == pytest.approx(np.corrcoef(x, values)[0, 1] ** 2)


def test_limits_of_the_share_of_a_line_are_those_of_their_proof() -> None:
    """Deviations -3, -1, 1, 3 without residuals, half-widths .1, .2, .3, .4: .25 in the mean."""
    y = [Interval(v, v - h, v + h / 2) for v, h in zip((-3, -1, 1, 3), (0.1, 0.2, 0.3, 0.4), strict=True)]
    share = r_squared((0, 1, 2, 3), y)
    assert share.high == 1.0
    most = 0.1**2 + 0.2**2 + 0.3**2 + 0.4**2
    assert share.low == pytest.approx(1 - most / (2.65**2 + 0.55**2 + 0.45**2 + 2.35**2), rel=1e-12)
    bent = [Interval(v, v - 0.2, v + 0.1) for v in (-2.0, -2.0, 0.0, 4.0)]  # residuals 1, -1, -1, 1
    share = r_squared((0, 1, 2, 3), bent)
    assert share.value == pytest.approx(1 - 4 / 24)
    assert share.low == pytest.approx(1 - 4 * 1.2**2 / (2 * 1.6**2 + 3.6**2))
    assert share.high == pytest.approx(1 - (2 - 0.4) ** 2 / (2 * 2.4**2 + 0.4**2 + 4.4**2))


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.75, 1.25, Verdict.HOLDS),  # as wide as allowed
        (0.75, 1.26, Verdict.INCONCLUSIVE),
        (0.74, 1.25, Verdict.INCONCLUSIVE),
        (0.5, 1.0, Verdict.HOLDS),  # both ends belong to the limits
        (1.0, 1.5, Verdict.HOLDS),
        (0.45, 1.0, Verdict.INCONCLUSIVE),
        (1.0, 1.55, Verdict.INCONCLUSIVE),
        (0.5, 0.99, Verdict.VIOLATED),
        (1.01, 9.0, Verdict.VIOLATED),
    ],
)
def test_equality_holds_within_narrow_limits(low: float, high: float, verdict: Verdict) -> None:
    for value in {low, high, min(max(1.0, low), high)}:  # only the limits decide
        assert equality_verdict(Interval(value, low, high), 1.0) is verdict
    assert (equality_verdict(Interval(1.0, low, high), 1.0, width=9.0) is Verdict.VIOLATED) == (
        verdict is Verdict.VIOLATED
    )


def test_bernstein_limits_cover_the_mean_of_a_skewed_distribution() -> None:
    """Bits with a chance of 2 %: the limits miss the mean far less often than their level, and Student's more often."""
    bits = np.random.default_rng(8).random((2000, 60)) < 0.02
    missed = [
        not interval.low <= 0.02 <= interval.high for interval in (bernstein_interval(row, 1, 0.05) for row in bits)
    ]
    student = [not interval.low <= 0.02 <= interval.high for interval in (mean_interval(row, 0.05) for row in bits)]
    assert np.mean(missed) < 0.05 < np.mean(student)


def test_bernstein_limits_narrow_with_the_variance() -> None:
    wide, narrow = (bernstein_interval(np.tile([0, x], 5000), 1, 0.05) for x in (1.0, 0.1))
    assert narrow.high - narrow.low < 0.2 * (wide.high - wide.low)
