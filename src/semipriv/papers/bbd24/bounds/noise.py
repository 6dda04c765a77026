"""Excess mistakes that the Laplace weights of RRSPM cost (BBD24, lemma 23), and a sharper bound."""

import math

from semipriv.core import checks


def union_excess(points: int, scale: float, beta: float) -> float:
    """Return m b ln(m / beta): with probability 1 - beta the winner makes at most so many mistakes more than any other.

    points: m; scale: b.  Lemma 23 with b = 2 m / epsilon, by max |xi_i| <= b ln(m / beta) and m / 2 bits on each side.

    >>> round(union_excess(4, 1.0, 0.05), 4)
    17.5281
    """
    m = checks.size("points", points)
    return m * checks.positive("scale", scale) * math.log(m / checks.between("beta", beta, 0, 1))


def gamma_excess(points: int, scale: float, beta: float, patterns: int) -> float:
    """Return 2 b (sqrt(m t) + t / 2) with t = ln(2 N / beta), N labelings of the m points.

    Half of <xi, s_h> is sub-gamma with variance m b^2 / 2 and scale b / 2; a union over labelings and signs.

    >>> round(gamma_excess(4, 1.0, 0.05, 5), 4)
    14.5055
    """
    m, b = checks.size("points", points), checks.positive("scale", scale)
    t = math.log(2 * checks.size("patterns", patterns) / checks.between("beta", beta, 0, 1))
    return 2 * b * (math.sqrt(m * t) + t / 2)
