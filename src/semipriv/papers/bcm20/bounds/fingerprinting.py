"""BCM20 theorems 13 and 14, as far as they are proved here: scores of records behind accurate answers to p stumps.

Means mu_j are uniform on [-1, 1], the N records z_i independent with means mu, and q any answers made of them, with
P[some |q_j - mu_j| > alpha] <= beta.  Let r_j be q_j clipped to [mu_j - alpha, mu_j + alpha].  Then

    E r_j sum_i (z_ij - mu_j) = 2 E mu_j r_j - E (1 - mu_j^2) [|q_j - mu_j| > alpha],

with [...] = 1 where it is true; docs/findings.md has the proof, and what follows from it.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from semipriv.core import checks

Polynomial = Sequence[int]
"""Coefficients of 1, mu, mu^2, ..., times a common denominator."""


# ---------------------------------------------------------------------------------------------------- the identity
def _times(first: Polynomial, second: Polynomial) -> list[int]:
    product = [0] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            product[i + j] += a * b
    return product


def _mean(polynomial: Polynomial, low: int, high: int, unit: int) -> Fraction:
    """Return half of the integral over [low, high] / unit cut to [-1, 1], 0 where it is empty: mu is uniform there."""
    low, high = max(low, -unit), min(high, unit)
    if low >= high:
        return Fraction(0)
    size = len(polynomial)
    every = math.lcm(*range(1, size + 1))
    total, upper, lower = 0, 1, 1
    for k, c in enumerate(polynomial):
        upper, lower = upper * high, lower * low
        total += c * (upper - lower) * unit ** (size - k - 1) * (every // (k + 1))
    return Fraction(total, 2 * every * unit**size)


@cache
def _chance(n: int, ones: int) -> list[int]:
    """Return 2^n times the chance, as a polynomial in mu, of n given values: so many are 1 and the others -1."""
    chance = [1]
    for i in range(n):
        chance = _times(chance, [1, 1 if i < ones else -1])
    return chance


def _mean_of_clipped(weight: Polynomial, answer: Fraction, reach: Fraction) -> Fraction:
    """Return E weight r, where r is the answer clipped to [mu - reach, mu + reach]."""
    unit = math.lcm(answer.denominator, reach.denominator)
    q, width = int(answer * unit), int(reach * unit)
    whole = (
        _mean(_times(weight, [width, unit]), -unit, q - width, unit)
        + _mean(_times(weight, [q]), q - width, q + width, unit)
        + _mean(_times(weight, [-width, unit]), q + width, unit, unit)
    )
    return whole / unit


def _check(n: int, ones: int, answer: Fraction, reach: Fraction) -> None:
    """Refuse more ones than values, an answer that is no number, and a reach that is not positive."""
    if checks.size("ones", ones, 0) > checks.size("n", n):
        raise ValueError(f"ones = {ones}: must be <= n = {n}")
    checks.real("answer", answer)
    checks.positive("reach", reach)


def score(n: int, ones: int, answer: Fraction, reach: Fraction, centred: bool = True) -> Fraction:
    """Return E [z = these values] r sum_i (z_i - mu), for n values of a column of which so many are 1.

    answer: q, what is answered to these values; r is q clipped to [mu - reach, mu + reach].  centred: False leaves out
    the mu in z_i - mu.
    """
    _check(n, ones, answer, reach)
    weight = _times(_chance(n, ones), [2 * ones - n, -n if centred else 0])
    return _mean_of_clipped(weight, answer, reach) / 2**n


def pull(n: int, ones: int, answer: Fraction, reach: Fraction, clipped: bool = True) -> Fraction:
    """Return 2 E [z = these values] mu r - E [z = these values] (1 - mu^2) [|q - mu| > reach], which equals ``score``.

    clipped: False leaves out the last term.
    """
    _check(n, ones, answer, reach)
    chance = _chance(n, ones)
    whole = _mean_of_clipped(_times(chance, [0, 2]), answer, reach)
    if clipped:
        lost, unit = _times(chance, [1, 0, -1]), math.lcm(answer.denominator, reach.denominator)
        low, high = int((answer - reach) * unit), int((answer + reach) * unit)
        whole -= _mean(lost, -unit, low, unit) + _mean(lost, high, unit, unit)
    return whole / 2**n


# ---------------------------------------------------------------------------------------------------- what follows
def total_score(alpha: float, beta: float) -> float:
    """Return 2/3 - alpha - beta: at least so much times p is the expected sum of the scores <r - mu, z_i - mu>."""
    return 2 / 3 - checks.between("alpha", alpha, 0, 1) - checks.between("beta", beta, 0, 1, closed="l")


def private_need(alpha: float, beta: float, m: int, epsilon: float = 1.0, n_delta: float = 0.25) -> float:
    """Return what n alpha / sqrt(p) is at least, for every private and accurate release of p stumps; may be negative.

    The release is (epsilon, n_delta / n)-differentially private in its n private records, whatever the m public ones
    are, and (alpha, beta)-accurate.  With beta = alpha, epsilon = 1, n_delta = 1/4 this is theorem 13 with constants:

        (2/3 - alpha - beta - alpha sqrt(2 m / 3) - (2/3) (1 + e^-epsilon) n_delta alpha) / (sqrt(2/3) sinh(epsilon)).

    >>> round(private_need(0.02, 0.02, 0), 3), private_need(0.02, 0.02, 1500) < 0
    (0.648, True)
    """
    public = checks.between("alpha", alpha, 0, 1) * math.sqrt(2 * checks.size("m", m, 0) / 3)
    shared = checks.between("n_delta", n_delta, 0, math.inf, closed="l")
    lost = 2 / 3 * (1 + math.exp(-checks.positive("epsilon", epsilon))) * shared * alpha
    return (total_score(alpha, beta) - public - lost) / (math.sqrt(2 / 3) * math.sinh(epsilon))


def traced_positions(alpha: float, beta: float, share: float = 1 / 3) -> float:
    """Return how many of the N positions have an expected score of at least share p / N, for every accurate release.

    It is (3/2) ((2/3 - alpha - beta - share) / alpha)^2, and 0 if the bracket is negative.  The score of a record that
    is not behind the answers has mean 0 and variance at most 2 alpha^2 p / 3.

    >>> round(traced_positions(0.02, 0.02), 1)
    322.7
    """
    return 1.5 * (max(total_score(alpha, beta) - checks.between("share", share, 0, 1), 0.0) / alpha) ** 2
