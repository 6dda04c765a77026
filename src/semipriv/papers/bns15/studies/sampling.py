"""Claims of BNS15 on sampling (claims 4.3 and 4.5, remark 4.4), by the exact laws of tiny algorithms."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.studies._algorithms import (
    Algorithm,
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
from semipriv.privacy.amplification import (
    with_replacement_bns15,
    with_replacement_by_position,
    without_replacement,
)
from semipriv.privacy.guarantee import Guarantee
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    exceeding,
    nearest_to_bound,
    recorded,
    within,
)

CLAIMS = ("BNS15-CL4.3", "BNS15-CL4.5", "BNS15-CL4.5-sharp", "BNS15-R4.4")
SECONDS = 3

ROUNDING = 1e-9
"""Rounding error of a log-ratio of enumerated laws."""
EXACT = 1e-12
"""The same for a closed form of few terms."""
EPSILONS = (0.5, 1.0, 2.0)
LEAK = 0.01
"""delta of the algorithm that leaks."""
TINY = 1e-6
"""Probability of the rare output of ``growing`` and ``in_order``."""


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BNS15-CL4.3, BNS15-CL4.5, BNS15-CL4.5-sharp and BNS15-R4.4.  They are exact."""
    return {
        "BNS15-CL4.3": _subsampling(),
        "BNS15-CL4.5": _resampling(),
        "BNS15-CL4.5-sharp": _resampling_attained(),
        "BNS15-R4.4": _order(),
    }


# ---------------------------------------------------------------------------------------------------- subsampling
SUBSAMPLED = "largest privacy loss of a subsample"
ATTAINED = "largest privacy loss of randomised response on one of t records"
PRINTED = "largest privacy loss at the printed rate"
LEAKED = "least delta of a subsample"
RATES = "ln(1 + q (e^epsilon* - 1)) / epsilon at the printed rate q"


def amplified(epsilon: float, n: int, t: int) -> float:
    """Return ln(1 + (n/t) (e^epsilon - 1))."""
    return without_replacement(Guarantee(epsilon), Fraction(n, t)).epsilon


def _tiny(epsilon: float) -> Iterator[tuple[str, Algorithm, int, int, range]]:
    """Yield name, algorithm, number of values, n, and the sizes t of the data."""
    yield "randomised response", response(epsilon), 2, 1, range(1, 13)
    yield "most frequent of two values", counting(epsilon), 2, 2, range(2, 13)
    yield "most frequent of three values", counting(epsilon, 3), 3, 2, range(2, 6)


def _subsampling() -> Finding:
    """Compare exact losses of subsamples with the exact form and with the printed one; twins must exceed the first."""
    rows: list[Measurement] = []
    for own in EPSILONS:
        for name, algorithm, values, n, sizes in _tiny(own):
            for t in sizes:
                where: Settings = {"algorithm": name, "epsilon": own, "n": n, "t": t}
                found, bound = loss(subsampled(algorithm, n), values, t), amplified(own, n, t)
                rows.append(at_most(SUBSAMPLED, where, found, bound, rounding=ROUNDING))
                if n == 1:
                    rows.append(within(ATTAINED, where, found, bound - EXACT, bound + EXACT, bound))
            least = math.ceil(n * (3 + math.exp(own)))
            if least <= 12:
                found = loss(subsampled(algorithm, n), values, least)
                rows.append(at_most(PRINTED, {"algorithm": name, "epsilon": own, "n": n, "t": least}, found, 1.0))
    for n, t in ((1, 3), (1, 8), (2, 4), (2, 8)):
        found = delta_at(subsampled(leaking(LEAK), n), 2, t, 0.0)
        own_delta = delta_at(leaking(LEAK), 2, n, 0.0)
        where = {"algorithm": "leak of a record", "n": n, "t": t}
        rows.append(at_most(LEAKED, where, found, n / t * own_delta, rounding=EXACT))
        rows.append(recorded("least delta of a subsample / printed bound", where, found / (4 * n / t * own_delta)))
    for epsilon, own in product((0.01, 0.1, 0.5, 1.0), (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)):
        rate = epsilon / (3 + math.exp(own))
        rows.append(
            at_most(RATES, {"epsilon": epsilon, "epsilon*": own}, math.log1p(rate * math.expm1(own)) / epsilon, 1)
        )
    twin: Settings = {"algorithm": "randomised response", "epsilon": 1.0, "n": 1, "t": 6}
    found = loss(subsampled(response(1.0), 1), 2, 6)
    rows.append(exceeding(f"{SUBSAMPLED}, against half the rate", twin, found, amplified(1.0, 1, 12)))
    rows.append(_unshuffled())
    printed = [row for row in rows if row.quantity == PRINTED]
    slack = max(row.measured.value for row in printed)
    return conclude(
        "exact laws of tiny algorithms on all subsets, all data sets and neighbours",
        rows,
        deciding=nearest_to_bound([row for row in rows if row.quantity == SUBSAMPLED]),
        reason="randomised response on one record attains the exact form; the printed one has slack: at its own rate, "
        f"for epsilon = 1, the largest loss found is {slack:.2f}; a rate twice as large, and a subsample in the order "
        "of the data, are noticed",
    )


# ---------------------------------------------------------------------------------------------------- order
UNSHUFFLED = "largest privacy loss of a subsample in the order of the data"


def _unshuffled() -> Measurement:
    """Return the gate of a subsample of two of three bits that keeps their order, on an algorithm that looks at it."""
    found = loss(subsampled(in_order(1.0, TINY), 2, shuffled=False), 2, 3, exchangeable=False)
    return exceeding(UNSHUFFLED, {"n": 2, "t": 3, "epsilon": 1.0}, found, amplified(1.0, 2, 3))


def _order() -> Finding:
    """Compare an algorithm that looks at the order of two bits on subsamples in order, and on shuffled ones."""
    gate = _unshuffled()
    shuffled = loss(subsampled(in_order(1.0, TINY), 2), 2, 3)
    bound = amplified(1.0, 2, 3)
    rows = [
        gate,
        at_most("largest privacy loss of a shuffled subsample", gate.settings, shuffled, bound, rounding=ROUNDING),
    ]
    ratio = math.exp(gate.measured.value)
    return conclude(
        "two of three bits, in the order of the data and shuffled, exactly",
        rows,
        deciding=gate,
        reason=f"P[1] proportional to exp(x_1 - x_2): in order a ratio of {ratio:.3f}, above 1 + q (e - 1) = "
        f"{1 + 2 / 3 * math.expm1(1):.3f}; shuffled {math.exp(shuffled):.3f}.  The exact form needs the shuffle, the "
        "printed one is not broken by this",
    )


# ---------------------------------------------------------------------------------------------------- resampling
RESAMPLED = "largest privacy loss of a resample"
FORMULA = "epsilon of n draws, position by position"
GROWTH = "delta of n draws / delta, position by position"
DRAWS = (1, 2, 3, 4, 10, 100, 10**4, 10**6)


def by_position(epsilon: float, n: int) -> float:
    """Return n ln(1 + (e^epsilon - 1) / n)."""
    return with_replacement_by_position(Guarantee(epsilon), n, n).epsilon


def _resampling() -> Finding:
    """Compare exact losses of resamples with the formula by position, and that with (ln 244, 2467 delta)."""
    rows: list[Measurement] = []
    for own, n in product((0.5, 1.0), (2, 3, 4)):
        for name, algorithm in (("randomised response", response(own)), ("most frequent value", counting(own))):
            where: Settings = {"algorithm": name, "epsilon": own, "n": n}
            found = loss(resampled(algorithm), 2, n)
            rows.append(at_most(RESAMPLED, where, found, by_position(own, n), rounding=ROUNDING))
        twin = loss(resampled(growing(own, TINY), first=2.0), 2, n, exchangeable=False)
        where = {"algorithm": "growing", "epsilon": own, "n": n}
        rows.append(exceeding(f"{RESAMPLED}, twice the weight on a record", where, twin, by_position(own, n)))
    printed = with_replacement_bns15(Guarantee(1.0, 1e-9))
    found_at = [with_replacement_by_position(Guarantee(1.0, 1e-9), n, n) for n in DRAWS]
    for n, found_here in zip(DRAWS, found_at, strict=True):
        rows.append(at_most(FORMULA, {"n": n}, found_here.epsilon, printed.epsilon))
        rows.append(at_most(GROWTH, {"n": n}, found_here.delta / 1e-9, printed.delta / 1e-9))
    for (fewer, more), (before, after) in zip(pairwise(DRAWS), pairwise(found_at), strict=True):
        where = {"n": fewer, "than at": more}
        rows.append(at_most(f"{FORMULA}, no larger", where, before.epsilon, after.epsilon))
    limit = math.expm1(1)
    rows.append(at_most(f"{FORMULA}, below its limit", {"n": DRAWS[-1]}, found_at[-1].epsilon, limit))
    return conclude(
        "exact laws of tiny algorithms on all n^n draws; the formula for all n",
        rows,
        deciding=nearest_to_bound([row for row in rows if row.quantity == RESAMPLED]),
        reason=f"the formula grows with n to e - 1, so it covers every n: (ln 244, 2467 delta) is "
        f"{244 / math.exp(limit):.0f} (e^epsilon) and {2467 / (math.expm1(limit) / limit):.0f} (delta) times looser.  "
        "The proof of lemma 4.6 uses 2476 in place of 2467: looser still",
    )


def _resampling_attained() -> Finding:
    """Find the algorithm that attains the formula: P[1] = c exp(epsilon copies)."""
    rows: list[Measurement] = []
    for n in range(2, 7):
        found, bound = loss(resampled(growing(1.0, TINY)), 2, n), by_position(1.0, n)
        where: Settings = {"algorithm": "growing", "epsilon": 1.0, "n": n}
        rows.append(within(RESAMPLED, where, found, bound - EXACT, bound + EXACT, bound))
    for n in (2, 3, 4):
        where = {"algorithm": "most frequent value", "epsilon": 1.0, "n": n}
        rows.append(recorded(RESAMPLED, where, loss(resampled(counting(1.0)), 2, n), by_position(1.0, n)))
    limit = with_replacement_by_position(Guarantee(1.0, 1e-9), 10**6, 10**6)
    return conclude(
        "exact laws on all n^n draws",
        rows,
        deciding=rows[4],
        constants="ours",
        reason=f"position by position: epsilon' = n ln(1 + (e^epsilon - 1)/n) is attained for every n, at most "
        f"{limit.epsilon:.4f} at epsilon = 1; delta' = {limit.delta / 1e-9:.3f} delta is valid, "
        "not shown to be the least",
    )
