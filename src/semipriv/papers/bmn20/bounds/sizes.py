"""BMN20: sizes of the family of regions, excess of the draw, compression, and theorem 4.6 with explicit constants.

d is the dimension of the features, and n the number of examples, public and private together.  m is the number of
distinct public points, and k the dimension of their affine hull.  Each index set is a hypothesis, and |G| is their
number; log_size is its natural logarithm.  Errors and excess errors are shares, mistakes are counts.
"""

import math
from collections.abc import Callable

import numpy as np
import scipy

from semipriv.core import checks
from semipriv.core.registry import check_name
from semipriv.core.types import Floats, Integers

MODES = ["facet", "full"]
"""facet: k independent points span a boundary; full: each subset of at most d points has two halfspaces."""


# ---------------------------------------------------------------------------------------------------- sizes
def _hull(m: int, d: int, k: int | None) -> int:
    """Return the dimension of the affine hull of m points; k None: the largest possible one."""
    checks.size("m", m, 0)
    checks.size("d", d)
    most = min(d, max(m - 1, 0))
    if k is None:
        return most
    if not 0 <= k <= most:
        raise ValueError(f"k = {k!r}: must be in 0..{most}, {m} points in dimension {d}")
    return k


def halfspaces(m: int, d: int, mode: str = "facet", k: int | None = None) -> int:
    """Return the number H of indexed halfspaces of A_ConstrHalf for m distinct public points (BMN20 algorithm 1).

    full: 2 sum_{i <= d} C(m, i), exactly.  facet: at most 2 C(m, k), with equality if any k points are affinely
    independent; for k = 0 it is 1, the point itself.  Without public points it is 0.  Raises ValueError for an unknown
    mode, or a k that m points cannot have.

    >>> halfspaces(100, 2, "full"), halfspaces(100, 2), halfspaces(15, 3)
    (10102, 9900, 910)
    """
    check_name("mode", mode, MODES)
    k = _hull(m, d, k)
    if m == 0:
        return 0
    if mode == "full":
        return 2 * sum(math.comb(m, i) for i in range(d + 1))
    return 2 * math.comb(m, k) if k else 1


def hypotheses(m: int, d: int, mode: str = "facet", k: int | None = None) -> int:
    """Return |G| = 1 + sum_{1 <= j <= J} C(H, j): EMPTY and all intersections of at most J halfspaces.

    J = d in full mode, max(k, 1) in facet mode.

    >>> hypotheses(100, 2, "full"), hypotheses(100, 2), hypotheses(10, 3), hypotheses(4, 2, k=0), hypotheses(0, 2)
    (51030254, 49009951, 2304201, 2, 1)
    """
    count = halfspaces(m, d, mode, k)
    most = d if mode == "full" else max(_hull(m, d, k), 1)
    return 1 + sum(math.comb(count, j) for j in range(1, most + 1))


def log_size_bound(m: int, d: int) -> float:
    """Return d ln(2 (m + 1)^d + 1) >= ln|G|, for both modes and any position of the points: O(d^2 ln m).

    There are at most (m + 1)^d subsets of at most d of m points, and at most (H + 1)^d sets of at most d halfspaces.

    >>> round(log_size_bound(100, 2), 2), round(math.log(hypotheses(100, 2)), 2)
    (19.85, 17.71)
    """
    _hull(m, d, None)
    return d * math.log(2 * (m + 1) ** d + 1)


# ---------------------------------------------------------------------------------------------------- claim 4.5
def excess_tail(log_ratio: float, epsilon: float, beta: float) -> float:
    """Return (2 / epsilon) (ln R + ln(1 / beta)); the draw makes this many mistakes beyond the least with P <= beta.

    This holds for each fixed data set, with R = |G| / #{hypotheses of the fewest mistakes} <= |G| (BMN20 claim 4.5).
    The hypotheses with at least t mistakes beyond the least have weight at most |G| e^(-epsilon t / 2), the best ones
    #{...}.
    """
    checks.between("log_ratio", log_ratio, 0, math.inf, closed="l")
    checks.positive("epsilon", epsilon)
    checks.between("beta", beta, 0, 1)
    return 2 / epsilon * (log_ratio - math.log(beta))


def excess_mean(log_ratio: float, epsilon: float) -> float:
    """Return (2 / epsilon) (ln R + 1), a bound on the mean number of mistakes beyond the least: the tail's integral."""
    checks.between("log_ratio", log_ratio, 0, math.inf, closed="l")
    checks.positive("epsilon", epsilon)
    return 2 / epsilon * (log_ratio + 1)


def excess_examples(alpha: float, beta: float, epsilon: float, d: int) -> int:
    """Return the least n >= (2 / (epsilon alpha)) (ln|G| + ln(1 / beta)), |G| for n public points in facet mode.

    Sizes below d^2 + 2 are not looked at.  G has a hypothesis that makes no more mistakes than the best halfspace.  So
    the empirical error of the draw exceeds the best halfspace's by at most alpha with probability 1 - beta (claim 4.5).

    >>> [excess_examples(0.1, 0.05, 1.0, d) for d in (1, 2, 3, 4)]
    [178, 551, 1241, 2271]
    """
    checks.between("alpha", alpha, 0, 1)
    return _least(lambda n: excess_tail(math.log(hypotheses(n, d)), epsilon, beta) / n, alpha, d)


# ---------------------------------------------------------------------------------------------------- compression
def compression_size(d: int) -> int:
    """Return d^2, the number of examples that name a hypothesis of facet mode and span the affine hull.

    For k = d these are J = d sets of d points; otherwise k sets of k points and k + 1 more, and k^2 + k + 1 <= d^2.
    """
    return checks.size("d", d) ** 2


def descriptors(n: int, d: int) -> int:
    """Return M_n = sum_{k <= d} a_k sum_{j <= max(k, 1)} C(2 C(n, k), j): hypotheses that n examples can name.

    It is for facet mode.  a_d = 1; a_k = C(n, k + 1) counts the ways to name an affine hull of dimension k < d.  For k
    = 0 one halfspace takes the place of 2 C(n, k).  Indices run over all n examples: the sample tells which of them are
    public.

    >>> descriptors(100, 1), descriptors(3, 2)
    (401, 49)
    """
    checks.size("n", n)
    total = 0
    for k in range(checks.size("d", d) + 1):
        hulls = 1 if k == d else math.comb(n, k + 1)
        sides = 2 * math.comb(n, k) if k else 1
        total += hulls * sum(math.comb(sides, j) for j in range(max(k, 1) + 1))
    return total


def uniform_bound(empirical: float, n: int, d: int, beta: float) -> float:
    """Return err^ + d^2 / n + sqrt(ln(M_n / beta) / (2 n')), n' = n - d^2.

    With probability 1 - beta it is at least err(g) for all g of G at once.  empirical: err^, the error of g on the n
    examples.  Each description leaves at least n' examples unnamed, to which Hoeffding's inequality applies; then the
    union over all descriptions (BMN20 theorem 4.6's proof, facet mode).  Infinite for n <= d^2.
    """
    checks.between("empirical", empirical, 0, math.inf, closed="l")
    checks.size("n", n)
    checks.between("beta", beta, 0, 1)
    if n <= compression_size(d):
        return math.inf
    free = n - compression_size(d)
    return empirical + compression_size(d) / n + math.sqrt((math.log(descriptors(n, d)) - math.log(beta)) / (2 * free))


def relative_bound(empirical: float, n: int, d: int, beta: float) -> float:
    """Return q + sqrt(2 q L / n') + 2 L / n', q = n err^ / n', L = ln(M_n / beta): the same by Chernoff's lower tail.

    It is smaller than ``uniform_bound`` if g makes few mistakes.  Infinite for n <= d^2.
    """
    checks.between("empirical", empirical, 0, math.inf, closed="l")
    checks.size("n", n)
    checks.between("beta", beta, 0, 1)
    if n <= compression_size(d):
        return math.inf
    free = n - compression_size(d)
    log_term = math.log(descriptors(n, d)) - math.log(beta)
    q = n * empirical / free
    return q + math.sqrt(2 * q * log_term / free) + 2 * log_term / free


# ---------------------------------------------------------------------------------------------------- theorem 4.6
def agnostic_bound(n: int, d: int, epsilon: float, beta: float, log_size: float) -> float:
    """Return the bound of BMN20 theorem 4.6, agnostic: excess error of A_LearnHalf over the best halfspace.

    It holds with probability 1 - beta: E + d^2 / n + sqrt(ln(3 M_n / beta) / (2 n')) + sqrt(ln(3 / beta) / (2 n)),
    E = (2 / (epsilon n)) (ln|G| + ln(3 / beta)).  The draw, the generalisation of all hypotheses, and that of the best
    halfspace fail with probability beta / 3 each.

    >>> round(agnostic_bound(1000, 1, 1.0, 0.05, math.log(hypotheses(500, 1))), 3)
    0.147
    """
    checks.size("n", n)
    checks.size("d", d)
    checks.between("beta", beta, 0, 1)
    checks.between("log_size", log_size, 0, math.inf, closed="l")
    draw = excess_tail(log_size, epsilon, beta / 3) / n
    return uniform_bound(draw, n, d, beta / 3) + math.sqrt(math.log(3 / beta) / (2 * n))


def realizable_bound(n: int, d: int, epsilon: float, beta: float, log_size: float) -> float:
    """Return the bound of BMN20 theorem 4.6, realizable: error of A_LearnHalf if some halfspace errs nowhere.

    It holds with probability 1 - beta: ``relative_bound`` of the draw's E = (2 / (epsilon n)) (ln|G| + ln(2 / beta)).
    The draw and the generalisation fail with probability beta / 2 each.

    >>> [round(realizable_bound(n, 2, 1.0, 0.05, math.log(hypotheses(n // 2, 2))), 3) for n in (400, 4000)]
    [0.387, 0.052]
    """
    checks.size("n", n)
    checks.size("d", d)
    checks.between("beta", beta, 0, 1)
    checks.between("log_size", log_size, 0, math.inf, closed="l")
    return relative_bound(excess_tail(log_size, epsilon, beta / 2) / n, n, d, beta / 2)


def examples(alpha: float, beta: float, epsilon: float, d: int) -> int:
    """Return the least n for which ``agnostic_bound`` is at most alpha, |G| for n public points in facet mode.

    >>> [examples(0.1, 0.05, 1.0, d) for d in (1, 2, 3)]
    [2080, 4746, 9197]
    """
    checks.between("beta", beta, 0, 1)
    checks.between("alpha", alpha, 0, 1)
    return _least(lambda n: agnostic_bound(n, d, epsilon, beta, math.log(hypotheses(n, d))), alpha, d)


def examples_realizable(alpha: float, beta: float, epsilon: float, d: int) -> int:
    """Return the least n for which ``realizable_bound`` is at most alpha, |G| for n public points in facet mode.

    >>> [examples_realizable(0.1, 0.05, 1.0, d) for d in (1, 2, 3)]
    [676, 2010, 4463]
    """
    checks.between("beta", beta, 0, 1)
    checks.between("alpha", alpha, 0, 1)
    return _least(lambda n: realizable_bound(n, d, epsilon, beta, math.log(hypotheses(n, d))), alpha, d)


# ---------------------------------------------------------------------------------------------------- subsample
def subsample_loss(m: int, d: int, beta: float) -> float:
    """Return gamma = (ln M_m + ln(1 / beta)) / (m - d^2), the share of public points that a subset of m gives away.

    m: size of a uniform subset of the public points, drawn independently of the private ones.  Fix the sample and a
    halfspace h.  With probability 1 - beta, some g built from the subset makes at most mistakes(h) + n_public gamma
    mistakes.  For take a g that is right on every point of the subset on which h is right.  By compression, it errs on
    at most n_public gamma public points on which h is right; on such private points it never errs.  Ours, not in the
    paper.  Infinite for m <= d^2.
    """
    checks.size("m", m, 0)
    checks.between("beta", beta, 0, 1)
    if m <= compression_size(d):
        return math.inf
    return (math.log(descriptors(m, d)) - math.log(beta)) / (m - compression_size(d))


def _least(bound: Callable[[int], float], alpha: float, d: int) -> int:
    """Return the least n > d^2 + 1 with bound(n) <= alpha, by bisection; bounds fall with n once they say anything."""
    low = high = compression_size(d) + 2
    while bound(high) > alpha:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) <= alpha else (middle + 1, high)
    return low


# ---------------------------------------------------------------------------------------------------- a hard case
def wrong_atoms(n: int, epsilon: float, gap: float) -> float:
    """Return the mean number of wrong labels of A_LearnHalf on two atoms with P[y = 1] = 1/2 - gap and 1/2 + gap.

    n examples are equally likely at either atom, private iff y = 1.  Each wrong label costs an excess error of gap.
    With zeros at both atoms G labels them (0, 0) twice, (0, 1), (1, 0) and (1, 1) once.  Let D_i be the zeros less the
    ones at atom i.  D_0 + D_1 and D_0 - D_1 are independent sums of n signs, of mean 0 and 2 gap; the mean is a sum
    over the lattice of their values.  Exact up to two neglected probabilities: no zero at some atom, about (3 / 4 + gap
    / 2)^n, and sums of signs beyond 10 standard deviations.  epsilon = 0: a draw that does not look at the data, 1.

    >>> [round(wrong_atoms(n, 1.0, 0.5 / math.sqrt(n)), 3) for n in (100, 1600, 25600)]
    [0.556, 0.491, 0.482]
    """
    checks.size("n", n)
    checks.between("gap", gap, 0, 0.5, closed="l")
    checks.between("epsilon", epsilon, 0, math.inf, closed="l")
    reach = 5 * math.sqrt(n)
    heads = np.arange(max(0, math.floor(n / 2 - reach)), min(n, math.ceil(n / 2 + n * gap + reach)) + 1)
    fair, drifting = (np.exp(_log_binomial(heads, n, p)) for p in (0.5, 0.5 + gap))
    first, second = (2 * heads - n)[:, None], (2 * heads - n)[None, :]
    cost_0, cost_1 = epsilon * (first + second) / 4, epsilon * (first - second) / 4
    weights = np.stack([np.full(cost_0.shape, math.log(2)), -cost_1, -cost_0, -cost_0 - cost_1])
    weights = np.exp(weights - weights.max(axis=0))
    mean = np.tensordot([1.0, 0.0, 2.0, 1.0], weights, 1) / weights.sum(axis=0)
    return float(fair @ mean @ drifting / (fair.sum() * drifting.sum()))


def _log_binomial(k: Integers, n: int, p: float) -> Floats:
    """Return ln P[Bin(n, p) = k]."""
    choose = scipy.special.gammaln(n + 1) - scipy.special.gammaln(k + 1) - scipy.special.gammaln(n - k + 1)
    return np.asarray(choose + k * math.log(p) + (n - k) * math.log1p(-p))
