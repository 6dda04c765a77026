"""Accuracy of RRSPM (BBD24, algorithm 4 and theorem 10) with explicit constants.

Let f be what the oracle returns, c the canonical hypothesis with its pattern on m public points, and f* the best one.
With probability 1 - beta, in three events of beta / 4 each:

  L(c) - L(f) <= (2 / (m sigma)) (2 log2 Pi(2 m) + log2(8 / beta))     f and c agree on all public points (lemma 22)
  |L_D - L| <= sqrt(8 (ln Pi(2 n) + ln(16 / beta)) / n)                for f and for f* (theorem 9)
  L_D(f) - L_D(f*) <= (2 b / n) (sqrt(m t) + t / 2), t = ln(8 Pi(m) / beta)    noise of scale b (lemma 23)

where Pi is the growth function.  If L(f*) = 0 the second gives way to L(f) <= L_D(f) + 2 sqrt(L_D(f) s) + 4 s with
s = (ln Pi(2 n) + ln(16 / beta)) / n, the relative deviation of Vapnik and Chervonenkis.  Logarithms are natural unless
the base is written.
"""

import math
from collections.abc import Callable

from semipriv import checks

Growth = Callable[[int], int]


def agreement_bound(growth: Growth, m: int, beta: float, sigma: float) -> float:
    """Return (2 / (m sigma)) (2 log2 Pi(2 m) + log2(8 / beta)): the price of forgetting all but the pattern.

    growth: Pi, m -> the largest number of patterns.  sigma: smoothness, in (0, 1].
    """
    _check(m, beta, sigma)
    return 2 / (m * sigma) * (2 * math.log2(growth(2 * m)) + math.log2(8 / beta))


def noise_bound(growth: Growth, m: int, n: int, scale: float, beta: float) -> float:
    """Return (2 b / n) (sqrt(m t) + t / 2), t = ln(8 Pi(m) / beta): the price of Laplace noise of scale b.

    >>> round(noise_bound(lambda m: m + 1, 100, 100_000, 4.0, 0.05), 5)
    0.00288
    """
    _check(m, beta, 1.0)
    t = math.log(growth(m)) + math.log(8 / beta)
    return 2 * checks.positive("scale", scale) / checks.size("n", n) * (math.sqrt(m * t) + t / 2)


def excess_bound(
    growth: Growth, m: int, n: int, scale: float, beta: float, sigma: float = 1.0, realizable: bool = False
) -> float:
    """Return the sum of the three; it may exceed 1.

    m: public points; n: private examples; scale: b, of the Laplace noise.  realizable: whether L(f*) = 0.

    >>> grow = lambda m: m + 1
    >>> [round(excess_bound(grow, 1000, 13_600_000, scale, 0.05), 4) for scale in (2000.0, 2.0)]
    [0.0998, 0.0659]
    """
    noise = noise_bound(growth, m, n, scale, beta)
    deviation = (math.log(growth(2 * n)) + math.log(16 / beta)) / n
    agnostic = noise + 2 * math.sqrt(8 * deviation)
    consistent = noise + 2 * math.sqrt(noise * deviation) + 4 * deviation
    return agreement_bound(growth, m, beta, sigma) + (min(agnostic, consistent) if realizable else agnostic)


def _check(m: int, beta: float, sigma: float) -> None:
    checks.size("m", m)
    checks.between("beta", beta, 0, 1)
    checks.between("sigma", sigma, 0, 1, closed="h")
