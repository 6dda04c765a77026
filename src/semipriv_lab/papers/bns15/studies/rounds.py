"""Rounds of LabelBoost at the paper's constants (BNS15 claims 4.8 and 4.9, remark 4.10): sizes only, nothing is drawn.

Sizes that are integers are exact.  Base learners of more examples than there are atoms need no data: two to five rounds
are looked at in iterated logarithms.
"""

import math
from fractions import Fraction
from itertools import pairwise, product

from semipriv.papers.bns15.bounds.learners import label_boost_labelled
from semipriv.papers.bns15.label_boost.growth import Growth, Tower, growth, tower
from semipriv.papers.bns15.label_boost.schedule import NAMED, PAPER, least_labelled, schedule
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, largest

ACCURACIES = (0.01, 0.05, 0.1, 0.2, 0.4)
CORNERS = (1e-6, 0.01, 0.2, 0.4, 0.999)
"""alpha and beta of the remark on the number of rounds."""
EXACT = 2**45
"""Starts below are told from one less by a float."""
FROM_HEIGHT = 4
"""Least height at which n exceeds 1e12, as around the least start."""
DIMENSIONS = (1, 2, 5, 20)
SIZES = tuple(10**k for k in range(1, 13))
"""Examples of a base learner."""
STARTS = (1.0, 1.5, 10.0)
"""Starts over that of the claims."""
BEYOND = 10**300
"""Examples of a base learner around which LabelBoost has two rounds; still an integer."""
ROUNDS = (2, 3, 4, 5)
HEIGHTS = range(1, 9)
"""n = e, e^e, ...: as many exponentials."""
LEAST_N = 10**12
"""Examples of the base learner for which the least start that the figure shows is taken."""
NEAR_N, NEAR_LABELLED = 7190, 440_925
"""Just above the least start at which the rounds end: far below the start that the claims ask for."""


def kept(alpha: float, beta: float, vc: int, i: int) -> float:
    """Return (4800 / alpha_i) VC ln(14 / (alpha_i beta_i)), what claim 4.9 says of the start of round i."""
    alpha, beta = PAPER.alpha(alpha, i), PAPER.beta(beta, i)
    return 4800 / alpha * vc * math.log(14 / (alpha * beta))


def beyond(alpha: float, beta: float, vc: int, count: int) -> tuple[Tower, tuple[Growth, ...]]:
    """Return n, and the rounds around a base learner of n examples: so many, from the start of the claims.

    n is just above the least for which there are so many rounds: for two by a share of 0.001, else with a logarithm, or
    an iterated one, larger by that share.
    """
    start = label_boost_labelled(alpha, beta, vc)
    last = growth(PAPER, start, None, alpha, beta, vc, count)[-1].labelled
    n = Tower(last.height, 1.001 * last.top).times(1 / PAPER.r0)
    return n, growth(PAPER, start, n, alpha, beta, vc)


LARGE_SUM = "unlabelled examples read / V"


@claim(
    "BNS15-CL4.8",
    "sizes of all rounds, exact or in iterated logarithms, at the paper's constants and starts",
    constants="the paper's, from the start of claim 4.9; any other start is BNS15-CL4.8-literal",
)
def enough(table: Table) -> str:
    """Compare the unlabelled examples that the rounds read with the 3 V available."""
    most, grid = 0, list(product(DIMENSIONS, SIZES, STARTS))
    for a, b in product(ACCURACIES, ACCURACIES):
        settings = {"alpha": a, "beta": b}
        plans = [(n, schedule(PAPER, math.ceil(f * label_boost_labelled(a, b, vc)), n, a, b, vc)) for vc, n, f in grid]
        most = max(most, *(len(plan.rounds) for _, plan in plans))
        read = max(plan.unlabelled / PAPER.block(n) for n, plan in plans)
        table.at_most("unlabelled examples read / V, largest of the grid", settings, read, 3.0)
        table.at_most("cells of the grid that fail", settings, sum(plan.failure is not None for _, plan in plans), 0.0)
        for vc, count in product((1, 20), ROUNDS):
            n, rounds = beyond(a, b, vc, count)
            at, block = settings | {"vc": vc, "rounds": len(rounds)}, n.times(PAPER.r * PAPER.r0)
            table.at_most(LARGE_SUM, at, math.fsum(round_.read.over(block) for round_ in rounds), 3.0)
            slow = sum(later.read < earlier.read.times(2) for earlier, later in pairwise(rounds[:-1]))
            table.at_most("rounds 1 < i < N that read less than twice as many as the round before", at, slow, 0.0)
    for at in table.corners("alpha", "beta", "vc", "n"):
        size, dimension = int(at["n"]), int(at["vc"])
        start = label_boost_labelled(at["alpha"], at["beta"], dimension)
        plan = schedule(PAPER, start, size, at["alpha"], at["beta"], dimension)
        failed = math.inf if plan.failure else plan.unlabelled / PAPER.block(size)
        table.at_most("unlabelled examples read / V, at a corner", at, failed, 3.0)
    table.show(largest(table(LARGE_SUM)))
    near = schedule(PAPER, NEAR_LABELLED, NEAR_N, 0.2, 0.2, 1).unlabelled / PAPER.block(NEAR_N)
    settings = {"alpha": 0.2, "beta": 0.2, "vc": 1, "n": NEAR_N, "n_labelled": NEAR_LABELLED}
    table.exceeding("control: unlabelled examples read / V, against |D| = 2 V", settings, near, 2.0)
    return (
        f"holds in all cells. On the grid of n = 10 to 1e12 there are at most {most} rounds, so that the sum is "
        "at most V there; two to five rounds need an n above 1e90: there the sum is at most "
        f"{max(table.values(LARGE_SUM)):.2f} V, and every round but the last reads more than twice what "
        "the one before it did, the step of the proof. Near the least start at which rounds end, which is smaller by a "
        f"factor of 12, the sum is {near:.2f} V, so that |D| = 2 V falls short"
    )


NEED = "(4800 / alpha_i) VC ln(14 / (alpha_i beta_i)) / |S_i|"
ALGEBRA = "4800 / alpha_1 over 96000 / alpha, and 14 / (alpha_1 beta_1) over 2240 / (alpha beta), largest distance to 1"
ONE_LESS = "control: the same for i = 1, with one labelled example less"
TOLERATED = "factor by which the start could be smaller before i = 2 fails"
SECOND = "control: the same for i = 2, from a start smaller by 10.7"


@claim(
    "BNS15-CL4.9",
    "sizes at the start of each round, exact for n = 1e300, else in iterated logarithms, from the claim's start",
)
def large(table: Table) -> str:
    """Compare the labelled part at the start of each round with the size of claim 4.9."""
    corners = [(at["alpha"], at["beta"], at["vc"]) for at in table.corners("alpha", "beta", "vc")]
    for alpha, beta, vc in [*product(ACCURACIES, ACCURACIES, DIMENSIONS), *corners]:
        settings, start = {"alpha": alpha, "beta": beta, "vc": vc}, label_boost_labelled(alpha, beta, vc)
        one_less = kept(alpha, beta, vc, 1) / (start - 1)
        if start < EXACT:
            table.exceeding(ONE_LESS, settings | {"i": 1}, one_less, 1.0, rounding=0)
        for i, round_ in enumerate(schedule(PAPER, start, BEYOND, alpha, beta, vc).rounds, start=1):
            share = float(Fraction(kept(alpha, beta, vc, i)) / round_.labelled)
            table.at_most(NEED, settings | {"i": i, "n": "1e300"}, share, 1.0, rounding=1e-12)
        for i, far in enumerate(beyond(alpha, beta, vc, ROUNDS[-1])[1][2:], start=3):
            share = Tower.of(kept(alpha, beta, vc, i)).over(far.labelled)
            table.at_most(NEED, settings | {"i": i, "n": "tower"}, share, 1.0)
        # |S_2| is as claim 4.9 says
        log_size = math.log(kept(alpha, beta, vc, 2) * PAPER.r / (PAPER.beta(beta, 1) * vc))
        table.recorded(TOLERATED, settings, start / (log_size * 2 * PAPER.r * vc / PAPER.alpha(alpha, 1)))
    a, b = Fraction(1, 5), Fraction(1, 5)
    off = max(abs(4800 / (a / 20) / (96_000 / a) - 1), abs(14 / (a / 20 * b / 8) / (2240 / (a * b)) - 1))
    table.at_most(ALGEBRA, {"alpha": 0.2, "beta": 0.2}, float(off), 0.0)
    monotone = "(9600 / alpha) ln(4 x) / (beta x^24 / 100) at x = 14, for all alpha and beta"
    table.at_most(monotone, {"x": 14}, 9600 * math.log(56) / (14 * 14**23 / 100), 1.0)
    table.at_most("derivative of ln of that quotient in ln x, at x = 14", {"x": 14}, 1 / math.log(56) - 23, 0.0)
    small = round(label_boost_labelled(0.2, 0.2, 1) / 10.7)
    second = growth(PAPER, small, None, 0.2, 0.2, 1, 2)[1].labelled.top
    table.exceeding(SECOND, {"alpha": 0.2, "beta": 0.2, "vc": 1}, kept(0.2, 0.2, 1, 2) / second, 1.0)
    table.show(table(NEED)[0])
    tolerated = table.values(TOLERATED)
    return (
        "round 1 is an equality, which one example less breaks; the later rounds have room: the start could be "
        f"smaller by {min(tolerated):.1f} to {max(tolerated):.1f} before round 2 fails. Rounds 2 to 5 are looked at "
        "for base learners of 1e300 examples and more, since there is none for a physical n. For all alpha and beta: "
        "with x = 14 / (alpha beta) the last inequality of the proof is 9600 ln(4 x) <= 0.14 x^23, which holds at "
        "x = 14, the least, and then the more, as 1 / ln(4 x) < 23. The proof leaves out the cap V of a round: where "
        "it is reached there is no further round"
    )


EXCESS, COUNT = "rounds - log* n, largest of the grid", "rounds, by constants"
ROOM = 2
"""At most log* n - 2 rounds are proved from the start of claim 4.9."""
TWICE = "control: rounds - (log* n - 2), if a round made 2 |S| of |S|"
FEWER_STARTS = "control: rounds - (log* n - 2), from the least start at which the rounds end around n = 1e12"


@claim(
    "BNS15-R4.10",
    "rounds in iterated logarithms, at the paper's constants, the start of claim 4.9, n = e, e^e, ... to height 8",
    constants="repaired: from the start of claim 4.9, which the remark does not name",
)
def at_most_log_star(table: Table) -> str:
    """Count rounds around base learners of exp(exp(... 1)) examples."""
    for height in HEIGHTS:
        n, grid = tower(height), product(CORNERS, CORNERS, DIMENSIONS)
        most = max(len(growth(PAPER, label_boost_labelled(a, b, vc), n, a, b, vc)) for a, b, vc in grid)
        settings: Settings = {"height": height, "log*": n.log_star()}
        table.at_most(EXCESS, settings, most - n.log_star(), -min(ROOM, n.log_star()))
        table.recorded("rounds, most of the grid", {"height": height}, most)
    table.show(table(EXCESS)[-1])
    settings = {"alpha": 0.2, "beta": 0.2, "vc": 1}
    for name in ("paper", "exact", "sharp"):
        starts = label_boost_labelled(0.2, 0.2, 1), least_labelled(NAMED[name], LEAST_N, 0.2, 0.2, 1)
        for choice, start in zip(("claim 4.9", "least"), starts, strict=True):
            at = {"constants": name, "start": choice, **settings}
            for height in HEIGHTS:
                rounds = growth(NAMED[name], start, tower(height), 0.2, 0.2, 1)
                table.recorded(COUNT, at | {"height": height}, len(rounds))
            for i, round_ in enumerate(rounds, start=1):
                table.recorded("log* of |S_i|, interpolated", at | {"i": i}, round_.labelled.iterated_log())
    doubled = math.ceil((tower(4).times(PAPER.r0).top - math.log(label_boost_labelled(0.2, 0.2, 1))) / math.log(2))
    table.exceeding(TWICE, {"height": 4, **settings}, doubled - 4 + ROOM, 0.0)
    for row in table(COUNT, constants="paper", start="least"):
        height = int(row.settings["height"])
        if height >= FROM_HEIGHT:
            table.exceeding(FEWER_STARTS, {"height": height, **settings}, row.measured.value - height + ROOM, 0.0)
    counts = ", ".join(f"{value:.0f}" for value in table.values("rounds, most of the grid"))
    near = max(int(row.measured.value) - int(row.settings["height"]) for row in table(COUNT))
    return (
        "proved here: from the start of claim 4.9 there are at most log* n - 2 rounds, for all alpha, beta, VC and n; "
        f"at heights 1 to 8 there are at most {counts}. With |S| only doubled there would be {doubled:,} at height 4, "
        f"and from the least start at which rounds end around n = 1e12, alpha = beta = 0.2, there are up to {near} "
        "more than log* n. The remark names no start: as printed it is BNS15-R4.10-literal"
    )


LONG: tuple[tuple[float, int, int, int], ...] = (
    (20 / 2**104, 60, 368725512039186386666148504360164470, 4),
    (20 / 2**204, 110, 826743607610621856968777823351652354683272429593050962144892666752, 7),
    (
        20 / 2**337,
        180,
        14189713880229461941335911395841914158393798431031459888995545104770636287206971355487137921618447427584129,
        11,
    ),
)
"""alpha (1e-30, 8e-61 and 7e-101; alpha / 20 is exact), the power of 10 of n, the least start at which the rounds end,
and a constant that is too small."""
PER_STAR = "rounds / log* n, from the least start at which the rounds end"


@claim("BNS15-R4.10-literal", "exact sizes of all rounds at beta = .2, VC dimension 1, from a start at which they end")
def any_start(table: Table) -> str:
    """Show starts from which there are more rounds than a constant times log* n."""
    for alpha, power, start, constant in LONG:
        n = 10**power
        boosted = schedule(PAPER, start, n, alpha, 0.2, 1)
        assert boosted.failure is None, "the rounds end"
        star = Tower.of(math.log(n)).exp().log_star()
        settings: Settings = {"alpha": alpha, "beta": 0.2, "vc": 1, "n": float(n), "log*": star}
        row = table.refutable(PER_STAR, settings, len(boosted.rounds) / star, constant)
        table.recorded("rounds", settings, len(boosted.rounds))
        least = label_boost_labelled(alpha, 0.2, 1)
        table.recorded(
            "rounds from the start of claim 4.9", settings, len(schedule(PAPER, least, n, alpha, 0.2, 1).rounds)
        )
    table.show(row)
    counts = ", ".join(f"{value:.0f}" for value in table.values("rounds"))
    return (
        f"{counts} rounds with log* n = 4, at alpha = 1e-30, 8e-61 and 7e-101: no constant serves all alpha, as with a "
        "suitable start there are ln(1/alpha) / (2 ln(15 ln(1/alpha))) - 1 rounds at an n below 1/alpha^2, which is "
        "proved in docs/findings.md. One round suffices there from the start of claim 4.9"
    )
