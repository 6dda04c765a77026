"""ABM19: sizes of covers and samples.

d is the VC dimension, alpha the excess error, beta the failure probability; logarithms are natural.
"""

import math

import scipy

from semipriv.core import checks


def _check(alpha: float | None = None, beta: float | None = None, d: int | None = None) -> None:
    if alpha is not None:
        checks.between("alpha", alpha, 0, 1)
    if beta is not None:
        checks.between("beta", beta, 0, 1)
    if d is not None:
        checks.size("VC dimension", d)


def _whole(size: float) -> int:
    """Return a size rounded up; raise ValueError if it exceeds the floating-point numbers."""
    if not size < math.inf:
        raise ValueError("the size exceeds the floating-point numbers: alpha, beta or epsilon is too small")
    return math.ceil(size)


def _over(numerator: float, *factors: float) -> float:
    """Return the quotient by positive factors, one by one, infinite where it is too large for a float."""
    for factor in factors:
        numerator = numerator / factor
    return numerator


def bad_probability_bound(m: int, alpha: float, d: int) -> float:
    """Return bound (1) on P[Bad]: 2 (2 e m / d)^(2 d) exp(-alpha m / 4).

    Bad: two hypotheses agree on all m points, yet disagree with probability above alpha.  The bound is valid for
    2 m >= d (Sauer).  Returns 1 if it is not valid or above 1.
    """
    _check(alpha, None, d)
    checks.size("m", m, 0)
    if 2 * m < d or m == 0:
        return 1.0
    exponent = math.log(2) + 2 * d * math.log(2 * math.e * m / d) - alpha * m / 4
    return math.exp(min(exponent, 0.0))


def cover_points(alpha: float, beta: float, d: int) -> int:
    """Return m1(alpha, beta, d), the least m >= 8 d / alpha with bound (1) <= beta, by Lambert's W (lemma 3.3).

    >>> cover_points(0.1, 0.05, 1), cover_points(0.1, 0.05, 4)
    (820, 2784)
    """
    _check(alpha, beta, d)
    argument = -alpha / (16 * math.e) * math.exp((math.log(beta) - math.log(2)) / (2 * d))
    m = _whole(-8 * d / alpha * float(scipy.special.lambertw(argument, -1).real))
    while bad_probability_bound(m, alpha, d) > beta:  # a step where rounding cost it
        m += max(1, m >> 50)
    return m


def cover_points_closed_form(alpha: float, beta: float, d: int) -> int:
    """Return an upper bound on m1 without special functions.

    It is (8 d / alpha) (1 + u + sqrt(2 u)) with u = ln(16 / alpha) + ln(2 / beta) / (2 d).
    """
    _check(alpha, beta, d)
    u = math.log(16 / alpha) + (math.log(2) - math.log(beta)) / (2 * d)
    return _whole(8 * d / alpha * (1 + u + math.sqrt(2 * u)))


def cover_radius(m: int, beta: float, d: int) -> float:
    """Return the least alpha for which bound (1) is at most beta at m points: 4 (2 d ln(2 e m / d) + ln(2 / beta)) / m.

    A value above 1 says nothing; it is infinite for 2 m < d or m = 0.
    """
    _check(None, beta, d)
    if 2 * checks.size("m", m, 0) < d or m == 0:
        return math.inf
    return 4 * (2 * d * math.log(2 * math.e * m / d) + (math.log(2) - math.log(beta))) / m


def public_size(alpha: float, beta: float, d: int) -> int:
    """Return n_public of theorem 3.1: it gives an alpha/2-cover with probability 1 - beta/2.

    >>> public_size(0.1, 0.1, 1)
    1762
    """
    _check(alpha, beta, d)
    return cover_points(alpha / 2, beta / 2, d)


def cover_size_bound(m: int, d: int) -> float:
    """Return Sauer's bound on ln(cover size): d ln(e m / d) for m >= d, else m ln 2."""
    checks.size("m", m, 0)
    _check(d=d)
    return d * math.log(math.e * m / d) if m >= d else m * math.log(2)


def private_size(alpha: float, beta: float, epsilon: float, log_cover: float) -> int:
    """Return n_private of theorem 3.1 in the agnostic case, for a cover of size K = exp(log_cover).

    It is max((8 / (epsilon alpha)) ln(4 K / beta), (32 / alpha^2) ln(8 K / beta)).  The exponential mechanism loses at
    most alpha/4 and empirical errors are within alpha/8, each with probability 1 - beta/4.

    >>> private_size(0.1, 0.1, 1.0, math.log(1763))
    37942
    """
    checks.between("log_cover", log_cover, 0, math.inf, closed="l")
    _check(alpha, beta)
    checks.positive("epsilon", epsilon)
    mechanism = _over(8 * (log_cover + math.log(4) - math.log(beta)), epsilon, alpha)
    return _whole(max(mechanism, _over(32 * (log_cover + math.log(8) - math.log(beta)), alpha, alpha)))


def private_size_realizable(alpha: float, beta: float, epsilon: float, log_cover: float) -> int:
    """Return max(32 / alpha, 8 / (epsilon alpha)) ln(6 K / beta), n_private in the realizable case.

    The cover is an alpha/4-cover of size K = exp(log_cover).

    >>> private_size_realizable(0.1, 0.1, 0.1, math.log(3768))
    9863
    """
    checks.between("log_cover", log_cover, 0, math.inf, closed="l")
    _check(alpha, beta)
    checks.positive("epsilon", epsilon)
    logs = log_cover + math.log(6) - math.log(beta)
    return _whole(max(_over(32 * logs, alpha), _over(8 * logs, epsilon, alpha)))


def excess_bound(
    n_public: int, n_private: int, epsilon: float, beta: float, d: int, log_cover: float, *, sigma: float = 1.0
) -> float:
    """Return the bound on the excess error of A_SSPP by theorem 3.1's proof: probability 1 - beta, any distribution.

    It is cover_radius(n_public, beta/2) / sigma + 2 sqrt(ln(8 K / beta) / (2 n)) + (2 / (epsilon n)) ln(4 K / beta).
    sigma < 1: the private marginal is sigma-smooth with respect to the public one, so that disagreements grow by at
    most 1 / sigma (BBD24 section 1).  A value above 1 says nothing.
    """
    checks.size("n_public", n_public, 0)
    checks.size("n_private", n_private)
    checks.between("log_cover", log_cover, 0, math.inf, closed="l")
    _check(None, beta, d)
    checks.positive("epsilon", epsilon)
    checks.between("sigma", sigma, 0, 1, closed="h")
    uniform = 2 * math.sqrt((log_cover + math.log(8 / beta)) / (2 * n_private))
    selection = 2 / (epsilon * n_private) * (log_cover + math.log(4 / beta))
    return cover_radius(n_public, beta / 2, d) / sigma + uniform + selection


def excess_bound_realizable(
    n_public: int, n_private: int, epsilon: float, beta: float, d: int, log_cover: float, *, sigma: float = 1.0
) -> float:
    """Return the bound on the error of A_SSPP in the realizable case, with probability 1 - beta.

    It is the least alpha with cover radius <= alpha/4 and n >= max(32/alpha, 8/(epsilon alpha)) ln(6 K / beta):
    max(4 cover_radius(n_public, beta/2) / sigma, 32 L / n, 8 L / (epsilon n)), L = ln(6 K / beta).
    """
    checks.size("n_public", n_public, 0)
    checks.size("n_private", n_private)
    checks.between("log_cover", log_cover, 0, math.inf, closed="l")
    _check(None, beta, d)
    checks.positive("epsilon", epsilon)
    checks.between("sigma", sigma, 0, 1, closed="h")
    log_term = log_cover + math.log(6 / beta)
    cover = 4 * cover_radius(n_public, beta / 2, d) / sigma
    return max(cover, 32 * log_term / n_private, 8 * log_term / (epsilon * n_private))
