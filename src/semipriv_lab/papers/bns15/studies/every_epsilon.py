"""BNS15's sizes that fall like 1 / epsilon (theorems 3.3, 4.14, 5.8), as printed for every epsilon, and repaired.

As epsilon grows they fall below one example, and without a label nobody tells two constant functions apart.  For
theorem 3.3 the labelled examples that its proof needs are counted anew: docs/findings.md.
"""

import math
from collections.abc import Callable
from itertools import product

import scipy

from semipriv.papers.bns15.bounds.learners import generic_labelled, whole_class
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, largest

CONSTANTS = (1.0, 1e3, 1e6)
"""Constants K that an O() may hide."""
ALPHA = BETA = 0.01
SMALLEST = 11
"""lambda of theorems 4.14 and 5.8, as in lemma 4.12."""
UNLEARNED = "P[error > alpha] on the worse of two constant functions, from no label"


def constant_functions(table: Table, size: Callable[[float, float], float], beta: float) -> None:
    """Refute a size: for each constant there is an epsilon at which it is below one label.

    size: (constant, epsilon) -> examples.  What is learned from no label does not depend on which of the two functions
    has the labels, and is wrong on all of one of them with probability 1/2 or more.
    """
    for constant in CONSTANTS:
        epsilon = 2 * size(constant, 1.0)
        examples = size(constant, epsilon)
        assert examples < 1, "no label"
        settings: Settings = {"constant": constant, "epsilon": epsilon, "alpha": ALPHA, "beta": BETA, "vc": 1}
        table.show(table.refutable(UNLEARNED, settings, 0.5, beta))
        table.recorded("labels as printed", settings, examples)


@claim(
    "BNS15-T3.3-literal", "two constant functions on one point, any epsilon from 2 K times the size at epsilon = 1 on"
)
def generic(table: Table) -> str:
    """Show that the printed labels are fewer than one for a large epsilon."""

    def size(constant: float, epsilon: float) -> float:
        return constant / epsilon * (math.log(1 / ALPHA) / ALPHA**3 + math.log(1 / BETA) / ALPHA)

    constant_functions(table, size, BETA)
    return (
        "'for every alpha, beta, epsilon' asks for less than one label once epsilon is large, whatever constant O() "
        "hides, and without a label one of two constant functions is missed with chance 1/2 or more. For epsilon <= 1 "
        "the printed labels suffice, by another proof than the printed one: BNS15-T3.3-sizes"
    )


@claim(
    "BNS15-T4.14-literal", "two constant functions on one point, any epsilon from 2 K times the size at epsilon = 1 on"
)
def thinned(table: Table) -> str:
    """Show that the printed labels of theorem 4.14 are fewer than one for a large epsilon; a base learner exists."""

    def size(constant: float, epsilon: float) -> float:
        return constant / epsilon * math.log(1 / (ALPHA * BETA)) / ALPHA

    constant_functions(table, size, SMALLEST * BETA)
    n = math.ceil(2 * math.log(1 / BETA))
    table.recorded(
        "P[the base learner fails], exponential mechanism at epsilon = 1", {"n": n}, 1 / (1 + math.exp(n / 2))
    )
    return (
        "'for every epsilon' asks for less than one label once epsilon is large, although a base learner exists; "
        "lambda is 11, and a larger one is met by smaller alpha and beta. For epsilon <= 1 the theorem holds, its "
        "delta by sharper steps than the printed ones (BNS15-T4.14), if O(n / epsilon) is read as O((n + m) / epsilon)"
    )


@claim("BNS15-T5.8-literal", "two constant functions on one point, epsilon = 2 K n")
def pooled(table: Table) -> str:
    """Show that the pool of theorem 5.8, and of claim 5.7, is empty for a large epsilon."""
    n = math.ceil(2 * math.log(1 / BETA))

    def size(constant: float, epsilon: float) -> float:
        return constant / epsilon * n

    constant_functions(table, size, SMALLEST * BETA)
    return (
        "'for every epsilon' leaves a pool of less than one example once epsilon is large, so that no label can be "
        "asked for; the same holds of claim 5.7, whose pool is smaller than the sample that it must hold for epsilon "
        "> 3 + e^(2 epsilon*). For epsilon <= 1 see BNS15-T5.8"
    )


ONE_EXAMPLE = "P[error > alpha] on the worst of four functions on two equally likely points, from one label"
SMALL_ACCURACY, STRICT, SHORT_OF = 0.2, 1.0, 2000.0
"""alpha and beta; epsilon*; an epsilon at which the pool of claim 5.7 holds less than one example."""


@claim("BNS15-CL5.7-every", "all functions on two points, a base learner at epsilon* = 1, epsilon = 2,000: closed form")
def one_example(table: Table) -> str:
    """Show that the pool of claim 5.7 is smaller than one example, rounded up to one, which tells one label of two."""
    n = whole_class(math.log(4), SMALL_ACCURACY, SMALL_ACCURACY, STRICT)
    pool = n / SHORT_OF * (3 + math.exp(2 * STRICT))
    assert pool <= 1, "one example, rounded up"
    settings: Settings = {"alpha": SMALL_ACCURACY, "beta": SMALL_ACCURACY, "epsilon*": STRICT, "epsilon": SHORT_OF}
    settings |= {"n": n, "m": n, "delta": 0}
    table.show(table.refutable(ONE_EXAMPLE, settings, 0.5, SMALL_ACCURACY))
    table.recorded("examples of the pool as printed", settings, pool)
    return (
        f"at epsilon > 3 + e^(2 epsilon*) the pool of t examples is smaller than the sample of n that it must hold: "
        f"here t = {pool:.2f} at n = {n}, which is private and learns. Rounded up to one example it tells one label; "
        "the other point is guessed, and wrong with chance 1/2 for some function. With t >= n the claim holds: "
        "BNS15-CL5.7-literal"
    )


# ---------------------------------------------------------------------------------------------------- theorem 3.3
STEPS = {
    1: "ln of 5 / beta P[the good hypothesis errs by more than 3 alpha / 5 on S]",
    2: "ln of 5 / beta P[the mechanism returns one that errs by alpha / 5 more], by proposition A.1",
    3: "ln of 5 / beta |H| P[a bad hypothesis errs by at most 4 alpha / 5 on S]",
}
TENTH = "control: the third with a tenth of the labels"
OVER_PRINTED = "labels / (VC ln(1 / alpha) / alpha^3 + ln(1 / beta) / alpha) epsilon"
ALPHAS, BETAS, EPSILONS = (1e-6, 0.01, 0.2, 0.999), (1e-6, 0.2, 0.999), (1e-6, 0.1, 1.0, 1e4)
LOG_HYPOTHESES = (math.log(2), 20.0, 300.0)
LEAST_LOG, ROUNDING = -700.0, 1e-9
"""Stands for logarithms of probabilities that are no floats."""


NEAR_ONE = "control: P[GenericLearner errs by more than alpha], theorem 3.3's printed labels, alpha = 1 - 1 / (10 VC)"


def shattered(vc: int, alpha: float, labels: float, epsilon: float) -> float:
    """Return a lower bound on P[GenericLearner errs by more than alpha] from so many labels, all of them 0.

    The class is the function 0, and 1 at a point of mass above alpha with any labels at vc other points, all of which
    are released.  So 2^vc hypotheses err by more than alpha, each on at most all labelled examples.
    """
    odds = vc * math.log(2) - epsilon * labels / 2
    return 1 / (1 + math.exp(-odds)) if odds > LEAST_LOG else 0.0


def tails(m: int, alpha: float, log_hypotheses: float) -> tuple[float, float]:
    """Return the logarithms of the probabilities of steps 1 and 3, by the binomial distribution."""
    binomial = scipy.stats.binom
    good = float(binomial.logsf(math.floor(0.6 * alpha * m), m, 0.4 * alpha))
    bad = float(binomial.logcdf(math.floor(0.8 * alpha * m), m, alpha))
    return max(good, LEAST_LOG), max(bad, LEAST_LOG) + log_hypotheses


@claim(
    "BNS15-T3.3-sizes",
    "binomial tails of the three steps at all corners; the mechanism by proposition A.1",
    constants="ours",
)
def sizes(table: Table) -> str:
    """Judge the three ways in which GenericLearner may err, at the stated number of labels."""
    for alpha, beta, epsilon, logs in product(ALPHAS, BETAS, EPSILONS, LOG_HYPOTHESES):
        m = generic_labelled(logs, alpha, beta, epsilon)
        share = math.log(5 / beta)
        settings: Settings = {"alpha": alpha, "beta": beta, "epsilon": epsilon, "log_hypotheses": logs}
        good, bad = tails(m, alpha, logs)
        for step, value in ((1, good), (2, logs - epsilon * alpha * m / 10), (3, bad)):
            table.at_most(STEPS[step], settings, value + share, 0.0, rounding=ROUNDING)
        if epsilon >= 1 and logs >= 20 and alpha < 0.5:
            table.exceeding(TENTH, settings, tails(m // 10, alpha, logs)[1] + share, 0.0, rounding=0)
        if epsilon <= 1 and alpha <= 0.5:
            vc = logs / math.log(2 / alpha)  # what Sauer's bound leaves, but for constants
            printed = vc * math.log(1 / alpha) / alpha**3 + math.log(1 / beta) / alpha
            table.recorded(OVER_PRINTED, settings, m * epsilon / printed)
    for constant, beta in product(CONSTANTS, BETAS):
        vc = math.ceil(constant * (1 + math.log(1 / beta))) + 10
        alpha = 1 - 1 / (10 * vc)
        labels = constant * (vc * math.log(1 / alpha) / alpha**3 + math.log(1 / beta) / alpha)
        settings = {"alpha": alpha, "beta": beta, "epsilon": 1.0, "vc": vc, "constant": constant}
        table.exceeding(NEAR_ONE, settings, shattered(vc, alpha, labels, 1.0), beta)
    table.show(largest([row for step in STEPS.values() for row in table(step)]))
    return (
        "ours: H depends on the sanitized points alone, so that S is fresh, and three union bounds over H do in place "
        "of theorem B.6. So ln(1/beta)/alpha suffices where the printed proof, by theorem B.6, needs VC "
        "ln(1/beta)/alpha^2 labels, which the printed sizes leave out; and as ln |H| is at most VC ln(e |D~| / VC), "
        "1/alpha in place of 1/alpha^3. The unlabelled examples need theorem B.5 beside the sanitizer's size, at "
        "alpha / 25: within the printed form for alpha <= 1/2 and epsilon <= 1. As alpha -> 1, "
        "VC ln(1/alpha) vanishes, and from the printed labels GenericLearner fails on a class that it cannot tell "
        "apart; there one of the two constants errs by at most 1/2, and O(ln(1/beta)/epsilon) labels tell which"
    )
