"""Claims BCM20-L11-literal, T10-, T13-, T14-, T15- and L18-literal: statements for all alpha, as printed.

As alpha tends to 1 the printed sizes of lemma 11 and theorem 10 tend to nothing, as do the private records of theorem
10 as delta tends to 1 or epsilon grows; at alpha = 1 a release that reads nothing is accurate, which theorems 13 to 15
and lemma 18 do not let be.  All of it is exact.
"""

import math
from itertools import product

from semipriv.papers.bcm20.bounds.sizes import printed_private, printed_public
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings

CONSTANTS = (1, 8, 100, 10_000)
"""Constants C in front of what is printed."""
BETA = 0.5


def too_few(constant: int) -> tuple[float, int, int]:
    """Return alpha, k and m = ceil(C (2 k ln(1/alpha) + ln(1/beta)) / alpha) < k, beta = 1/2.

    alpha = 1 - 1 / (8 C), so that m is about k / 4.  Unions of k intervals have VC dimension 2 k.
    """
    alpha = 1 - 1 / (8 * constant)
    k = 16 * constant
    return alpha, k, math.ceil(constant * printed_public(alpha, BETA, 2 * k))


def agreeing_mass(k: int, m: int) -> float:
    """Return the largest mass on which unions of k intervals that agree on m atomless points differ.

    Without a point each, the m + 1 gaps between the points are open intervals of mass 1 together: if m + 1 <= k their
    union is in the class, and agrees on the points with the empty union.
    """
    return 1.0 if m + 1 <= k else math.nan


@claim(
    "BCM20-L11-literal",
    "unions of k intervals under any atomless distribution: the gaps between fewer than k public points against the "
    "empty union",
    constants="the printed form with constants 1 to 10,000",
)
def lemma_11(table: Table) -> str:
    """Refute the printed number of public points as alpha tends to 1, for any constant in front of it.

    Both unions get one hypothesis of the cover, which differs from one of them on mass 1/2 at least: above alpha/4.
    """
    for constant in CONSTANTS:
        alpha, k, m = too_few(constant)
        settings: Settings = {"constant": constant, "alpha": alpha, "beta": BETA, "vc": 2 * k, "n_public": m}
        failure = float(agreeing_mass(k, m) / 2 > alpha / 4)
        row = table.refutable("P[no alpha/4-cover]", settings, failure, BETA / 2)
        if constant == 1:
            table.show(row)
    return (
        "d ln(1/alpha) tends to 0 with 1 - alpha, so that for every constant there are alpha and a class for which the "
        "printed number of points is below d / 2: unions of k > m intervals (d = 2 k) then hold the empty set and all "
        "gaps between the points, which agree on every point and differ on mass 1. The size of BCM20-L11 has a "
        "constant inside of its logarithm"
    )


SMALL_BETA = 0.1
EVERY_ALGORITHM = "P[error over the class > alpha] of every algorithm, at least"
LOOSE = ((1.0, 1 - 2.0**-53), (1e12, 1e-6))
"""Epsilon and delta at which next to no private records are asked for."""


def bayes_error(coins: int, mean: float) -> float:
    """Return a lower bound on the probability that any test of coins of mean +-mu chooses the wrong sign.

    It is (1 - V) / 2 for signs that are equally likely, V the total variation of the two distributions, at most the
    root of half their relative entropy (Pinsker), N mu ln((1 + mu) / (1 - mu)).

    >>> round(bayes_error(692, 0.0101), 2)
    0.37
    """
    return (1 - math.sqrt(coins * mean * (math.log1p(mean) - math.log1p(-mean)) / 2)) / 2


def two_functions(constant: int, epsilon: float, delta: float) -> tuple[float, int, int]:
    """Return alpha = 1 / (100 C^2), and C times the printed numbers of public and private points, d = p = 1."""
    alpha = 1 / (100 * constant**2)
    public = constant * printed_public(alpha, SMALL_BETA, 1)
    private = constant * printed_private(alpha, SMALL_BETA, 1, 1, epsilon, delta)
    return alpha, math.ceil(public), math.ceil(private)


@claim(
    "BCM20-T10-literal",
    "unions of k intervals under any atomless distribution, fewer than k public points and any number of private ones; "
    "a constant and one other function, means of that one 1.01 alpha apart from 0, epsilon = 1e12 or delta = 1 - 2^-53",
    constants="the printed form with constants 1 to 10,000",
)
def theorem_10(table: Table) -> str:
    """Refute theorem 10's public sample as alpha tends to 1: two hypotheses with means 1 and -1 get one answer."""
    for constant in CONSTANTS:
        alpha, k, m = too_few(constant)
        settings: Settings = {"constant": constant, "alpha": alpha, "beta": BETA, "vc": 2 * k, "n_public": m}
        row = table.refutable("P[error over the class > alpha]", settings, float(agreeing_mass(k, m) > alpha), BETA)
        if constant == 1:
            table.show(row)
    for constant, (epsilon, delta) in product(CONSTANTS, LOOSE):
        alpha, m, n = two_functions(constant, epsilon, delta)
        settings = {
            "constant": constant,
            "alpha": alpha,
            "beta": SMALL_BETA,
            "epsilon": epsilon,
            "delta": delta,
            "vc": 1,
        }
        settings |= {"n_public": m, "n_private": n}
        table.refutable(EVERY_ALGORITHM, settings, bayes_error(n + m, 1.01 * alpha), SMALL_BETA)
    return (
        "the two unions of BCM20-L11-literal get one answer from A_PAP, and have means 1 and -1: it errs by 1 > alpha "
        "with certainty, with any number of private records. And ln(1/delta) / epsilon tends to 0 as delta tends to "
        "1 or epsilon grows, so that next to no private records are asked for: with a constant and one other "
        "function, whose mean is 1.01 alpha or -1.01 alpha, no algorithm tells which from so few records, private "
        f"and public, and errs with probability {min(table.values(EVERY_ALGORITHM)):.2f} or more, above beta = "
        f"{SMALL_BETA:g}. BCM20-T10 has sizes for all alpha below 1, epsilon <= 1, delta <= 1/4"
    )


SMALLEST = (1.0, 0.1, 1e-3, 1e-6)
"""Constants c in front of sqrt(p) / alpha."""


@claim(
    "BCM20-T13-literal",
    "the release that answers 0 to every stump, from one private record and no public one, at alpha = 1",
    constants="the printed form with constants 1e-6 to 1",
)
def theorem_13(table: Table) -> str:
    """Refute theorem 13 for alpha = 1, where a release that reads nothing is accurate under every distribution."""
    for c in SMALLEST:
        p = math.ceil(4 / c**2)
        settings: Settings = {"constant": c, "alpha": 1.0, "p": p, "n_private": 1, "n_public": 0}
        row = table.refutable(
            "c sqrt(p) / alpha over the private records of an accurate release", settings, c * p**0.5, 1.0
        )
        if c == 1:
            table.show(row)
    return (
        "answers 0 are within 1 of every mean of labels -1 and 1, and cost no privacy: with one private record and no "
        "public one they contradict n = Omega(sqrt(p) / alpha) or m = Omega(1 / alpha^2) at alpha = 1, which 'fix any "
        "alpha > 0' allows. BCM20-T13 is a bound for alpha <= .1"
    )


TOTALS = (2, 10, 1000, 10**6)
"""Sizes r + t."""


@claim(
    "BCM20-T14-literal",
    "the release that answers 0 to every stump, at alpha = 1: how likely an attacker with the printed false-positive "
    "rate flags one record or more",
)
def theorem_14(table: Table) -> str:
    """Refute theorem 14 for alpha = 1: records behind constant answers are flagged as seldom as any others.

    Each is flagged with probability at most 1 / N^2, N = r + t, so that t >= 1 of at most N records are with
    probability at most 1 / N, where 1 - 1 / N^2 is promised.
    """
    for total in TOTALS:
        settings: Settings = {"alpha": 1.0, "total": total}
        promised = 1 - 1 / total**2
        row = table.refutable(
            "promised P[t or more records are flagged], against what can be", settings, promised, 1 / total
        )
        if total == TOTALS[0]:
            table.show(row)
    return (
        "answers 0 are accurate to 1 and say nothing of the records: an attacker that flags a fresh record with "
        "probability at most 1/N^2 flags one of N with probability at most 1/N, not 1 - 1/N^2, N = r + t >= 2. The "
        "theorem is cited by the paper for every alpha > 0; BCM20-T14-event has a release at alpha = .5 that is traced"
    )


NO_POINTS = "c / alpha, which is promised to be at most the public points of an accurate algorithm"


def without_public_points(table: Table) -> None:
    """Refute m >= c / alpha at alpha = 1 by an algorithm that needs no public point, for every constant."""
    for c in SMALLEST:
        settings: Settings = {"constant": c, "alpha": 1.0, "n_private": 1, "n_public": 0}
        row = table.refutable(NO_POINTS, settings, c, 0.0)
        if c == 1:
            table.show(row)


@claim(
    "BCM20-T15-literal",
    "thresholds: the release that answers 0 to every one, without public points, at alpha = 1",
    constants="the printed form with constants 1e-6 to 1",
)
def theorem_15(table: Table) -> str:
    """Refute theorem 15 for alpha = 1, as theorem 13."""
    without_public_points(table)
    return (
        "answers 0 are within 1 of every mean of labels -1 and 1, whatever the class is, and read nothing; so no "
        "public point is needed at alpha = 1. BCM20-T15 is a bound for alpha <= .1"
    )


@claim(
    "BCM20-L18-literal",
    "thresholds: the learner that returns one hypothesis, without public points, at alpha = 1",
    constants="the printed form with constants 1e-6 to 1",
)
def lemma_18(table: Table) -> str:
    """Refute lemma 18 for alpha = 1: no hypothesis has an excess error above 1."""
    without_public_points(table)
    return (
        "every error is in [0, 1], so that every hypothesis has an excess error of at most 1; a learner that returns "
        "one and reads nothing contradicts m = Omega(1 / alpha) at alpha = 1. The lemma is cited, for smaller alpha"
    )
