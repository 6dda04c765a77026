"""Rounds of LabelBoost at the paper's constants (BNS15 claims 4.8 and 4.9, remark 4.10): sizes only, nothing is drawn.

Sizes that are integers are exact.  Base learners of more examples than there are atoms need no data: two to five rounds
are looked at in iterated logarithms.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.bounds.learners import label_boost_labelled
from semipriv.papers.bns15.label_boost.growth import Growth, Tower, growth, tower
from semipriv.papers.bns15.label_boost.schedule import NAMED, PAPER, Schedule, least_labelled, schedule
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    above,
    at_most,
    comparable,
    conclude,
    recorded,
)

CLAIMS = ("BNS15-CL4.8", "BNS15-CL4.9", "BNS15-R4.10")
FIGURE = "rounds"
SECONDS = 2

ACCURACIES = (0.01, 0.05, 0.1, 0.2, 0.4)
DIMENSIONS = (1, 2, 5, 20)
LEARNERS = tuple(10**k for k in range(1, 13))
STARTS = (1.0, 1.5, 10.0)
BEYOND = 10**300
"""Examples of a base learner around which LabelBoost has two rounds; still an integer."""
ROUNDS = (2, 3, 4, 5)
HEIGHTS = range(1, 9)
"""n = e, e^e, ...: as many exponentials."""
SHOWN_CONSTANTS = ("paper", "exact", "sharp")
LEAST_N = 10**12
"""Examples of the base learner for which the least start that the figure shows is taken."""
NEAR_N, NEAR_LABELLED = 7190, 440_925
"""Just above the least start at which the rounds end: far below the start that the claims ask for."""


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BNS15-CL4.8, BNS15-CL4.9 and BNS15-R4.10."""
    return {"BNS15-CL4.8": _enough(), "BNS15-CL4.9": _large(), "BNS15-R4.10": _few()}


# ---------------------------------------------------------------------------------------------------- sizes
def kept(alpha: float, beta: float, vc: int, i: int) -> float:
    """Return (4800 / alpha_i) VC ln(14 / (alpha_i beta_i)), what claim 4.9 says of the start of round i."""
    alpha, beta = PAPER.alpha(alpha, i), PAPER.beta(beta, i)
    return 4800 / alpha * vc * math.log(14 / (alpha * beta))


def _grid(alpha: float, beta: float) -> Iterator[tuple[int, Schedule]]:
    """Yield n and the schedule of each cell of the grid."""
    for vc, n, factor in product(DIMENSIONS, LEARNERS, STARTS):
        yield n, schedule(PAPER, math.ceil(factor * label_boost_labelled(alpha, beta, vc)), n, alpha, beta, vc)


def beyond(alpha: float, beta: float, vc: int, count: int) -> tuple[Tower, tuple[Growth, ...]]:
    """Return n, and the rounds around a base learner of n examples: so many, from the start of the claims.

    n is just above the least for which there are so many rounds: for two by a share of 0.001, else with a logarithm, or
    an iterated one, larger by that share.
    """
    start = label_boost_labelled(alpha, beta, vc)
    last = growth(PAPER, start, None, alpha, beta, vc, count)[-1].labelled
    n = Tower(last.height, 1.001 * last.top).times(1 / PAPER.r0)
    return n, growth(PAPER, start, n, alpha, beta, vc)


# ---------------------------------------------------------------------------------------------------- claim 4.8
SUM = "unlabelled examples read / V, largest of the grid"
FAILING = "cells of the grid that fail"
LARGE_SUM = "unlabelled examples read / V"
DOUBLING = "rounds 1 < i < N that read less than twice as many as the round before"
SHORT = "control: unlabelled examples read / V, against |D| = 2 V"


def _enough() -> Finding:
    """Compare what the rounds read with the 3 V unlabelled examples that there are."""
    rows: list[Measurement] = []
    most = 0
    for alpha, beta in product(ACCURACIES, ACCURACIES):
        where: Settings = {"alpha": alpha, "beta": beta}
        found = list(_grid(alpha, beta))
        most = max(most, *(len(each.rounds) for _, each in found))
        rows.append(at_most(SUM, where, max(each.unlabelled / PAPER.block(n) for n, each in found), 3.0))
        rows.append(at_most(FAILING, where, sum(each.failure is not None for _, each in found), 0.0))
        for vc, count in product((1, 20), ROUNDS):
            n, rounds = beyond(alpha, beta, vc, count)
            own = where | {"vc": vc, "rounds": len(rounds)}
            rows.append(at_most(LARGE_SUM, own, _share(n, rounds), 3.0))
            slow = sum(other.read < one.read.times(2) for one, other in pairwise(rounds[:-1]))
            rows.append(at_most(DOUBLING, own, slow, 0.0))
    near = schedule(PAPER, NEAR_LABELLED, NEAR_N, 0.2, 0.2, 1).unlabelled / PAPER.block(NEAR_N)
    rows.append(above(SHORT, {"alpha": 0.2, "beta": 0.2, "vc": 1, "n": NEAR_N, "n_labelled": NEAR_LABELLED}, near, 2.0))
    large = [row for row in rows if row.quantity == LARGE_SUM]
    return conclude(
        "sizes of all rounds, exact or in iterated logarithms, at the paper's constants and starts",
        rows,
        deciding=max(large, key=lambda row: comparable(row.measured.value)),
        constants="repaired: the start of claim 4.9, which the statement leaves out",
        reason=f"holds in all cells. On the grid of n = 10 to 1e12 there are at most {most} rounds, so that the sum is "
        "at most V there; two to five rounds need an n above 1e90: there the sum is at most "
        f"{max(row.measured.value for row in large):.2f} V, and every round but the last reads more than twice what "
        "the one before it did, the step of the proof. Near the least start at which rounds end, which is smaller by a "
        f"factor of 12, the sum is {near:.2f} V, so that |D| = 2 V falls short",
    )


def _share(n: Tower, rounds: tuple[Growth, ...]) -> float:
    block = n.times(PAPER.r * PAPER.r0)
    return math.fsum(each.read.over(block) for each in rounds)


# ---------------------------------------------------------------------------------------------------- claim 4.9
NEED = "(4800 / alpha_i) VC ln(14 / (alpha_i beta_i)) / |S_i|"
ALGEBRA = "4800 / alpha_1 over 96000 / alpha, and 14 / (alpha_1 beta_1) over 2240 / (alpha beta), largest distance to 1"
MONOTONE = "(9600 / alpha) ln(4 x) / (beta x^24 / 100) at x = 14, for all alpha and beta"
FALLS = "derivative of ln of that quotient in ln x, at x = 14"
FIRST = "control: the same for i = 1, with one labelled example less"
SECOND = "control: the same for i = 2, from a start smaller by 10.7"
TOLERATED = "factor by which the start could be smaller before i = 2 fails"


def _large() -> Finding:
    """Compare the labelled part at the start of each round with the size of claim 4.9."""
    rows: list[Measurement] = []
    tolerated = []
    for alpha, beta in product(ACCURACIES, ACCURACIES):
        for vc in DIMENSIONS:
            where: Settings = {"alpha": alpha, "beta": beta, "vc": vc}
            start = label_boost_labelled(alpha, beta, vc)
            rows.append(above(FIRST, where | {"i": 1}, kept(alpha, beta, vc, 1) / (start - 1), 1.0))
            for i, each in enumerate(schedule(PAPER, start, BEYOND, alpha, beta, vc).rounds, start=1):
                share = float(Fraction(kept(alpha, beta, vc, i)) / each.labelled)
                rows.append(at_most(NEED, where | {"i": i, "n": "1e300"}, share, 1.0, rounding=1e-12))
            _, rounds = beyond(alpha, beta, vc, ROUNDS[-1])
            for i, far in enumerate(rounds[2:], start=3):
                share = Tower.of(kept(alpha, beta, vc, i)).over(far.labelled)
                rows.append(at_most(NEED, where | {"i": i, "n": "tower"}, share, 1.0))
            tolerated.append(_tolerated(alpha, beta, vc))
            rows.append(recorded(TOLERATED, where, tolerated[-1]))
    a, b = Fraction(1, 5), Fraction(1, 5)
    off = max(abs(4800 / (a / 20) / (96_000 / a) - 1), abs(14 / (a / 20 * b / 8) / (2240 / (a * b)) - 1))
    rows.append(at_most(ALGEBRA, {"alpha": "1/5", "beta": "1/5"}, float(off), 0.0))
    rows.append(at_most(MONOTONE, {"x": 14}, 9600 * math.log(56) / (14 * 14**23 / 100), 1.0))
    rows.append(at_most(FALLS, {"x": 14}, 1 / math.log(56) - 23, 0.0))
    small = round(label_boost_labelled(0.2, 0.2, 1) / 10.7)
    second = growth(PAPER, small, None, 0.2, 0.2, 1, 2)[1].labelled.top
    deciding = above(SECOND, {"alpha": 0.2, "beta": 0.2, "vc": 1}, kept(0.2, 0.2, 1, 2) / second, 1.0)
    return conclude(
        "sizes at the start of each round, exact for n = 1e300, else in iterated logarithms, from the claim's start",
        [*rows, deciding],
        deciding=next(row for row in rows if row.quantity == NEED),
        reason="round 1 is an equality, which one example less breaks; the later rounds have room: the start could be "
        f"smaller by {min(tolerated):.1f} to {max(tolerated):.1f} before round 2 fails. Rounds 2 to 5 are looked at "
        "for base learners of 1e300 examples and more, since there is none for a physical n. For all alpha and beta: "
        "with x = 14 / (alpha beta) the last inequality of the proof is 9600 ln(4 x) <= 0.14 x^23, which holds at "
        "x = 14, the least, and then the more, as 1 / ln(4 x) < 23. The proof leaves out the cap V of a round: where "
        "it is reached there is no further round",
    )


def _tolerated(alpha: float, beta: float, vc: int) -> float:
    """Return the largest factor by which the start could be smaller: |S_2| then is what claim 4.9 says of round 2."""
    log_size = math.log(kept(alpha, beta, vc, 2) * PAPER.r / (PAPER.beta(beta, 1) * vc))
    return label_boost_labelled(alpha, beta, vc) / (log_size * 2 * PAPER.r * vc / PAPER.alpha(alpha, 1))


# ---------------------------------------------------------------------------------------------------- remark 4.10
EXCESS = "rounds - log* n, largest of the grid"
SLOW = "control: rounds - log* n, if a round made 2 |S| of |S|"
COUNT = "rounds, by constants"
SIZE = "log* of |S_i|, interpolated"


def _few() -> Finding:
    """Count rounds around base learners of exp(exp(... 1)) examples."""
    rows = []
    cells = list(product(ACCURACIES, ACCURACIES, DIMENSIONS))
    for height in HEIGHTS:
        n = tower(height)
        counts = [len(growth(PAPER, label_boost_labelled(a, b, vc), n, a, b, vc)) for a, b, vc in cells]
        rows.append(at_most(EXCESS, {"height": height, "log*": n.log_star()}, max(counts) - n.log_star(), 0.0))
        rows.append(recorded("rounds, most of the grid", {"height": height}, max(counts)))
    n = tower(4)
    doubled = math.ceil((n.times(PAPER.r0).top - math.log(label_boost_labelled(0.2, 0.2, 1))) / math.log(2))
    control = above(SLOW, {"height": 4, "alpha": 0.2, "beta": 0.2, "vc": 1}, doubled - 4, 0.0)
    counts = [int(row.measured.value) for row in rows if row.quantity.startswith("rounds, most")]
    rows += _by_constants()
    near = max(int(row.measured.value) - int(row.settings["height"]) for row in rows if row.quantity == COUNT)
    return conclude(
        "rounds in iterated logarithms, at the paper's constants, the start of claim 4.9, n = e, e^e, ... to height 8",
        [*rows, control],
        deciding=[row for row in rows if row.quantity == EXCESS][-1],
        reason=f"upper bound only: at heights 1 to 8 there are at most {', '.join(map(str, counts))} rounds, never "
        f"more than log* n. With |S| only doubled there would be {doubled:,} at height 4. For any n of a data set that "
        "exists there is at most one round from this start: not a measured growth. Recorded: from the "
        f"least start at which rounds end around n = 1e12, alpha = beta = 0.2, there are up to {near} more than log* n",
    )


def _by_constants() -> list[Measurement]:
    """Record the rounds and their sizes for alpha = beta = 0.2: from the claim's start, and from the least one."""
    rows = []
    for name in SHOWN_CONSTANTS:
        constants = NAMED[name]
        starts = label_boost_labelled(0.2, 0.2, 1), least_labelled(constants, LEAST_N, 0.2, 0.2, 1)
        for told, start in zip(("claim 4.9", "least"), starts, strict=True):
            where: Settings = {"constants": name, "start": told, "alpha": 0.2, "beta": 0.2, "vc": 1}
            found = [growth(constants, start, tower(height), 0.2, 0.2, 1) for height in HEIGHTS]
            for height, rounds in zip(HEIGHTS, found, strict=True):
                rows.append(recorded(COUNT, where | {"height": height}, len(rounds)))
            for i, each in enumerate(found[-1], start=1):
                rows.append(recorded(SIZE, where | {"i": i}, each.labelled.iterated_log()))
    return rows
