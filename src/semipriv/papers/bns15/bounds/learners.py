"""Examples that learners of BNS15 ask for, as explicit formulas."""

import math

from semipriv.core import checks


def log_thresholds(bits: int) -> float:
    """Return ln(2^bits + 1): as many thresholds there are over the integers of so many bits."""
    return checks.size("bits", bits) * math.log(2) + math.log1p(math.exp(-bits * math.log(2)))


def whole_class(log_concepts: float, alpha: float, beta: float, epsilon: float = 1.0) -> int:
    """Return (max(8, 4 / epsilon) / alpha) (ln |C| + ln(2 / beta)), rounded up.

    With so many labelled examples the exponential mechanism over all of C is an (alpha, beta) learner: by Chernoff's
    bound a concept of error above alpha errs on more than alpha / 2 of them, but with probability beta / 2 for all of C
    together, and by the union bound the mechanism chooses none that does, but with probability beta / 2.

    >>> [whole_class(log_thresholds(bits), 0.2, 0.2) for bits in (60, 640)]
    [1756, 17837]
    """
    checks.between("log_concepts", log_concepts, 0, math.inf, closed="l")
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    return math.ceil(max(8, 4 / checks.positive("epsilon", epsilon)) / alpha * (log_concepts + math.log(2 / beta)))


def generic_unlabelled(bits: int, alpha: float, beta: float, epsilon: float = 1.0) -> int:
    """Return (40 / (alpha epsilon)) (k b ln 2 + ln(5 / beta)) + 40 / alpha with k = 10 / alpha, rounded up.

    With so many unlabelled examples GenericLearner (algorithm 1) around the net sanitizer learns thresholds of so many
    bits (theorem 3.3, with explicit constants).

    >>> [generic_unlabelled(bits, 0.2, 0.2) for bits in (60, 1000)]
    [416733, 6932316]
    """
    checks.size("bits", bits)
    size = math.ceil(10 / checks.between("alpha", alpha, 0, 1))
    logs = size * bits * math.log(2) + math.log(5 / checks.between("beta", beta, 0, 1))
    return math.ceil(40 / (alpha * checks.positive("epsilon", epsilon)) * logs + 40 / alpha)


def label_boost_labelled(alpha: float, beta: float, vc: int) -> int:
    """Return (96000 / alpha) VC ln(2240 / (alpha beta)), rounded up: the labelled examples of claims 4.8 to 4.11.

    >>> label_boost_labelled(0.2, 0.2, 1)
    5247892
    """
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    return math.ceil(96_000 / alpha * checks.size("vc", vc) * math.log(2240 / (alpha * beta)))


def active(n_labelled: int, n: int, epsilon: float, base_epsilon: float = 1.0) -> tuple[int, int]:
    """Return the labels that algorithm 4 asks for, and its pool of unlabelled examples.

    Its learner takes n examples, n_labelled of them with labels: it asks for these, and draws the n from (n / epsilon)
    (3 + e^(2 base_epsilon)), rounded up.

    >>> active(10, 1000, 0.1)
    (10, 103891)
    """
    checks.between("base_epsilon", base_epsilon, 0, math.inf, closed="l")
    pool = checks.size("n", n) / checks.positive("epsilon", epsilon) * (3 + math.exp(2 * base_epsilon))
    return checks.size("n_labelled", n_labelled), math.ceil(pool)


def thinned(n: int, epsilon: float) -> int:
    """Return n (3 + e) / epsilon, rounded up: thinned to n examples, they leave epsilon of epsilon = 1 (theorem 4.14).

    The share that is kept is that of claim 4.3, epsilon / (3 + e).
    """
    return math.ceil(checks.size("n", n) * (3 + math.e) / checks.between("epsilon", epsilon, 0, 1, closed="h"))
