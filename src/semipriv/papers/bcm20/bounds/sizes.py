"""BCM20: sizes of public and private samples in theorem 10, as printed and with explicit constants.

d is the VC dimension, p the dual VC dimension, alpha the error in the scale of the paper, labels -1 and 1, beta the
failure probability; logarithms are natural.  Theorem 10 needs an alpha/4-cover with probability 1 - beta/2 (lemma 11),
and private multiplicative weights (PMW) with error alpha/2 and probability 1 - beta/2 on the cover (lemma 7).
"""

import math

import scipy

from semipriv.core import checks
from semipriv.distributions.spacings import cover_points_thresholds
from semipriv.papers.bcm20.bounds._ends import not_tiny


def _check(alpha: float, beta: float) -> None:
    for name, value in (("alpha", alpha), ("beta", beta)):
        checks.between(name, value, 0, 1)
        not_tiny(name, value)


def _finite(what: str, value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{what}: is too large for a float")
    return value


# ---------------------------------------------------------------------------------------------------- public points
def printed_public(alpha: float, beta: float, d: int) -> float:
    """Return (d ln(1/alpha) + ln(1/beta)) / alpha, lemma 11's number of public points without its constant."""
    _check(alpha, beta)
    return (checks.size("VC dimension", d) * math.log(1 / alpha) + math.log(1 / beta)) / alpha


def cover_points_class(alpha: float, beta: float, d: int) -> int:
    """Return a number of public points that suffices for lemma 11, all classes of VC dimension d, all distributions.

    It is the least m with m >= (8 / (alpha ln 2)) (ln(4/beta) + 2 d ln(2 e m / d)) beyond the formula's last fixed
    point, by Lambert's W.  Differences of two hypotheses have at most (2 e m / d)^(2 d) dichotomies on 2 m points, so
    that by a double sample one of mass above alpha/4 misses all m points with probability at most beta/2.

    >>> [cover_points_class(alpha, 0.1, 1) for alpha in (0.1, 0.2, 0.4)], cover_points_class(0.1, 0.1, 3)
    ([2635, 1230, 571], 6966)
    """
    _check(alpha, beta)
    scale = 16 * checks.size("VC dimension", d) / (alpha * math.log(2))
    inside = 2 * math.e / d * (4 / beta) ** (1 / (2 * d))
    return math.ceil(-scale * float(scipy.special.lambertw(-1 / (scale * inside), -1).real))


def cover_points_union(alpha: float, beta: float) -> int:
    """Return a number of public points that suffices for lemma 11 on thresholds: (m + 1) exp(-alpha m / 4) <= beta/2.

    It is the union bound over the m + 1 gaps, each longer than alpha/4 with probability (1 - alpha/4)^m.

    >>> [cover_points_union(alpha, 0.1) for alpha in (0.1, 0.2, 0.4)]
    [355, 162, 73]
    """
    _check(alpha, beta)
    argument = -alpha / 4 * math.exp(-alpha / 4) * beta / 2
    return math.ceil(-4 / alpha * float(scipy.special.lambertw(argument, -1).real) - 1)


def cover_points_exact(alpha: float, beta: float) -> int:
    """Return the least m with which lemma 11 holds for thresholds: P[largest gap > alpha/4] <= beta/2, by spacings.

    Under any atomless distribution the m + 1 gaps have the masses of uniform spacings.  Let F be any distribution
    function, with atoms or without, and public points w_i = inf{t: F(t) >= u_i} of uniform u_i.  A threshold t and its
    projection, the largest w_i <= t or -infinity, differ on mass F(t) - F(w_i), and no u_j is in (F(w_i), F(t)]: at
    most a gap of the u_j.  So m points suffice for every distribution, and m - 1 do not for atomless ones.

    >>> [cover_points_exact(alpha, 0.1) for alpha in (0.05, 0.1, 0.2, 0.4)]
    [765, 349, 157, 69]
    """
    _check(alpha, beta)
    return cover_points_thresholds(alpha / 4, beta / 2)


def cover_points_limit(alpha: float, beta: float) -> int:
    """Return the least m at which A_PAP's error on thresholds is <= alpha with probability 1 - beta, n = infinity.

    The answers on the cover are then exact, and the error is twice the largest gap: P[gap > alpha/2] <= beta <= 1/2.

    >>> [cover_points_limit(alpha, 0.1) for alpha in (0.05, 0.1, 0.2, 0.4)]
    [317, 141, 61, 25]
    """
    _check(alpha, beta)
    return cover_points_thresholds(alpha / 2, beta)


# ---------------------------------------------------------------------------------------------------- private records
def pmw_records(
    alpha: float, beta: float, log_cells: float, log_queries: float, epsilon: float = 1.0, delta: float = 1e-6
) -> float:
    """Return lemma 7's number of private records for PMW, with its printed constants.

    It is 200 sqrt(ln K ln(2/delta)) (ln M + ln(128 ln K / (alpha^2 beta))) / (epsilon alpha^2), K = exp(log_cells)
    cells >= 2 and M = exp(log_queries) >= 1 queries.

    >>> f"{pmw_records(0.05, 0.05, math.log(356), math.log(356)):.4g}"
    '1.587e+07'
    """
    _check(alpha, beta)
    if checks.positive("log_cells", log_cells) < math.log(2):
        raise ValueError(f"log_cells = {log_cells!r}: must be >= ln 2 = {math.log(2):.6g}, of two cells")
    not_tiny("epsilon", checks.positive("epsilon", epsilon))
    checks.between("log_queries", log_queries, 0, math.inf, closed="l")
    checks.between("delta", delta, 0, 1)
    logs = log_queries + math.log(128 * log_cells / (alpha**2 * beta))
    root = math.sqrt(log_cells) * math.sqrt(math.log(2) - math.log(delta))
    return _finite("number of records", 200 * root * logs / (epsilon * alpha**2))


def pap_records(
    alpha: float, beta: float, log_cells: float, log_queries: float, epsilon: float = 1.0, delta: float = 1e-6
) -> float:
    """Return the private records of theorem 10: ``pmw_records`` at alpha/2 and beta/2, on the cover and its cells."""
    _check(alpha, beta)
    return pmw_records(alpha / 2, beta / 2, log_cells, log_queries, epsilon, delta)


def printed_private(
    alpha: float, beta: float, d: int, p: int, epsilon: float = 1.0, delta: float = 1e-6, power: float = 1.5
) -> float:
    """Return theorem 10's number of private records without its constant.

    It is (d ln(1/alpha) + ln(1/beta))^power sqrt(p ln(1/delta)) / (epsilon alpha^2), printed with power = 3/2.
    """
    not_tiny("epsilon", checks.positive("epsilon", epsilon))
    checks.between("delta", delta, 0, 1)
    checks.positive("power", power)
    _check(alpha, beta)
    logs = checks.size("VC dimension", d) * math.log(1 / alpha) + math.log(1 / beta)
    root = math.sqrt(checks.size("dual VC dimension", p)) * math.sqrt(-math.log(delta))
    return _finite("number of records", logs**power * root / (epsilon * alpha**2))


def log_queries_bound(m: int, d: int) -> float:
    """Return Sauer's bound on ln |H~| in theorem 10's proof, d ln(e m / d), for m >= d public points."""
    checks.size("VC dimension", d)
    return d * math.log(math.e * checks.size("m", m, d) / d)


def log_cells_bound(log_queries: float, p: int) -> float:
    """Return claim 3's bound on ln |X_H~|, p (1 + ln M - ln p) with M = exp(log_queries) >= p."""
    least = math.log(checks.size("dual VC dimension", p))
    checks.between("log_queries", log_queries, least, math.inf, closed="l")
    return p * (1 + log_queries - math.log(p))
