"""ABM19: sizes and probabilities of the public-data reduction (section 4), with explicit constants.

n_private and n_public are the sizes of the semi-private learner A.  p = 1 / (100 n_public) is the share of private
examples in its samples.  n~ = ceil(n_private / (10 n_public)) is the size of the private sample of the reduction B.
"""

import math
from fractions import Fraction

import scipy

from semipriv.core import checks
from semipriv.core.registry import check_name

PREMISE_PRINTED = Fraction(1, 18)
"""Failure probability of A in lemma 4.4."""
BETWEEN_PRINTED = Fraction(1, 17)
"""Failure probability of A on the public sample of B, as claim 4.6 prints it."""
CONCLUSION = Fraction(1, 16)
"""Failure probability of B in lemma 4.4 and claim 4.6."""
PREMISE_REPAIRED = Fraction(1, 21)
"""A failure probability of A from which the steps of claim 4.6 lead to the conclusion."""
SUBSTITUTION = Fraction(1, 100)
"""Bound on P[the public sample of the mixture has an example of D]: n_public p, by the union bound."""
EXHAUSTION_PRINTED = Fraction(1, 100)
"""Bound on P[the loop exits early] in claim 4.6."""
EXHAUSTION = Fraction(47, 10_000)
"""Bound on P[exhausted] for all sizes: the Poisson limit ``exhaustion_limit(1)`` = 0.0046788 is its supremum."""

_EXACT, _STIRLING = 10_000, 10**6
"""Examples up to which tails are subtracted, and log-factorials have enough digits."""

READINGS = ["needed more", "early exit"]


def private_share(n_public: int) -> float:
    """Return p = 1 / (100 n_public)."""
    return 1 / (100 * checks.size("n_public", n_public))


def own_size(n_private: int, n_public: int) -> int:
    """Return n~ = ceil(n_private / (10 n_public)), the size of the private sample of the reduction.

    >>> own_size(1_000_000, 1), own_size(3, 1)
    (100000, 1)
    """
    return -(-checks.size("n_private", n_private) // (10 * checks.size("n_public", n_public)))


def exhaustion_probability(n_private: int, n_public: int, reading: str = "needed more") -> float:
    """Return P[the private sample of the reduction runs out], exactly, from the binomial distribution of heads.

    'needed more': a further example was needed, P[Bin(n_private, p) > n~].  'early exit', as algorithm 3 is printed:
    its loop stops before the last round because the sample is empty, P[Bin(n_private - 1, p) >= n~].

    >>> [round(exhaustion_probability(1000, 100, reading), 5) for reading in READINGS]
    [0.00467, 0.09508]
    """
    rounds, most = _rounds(n_private, n_public, reading)
    return float(scipy.special.betainc(most + 1, rounds - most, private_share(n_public))) if most < rounds else 0.0


def exhaustion_fraction(n_private: int, n_public: int, reading: str) -> Fraction:
    """Return ``exhaustion_probability`` in rational arithmetic, for n_private up to some thousands.

    One private example for ten rounds, a public point: the printed loop leaves early unless nine coins show tails.

    >>> exhaustion_fraction(10, 1, "early exit") == 1 - Fraction(99, 100) ** 9
    True
    """
    rounds, most = _rounds(n_private, n_public, reading)
    p = Fraction(1, 100 * n_public)
    return 1 - sum(
        (math.comb(rounds, k) * p**k * (1 - p) ** (rounds - k) for k in range(min(most, rounds) + 1)), Fraction()
    )


def _rounds(n_private: int, n_public: int, reading: str) -> tuple[int, int]:
    """Return the rounds whose heads count, and the largest number of heads at which the sample does not run out."""
    check_name("reading", reading, READINGS)
    size = own_size(n_private, n_public)
    return (n_private, size) if reading == "needed more" else (n_private - 1, size - 1)


def exhaustion_bound(size: int) -> Fraction:
    """Return a bound on P[a further example was needed], for n~ = size: the union over the places of n~ + 1 heads.

    C(n, n~ + 1) p^(n~ + 1) <= (n~ / 10)^(n~ + 1) / (n~ + 1)!, because n p <= n~ / 10.  Each step of n~ multiplies it by
    (1 + 1/n~)^(n~ + 1) (n~ + 1) / (10 (n~ + 2)) < 0.4, so that it is at most 1/200 for all sizes.

    >>> exhaustion_bound(1)
    Fraction(1, 200)
    """
    checks.size("size", size)
    return Fraction(size, 10) ** (size + 1) / math.factorial(size + 1)


def exhaustion_limit(size: int) -> float:
    """Return P[Poisson(n~ / 10) > n~] for n~ = size: the limit of P[a further example was needed] for large n_public.

    It is also an upper bound.  From mean + 1 on, binomial tails lie below those of the Poisson distribution of equal
    mean (Anderson and Samuels 1967), and the mean n_private p is at most n~ / 10.

    >>> round(exhaustion_limit(1), 7)
    0.0046788
    """
    mean, heads = checks.size("size", size) / 10, size + 1
    terms = (-mean + k * math.log(mean) - math.lgamma(k + 1) for k in range(heads, heads + 60))
    return math.fsum(math.exp(term) for term in terms)


def unsubstituted_probability(n_public: int) -> float:
    """Return P[a public sample of the mixture p D + (1 - p) D0 has no example of D].

    It is (1 - 1/(100 n_public))^n_public >= .99.

    >>> unsubstituted_probability(1), round(unsubstituted_probability(10**6), 5)
    (0.99, 0.99005)
    """
    return math.exp(n_public * math.log1p(-private_share(n_public)))


def shift_of_labels(n_public: int) -> float:
    """Return the total variation distance of n_public labelled examples of p D + (1 - p) D0 and of D0.

    D is realizable, and the marginals are equal.  The number of labels that agree with the target is sufficient.  So
    the distance is that of Bin(n, 1/2) and Bin(n, 1/2 + p/2): the difference of their tails over all k with likelihood
    ratio (1 + p)^k (1 - p)^(n - k) > 1.  (For disjoint D and D0 it would be P[an example of D] = 1 - (1 - p)^n.)

    >>> [round(shift_of_labels(n), 5) for n in (1, 5, 50)]
    [0.005, 0.00187, 0.00056]
    """
    n, p = checks.size("n_public", n_public, most=2**53), private_share(n_public)
    least = math.floor(-n * math.log1p(-p) / (2 * math.atanh(p)))
    if n > _EXACT:  # the derivative of a tail in the coin's bias is n P[Bin(n - 1, .) = least], nearly constant here
        half = (n - 1) / 2
        log_mass = math.lgamma(n) - math.lgamma(least + 1) - math.lgamma(n - least) - (n - 1) * math.log(2)
        if n > _STIRLING:
            log_mass = -math.log(math.pi * half) / 2 - (least - half) ** 2 / half
        return n * p / 2 * math.exp(log_mass)
    return float(scipy.special.bdtrc(least, n, (1 + p) / 2) - scipy.special.bdtrc(least, n, 0.5))


def subsampled_epsilon(epsilon: float, n_private: int, p: float) -> float:
    """Return ln(1 + q (e^epsilon - 1)), q = 1 - (1 - p)^n_private: a privacy loss of the reduction.

    It holds for *one* private example and a purely private A.  A run that uses the example and the same run with a draw
    of D0 in its place are neighbours for A.  So the distribution (1 - q) P0 + q P1 of a run has P1 <= e^epsilon min(P0,
    P1') for a neighbour's P1'.  With more than one private example, runs that use fewer of them differ in several
    places, and only epsilon follows.

    >>> round(subsampled_epsilon(1.0, 3, 0.01), 6)
    0.049775
    """
    checks.positive("epsilon", epsilon)
    checks.between("p", p, 0, 1)
    q = -math.expm1(checks.size("n_private", n_private) * math.log1p(-p))
    if epsilon > 1:  # without e^epsilon, which may be too large
        return epsilon + math.log(q + (1 - q) * math.exp(-epsilon))
    return math.log1p(q * math.expm1(epsilon))


# ---------------------------------------------------------------------------------------------------- claim 4.6
def _check_chances(premise: Fraction, substitution: Fraction, exhaustion: Fraction) -> None:
    for name, value in (("premise", premise), ("substitution", substitution), ("exhaustion", exhaustion)):
        checks.between(name, value, 0, 1, closed="l")


def failure_by_addition(
    premise: Fraction, substitution: Fraction = SUBSTITUTION, exhaustion: Fraction = EXHAUSTION
) -> Fraction:
    """Return the failure probability of B by the steps of claim 4.6: premise + P[substituted] + P[exhausted].

    With the printed 1/18 it exceeds 1/16; with 1/21 it does not.

    >>> [failure_by_addition(premise) <= CONCLUSION for premise in (PREMISE_PRINTED, PREMISE_REPAIRED)]
    [False, True]
    """
    _check_chances(premise, substitution, exhaustion)
    return premise + substitution + exhaustion


def failure_by_ratio(
    premise: Fraction, substitution: Fraction = SUBSTITUTION, exhaustion: Fraction = EXHAUSTION
) -> Fraction:
    """Return a sharper bound on the failure probability of B: premise / (1 - P[substituted]) + P[exhausted].

    The distribution of the mixture's public sample is at least (1 - p)^n_public times the distribution of B's public
    sample.  So an event of probability f in A's run has at most f / (1 - p)^n_public in the same run with B's public
    sample, and (1 - p)^n_public >= .99.  Division leads from the printed 1/18 to the printed 1/16; addition does not.

    >>> float(failure_by_ratio(PREMISE_PRINTED)) < CONCLUSION
    True
    """
    _check_chances(premise, substitution, exhaustion)
    return premise / (1 - substitution) + exhaustion


def printed_steps() -> dict[str, tuple[Fraction, Fraction]]:
    """Return the sums of claim 4.6 with its printed bounds, each with the number that it should not exceed.

    In the paper's order: premise + exhaustion (1/17), 1/17 + shift (1/16), and all three terms (1/16).  Each sum
    exceeds its number.

    >>> [total <= allowed for total, allowed in printed_steps().values()]
    [False, False, False]
    """
    return _steps(EXHAUSTION_PRINTED, SUBSTITUTION)


def exact_steps(n_public: int, size: int) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the same sums with exact probabilities for disjoint D and D0, at n~ = size and n_private = 10 n_public n~.

    The shift is then P[substituted] = 1 - (1 - p)^n_public, a total variation distance.  It is at least 1 - e^-.01 >
    .0099 for every n_public, and 1/18 + .0099 > 1/16: the sum of the three terms never fits.  From n~ = 2 on the first
    step does.

    >>> [[total <= allowed for total, allowed in exact_steps(100, size).values()] for size in (1, 2)]
    [[False, False, False], [True, False, False]]
    """
    n_private = 10 * checks.size("n_public", n_public) * checks.size("size", size)
    exhausted = exhaustion_fraction(n_private, n_public, READINGS[0])
    return _steps(exhausted, 1 - (1 - Fraction(1, 100 * n_public)) ** n_public)


def _steps(exhaustion: Fraction, shift: Fraction) -> dict[str, tuple[Fraction, Fraction]]:
    return {
        "1/18 + exhaustion <= 1/17": (PREMISE_PRINTED + exhaustion, BETWEEN_PRINTED),
        "1/17 + shift <= 1/16": (BETWEEN_PRINTED + shift, CONCLUSION),
        "1/18 + exhaustion + shift <= 1/16": (PREMISE_PRINTED + exhaustion + shift, CONCLUSION),
    }


# ---------------------------------------------------------------------------------------------------- theorem 4.1
def reduction_accuracy(n_public: int, alpha: Fraction) -> Fraction:
    """Return the accuracy 100 n_public alpha of B if A has excess error alpha (lemma 4.4); from 1/2 on it says nothing.

    The excess error of any h over the mixture p D + (1 - p) D0 is p err(h; D), because D0 costs every h one half.
    """
    checks.between("alpha", alpha, 0, 1, closed="lh")
    return 100 * checks.size("n_public", n_public) * alpha


def public_floor(alpha: Fraction | float) -> Fraction:
    """Return 1 / (1600 alpha), the floor of theorem 4.1.

    Semi-private learners of a class of infinite Littlestone dimension need more public points.  With n_public <= 1 /
    (1600 alpha) the reduction would be private, and accurate to 100 n_public alpha <= 1/16 with probability 15/16.
    There is no such learner (ABM19 theorem 4.3, Alon, Livni, Malliaris and Moran 2019).

    >>> public_floor(Fraction(1, 1_000_000))
    Fraction(625, 1)
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha = {alpha}: must be in (0, 1)")
    return 1 / (1600 * Fraction(alpha))


def allowed_delta(n: int) -> float:
    """Return 1 / (100 n^2 ln n), n >= 2: up to this delta theorem 4.3 rules out private learners from n examples.

    It falls with n.  So a delta that is allowed at n_private is allowed at n~ <= n_private.
    """
    checks.size("n", n, 2)
    return 1 / (100 * n**2 * math.log(n))
