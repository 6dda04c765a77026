"""Starts of LabelBoost that its claims leave out (BNS15 claim 4.8 and lemma 4.12 as printed).

Claim 4.8 names no start size, lemma 4.12 no size of the base learner.  Both hold all the same, by proofs in
docs/findings.md; here sizes are computed from starts around the least one at which the rounds end, where they read
most, and from below it, where they never end.
"""

import math
from itertools import product

import numpy as np

from semipriv.core.types import Bools, Floats
from semipriv.papers.bns15.bounds.learners import label_boost_labelled
from semipriv.papers.bns15.label_boost.schedule import PAPER, schedule
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings

CELLS = 20_000
NEAR = (1e-12, 1e-6, 1e-3, 0.02, 0.1)
"""Starts are the least one at which rounds end times 1 plus and minus these, and random ones from 1 to r0 n."""
RANDOM = 3
WORST = 20
"""Starts with the largest sums, of which the exact sizes are computed."""
MOST_ROUNDS = 60


# ---------------------------------------------------------------------------------------------------- claim 4.8
def runs(starts: Floats, n: Floats, alpha: Floats, beta: Floats, vc: Floats) -> tuple[Floats, Bools, Floats, Bools]:
    """Return the unlabelled examples read over V at the paper's constants, whether the rounds end or not.

    Also: whether they end; how many rounds there are; whether each round but the last more than doubles |S|.  A round
    that would read a negative number reads nothing.  Sizes are floats, with the floors of algorithm 3.
    """
    block, size = float(PAPER.r * PAPER.r0) * n, starts.astype(np.float64)
    total, rounds = np.zeros_like(size), np.zeros_like(size)
    doubled = np.ones(size.shape, bool)
    for i in range(1, MOST_ROUNDS + 1):
        going = size < PAPER.r0 * n
        if not going.any():
            break
        exponent = PAPER.eps0 * alpha / (PAPER.a0 * 2.0**i) * size / (2 * PAPER.r * vc)
        allowed = PAPER.kappa * beta / (PAPER.b0 * 2.0**i) * vc * np.exp(np.minimum(exponent, 690.0))
        read = np.maximum(np.floor(np.minimum(block, allowed - size)), 0.0)
        after = np.floor(size / PAPER.r) + np.floor(read / PAPER.r)
        doubled &= ~going | (after > 2 * size) | (after >= PAPER.r0 * n)
        total, rounds, size = (
            np.where(going, new, old) for new, old in ((total + read, total), (rounds + 1, rounds), (after, size))
        )
    return total / block, size >= PAPER.r0 * n, rounds, doubled


def least_starts(n: Floats, alpha: Floats, beta: Floats, vc: Floats) -> Floats:
    """Return the least starts at which the rounds end, by bisection of their logarithms, to a share of 1e-13."""
    low, high = np.zeros_like(n), np.log(PAPER.r0 * n)
    for _ in range(52):
        middle = (low + high) / 2
        ends = runs(np.floor(np.exp(middle)), n, alpha, beta, vc)[1]
        low, high = np.where(ends, low, middle), np.where(ends, middle, high)
    return np.floor(np.exp(high))


def third_case() -> float:
    """Return a bound of the proof's case k = 3, over all rho from .7 to 2 and t from .99 on, by cells.

    It is y (1.5 - .5 / t) + z (1 + (2 rho)^(-c t)), c = 1 - rho / 2, with y = 1 and z = rho up to rho = 1, else y =
    1 / rho and z = 1.  In a cell each factor is bounded by its value at an end.
    """
    shares, times = np.linspace(0.7, 2.0, 131), np.append(np.geomspace(0.99, 50.0, 54), np.inf)
    least, most = shares[:-1, None], shares[1:, None]
    first, last = times[None, :-1], times[None, 1:]
    power = (1 - most / 2) * first
    ends = np.maximum(least ** (1 - power), most ** (1 - power))
    below = 1.5 - 0.5 / last + most + ends * 2.0**-power
    above = (1.5 - 0.5 / last) / least + 1 + (2 * least) ** -power
    return float(np.where(most <= 1 + 1e-9, below, above).max())


READ = "unlabelled examples read / V, largest"
THIRD = "unlabelled examples read / V, bound of the proof's case k = 3 by cells"
EXACT = "unlabelled examples read / V, exact, one of the largest sums"
GROWTH = "runs that end with a round before the last that does not double |S|"
SHORT = "control: unlabelled examples read / V, against |D| = 2.7 V"
PARAMETERS = {"alpha, beta from .01 to .5": (2.0, 2.0, 12.0), "alpha from 1e-30, beta from 1e-250": (30.0, 250.0, 60.0)}
"""Largest powers of 1/10 of alpha and of beta, and of 10 of n."""
SHORTEST = (30_573, 440_948)
"""n and a start of which the rounds read 2.74 V, at alpha = beta = .2 and VC dimension 1."""


@claim(
    "BNS15-CL4.8-literal",
    "the claim's constants and starts of every size, around the least at which the rounds end and at random",
    stream="starts",
)
def any_start(table: Table) -> str:
    """Look for a start at which the rounds need more than the 3 V unlabelled examples that there are."""
    cells, looked = table.trials(CELLS, 100), 0
    for name, (smallest, least, largest) in PARAMETERS.items():
        generator = table.randomness.spawn(name).generator
        n = np.floor(10 ** generator.uniform(0, largest, cells))
        bounded = smallest == 2
        start = math.log10(2) if bounded else 0.0
        alpha, beta = (10 ** -generator.uniform(start, power, cells) for power in (smallest, least))
        vc = generator.choice([1.0, 2.0, 5.0, 20.0, 1e6], cells)
        least_start = least_starts(n, alpha, beta, vc)
        factors = [1.0, *(1 + side * near for near, side in product(NEAR, (1, -1)))]
        random = [np.exp(generator.uniform(0, np.log(PAPER.r0 * n))) for _ in range(RANDOM)]
        starts = np.floor(np.stack([*(factor * least_start for factor in factors), *random]))
        starts = np.clip(starts, 1, PAPER.r0 * n - 1)
        sums, ends, _, doubled = runs(starts, n, alpha, beta, vc)
        looked += starts.size
        for kind, chosen in (("end", ends), ("never end", ~ends)):
            settings: Settings = {"parameters": name, "rounds": kind, "starts": int(chosen.sum())}
            table.at_most(READ, settings, float(sums[chosen].max()), 3.0)
        table.at_most(GROWTH, {"parameters": name}, float((ends & ~doubled).sum()), 0.0)
        if bounded:
            order = np.argsort(np.where(ends, -sums, np.inf), axis=None, kind="stable")[:WORST]
            for place, flat in enumerate(order.tolist(), start=1):
                cell = flat % cells
                sizes = int(starts.flat[flat]), int(n[cell]), float(alpha[cell]), float(beta[cell]), int(vc[cell])
                exact = schedule(PAPER, *sizes, n_unlabelled=4 * PAPER.block(sizes[1]))
                settings = {"place": place, "rounds": len(exact.rounds)}
                table.at_most(EXACT, settings, exact.unlabelled / PAPER.block(sizes[1]), 3.0)
    n_base, start_size = SHORTEST
    exact = schedule(PAPER, start_size, n_base, 0.2, 0.2, 1)
    settings = {"alpha": 0.2, "beta": 0.2, "vc": 1, "n": n_base, "n_labelled": start_size}
    table.exceeding(SHORT, settings, exact.unlabelled / PAPER.block(n_base), 2.7)
    table.at_most(THIRD, {}, third_case(), 3.0)
    table.show(max(table(READ), key=lambda row: row.measured.value))
    return (
        "proved here for every start, whether the rounds end or not: rounds before the last one grow in every run that "
        f"ends, and once a round does not grow, what later ones read halves. Of {looked:,} starts none reads more than "
        f"{math.ceil(1000 * max(table.values(READ))) / 1000:.3f} V"
    )


# ---------------------------------------------------------------------------------------------------- lemma 4.12
N = 7190
LEAST = 440_925
NEVER = "starts after which the rounds do not end"


@claim("BNS15-L4.12-ends", "exact sizes at the paper's constants, from two starts")
def ends(table: Table) -> str:
    """Show a start at which the rounds end, and that with one example less they do not."""
    for start in (LEAST - 1, LEAST):
        boosted = schedule(PAPER, start, N, 0.2, 0.2, 1)
        settings = {"alpha": 0.2, "vc": 1, "n": N, "n_labelled": start, "rounds": len(boosted.rounds)}
        table.refutable(NEVER, settings, float(boosted.failure is not None), 0.0)
        table.recorded("v of the round that fails", settings, boosted.wanted)
    table.show(table.rows[0])
    stuck = next(value for value in table.values("v of the round that fails") if value)
    return (
        f"at alpha = beta = 0.2, VC dimension 1 and n = 7190, {LEAST - 1:,} labelled examples lead to a fourth "
        f"round that would read {stuck:,.0f} examples, and the loop cannot go on; with {LEAST:,} it ends after three. "
        "So a start is needed for which rounds grow: that of claim 4.9 is one"
    )


HELD = "(320 / alpha) VC ln(2240 / (alpha beta)) / examples of the base learner, largest over its sizes"
ENOUGH = "what the proof's last step needs / (320 / alpha) VC ln(2240 / (alpha beta))"
TENTH = "control: the same from a start m / 10, largest of the grid"
ALPHAS = (1e-8, 1e-4, 0.01, 0.1, 0.5, 1.0)
BETAS = (1e-30, 1e-6, 0.05, 0.5, 1.0)
DIMENSIONS = (1, 10, 10**4, 10**8)
SIZES = (1, 100, 7190, 10**6, 10**9)


def held(alpha: float, beta: float, vc: int) -> int:
    """Return floor((320 / alpha) VC ln(2240 / (alpha beta))), which the base learner has in every case."""
    return math.floor(320 / alpha * vc * math.log(2240 / (alpha * beta)))


def needed(alpha: float, beta: float, vc: int) -> float:
    """Return (4.8 / alpha) (10 VC ln(4.8 e / alpha) + ln(10 / beta)): theorem B.5 at an error of 10 alpha, beta / 2."""
    return 4.8 / alpha * (10 * vc * math.log(4.8 * math.e / alpha) + math.log(10 / beta))


@claim(
    "BNS15-L4.12-literal",
    "sizes of the base learner's part by exact schedules, and what the last step of the proof needs, on grids",
)
def learner(table: Table) -> str:
    """Compare the examples that the base learner gets with those needed to go from its sample to the distribution."""
    for alpha, beta, vc in product((0.1, 0.2, 0.4), (0.05, 0.2), (1, 5)):
        start, least = label_boost_labelled(alpha, beta, vc), math.inf
        for n in (*SIZES, start // PAPER.r0, start // PAPER.r0 + 1):
            end = schedule(PAPER, start, n, alpha, beta, vc)
            least = min(least, end.labelled // PAPER.r0 / held(alpha, beta, vc))
        table.at_most(HELD, {"alpha": alpha, "beta": beta, "vc": vc}, 1 / least, 1.0)
    quotients = []
    for alpha, beta in product(ALPHAS, BETAS):
        worst = max(needed(alpha, beta, vc) / held(alpha, beta, vc) for vc in DIMENSIONS)
        quotients.append(worst)
        table.at_most(ENOUGH, {"alpha": alpha, "beta": beta}, worst, 1.0)
    table.exceeding(TENTH, {"alpha": 1.0}, 10 * max(quotients), 1.0)
    table.show(max(table(ENOUGH), key=lambda row: row.measured.value))
    return (
        "the loop is entered only if m < 300 n: after a round |S| / 300 >= n > m / 300, without one it is m / 300. In "
        "every case the base learner has at least (320 / alpha) VC ln(2240 / (alpha beta)) examples, "
        f"{1 / max(quotients):.1f} times what the step from the error on them to that of the distribution needs, on "
        "the whole grid. No size of the base learner need be asked for. It reads at most 90000 n + m unlabelled "
        "examples, which is O(n) only if m = O(n)"
    )
