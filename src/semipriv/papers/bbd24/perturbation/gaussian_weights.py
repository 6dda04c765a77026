"""Scales of normal weights with which RRSPM (BBD24, algorithm 4) is (epsilon, delta)-DP.

The paper's scale, C sqrt(m log(1/delta)) / epsilon, is not private for every class.  Those here are, all by one
argument.  Let E_h be the noise under which labeling h of the public points wins.  For neighbours there are vectors v_h
with E_h + v_h inside the neighbour's E_h, which depend on h: +2 and -2 on k points, 0 elsewhere, of norm 2 sqrt(k).
All m points always serve; so do k = TD(Z), as many as one labeling needs to be told from all others (teaching sets).
For real thresholds a norm of 2 is enough, k = 1, since the shifts of two weights add up to 2 (docs/findings.md).

Union: each labeling adds at most the delta of a Gaussian mechanism of sensitivity 2 sqrt(k), hence delta / N for each
of N labelings.  Closed form and width: with noise s g, the log ratio at h is <g, v_h> / s + |v_h|^2 / (2 s^2).  If
<g, v_h> <= 2 sqrt(k) u for all h with probability 1 - delta, then s = (sqrt(k) / epsilon) (u + sqrt(u^2 + 2 epsilon))
makes it at most epsilon.  u = sqrt(2 ln(N / delta)) by a union over labelings; u = W + sqrt(2 ln(1 / delta)) by the
inequality of Borell and Tsirelson, Ibragimov and Sudakov, where W is at least E max_h <g, v_h> / (2 sqrt(k)).

The scales depend on public points only, and are rounded up.
"""

import math
from fractions import Fraction
from typing import Any

from semipriv.core import checks
from semipriv.core.rounding import Bracket, rational, rounded_down
from semipriv.privacy.gaussian import gaussian_sigma


def union_scale(points: int, epsilon: float, delta: float, patterns: int) -> float:
    """Return the smallest s of a Gaussian mechanism of sensitivity 2 sqrt(points) that is (epsilon, delta / N)-DP.

    points: k, the points on which the weights are shifted, all m or the teaching dimension.  patterns: N, at least the
    number of labelings of the public points.  Raises ValueError if delta / N is below the float range.

    >>> round(union_scale(15, 1.0, 1e-5, 2**15), 3)
    44.073
    """
    k, n = checks.size("points", points), _patterns(patterns)
    share = rounded_down(Fraction(checks.between("delta", delta, 0, 1)) / n)
    if not share:
        raise ValueError(f"patterns = {patterns!r}: delta / patterns is below the float range, use closed_scale")
    return gaussian_sigma(checks.positive("epsilon", epsilon), share, Fraction(Bracket.of(4 * k).sqrt().high))


def closed_scale(points: int, epsilon: float, delta: float, patterns: int) -> float:
    """Return (sqrt(k) / epsilon) (sqrt(2 L) + sqrt(2 L + 2 epsilon)) with L = ln(N / delta), for any N.

    points and patterns are those of ``union_scale``, whose scale is never larger.

    >>> round(closed_scale(15, 1.0, 1e-5, 2**15), 3)
    51.854
    """
    share = _patterns(patterns) / Fraction(checks.between("delta", delta, 0, 1))
    return _by_tail(points, epsilon, (2 * Bracket.of(share).ln()).sqrt())


def width_scale(points: int, epsilon: float, delta: float, width: Any) -> float:
    """Return (sqrt(k) / epsilon) (u + sqrt(u^2 + 2 epsilon)) with u = W + sqrt(2 ln(1 / delta)).

    points: those of ``union_scale``.  width: W > 0, at least the mean of the largest <g, v_h> / (2 sqrt(k)) over all
    labelings h, for example sqrt(2 ln N); all 2^m labelings have sqrt(2 m / pi).  An estimate is not enough: give an
    upper confidence limit, and add its error level to delta.

    >>> round(width_scale(15, 1.0, 1e-5, 3.0902), 3)
    61.593
    """
    tail = (2 * Bracket.of(1 / Fraction(checks.between("delta", delta, 0, 1))).ln()).sqrt()
    return _by_tail(points, epsilon, Bracket.of(rational("width", width)) + tail)


def _patterns(value: Any) -> int:
    """Return a number of labelings; it may be above the float range."""
    return value if type(value) is int and value >= 1 else checks.size("patterns", value)


def _by_tail(points: int, epsilon: float, u: Bracket) -> float:
    """Return (sqrt(k) / epsilon) (u + sqrt(u^2 + 2 epsilon)), rounded up."""
    e = Fraction(checks.positive("epsilon", epsilon))
    scale = (Bracket.of(checks.size("points", points)).sqrt() * (u + (u * u + 2 * e).sqrt()) / e).up
    if math.isinf(scale):
        raise ValueError(f"epsilon = {epsilon!r}: the scale would exceed the float range")
    return scale
