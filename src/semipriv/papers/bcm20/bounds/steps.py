"""BCM20: steps of the proof of theorem 13, and sizes of the data sets of remark 9, in exact rational arithmetic."""

import math
from fractions import Fraction

from semipriv.core import checks

E_BELOW, E_ABOVE = Fraction(2718281828, 10**9), Fraction(2718281829, 10**9)
"""Euler's number lies between."""


# ---------------------------------------------------------------------------------------------------- theorem 13
def traced_private(n: int, m: int) -> Fraction:
    """Return (m + 1) (1 - 1/N^2) - m with N = n + m: the private records that the attacker of theorem 14 expects.

    It flags m + 1 of the N records or more with probability 1 - 1/N^2, and at most m of them are public.
    """
    n, m = checks.size("n", n), checks.size("m", m, 0)
    return (m + 1) * (1 - Fraction(1, (n + m) ** 2)) - m


def traced_closed_form(n: int, m: int, printed: bool = False) -> Fraction:
    """Return 1 - (m + 1) / N^2, which it equals; printed: with m - 1 instead of m + 1, as in the text."""
    n, m = checks.size("n", n), checks.size("m", m, 0)
    return 1 - Fraction(m - 1 if printed else m + 1, (n + m) ** 2)


def privacy_slack(n: int, e: Fraction) -> Fraction:
    """Return 1/(2 n) - (e/n^2 + 1/(4 n)): if positive, the attack rules out (1, 1/(4 n))-differential privacy.

    Some private record is flagged with probability at least 1/(2 n), and after it is replaced with at most 1/n^2.
    """
    n = checks.size("n", n)
    checks.positive("e", e)
    return Fraction(1, 2 * n) - (e / n**2 + Fraction(1, 4 * n))


# ---------------------------------------------------------------------------------------------------- remark 9
def remark_size(alpha: Fraction, d: int) -> int:
    """Return the least integer above d / alpha^2, the size of remark 9's data set."""
    checks.size("d", d, 0)
    checks.between("alpha", alpha, 0, 1)
    return math.floor(d / alpha**2) + 1


def quantile_error(size: int) -> Fraction:
    """Return the largest error on thresholds of a data set of quantiles, under any distribution: 1 / size.

    The points are v_i = inf{t: F(t) >= (i - 1/2) / size}.  A share #{(i - 1/2) / size <= q} / size differs from q by
    at most 1 / (2 size), and means of labels -1 and 1 by twice that.  Intervals are differences of two: 2 / size.
    """
    return Fraction(1, checks.size("size", size))


def rounded_mean_error(size: int) -> Fraction:
    """Return the largest error of a mean of ``size`` labels -1 or 1 that is nearest to a number in [-1, 1]: 1 / size.

    Stumps on {-1, 1}^p need one such mean for each coordinate, and coordinates may be chosen apart.
    """
    return Fraction(1, checks.size("size", size))
