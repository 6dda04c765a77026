"""Confidence limits, slopes and the rule that turns a measurement into a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import scipy
from numpy.typing import ArrayLike

GATE_LEVEL = 1e-4
"""Two-sided error level of one Monte-Carlo gate of the ledger; several gates of one claim share it."""


@dataclass(frozen=True)
class Interval:
    """A measured value with its confidence limits; an exact value has low = value = high."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> "Interval":
        """Return the interval of a value that is known without sampling error."""
        return cls(value, value, value)


class Verdict(StrEnum):
    """What the ledger says of a claim."""

    HOLDS = "holds"
    VIOLATED = "violated"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    ILLUSTRATION = "illustration"
    CITED = "cited"


def clopper_pearson(
    successes: ArrayLike, trials: ArrayLike, level: float = GATE_LEVEL
) -> tuple[np.ndarray, np.ndarray]:
    """Return exact two-sided confidence limits of a binomial probability (Clopper and Pearson 1934).

    successes, trials: integers of one shape, 0 <= successes <= trials, trials >= 1; level: error probability, half at
    each side.  Returns (low, high) of that shape.

    >>> low, high = clopper_pearson(0, 100, level=0.05)
    >>> float(low), round(float(high), 5)
    (0.0, 0.03622)
    """
    k, n = np.asarray(successes, float), np.asarray(trials, float)
    if np.any((k < 0) | (k > n) | (n < 1)):
        raise ValueError("needs 0 <= successes <= trials and trials >= 1")
    if not 0 < level < 1:
        raise ValueError(f"level = {level!r}: must be in (0, 1)")
    low = np.where(k == 0, 0.0, scipy.special.betaincinv(np.maximum(k, 1), n - k + 1, level / 2))
    high = np.where(k == n, 1.0, scipy.special.betaincinv(k + 1, np.maximum(n - k, 1), 1 - level / 2))
    return low, high


def frequency(successes: int, trials: int, level: float) -> Interval:
    """Return a relative frequency with its Clopper-Pearson limits at a two-sided level."""
    low, high = clopper_pearson(successes, trials, level)
    return Interval(successes / trials, float(low), float(high))


def mean_interval(values: ArrayLike, level: float = 0.05) -> Interval:
    """Return the mean of independent values with Student's confidence limits; one value has infinite limits."""
    x = np.asarray(values, float)
    if x.size == 0:
        raise ValueError("the mean of no value is undefined")
    mean = float(x.mean())
    if x.size == 1:
        return Interval(mean, -np.inf, np.inf)
    half = scipy.special.stdtrit(x.size - 1, 1 - level / 2) * x.std(ddof=1) / np.sqrt(x.size)
    return Interval(mean, mean - float(half), mean + float(half))


def bernstein_interval(values: ArrayLike, spread: float, level: float) -> Interval:
    """Return the mean of independent values, with limits for every distribution on an interval of length ``spread``.

    mean -+ sqrt(2 V ln(4 / level) / n) + 7 spread ln(4 / level) / (3 (n - 1)), V the sample variance (Maurer and Pontil
    2009, theorem 4, once for each side).  Raises ValueError for fewer than two values.

    >>> found = bernstein_interval([0, 1] * 500, spread=1, level=0.05)
    >>> found.value, round(found.high, 4)
    (0.5, 0.5571)
    """
    x = np.asarray(values, float)
    if x.size < 2:
        raise ValueError("limits of a mean need two values")
    log = np.log(4 / level)
    half = float(np.sqrt(2 * x.var(ddof=1) * log / x.size) + 7 * spread * log / (3 * (x.size - 1)))
    mean = float(x.mean())
    return Interval(mean, mean - half, mean + half)


def kolmogorov_smirnov(first: ArrayLike, second: ArrayLike) -> float:
    """Return the largest difference between the empirical distribution functions of two samples."""
    x, y = np.sort(np.asarray(first, float)), np.sort(np.asarray(second, float))
    values = np.concatenate([x, y])
    shares = (np.searchsorted(part, values, side="right") / len(part) for part in (x, y))
    return float(np.abs(np.subtract(*shares)).max())


def empirical_deviation(n: int, level: float) -> float:
    """Return sqrt(ln(2 / level) / (2 n)), a bound on the error of the empirical distribution function of n values.

    The largest error exceeds it with probability at most ``level`` (Dvoretzky, Kiefer and Wolfowitz, with the constant
    of Massart 1990).
    """
    return float(np.sqrt(np.log(2 / level) / (2 * n)))


def linear_slope(x: ArrayLike, y: ArrayLike) -> float:
    """Return the least-squares slope of y against x.

    >>> linear_slope([0, 1, 2], [1, 3, 5])
    2.0
    """
    u, v = np.asarray(x, float), np.asarray(y, float)
    if u.size < 2 or np.ptp(u) == 0:
        raise ValueError("a slope needs two distinct values of x")
    return float((u - u.mean()) @ v / np.sum((u - u.mean()) ** 2))


def slope_interval(x: Sequence[float], y: Sequence[Interval]) -> Interval:
    """Return the least-squares slope, and limits that hold if every y_i lies within its own limits.

    >>> slope_interval((0, 1, 2), [Interval(1, 0, 2), Interval(3, 2, 4), Interval(5, 4, 6)])
    Interval(value=2.0, low=1.0, high=3.0)
    """
    u = np.array(x, float) - np.mean(x)
    weight = u / (u @ u)
    low, high = np.array([v.low for v in y]), np.array([v.high for v in y])
    ends = np.stack([weight * low, weight * high])
    value = linear_slope(x, [v.value for v in y])
    return Interval(value, float(ends.min(axis=0).sum()), float(ends.max(axis=0).sum()))


def r_squared(x: Sequence[float], y: Sequence[Interval]) -> Interval:
    """Return 1 - residual / total sum of squares of the least-squares line, and its limits.

    The limits hold if every y_i lies within its own.  Let h_i be the half-widths and r the residuals of the values.
    The line through the values fits the truth no better than the best line, and is off by at most |r_i| + h_i.
    Residuals are a projection, so that those of the truth have a norm of at least |r| - |h|.  Deviations from the mean
    change by at most h_i + mean h.
    """
    values = np.array([v.value for v in y], float)
    half = np.array([max(v.high - v.value, v.value - v.low) for v in y], float)
    line = values.mean() + linear_slope(x, values) * (np.array(x, float) - np.mean(x))
    residual, deviation = np.abs(values - line), np.abs(values - values.mean())
    most, least = (
        float(np.sum((residual + half) ** 2)),
        max(0.0, float(np.linalg.norm(residual) - np.linalg.norm(half))),
    )
    wide = float(np.sum((deviation + half + half.mean()) ** 2))
    narrow = float(np.sum(np.maximum(deviation - half - half.mean(), 0) ** 2))
    total = float(np.sum(deviation**2))
    return Interval(
        1 - float(np.sum(residual**2)) / total if total else 0.0,
        1 - most / narrow if narrow else -np.inf,
        1 - least**2 / wide if wide else 1.0,
    )


def loglog_slope(x: ArrayLike, y: ArrayLike, low: ArrayLike | None = None, high: ArrayLike | None = None) -> Interval:
    """Return the least-squares slope of ln y against ln x, with limits.

    The slope is linear in ln y: if every y_i lies in [low_i, high_i], the slope lies in the returned limits.  They hold
    simultaneously with the limits of y, whatever the dependence.  Without limits the values are exact.

    >>> loglog_slope([1, 2, 4], [3, 12, 48]).value
    2.0
    """
    u, v = np.log(np.asarray(x, float)), np.log(np.asarray(y, float))
    if u.size < 2 or np.ptp(u) == 0:
        raise ValueError("a slope needs two distinct values of x")
    weight = (u - u.mean()) / np.sum((u - u.mean()) ** 2)
    slope = float(weight @ v)
    if low is None or high is None:
        return Interval.exact(slope)
    with np.errstate(divide="ignore", invalid="ignore"):  # a lower limit may be 0: its slope has no limit
        ends = weight * np.log([np.asarray(low, float), np.asarray(high, float)])
    ends[:, weight == 0] = 0.0
    return Interval(slope, float(ends.min(axis=0).sum()), float(ends.max(axis=0).sum()))


def regression_slope(x: ArrayLike, y: ArrayLike, standard_errors: ArrayLike, level: float = 0.05) -> Interval:
    """Return the weighted log-log slope of independent means y with known standard errors, with confidence limits.

    The error of ln y is taken as standard_error / y (delta method).  Weights are inverse variances.  If the points
    scatter more than their errors say, the variance is inflated by the reduced chi-square; limits are then Student's.
    """
    u, v = np.log(np.asarray(x, float)), np.log(np.asarray(y, float))
    variance = (np.asarray(standard_errors, float) / np.asarray(y, float)) ** 2
    weight = 1 / variance
    centre = np.sum(weight * u) / np.sum(weight)
    spread = np.sum(weight * (u - centre) ** 2)
    slope = float(np.sum(weight * (u - centre) * v) / spread)
    residual = v - np.sum(weight * v) / np.sum(weight) - slope * (u - centre)
    inflation = float(np.sum(weight * residual**2)) / max(1, u.size - 2)
    if inflation <= 1:
        half = float(-scipy.special.ndtri(level / 2) / np.sqrt(spread))
    else:  # the scatter is estimated from the points
        half = float(scipy.special.stdtrit(max(1, u.size - 2), 1 - level / 2) * np.sqrt(inflation / spread))
    return Interval(slope, slope - half, slope + half)


def turns(y: ArrayLike, standard_errors: ArrayLike, level: float = 0.05) -> bool:
    """Return whether independent means y (k,) rise somewhere and fall somewhere, in their order, beyond their errors.

    They rise or fall from i to a later j if y_j - y_i is beyond the normal limits of a difference at that level.  No
    power law does both: a slope through all of it says nothing.

    >>> turns([1, 3, 1], [0.1, 0.1, 0.1]), turns([1, 3, 2.8], [0.1, 0.1, 0.1])
    (True, False)
    """
    value, error = np.asarray(y, float), np.asarray(standard_errors, float)
    change = np.triu(value - value[:, None]) / np.hypot(error, error[:, None])
    limit = -scipy.special.ndtri(level / 2)
    return bool(np.any(change > limit) and np.any(change < -limit))


def upper_bound_verdict(measured: Interval, bound: float) -> Verdict:
    """Return the verdict on the claim ``value <= bound``: holds iff high <= bound, violated iff low > bound."""
    if measured.high <= bound:
        return Verdict.HOLDS
    return Verdict.VIOLATED if measured.low > bound else Verdict.INCONCLUSIVE


def within_verdict(measured: Interval, low: float, high: float) -> Verdict:
    """Return the verdict on the claim ``low <= value <= high``: holds iff the whole interval lies inside."""
    if measured.low >= low and measured.high <= high:
        return Verdict.HOLDS
    return Verdict.VIOLATED if measured.low > high or measured.high < low else Verdict.INCONCLUSIVE


def equality_verdict(measured: Interval, exact: float, width: float = 0.5) -> Verdict:
    """Return the verdict on the claim ``value = exact``: violated iff the limits exclude it.

    It holds iff the limits contain it and high - low is at most ``width`` times it; otherwise too little was measured.
    """
    if not measured.low <= exact <= measured.high:
        return Verdict.VIOLATED
    return Verdict.HOLDS if measured.high - measured.low <= width * exact else Verdict.INCONCLUSIVE


def joint_verdict(verdicts: list[Verdict]) -> Verdict:
    """Return the verdict on the conjunction: violated if one is violated, holds if all hold."""
    if Verdict.VIOLATED in verdicts:
        return Verdict.VIOLATED
    return Verdict.HOLDS if verdicts and all(v is Verdict.HOLDS for v in verdicts) else Verdict.INCONCLUSIVE
