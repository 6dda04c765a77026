"""Examples that learners of BNS15 ask for, and an excess error, as explicit formulas."""

import math

from semipriv.core import checks
from semipriv.papers.bns15.bounds._whole import examples
from semipriv.papers.bns15.bounds.active import active_size


def log_thresholds(bits: int) -> float:
    """Return ln(2^bits + 1): as many thresholds there are over the integers of so many bits."""
    return checks.size("bits", bits) * math.log(2) + math.log1p(math.exp(-bits * math.log(2)))


def whole_class(log_concepts: float, alpha: float, beta: float, epsilon: float = 1.0) -> int:
    """Return (max(8, 4 / epsilon) / alpha) (ln |C| + ln(2 / beta)), rounded up; log_concepts: ln |C|.

    With so many labelled examples the exponential mechanism over all of C is an (alpha, beta) learner for realizable
    labels: a concept of error above alpha has an empirical one of at most alpha / 2 with probability at most
    exp(-alpha n / 8), and the mechanism returns one whose empirical error is above alpha / 2 with probability at most
    |C| exp(-epsilon alpha n / 4); both are at most beta / 2 in all.

    >>> [whole_class(log_thresholds(bits), 0.2, 0.2) for bits in (60, 640)]
    [1756, 17837]
    """
    checks.between("log_concepts", log_concepts, 0, math.inf, closed="l")
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    most = max(8, 4 / checks.positive("epsilon", epsilon))
    return examples(most / alpha * (log_concepts + math.log(2) - math.log(beta)))


def excess_bound(log_concepts: float, n: int, epsilon: float, beta: float, *, realizable: bool) -> float:
    """Return a bound on the excess error that holds with probability 1 - beta.  It may exceed 1.

    Always 2 sqrt(ln(4 |C| / beta) / (2 n)) + (2 / (epsilon n)) ln(2 |C| / beta): Hoeffding's inequality for all
    concepts, and the mechanism.  For realizable labels ``whole_class`` solved for alpha, too; the smaller one counts.
    """
    checks.between("log_concepts", log_concepts, 0, math.inf, closed="l")
    checks.size("n", n)
    checks.positive("epsilon", epsilon)
    checks.between("beta", beta, 0, 1)
    weight = log_concepts + math.log(2) - math.log(beta)
    agnostic = 2 * math.sqrt((weight + math.log(2)) / (2 * n)) + 2 * weight / (epsilon * n)
    return min(agnostic, max(8.0, 4.0 / epsilon) * weight / n) if realizable else agnostic


def generic_labelled(log_hypotheses: float, alpha: float, beta: float, epsilon: float = 1.0) -> int:
    """Return (max(50, 10 / epsilon) / alpha) (ln |H| + ln(5 / beta)), rounded up; log_hypotheses: ln |H|.

    With so many labelled examples S GenericLearner (algorithm 1) errs by at most alpha, but for a chance of 3 beta / 5,
    if one of its hypotheses H errs by at most 2 alpha / 5: H depends on the sanitized points alone.  (1) That one errs
    by at most 3 alpha / 5 on S but for e^(-alpha m / 25) <= beta / 5.  (2) The mechanism returns one that errs on S by
    at most alpha / 5 more but for |H| e^(-epsilon alpha m / 10) <= beta / 5.  (3) One that errs by more than alpha errs
    by more than 4 alpha / 5 on S but for |H| e^(-alpha m / 50) <= beta / 5.

    >>> generic_labelled(math.log(51), 0.2, 0.2)
    1788
    """
    checks.between("log_hypotheses", log_hypotheses, 0, math.inf, closed="l")
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    most = max(50.0, 10 / checks.positive("epsilon", epsilon))
    return examples(most / alpha * (log_hypotheses + math.log(5) - math.log(beta)))


def generic_unlabelled(bits: int, alpha: float, beta: float, epsilon: float = 1.0) -> int:
    """Return (40 / (alpha epsilon)) (k b ln 2 + ln(5 / beta)) + 40 / alpha with k = 10 / alpha, rounded up.

    From so many unlabelled examples on the net sanitizer of GenericLearner (algorithm 1), with k points, has shares of
    all prefixes of integers of so many bits off by at most alpha / 10 with probability 1 - beta / 5 (``net_size``).

    >>> [generic_unlabelled(bits, 0.2, 0.2) for bits in (60, 1000)]
    [416733, 6932316]
    """
    checks.size("bits", bits)
    size = examples(10 / checks.between("alpha", alpha, 0, 1))
    logs = float(size) * bits * math.log(2) + math.log(5) - math.log(checks.between("beta", beta, 0, 1))
    return examples(40 / alpha / checks.positive("epsilon", epsilon) * logs + 40 / alpha)


def label_boost_labelled(alpha: float, beta: float, vc: int) -> int:
    """Return (96000 / alpha) VC ln(2240 / (alpha beta)), rounded up: the labelled examples of claims 4.8 to 4.11.

    >>> label_boost_labelled(0.2, 0.2, 1)
    5247892
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    logs = math.log(2240) - math.log(alpha) - math.log(beta)
    return examples(96_000 / alpha * checks.size("vc", vc) * logs)


def active(n_labelled: int, n: int, epsilon: float, base_epsilon: float = 1.0) -> tuple[int, int]:
    """Return the labels that algorithm 4 asks for, and its pool of unlabelled examples.

    Its learner takes n examples, n_labelled of them with labels: it asks for these, and draws the n from the pool.

    >>> active(10, 1000, 0.1)
    (10, 103891)
    """
    checks.between("base_epsilon", base_epsilon, 0, math.inf, closed="l")
    return checks.size("n_labelled", n_labelled), active_size(n, epsilon, base_epsilon)


def thinned(n: int, epsilon: float) -> int:
    """Return n (3 + e) / epsilon, rounded up: thinned to n examples, they leave epsilon of epsilon = 1 (theorem 4.14).

    The share that is kept is that of claim 4.3, epsilon / (3 + e).
    """
    return examples(checks.size("n", n) * (3 + math.e) / checks.between("epsilon", epsilon, 0, 1, closed="h"))
