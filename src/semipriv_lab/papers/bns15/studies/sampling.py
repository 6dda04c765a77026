"""Claims of BNS15 on sampling (claims 4.3 and 4.5, remark 4.4), by the exact distributions of tiny algorithms."""

import math
from fractions import Fraction
from itertools import pairwise, product

from semipriv.privacy.amplification import (
    with_replacement_bns15,
    with_replacement_by_position,
    without_replacement,
)
from semipriv.privacy.guarantee import Guarantee
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings
from semipriv_lab.papers.bns15.studies._algorithms import (
    counting,
    delta_at,
    growing,
    in_order,
    leaking,
    loss,
    resampled,
    response,
    subsampled,
)

ROUNDING = 1e-9
"""Rounding error of a log-ratio of enumerated distributions."""
EXACT = 1e-12
"""The same for a closed form of few terms."""
EPSILONS = (0.5, 1.0, 2.0)
LEAK = 0.01
"""delta of the algorithm that leaks."""
TINY = 1e-6
"""Probability of the rare output of ``growing`` and ``in_order``."""


def amplified(epsilon: float, n: int, t: int) -> float:
    """Return ln(1 + (n/t) (e^epsilon - 1))."""
    return without_replacement(Guarantee(epsilon), Fraction(n, t)).epsilon


ORDER_EPSILON = 1.0
KEPT = 2
OF = 3
"""epsilon of an algorithm that looks at the order, examples that a subsample keeps, and of how many."""


def unshuffled(table: Table) -> Measurement:
    """Judge a subsample of two of three bits that keeps their order, on an algorithm that looks at it."""
    distribution = subsampled(in_order(ORDER_EPSILON, TINY), KEPT, shuffled=False)
    in_place = loss(distribution, 2, OF, exchangeable=False)
    quantity = "largest privacy loss of a subsample in the order of the data"
    return table.exceeding(
        quantity, {"n": KEPT, "t": OF, "epsilon": ORDER_EPSILON}, in_place, amplified(ORDER_EPSILON, KEPT, OF)
    )


SUBSAMPLED = "largest privacy loss of a subsample"
PRINTED = "largest privacy loss at the printed rate"


@claim(
    "BNS15-CL4.3",
    "exact distributions of tiny algorithms on all subsets, all data sets and neighbours",
    shown=SUBSAMPLED,
)
def subsampling(table: Table) -> str:
    """Compare exact losses of subsamples with the exact form and the printed one; controls must exceed the first."""
    for own in EPSILONS:
        for name, algorithm, values, n, sizes in (
            ("randomised response", response(own), 2, 1, range(1, 13)),
            ("most frequent of two values", counting(own), 2, 2, range(2, 13)),
            ("most frequent of three values", counting(own, 3), 3, 2, range(2, 6)),
        ):
            for t in sizes:
                settings: Settings = {"algorithm": name, "epsilon": own, "n": n, "t": t}
                largest, bound = loss(subsampled(algorithm, n), values, t), amplified(own, n, t)
                table.at_most(SUBSAMPLED, settings, largest, bound, rounding=ROUNDING)
                if n == 1:
                    attained = "largest privacy loss of randomised response on one of t records"
                    table.within(attained, settings, largest, bound - EXACT, bound + EXACT, bound)
            least = math.ceil(n * (3 + math.exp(own)))
            if least <= 12:
                settings = {"algorithm": name, "epsilon": own, "n": n, "t": least}
                table.at_most(PRINTED, settings, loss(subsampled(algorithm, n), values, least), 1.0)
    for n, t in ((1, 3), (1, 8), (2, 4), (2, 8)):
        delta, own_delta = delta_at(subsampled(leaking(LEAK), n), 2, t, 0.0), delta_at(leaking(LEAK), 2, n, 0.0)
        settings = {"algorithm": "leak of a record", "n": n, "t": t}
        table.at_most("least delta of a subsample", settings, delta, n / t * own_delta, rounding=EXACT)
        table.recorded("least delta of a subsample / printed bound", settings, delta / (4 * n / t * own_delta))
    for epsilon, own in product((1e-6, 0.01, 0.1, 0.5, 1.0), (0.0, 1e-6, 0.5, 1.0, 2.0, 4.0, 8.0, 300.0)):
        share = math.log1p(epsilon / (3 + math.exp(own)) * math.expm1(own)) / epsilon
        quantity = "ln(1 + q (e^epsilon* - 1)) / epsilon at the printed rate q"
        table.at_most(quantity, {"epsilon": epsilon, "epsilon*": own}, share, 1)
    settings = {"algorithm": "randomised response", "epsilon": 1.0, "n": 1, "t": 6}
    control = loss(subsampled(response(1.0), 1), 2, 6)
    table.exceeding(f"{SUBSAMPLED}, against half the rate", settings, control, amplified(1.0, 1, 12))
    unshuffled(table)
    return (
        "randomised response on one record attains the exact form; the printed one has slack: at its own rate, "
        f"for epsilon = 1, the largest loss found is {max(table.values(PRINTED)):.2f}; a rate twice as large, and a "
        "subsample in the order of the data, are noticed"
    )


RESAMPLED = "largest privacy loss of a resample"
FORMULA = "epsilon of n draws, position by position"
DRAWS = (1, 2, 3, 4, 10, 100, 10**4, 10**6)


def by_position(epsilon: float, n: int) -> float:
    """Return n ln(1 + (e^epsilon - 1) / n)."""
    return with_replacement_by_position(Guarantee(epsilon), n, n).epsilon


@claim("BNS15-CL4.5", "exact distributions of tiny algorithms on all n^n draws; the formula for all n", shown=RESAMPLED)
def resampling(table: Table) -> str:
    """Compare exact losses of resamples with the formula by position, and that with (ln 244, 2467 delta)."""
    for own, n in product((0.5, 1.0), (2, 3, 4)):
        for name, algorithm in (("randomised response", response(own)), ("most frequent value", counting(own))):
            settings: Settings = {"algorithm": name, "epsilon": own, "n": n}
            table.at_most(RESAMPLED, settings, loss(resampled(algorithm), 2, n), by_position(own, n), rounding=ROUNDING)
        control = loss(resampled(growing(own, TINY), first=2.0), 2, n, exchangeable=False)
        settings = {"algorithm": "growing", "epsilon": own, "n": n}
        table.exceeding(f"{RESAMPLED}, twice the weight on a record", settings, control, by_position(own, n))
    printed = with_replacement_bns15(Guarantee(1.0, 1e-9))
    exact = {n: with_replacement_by_position(Guarantee(1.0, 1e-9), n, n) for n in DRAWS}
    for n, after in exact.items():
        table.at_most(FORMULA, {"n": n}, after.epsilon, printed.epsilon)
        quantity = "delta of n draws / delta, position by position"
        table.at_most(quantity, {"n": n}, after.delta / 1e-9, printed.delta / 1e-9)
    for fewer, larger in pairwise(DRAWS):
        settings = {"n": fewer, "than at": larger}
        table.at_most(f"{FORMULA}, no larger", settings, exact[fewer].epsilon, exact[larger].epsilon)
    limit = math.expm1(1)
    table.at_most(f"{FORMULA}, below its limit", {"n": DRAWS[-1]}, exact[DRAWS[-1]].epsilon, limit)
    return (
        f"the formula grows with n to e - 1, so it covers every n: (ln 244, 2467 delta) is "
        f"{244 / math.exp(limit):.0f} (e^epsilon) and {2467 / (math.expm1(limit) / limit):.0f} (delta) times looser.  "
        "The proof of lemma 4.6 uses 2476 instead of 2467: looser still"
    )


@claim("BNS15-CL4.5-sharp", "exact distributions on all n^n draws", constants="ours")
def resampling_attained(table: Table) -> str:
    """Find the algorithm that attains the formula: P[1] = c exp(epsilon copies)."""
    for n in range(2, 7):
        attained, bound = loss(resampled(growing(1.0, TINY)), 2, n), by_position(1.0, n)
        settings: Settings = {"algorithm": "growing", "epsilon": 1.0, "n": n}
        table.show(table.within(RESAMPLED, settings, attained, bound - EXACT, bound + EXACT, bound))
    for n in (2, 3, 4):
        settings = {"algorithm": "most frequent value", "epsilon": 1.0, "n": n}
        table.recorded(RESAMPLED, settings, loss(resampled(counting(1.0)), 2, n), by_position(1.0, n))
    limit = with_replacement_by_position(Guarantee(1.0, 1e-9), 10**6, 10**6)
    return (
        f"position by position: epsilon' = n ln(1 + (e^epsilon - 1)/n) is attained for every n, at most "
        f"{limit.epsilon:.4f} at epsilon = 1; delta' = {limit.delta / 1e-9:.3f} delta is valid, "
        "not shown to be the least"
    )


@claim("BNS15-R4.4", "two of three bits, in the order of the data and shuffled, exactly")
def order(table: Table) -> str:
    """Compare an algorithm that looks at the order of two bits on subsamples in order, and on shuffled ones."""
    in_place = table.show(unshuffled(table))
    shuffled, bound = loss(subsampled(in_order(ORDER_EPSILON, TINY), KEPT), 2, OF), amplified(ORDER_EPSILON, KEPT, OF)
    table.at_most("largest privacy loss of a shuffled subsample", in_place.settings, shuffled, bound, rounding=ROUNDING)
    return (
        f"P[1] proportional to exp(x_1 - x_2): in order a ratio of {math.exp(in_place.measured.value):.3f}, above "
        f"1 + q (e - 1) = {1 + 2 / 3 * math.expm1(1):.3f}; shuffled {math.exp(shuffled):.3f}.  The exact form needs "
        "the shuffle, the printed one is not broken by this"
    )
