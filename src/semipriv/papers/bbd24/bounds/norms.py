"""How far norms on public points are from those of their distribution, and how far noise moves an output (BBD24).

||f||_m^2 is the mean of f^2 over m public points, ||f||_mu^2 its expectation.  Logarithms are natural.
"""

import math

import numpy as np
import scipy

from semipriv.core import checks


def norm_remainder(m: int, events: float, beta: float, largest: float = 1.0) -> float:
    """Return sqrt(2 largest^2 ln(events / beta) / m), lemmas 4 and 12 with explicit constants.

    With probability 1 - beta every one of ``events`` functions g, |g| <= largest, has ||g||_mu <= sqrt(2) ||g||_m +
    this.  Bernstein's inequality for the lower tail of g^2 >= 0: P[||g||_m^2 <= M - s] <= exp(-m s^2 / (2 largest^2
    M)) with M = ||g||_mu^2.  Lemma 4 with N functions of size 1, lemma 12 with N^2 / 2 differences of size 2.

    >>> round(norm_remainder(200, 10, 0.05), 4), round(norm_remainder(200, 10**2 / 2, 0.05, largest=2.0), 4)
    (0.2302, 0.5257)
    """
    checks.size("m", m)
    checks.between("beta", beta, 0, 1)
    checks.between("events", events, beta, math.inf, closed="l")
    checks.positive("largest", largest)
    return largest * math.sqrt(2 * math.log(events / beta) / m)


def linear_remainder(m: int, dimension: int, beta: float) -> float:
    """Return t = sqrt(2 ln(d / beta) / m): ||w||_mu^2 <= ||w||_m^2 + t |w|^2 for all linear w, any distribution.

    It holds with probability 1 - beta for m independent points x with |x| <= 1.  By the matrix Laplace transform
    (Tropp 2012) with e^-a <= 1 - a + a^2 / 2 and (x x^T)^2 <= x x^T <= I: the largest eigenvalue of E x x^T less its
    mean over the points exceeds t with probability at most d exp(-m t^2 / 2).

    >>> round(linear_remainder(10_000, 3, 0.05), 4)
    0.0286
    """
    checks.size("m", m)
    checks.size("dimension", dimension)
    checks.between("beta", beta, 0, 1)
    return math.sqrt(2 * math.log(dimension / beta) / m)


def shortfall(m: int, remainder: float, factor: float = math.sqrt(2)) -> float:
    """Return sup over p of P[sqrt(p) > factor sqrt(K / m) + remainder], K binomial (m, p).

    It is how likely the comparison of norms fails for a function that is 1 with chance p, else 0.  Exact: for fixed K
    the failure begins at one p, and P[Bin(m, p) <= K] falls in p.

    >>> round(shortfall(50, 0.0, factor=1.0), 3)
    1.0
    """
    checks.size("m", m)
    checks.between("remainder", remainder, 0, math.inf, closed="l")
    checks.positive("factor", factor)
    k = np.arange(m + 1.0)
    p = (factor * np.sqrt(k) + remainder * math.sqrt(m)) ** 2 / m
    return float(scipy.special.bdtr(k[p < 1], m, p[p < 1]).max(initial=0.0))


def noise_length(m: int, beta: float) -> float:
    """Return 1 + sqrt(2 ln(1/beta) / m), which bounds ||zeta||_m with probability 1 - beta, zeta standard normal.

    ||zeta||_m has mean at most 1 and, as a function of zeta, the Lipschitz constant 1 / sqrt(m).  Lemma 8, repaired:
    the output is within 2 gamma ||zeta||_m of any function of the class.

    >>> round(noise_length(50, 0.05), 4)
    1.3462
    """
    checks.size("m", m)
    checks.between("beta", beta, 0, 1, closed="h")
    return 1 + math.sqrt(2 * math.log(1 / beta) / m)


def laplace_length(m: int, beta: float) -> float:
    """Return ln(m / beta), which bounds ||zeta||_m with probability 1 - beta, zeta Laplace of scale 1.

    >>> round(laplace_length(50, 0.05), 4)
    6.9078
    """
    checks.size("m", m)
    checks.between("beta", beta, 0, 1, closed="h")
    return math.log(m / beta)


def printed_noise_length(beta: float) -> float:
    """Return sqrt(ln(1/beta)), the bound of ||zeta||_m in lemma 8 as printed: false for beta near 1.

    >>> round(printed_noise_length(0.9), 4)
    0.3246
    """
    checks.between("beta", beta, 0, 1, closed="h")
    return math.sqrt(math.log(1 / beta))


def printed_deviation(n: int, width: float, beta: float) -> float:
    """Return 6 width / sqrt(n) + sqrt(ln(1/beta) / n), lemma 13 as printed: for losses with constant 1.

    Its first constant, without the Lipschitz constant; the second one is illegible, 1 here.

    >>> round(printed_deviation(10_000, 0.8, 0.5), 4)
    0.0563
    """
    checks.size("n", n)
    checks.between("width", width, 0, math.inf, closed="l")
    checks.between("beta", beta, 0, 1)
    return 6 * width / math.sqrt(n) + math.sqrt(math.log(1 / beta) / n)
