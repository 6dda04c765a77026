"""Sizes of BNS15's appendix B, from which on few examples mislead, and exact chances that they do, for thresholds.

V is a VC dimension, alpha an error, beta a failure probability; logarithms are natural.  All chances are for
distributions without atoms: an atom is a gap that no point can leave open in part, so it misleads less.
"""

import math
from fractions import Fraction

import numpy as np

from semipriv.core import checks
from semipriv.core.binomial import binomial_distribution
from semipriv.distributions.spacings import bad_probability_thresholds_float, kolmogorov_distribution
from semipriv.papers.bns15.bounds._whole import examples

LEFT_OUT = 1e-30
"""At most what ``binomial_distribution`` leaves out."""


def sauer_power(points: int, vc: int, base: float = math.e) -> float:
    """Return (e l / V)^V of theorem B.2, a bound on the number of dichotomies of l >= V points; base stands for e.

    Infinite if it is beyond all floats.  Raise ValueError for fewer points, of which all 2^l labelings may occur.

    >>> round(sauer_power(4, 2), 3)
    29.556
    """
    checks.positive("base", base)
    checks.size("points", points, checks.size("vc", vc))
    try:
        return (base * points / vc) ** vc
    except OverflowError:
        return math.inf


def labelled_lower_bound(alpha: float, vc: int) -> float:
    """Return (V - 1) / (16 alpha), the number of labels that theorem B.3 says is needed.

    For beta near 1/2 fewer are enough (BNS15-B.3-literal).

    >>> labelled_lower_bound(0.01, 2)
    6.25
    """
    checks.between("alpha", alpha, 0, 1)
    checks.size("vc", vc)
    return (vc - 1) / (16 * alpha)


def fixed_target_size(alpha: float, beta: float, vc: int) -> int:
    """Return ceil((8/alpha) (V ln(16/alpha) + ln(2/beta))) of theorem B.4.

    >>> fixed_target_size(0.1, 0.1, 1)
    646
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    checks.size("vc", vc)
    return examples(8 / alpha * (vc * (math.log(16) - math.log(alpha)) + math.log(2) - math.log(beta)))


def all_pairs_size(alpha: float, beta: float, vc: int) -> int:
    """Return ceil((48/alpha) (10 V ln(48 e/alpha) + ln(5/beta))) of theorem B.5.

    >>> all_pairs_size(0.1, 0.1, 1)
    36312
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    checks.size("vc", vc)
    pairs = 10 * vc * (math.log(48 * math.e) - math.log(alpha))
    return examples(48 / alpha * (pairs + math.log(5) - math.log(beta)))


MOST_PRODUCT = 0.08
"""alpha beta up to which theorem B.6 follows from Vapnik's inequality, for every V >= 1."""


def agnostic_size(alpha: float, beta: float, vc: int) -> int:
    """Return ceil((50 V / alpha^2) ln(1/(alpha beta))) of theorem B.6.

    Raise ValueError for alpha beta above 0.08, where the theorem's cited source does not reach.

    >>> agnostic_size(0.1, 0.1, 1)
    23026
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    checks.between("alpha beta", alpha * beta, 0, MOST_PRODUCT, closed="lh")
    checks.size("vc", vc)
    return examples(50 * vc / alpha / alpha * -(math.log(alpha) + math.log(beta)))


# ---------------------------------------------------------------------------------------------------- all classes
def log_fixed_target_failure(m: int, alpha: float, vc: int) -> float:
    """Return ln of 2 (2 e m / V)^V 2^(-alpha m / 2), a bound on theorem B.4's probability for every class of that V.

    Of Blumer, Ehrenfeucht, Haussler and Warmuth (1989), by a second sample and Sauer's bound; it needs m >= V.
    """
    checks.size("m", m, checks.size("vc", vc))
    checks.between("alpha", alpha, 0, 1)
    return math.log(2) + vc * math.log(2 * math.e * m / vc) - alpha * m / 2 * math.log(2)


def log_all_pairs_failure(m: int, alpha: float, vc: int) -> float:
    """Return ln of 4 (2 e m / (10 V))^(10 V) exp(-.81 alpha m / 4), a bound on theorem B.5's for every class of that V.

    Relative deviations (Anthony and Shawe-Taylor 1993) of the symmetric differences, whose VC dimension is at most
    10 V: a mean of alpha or more against a frequency of at most a tenth of alpha.  It needs m >= 10 V.
    """
    pairs = 10 * checks.size("vc", vc)
    checks.size("m", m, pairs)
    checks.between("alpha", alpha, 0, 1)
    return math.log(4) + pairs * math.log(2 * math.e * m / pairs) - 0.81 * alpha * m / 4


def log_agnostic_failure(m: int, alpha: float, vc: int) -> float:
    """Return ln of 4 (2 e m / V)^V exp(-alpha^2 m / 8), a bound on theorem B.6's probability for every class of that V.

    Of Vapnik and Chervonenkis (1971); it needs m >= V.
    """
    checks.size("m", m, checks.size("vc", vc))
    checks.between("alpha", alpha, 0, 1)
    return math.log(4) + vc * math.log(2 * math.e * m / vc) - alpha**2 * m / 8


# ---------------------------------------------------------------------------------------------------- thresholds
def fixed_target_failure(m: int, alpha: float) -> float:
    """Return P[a threshold that agrees with a fixed one on m points differs from it by more than alpha].

    The fixed one has more than alpha of mass on either side.  No point may fall in the alpha on its left, or none in
    the alpha on its right: 2 (1 - alpha)^m - (1 - 2 alpha)^m.

    >>> fixed_target_failure(1, 0.25)
    1.0
    """
    checks.size("m", m, 0)
    checks.between("alpha", alpha, 0, 0.5, closed="h")
    return 2 * (1 - alpha) ** m - (1 - 2 * alpha) ** m


def all_pairs_failure(m: int, alpha: float) -> float:
    """Return a bound on P[two thresholds differ by alpha, and on at most alpha m / 10 of m points], for every case.

    Two such thresholds leave an interval of mass at least alpha with few points between them.  Its left end may move
    left up to the next point, or to the low end, and its right end left until the mass is alpha.  Given the point, each
    of these m + 1 intervals holds at least Bin(m - 1, alpha) points: the bound is
    (m + 1) P[Bin(m - 1, alpha) <= alpha m / 10].

    >>> all_pairs_failure(200, 0.1) < 1e-3
    True
    """
    checks.size("m", m)
    checks.between("alpha", alpha, 0, 1)
    values, logs = binomial_distribution(m - 1, alpha)
    return float((m + 1) * (np.exp(logs[values <= alpha * m / 10]).sum() + LEFT_OUT))


def empty_interval(m: int, alpha: float) -> float:
    """Return P[some interval of mass alpha holds none of m points]: the largest of m + 1 spacings exceeds alpha."""
    return bad_probability_thresholds_float(m, alpha)


def agnostic_failure(m: int, alpha: float) -> float:
    """Return 4 exp(-m alpha^2 / 2), a bound on P[the error of some threshold is alpha off on m points].

    For every labeling and distribution: the error of a threshold j is P[x < j, y = 0] + P[x >= j, y = 1], and so are
    its frequencies.  Each half is a distribution function on a chain, off by more than alpha / 2 with probability at
    most 2 exp(-2 m (alpha/2)^2) (Dvoretzky, Kiefer, Wolfowitz and Massart).

    >>> round(agnostic_failure(1000, 0.1), 4)
    0.027
    """
    checks.size("m", m, 0)
    checks.positive("alpha", alpha)
    return 4 * math.exp(-m * alpha**2 / 2)


def constant_label_failure(m: int, alpha: float) -> float:
    """Return P[the error of some threshold is more than alpha off on m points] if all labels are equal.

    It is the distribution of Kolmogorov and Smirnov, exactly.
    """
    checks.positive("alpha", alpha)
    return 1 - kolmogorov_distribution(m, alpha)


def two_points_failure(m: int, alpha: Fraction) -> Fraction:
    """Return the failure probability of a learner of all functions on two points, at worst; alpha < 1/2.

    It guesses the label of a point that is not among the m examples, by a fair coin.  A distribution with a mass p >
    alpha on the rarer point fails with probability (1 - p)^m / 2 + p^m / 2, where the second summand needs 1 - p >
    alpha, too.  The largest value is that of p -> alpha, as the sum falls in p up to 1/2: it is returned as a supremum.

    >>> float(two_points_failure(3, Fraction(1, 100)))
    0.48515
    """
    checks.size("m", m)
    checks.between("alpha", alpha, 0, 0.5)
    return ((1 - alpha) ** m + alpha**m) / 2
