"""ABM19: how far hypotheses that agree on m random points can differ, exactly, as sums of spacings of uniform points.

Bad is the event that two hypotheses agree on all m public points, yet disagree with probability above alpha; the Bad
diameter is the largest disagreement of two that agree, so that P[Bad] = P[diameter > alpha].  On a curve that each
hypothesis enters and leaves a few times, the difference of two is made of pieces of gaps between neighbouring points:
inside a gap between two points it must begin and end, which takes two of the ends of the two hypotheses; in a gap at an
end of the curve one is enough.  So the diameter is a largest sum of gaps that the ends suffice for.

Gaps are masses: under any atomless law those of m uniform points, and on finitely many atoms sums of weights.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv import checks
from semipriv.bounds.abm19.sizes import cover_points

Gaps = NDArray[np.float64]
"""(trials, g) masses of the gaps between neighbouring points, in the order of the curve."""

_ROWS = 2_000_000


def bad_probability_thresholds(m: int, alpha: Fraction) -> float:
    """P[Bad] for thresholds under any atomless marginal, exactly: P[largest of the m + 1 uniform spacings > alpha].

    sum_{1 <= k <= 1/alpha} (-1)^(k+1) C(m + 1, k) (1 - k alpha)_+^m in rational arithmetic; alpha is a Fraction.

    >>> round(bad_probability_thresholds(28, Fraction(1, 5)), 6)
    0.055845
    """
    checks.between("alpha", alpha, 0, 1)
    total = Fraction(0)
    k = 1
    while k <= m + 1 and k * alpha < 1:
        total += (-1) ** (k + 1) * math.comb(m + 1, k) * (1 - k * alpha) ** m
        k += 1
    return float(total)


def bad_probability_thresholds_float(m: int, alpha: float) -> float:
    """The same in floating point, for large m; accurate where the probability is below 0.9 (terms then decrease)."""
    checks.between("alpha", alpha, 0, 1)
    total, k = 0.0, 1
    while k <= m + 1 and k * alpha < 1:
        log_term = math.lgamma(m + 2) - math.lgamma(k + 1) - math.lgamma(m + 2 - k) + m * math.log1p(-k * alpha)
        term = math.exp(log_term)
        total += term if k % 2 else -term
        if term < 1e-16:
            break
        k += 1
    return min(1.0, max(0.0, total))


def cover_points_thresholds(alpha: float, beta: float) -> int:
    """Least m with P[Bad] <= beta <= 1/2 for thresholds under an atomless marginal (by bisection, P[Bad] decreases).

    >>> cover_points_thresholds(0.1, 0.05)
    69
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 0.5, closed="h")
    low, high = 0, cover_points(alpha, beta, 1)
    # Where more than one long gap is expected P[Bad] exceeds 1/2; elsewhere the series in floating point is accurate.
    while high - low > 1:
        middle = (low + high) // 2
        expected_long_gaps = (middle + 1) * (1 - alpha) ** middle
        if expected_long_gaps < 1 and bad_probability_thresholds_float(middle, alpha) <= beta:
            high = middle
        else:
            low = middle
    return high


# ---------------------------------------------------------------------------------------------------- Bad diameters
def line_diameters(gaps: Gaps, d: int) -> NDArray[np.float64]:
    """Bad diameters of thresholds (d = 1) and of unions of k intervals (d = 2 k) on the line: (t, m + 1) -> (t,).

    The sum of the d largest gaps.  Two hypotheses have 2 d ends together, of which a gap in which they differ needs
    two: in the outermost gaps too, as all hypotheses are 0 on the far left (thresholds: and 1 on the far right).
    Attained: the pattern that changes at each of d gaps has k runs.  An odd number of gaps, where there are fewer, is
    less than 2 k: in the last one, instead of a change, one hypothesis has an interval of its own.
    """
    count = gaps.shape[1]
    if d >= count:
        return np.asarray(gaps.sum(axis=1))
    return np.asarray(np.partition(gaps, count - d, axis=1)[:, count - d :].sum(axis=1))


def moment_curve_diameters(gaps: Gaps, d: int) -> NDArray[np.float64]:
    """Bad diameters of halfspaces in R^d on the moment curve (t, t^2, ..., t^d): (trials, m + 1) -> (trials,).

    A halfspace is where a polynomial of degree d is not negative: any set of at most d sign changes, from either sign.
    Two have 2 d changes together.  A gap in the interior needs two of them, as the labels of its ends fix the parity of
    each hypothesis' changes in it; an outermost one needs one.  With both outermost gaps, or one, d - 1 others can be
    afforded, with none d: max(first + last + top d - 1 of the others, top d of the others).  Attained: each hypothesis
    changes once in each interior gap, at opposite ends, and one of them in the first, the other in the last gap.
    """
    if gaps.shape[1] <= 2:
        return np.asarray(gaps.sum(axis=1))
    inner, ends = gaps[:, 1:-1], gaps[:, 0] + gaps[:, -1]
    few = line_diameters(inner, d - 1) if d > 1 else 0.0
    return np.asarray(np.maximum(ends + few, line_diameters(inner, d)))


def circle_diameters(gaps: Gaps) -> NDArray[np.float64]:
    """Bad diameters of halfspaces in the plane on a circle, from the m >= 1 gaps of m points: (trials, m) -> (trials,).

    The sum of the two largest gaps, of all where there are no more.  A line cuts a circle into any two arcs: the
    hypotheses are all arcs, the empty one and the whole circle too, with at most two ends each.  The labels of a gap's
    ends fix the parity of each hypothesis' ends in it, so that a gap in which two differ needs two of their four.
    Attained: two gaps part the points; the arcs hold one part, and end at opposite ends of both gaps.  The only gap of
    one point is the circle but for the point, which one arc may fill and another leave empty.
    """
    return line_diameters(gaps, 2)


def cross_diameters(gaps: Gaps, arm: NDArray[np.integer], innermost: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Bad diameters of rectangles on a cross, four arms along the axes that meet at the origin: (t, g) -> (t,).

    arm: (t, g) 0 to 3, the arm of each gap; innermost: whether it begins at the origin.  The largest of (a) the sum of
    the largest gap of each arm; (b) the innermost gaps and the largest other one; (c) the two largest gaps.

    A rectangle that holds the origin is a star: on each arm it holds all up to some radius, any four radii.  Any other
    one meets at most one arm, in an interval, any one.  Two stars that agree on the points have on each arm both radii
    in one gap, whichever: (a).  A star that agrees with an interval holds no point of the other arms, where they differ
    in innermost gaps, and the first k of its arm.  If k >= 1, the interval begins in the innermost gap, which the star
    fills, and both end in the k-th; if k = 0, the interval lies in one gap: (b), or no more than the innermost gaps.
    Two intervals around the same points begin in one gap of their arm and end in another; without points each lies in
    one gap of any arm: (c).
    """
    longest = sum(np.where(arm == a, gaps, 0.0).max(axis=1) for a in range(4))
    mixed = np.where(innermost, gaps, 0.0).sum(axis=1) + np.where(innermost, 0.0, gaps).max(axis=1)
    return np.asarray(np.max([longest, line_diameters(gaps, 2), mixed], axis=0))


def bad_diameters(m: int, d: int, trials: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Simulated ``line_diameters`` of m points of an atomless law, (trials,)."""
    checks.size("VC dimension", d)
    return _simulated(m, trials, generator, lambda gaps: line_diameters(gaps, d))


def bad_diameters_circle(m: int, trials: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Simulated ``circle_diameters`` of m uniform points, (trials,); 1 for no point.

    Cut at one of its points, a circle is a line with the m - 1 others.
    """
    return _simulated(max(checks.size("m", m, 0) - 1, 0), trials, generator, circle_diameters)


def bad_diameters_moment_curve(m: int, d: int, trials: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Simulated ``moment_curve_diameters`` of m points, t of an atomless law, (trials,)."""
    checks.size("dimension", d)
    return _simulated(m, trials, generator, lambda gaps: moment_curve_diameters(gaps, d))


def bad_diameters_cross(m: int, trials: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Simulated ``cross_diameters`` of m points, arm and place on it uniform, (trials,)."""
    result = np.empty(trials)
    rows = max(1, _ROWS // (m + 5))
    for start in range(0, trials, rows):
        size = min(rows, trials - start)
        borders = np.broadcast_to(np.arange(5.0), (size, 5))  # arm a is the piece [a, a + 1) of a line
        places = np.sort(np.concatenate([4 * generator.random((size, m)), borders], axis=1), axis=1)
        begin = places[:, :-1]
        gaps, arm = np.diff(places, axis=1) / 4, np.minimum(begin.astype(np.intp), 3)
        result[start : start + size] = cross_diameters(gaps, arm, begin == arm)
    return result


def _simulated(
    m: int, trials: int, generator: np.random.Generator, diameters: Callable[[Gaps], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Diameters of the m + 1 spacings of m uniform points: exponential variables over their sum."""
    result = np.empty(trials)
    rows = max(1, _ROWS // (m + 1))
    for start in range(0, trials, rows):
        gaps = generator.standard_exponential((min(rows, trials - start), m + 1))
        result[start : start + rows] = diameters(gaps) / gaps.sum(axis=1)
    return result


def covering_radius_thresholds(representatives: ArrayLike) -> float:
    """Covering radius of thresholds whose positions on the quantile scale F(t) are given (sorted, in [0, 1]).

    max(r_0, 1 - r_last, max (r_{i+1} - r_i) / 2): never more than the Bad diameter, the largest gap of public points.
    """
    r = np.clip(np.sort(np.asarray(representatives, float)), 0.0, 1.0)
    inner = np.diff(r).max() / 2 if r.size > 1 else 0.0
    return float(max(r[0], 1 - r[-1], inner))
