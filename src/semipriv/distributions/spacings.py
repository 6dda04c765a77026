"""Spacings: the gaps that random points leave, and how far functions that agree on the points can differ.

Two thresholds that agree on m points differ on a part of one gap between neighbours; two unions of intervals differ on
parts of a few gaps.  ABM19 needs that for its event Bad, BCM20 for the cover of its lemma 11.  How far the shares of
the points are from the masses of all thresholds is the distance of Kolmogorov and Smirnov.

Gaps are masses: those of m uniform points under any atomless distribution, sums of weights on finitely many atoms.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import scipy
from numpy.typing import NDArray

from semipriv.core import checks
from semipriv.core.least import least_size
from semipriv.core.types import Floats

Gaps = NDArray[np.float64]
"""(trials, g) masses of the gaps between neighbouring points, in the order of the curve."""

ROWS = 2_000_000
"""Gaps that are simulated at once."""


def bad_probability_thresholds(m: int, alpha: Fraction) -> float:
    """Return P[Bad] for thresholds under any atomless marginal: P[largest of the m + 1 uniform spacings > alpha].

    It is sum_{1 <= k <= 1/alpha} (-1)^(k+1) C(m + 1, k) (1 - k alpha)_+^m, exactly in rational arithmetic.

    >>> round(bad_probability_thresholds(28, Fraction(1, 5)), 6)
    0.055845
    """
    checks.size("m", m, 0)
    checks.between("alpha", alpha, 0, 1)
    total = Fraction(0)
    k = 1
    while k <= m + 1 and k * alpha < 1:
        total += (-1) ** (k + 1) * math.comb(m + 1, k) * (1 - k * alpha) ** m
        k += 1
    return float(total)


def bad_probability_thresholds_float(m: int, alpha: float) -> float:
    """Return the same in floating point, for large m; accurate if it is below 0.9, because the terms then decrease."""
    checks.size("m", m, 0)
    checks.between("alpha", alpha, 0, 1)
    total, log_choose, k = 0.0, 0.0, 1
    while k <= m + 1 and k * alpha < 1:
        log_choose += math.log(m + 2 - k) - math.log(k)
        term = math.exp(log_choose + m * math.log1p(-k * alpha))
        total += term if k % 2 else -term
        if term < 1e-16:
            break
        k += 1
    return min(1.0, max(0.0, total))


@cache
def cover_points_thresholds(alpha: float, beta: float) -> int:
    """Return the least m with P[Bad] <= beta <= 1/2 for thresholds under an atomless marginal, by bisection.

    P[Bad] decreases with m.

    >>> cover_points_thresholds(0.1, 0.05)
    69
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 0.5, closed="h")

    # If more than one long gap is expected, P[Bad] exceeds 1/2; otherwise the series in floating point is accurate.
    def failure(m: int) -> float:
        expected_long_gaps = (m + 1) * math.exp(m * math.log1p(-alpha))
        return bad_probability_thresholds_float(m, alpha) if expected_long_gaps < 1 else 1.0

    return least_size(failure, beta)


def mean_largest_gap(m: int) -> float:
    """Return the mean of the largest of the m + 1 uniform spacings: (1 + 1/2 + ... + 1/(m + 1)) / (m + 1).

    >>> mean_largest_gap(1)
    0.75
    """
    return float(np.sum(1 / np.arange(1.0, checks.size("m", m) + 2))) / (m + 1)


# ---------------------------------------------------------------------------------------------------- shares and masses
def kolmogorov_distribution(m: int, x: float) -> float:
    """Return P[D < x] for the Kolmogorov-Smirnov distance D of m points of a continuous distribution, to 10 digits.

    By Durbin's matrix (Marsaglia, Tsang and Wang 2003).  Let m x = k - h with 0 <= h < 1.  H has 2 k - 1 rows; entry
    (i, j) is the probability e^-1 / (i - j + 1)! of as many points of a Poisson process of rate 1 in a step of 1/m,
    less what would leave the band of width 2 x, in the first column and the last row.  Given m points in all, D < x
    has probability (H^m)_kk m! (e/m)^m.

    >>> round(kolmogorov_distribution(10, 0.274), 7), kolmogorov_distribution(3, 0.1)
    (0.6284796, 0.0)
    """
    checks.size("m", m)
    checks.positive("x", x)
    if x >= 1 or 2 * m * x <= 1:
        return float(x >= 1)
    k = math.floor(m * x) + 1
    h, size = k - m * x, 2 * k - 1
    powers = h ** np.arange(1, size + 1)
    jump = np.arange(size)[:, None] - np.arange(size) + 1
    step = np.where(jump >= 0, 1.0, 0.0)
    step[:, 0] -= powers
    step[-1] -= powers[::-1]
    step[-1, 0] += max(2 * h - 1, 0.0) ** size
    step *= np.exp(-1.0 - scipy.special.gammaln(np.maximum(jump, 0) + 1.0))
    state = np.zeros(size)
    state[k - 1] = 1.0
    left = m
    while left:
        if left % 2:
            state = state @ step
        left //= 2
        if left:
            step = step @ step
    return float(state[k - 1] * math.exp(_log_scale(m)))


def _log_scale(m: int) -> float:
    """Return ln(m! (e/m)^m), by Stirling's series where the factorial would lose digits."""
    if m < 50:
        return math.lgamma(m + 1) + m - m * math.log(m)
    return 0.5 * math.log(2 * math.pi * m) + 1 / (12 * m) - 1 / (360 * m**3) + 1 / (1260 * m**5)


# ---------------------------------------------------------------------------------------------------- Bad diameters
def line_diameters(gaps: Gaps, d: int) -> Floats:
    """Return the Bad diameters of thresholds (d = 1) and of unions of k intervals (d = 2 k): (t, m + 1) -> (t,).

    The diameter is the sum of the d largest gaps.  Two hypotheses have 2 d ends together, and a gap in which they
    differ needs two ends.  This includes the outermost gaps, because all hypotheses are 0 on the far left (thresholds:
    and 1 on the far right).  It is attained: the pattern that changes at each of d gaps has k runs.  If there are fewer
    gaps, and an odd number, one hypothesis has an interval of its own in the last gap instead of a change.
    """
    checks.size("d", d)
    count = gaps.shape[1]
    if d >= count:
        return np.asarray(gaps.sum(axis=1))
    return np.asarray(np.partition(gaps, count - d, axis=1)[:, count - d :].sum(axis=1))


def bad_diameters(m: int, d: int, trials: int, generator: np.random.Generator) -> Floats:
    """Simulate ``line_diameters`` of m points of an atomless distribution, (trials,)."""
    checks.size("VC dimension", d)
    return simulated(m, trials, generator, lambda gaps: line_diameters(gaps, d))


def simulated(m: int, trials: int, generator: np.random.Generator, diameters: Callable[[Gaps], Floats]) -> Floats:
    """Simulate diameters of the m + 1 spacings of m uniform points, which are exponential variables over their sum."""
    checks.size("m", m, 0)
    checks.size("trials", trials)
    result = np.empty(trials)
    rows = max(1, ROWS // (m + 1))
    for start in range(0, trials, rows):
        gaps = generator.standard_exponential((min(rows, trials - start), m + 1))
        result[start : start + rows] = diameters(gaps) / gaps.sum(axis=1)
    return result
