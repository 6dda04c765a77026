"""ABM19: exact failure probabilities on the hard families of theorems 3.1 and 4.1, and the sizes they need.

On these families A_SSPP chooses between two hypotheses, or its cover must hit one pair of points.  So its failure
probability is a sum over a binomial distribution, without simulation, and bisection finds the least size.
"""

import math

import numpy as np
import scipy

from semipriv.core import checks
from semipriv.core.binomial import binomial_distribution
from semipriv.core.least import least_size
from semipriv.core.registry import check_name
from semipriv.core.types import Floats

MECHANISMS = ["exponential", "permute_and_flip", "minimum"]
"""Two private selections, and the minimum: empirical risk minimisation without privacy, which has no epsilon."""


def worse_of_two(gap: Floats, epsilon: float, mechanism: str) -> Floats:
    """Return P[the worse of two hypotheses is chosen], given that it makes ``gap`` more mistakes (negative: fewer).

    Exponential: 1 / (1 + exp(epsilon gap / 2)).  Permute-and-flip: exp(-epsilon gap / 2) / 2 for gap >= 0, by symmetry
    1 - exp(epsilon gap / 2) / 2 below.  Minimum: 0, 1/2 or 1.

    >>> [worse_of_two(np.array([2.0]), 1.0, m).round(4).item() for m in MECHANISMS]
    [0.2689, 0.1839, 0.0]
    """
    check_name("mechanism", mechanism, MECHANISMS)
    if mechanism == "minimum":
        return np.where(gap == 0, 0.5, np.where(gap < 0, 1.0, 0.0))
    checks.positive("epsilon", epsilon)
    if mechanism == "exponential":
        return np.asarray(scipy.special.expit(-epsilon * gap / 2))
    half = np.exp(-epsilon * np.abs(gap) / 2) / 2
    return np.where(gap >= 0, half, 1 - half)


def failure_two_point(n: int, gap: float, epsilon: float, mechanism: str = "exponential") -> float:
    """Return P[the wrong constant is chosen] from n labels with P[y = 1] = 1/2 + gap, gap > 0.

    Its excess error is 2 gap.  The sum is sum_B Bin(B; n, 1/2 + gap) P[worse chosen | gap 2 B - n].  This is the
    agnostic hard family of theorem 3.1.
    """
    checks.size("n", n)
    checks.between("gap", gap, 0, 0.5)
    ones, log_mass = binomial_distribution(n, 0.5 + gap)
    return float(np.exp(log_mass) @ worse_of_two(2 * ones - n, epsilon, mechanism))


def failure_realizable(n: int, alpha: float, epsilon: float, mechanism: str = "exponential") -> float:
    """Return P[the wrong one of two hypotheses is chosen]; they differ on mass alpha, and the other one labels.

    The sum is sum_B Bin(B; n, alpha) P[worse chosen | gap B].
    """
    checks.size("n", n)
    checks.between("alpha", alpha, 0, 1)
    seen, log_mass = binomial_distribution(n, alpha)
    return float(np.exp(log_mass) @ worse_of_two(seen, epsilon, mechanism))


def private_points_two_point(alpha: float, epsilon: float, beta: float, mechanism: str = "exponential") -> int:
    """Return the least n at which A_SSPP has excess error <= alpha with probability 1 - beta on the two-point family.

    The wrong constant has excess alpha (1 + 1e-4), just above alpha.

    >>> private_points_two_point(0.1, 1.0, 0.05), private_points_two_point(0.1, 0.01, 0.05)
    (282, 6022)
    """
    checks.between("alpha", alpha, 0, 1)
    return least_size(lambda n: failure_two_point(n, alpha / 2 * (1 + 1e-4), epsilon, mechanism), beta)


def private_points_realizable(alpha: float, epsilon: float, beta: float, mechanism: str = "exponential") -> int:
    """Return the least n at which A_SSPP chooses the right one of two hypotheses with probability 1 - beta.

    They differ on mass alpha.

    >>> private_points_realizable(0.1, 1.0, 0.05)
    72
    """
    return least_size(lambda n: failure_realizable(n, alpha, epsilon, mechanism), beta)


# ---------------------------------------------------------------------------------------------------- theorem 4.1
def hidden_pair_failure(m: int, p: float, representative: str = "midpoint") -> float:
    """Return P[no threshold of the cover separates a pair of neighbouring atoms of mass p / 2 each], m public points.

    A representative strictly between two public points, as the midpoint, separates the pair iff both atoms are seen:
    2 (1 - p/2)^m - (1 - p)^m.  The 'upper' representative of 1[x >= t] is a public point, so that seeing the upper atom
    is enough: (1 - p/2)^m.
    """
    checks.size("m", m, 0)
    checks.between("p", p, 0, 1)
    check_name("representative", representative, ["midpoint", "upper"])
    missed = math.exp(m * math.log1p(-p / 2))
    return missed if representative == "upper" else 2 * missed - math.exp(m * math.log1p(-p))


def public_points_hidden_pair(alpha: float, beta: float, representative: str = "midpoint") -> int:
    """Return the least m at which the cover separates the hidden pair with probability 1 - beta.

    The pair has mass p = 2 alpha (1 + 1e-9).  A threshold that does not separate it has excess error p / 2, just above
    alpha.

    >>> public_points_hidden_pair(0.05, 0.05), public_points_hidden_pair(0.001, 0.05)
    (72, 3675)
    """
    checks.between("alpha", alpha, 0, 0.49)
    return least_size(lambda m: hidden_pair_failure(m, 2 * alpha * (1 + 1e-9), representative), beta, 2)


def failure_on_pair(n: int, log_left: float, log_right: float, epsilon: float) -> float:
    """Return P[the exponential mechanism does not choose the one threshold that separates two atoms], n examples.

    The atoms have mass 1/2 each, labels 0 and 1; k ~ Bin(n, 1/2) examples are at the left one.  exp(log_left)
    thresholds err on the left atom, exp(log_right) on the right one: success is
    E_k 1 / (1 + exp(log_left - epsilon k / 2) + exp(log_right - epsilon (n - k) / 2)).
    """
    checks.between("log_left", log_left, 0, math.inf, closed="l")
    checks.between("log_right", log_right, 0, math.inf, closed="l")
    checks.size("n", n)
    checks.positive("epsilon", epsilon)
    k, log_mass = binomial_distribution(n, 0.5)
    terms = np.stack([np.zeros_like(k), log_left - epsilon * k / 2, log_right - epsilon * (n - k) / 2])
    others = scipy.special.logsumexp(terms[1:], axis=0) - scipy.special.logsumexp(terms, axis=0)
    return float(np.exp(scipy.special.logsumexp(log_mass + others)))


def private_points_thresholds(bits: int, epsilon: float, beta: float) -> int:
    """Return the least n of the exponential mechanism over all thresholds on 2^bits points, without public data.

    It succeeds with probability 1 - beta.  The distribution is uniform on the two points about the target in the
    middle: 2^(bits - 1) thresholds err on each of them.

    >>> private_points_thresholds(8, 1.0, 0.1), private_points_thresholds(64, 1.0, 0.1)
    (35, 201)
    """
    many = (checks.size("bits", bits) - 1) * math.log(2)
    return least_size(lambda n: failure_on_pair(n, many, many, epsilon), beta)


def private_points_covered_pair(epsilon: float, beta: float) -> int:
    """Return the same for A_SSPP once its public points contain the pair: three thresholds, for any number of bits.

    >>> private_points_covered_pair(1.0, 0.1), private_points_covered_pair(0.1, 0.1)
    (14, 118)
    """
    return least_size(lambda n: failure_on_pair(n, 0.0, 0.0, epsilon), beta)


def packing_floor(bits: int, epsilon: float, beta: float) -> int:
    """Return a lower bound on the examples that any pure proper learner of thresholds on 2^bits points needs.

    The bound is a packing argument on the distributions of ``private_points_thresholds``.  There are N - 1 = 2^bits - 1
    targets between neighbours, and for each only one threshold succeeds.  These events are disjoint.  By group privacy
    each has probability >= (1 - beta) exp(-epsilon n) on one sample.  Hence n >= (ln(N - 1) + ln(1 - beta)) / epsilon.

    >>> [packing_floor(b, 1.0, 0.1) for b in (2, 4, 8, 16, 32, 64, 128)]
    [1, 3, 6, 11, 23, 45, 89]
    """
    checks.positive("epsilon", epsilon)
    checks.between("beta", beta, 0, 1)
    log_targets = bits * math.log(2) + math.log1p(-math.exp(-checks.size("bits", bits) * math.log(2)))
    return max(0, math.ceil((log_targets + math.log1p(-beta)) / epsilon))


def failure_point_functions(n: int, log_size: float, epsilon: float) -> float:
    """Return P[the exponential mechanism over K = exp(log_size) point functions misses the target], n examples.

    The target's point has mass 1/2 and label 1; another point has mass 1/2 and label 0.  Let k ~ Bin(n, 1/2) examples
    be at the target.  The target makes no mistake, the function of the other point n, each of the K - 2 others k.
    Success is E_k 1 / (1 + (K - 2) exp(-epsilon k / 2) + exp(-epsilon n / 2)).
    """
    checks.between("log_size", log_size, 0, math.inf, closed="l")
    checks.size("n", n)
    checks.positive("epsilon", epsilon)
    k, log_mass = binomial_distribution(n, 0.5)
    remaining = log_size + math.log1p(-2 * math.exp(-log_size)) if log_size > math.log(2) else -math.inf
    terms = np.stack([np.zeros_like(k), remaining - epsilon * k / 2, np.full_like(k, -epsilon * n / 2)])
    others = scipy.special.logsumexp(terms[1:], axis=0) - scipy.special.logsumexp(terms, axis=0)
    return float(np.exp(scipy.special.logsumexp(log_mass + others)))


def private_points_point_functions(bits: int, epsilon: float, beta: float) -> int:
    """Return the least n of the exponential mechanism over all point functions of 2^bits points.

    It is proper, and its need grows with bits.
    """
    log_size = checks.size("bits", bits) * math.log(2)
    return least_size(lambda n: failure_point_functions(n, log_size, epsilon), beta)


def private_points_hashed(buckets: int, epsilon: float, beta: float) -> int:
    """Return the same for an improper pure learner: indicators of the buckets of a hash function, drawn without data.

    The two points fall together with probability 1 / buckets, which counts as failure.  Otherwise the buckets are point
    functions on ``buckets`` points.  The number of bits does not enter (a probabilistic representation; Beimel, Nissim
    and Stemmer 2013).  Raises ValueError if the collisions alone reach beta.
    """
    checks.between("beta", beta, 0, 1)
    together = 1 / checks.size("buckets", buckets, 2)
    if together >= beta:
        raise ValueError(f"buckets = {buckets}: two points fall together with probability {together:.3g} >= beta")
    log_size = math.log(buckets)
    return least_size(lambda n: together + (1 - together) * failure_point_functions(n, log_size, epsilon), beta)
