"""Claims BCM20-L7, L7-literal and PMW-accuracy: how often a recorded answer of PMW is off by more than alpha.

The constants of a proof are run on workloads and distributions that are hard for them, at the number of records that is
just enough, and their distribution is worked out exactly on two cells.  The constants of the book are refuted by a
count of updates.  Counts are multinomial: records are independent, and only their cells matter.  Errors are against the
population, in the scale of labels -1 and 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import product

import numpy as np

from semipriv.core.fields import value
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict, frequency, mean_interval
from semipriv.core.types import Floats
from semipriv.papers.bcm20.bounds.forced_updates import book_updates, forced_updates
from semipriv.papers.bcm20.bounds.proven import Accurate, pmw
from semipriv.papers.bcm20.bounds.sizes import pmw_records
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Workload
from semipriv.queries.methods.pmw import PMW, Plan
from semipriv.queries.methods.prior import Prior
from semipriv.queries.workloads import Listed, Runs
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.bcm20.controls.transcripts import Transcript, measured_by_pmw
from semipriv_lab.papers.bcm20.studies._controls import Arm, honest_or_failed, without_power

EPSILON = 1.0
DELTA = 1e-6
BUDGET = Guarantee(EPSILON, DELTA)
BETA = 0.1
FAILURES = "P[largest error of a recorded answer > alpha]"
WORST = "largest error of a recorded answer / alpha, worst run"
TRIALS, CONTROL = 150, 20
"""Runs of a cell, and of a control."""


@value
class Reversed(PMW):
    """PMW that makes a cell heavier where it should be lighter."""

    def step(self, share: float, answer: float, rate: float) -> float:
        """Return the step with its sign reversed."""
        return -super().step(share, answer, rate)


@dataclass(frozen=True)
class _Wider(Plan):
    """A plan with thirty times the noise, against the same threshold."""

    @classmethod
    def of(cls, plan: Plan) -> "_Wider":
        named = {attribute.name: getattr(plan, attribute.name) for attribute in fields(plan)}
        return cls(**named | {"lot": 30 * plan.lot, "numeric": 30 * plan.numeric})


@value
class Noisy(PMW):
    """PMW with thirty times the noise, against the same threshold; ten times are hardly noticed."""

    def plan(self, cells: int, queries: int, budget: Guarantee) -> Plan:
        """Return the plan with wider noise."""
        return _Wider.of(super().plan(cells, queries, budget))


# ---------------------------------------------------------------------------------------------------- cells
def atom(cells: int, place: int, mass: float) -> Floats:
    """Return masses of cells: one has this mass, the others share the rest."""
    masses = np.full(cells, (1 - mass) / (cells - 1))
    masses[place] = mass
    return masses


def zipf(cells: int) -> Floats:
    """Return masses proportional to 1, 1/2, 1/3, ..."""
    masses = 1 / np.arange(1.0, cells + 1)
    return np.asarray(masses / masses.sum())


def prefixes(cells: int) -> Runs:
    """Return the prefixes of 0, ..., K - 1 of K ordered cells."""
    return Runs(cells, np.zeros(cells, np.int64), np.arange(cells))


def intervals(cells: int, starts: int) -> Runs:
    """Return the runs of cells from each of the first ones, by where they end: all that begin at one of ``starts``."""
    stop = np.repeat(np.arange(starts, cells), starts)
    return Runs(cells, np.tile(np.arange(starts), cells - starts), stop)


DISTRIBUTIONS: dict[str, Callable[[int], Floats]] = {
    "L1, atom 1/2 at the low end": lambda cells: atom(cells, 0, 0.5),
    "L2, atom 1/2 in the middle": lambda cells: atom(cells, cells // 2, 0.5),
    "Zipf": zipf,
}
POINT, BELOW = "one cell", "atom below the threshold"
ALPHAS = (0.1, 0.2, 0.4)
ENDS, STARTS = 300, 10
"""Cells of the intervals, and how many of them an interval may begin at."""
RANDOM = (4000, 64)
"""Queries and cells of random queries: there are more queries than updates at alpha = .2 and .4."""
SCALES = 2.5
"""How far the atom's answer is below the threshold, in scales of the noise of a comparison."""


@dataclass(frozen=True, eq=False)
class Cell:
    """A workload with a distribution of the cells and a target."""

    workload: Workload
    name: str
    distribution: str
    alpha: float

    @cached_property
    def accurate(self) -> Accurate:
        """The method and the number of records of the proof, for errors of alpha on labels -1 and 1."""
        return pmw(self.alpha / 2, BETA, self.workload.cells, self.workload.size, BUDGET)

    @cached_property
    def masses(self) -> Floats:
        """The distribution of the cells, (K,)."""
        cells, n = self.workload.cells, self.accurate.records
        if self.distribution == POINT:
            return atom(cells, cells - 1, 1.0)
        if self.distribution != BELOW:
            return DISTRIBUTIONS[self.distribution](cells)
        plan = self.accurate.method.plan(cells, self.workload.size, BUDGET)
        gap = (plan.threshold(n) - SCALES * float(2 * plan.lot)) / n
        return atom(cells, cells - 1, gap + (1 - gap) / cells)

    @property
    def settings(self) -> Settings:
        """Sizes, as they are shown."""
        settings: Settings = {
            "workload": self.name,
            "distribution": self.distribution,
            "alpha": self.alpha,
            "beta": BETA,
        }
        settings |= {"epsilon": BUDGET.epsilon, "delta": BUDGET.delta}
        return settings | {"cells": self.workload.cells, "queries": self.workload.size}

    def error(self, answers: Floats) -> float:
        """Return the largest error against the population, for labels -1 and 1."""
        return 2 * float(np.abs(answers - self.workload.sums(self.masses)).max())


PUBLIC = {0.1: 162, 0.2: 73, 0.4: 32}
"""Public points m by alpha: prefixes of m + 1 cells, the empty one among them."""


def cells(randomness: Simulation) -> list[Cell]:
    """Return the cells of the claim; the random queries are one draw."""
    labels = Listed(randomness.spawn("queries").generator.integers(0, 2, RANDOM).astype(bool))
    every = []
    for alpha, m in PUBLIC.items():
        every += [
            Cell(prefixes(m + 1), "prefixes", distribution, alpha) for distribution in (POINT, BELOW, *DISTRIBUTIONS)
        ]
    for alpha in ALPHAS[1:]:
        every += [Cell(intervals(ENDS, STARTS), "intervals", distribution, alpha) for distribution in (POINT, BELOW)]
        every += [Cell(labels, "random queries", distribution, alpha) for distribution in (POINT, BELOW, "Zipf")]
    return every


# ---------------------------------------------------------------------------------------------------- arms
HONEST = Arm("PMW", control=False)
FEWER = Arm("n / 4", fewer=4.0)
NOISE = Arm("noise times 30", Noisy)
SIGN = Arm("update reversed", Reversed)


def arms(cell: Cell) -> list[Arm]:
    """Return the judged arms of a cell: controls where the records are all in one cell."""
    if cell.distribution != POINT:
        return [HONEST]
    return [HONEST, FEWER, NOISE] if cell.name == "prefixes" else [HONEST, FEWER, NOISE, SIGN]


def drawn(arm: Arm, cell: Cell, trials: int, randomness: Simulation) -> tuple[list[float], list[float]]:
    """Return the errors of runs, over alpha, and their numbers of updates."""
    proven = cell.accurate
    method = arm.method(proven.method.accuracy, proven.method.failure)
    errors, updates = [], []
    for trial in track(range(trials), "trials"):
        stream = randomness.spawn(trial)
        n = math.ceil(proven.records / arm.fewer)
        counts = stream.spawn("records").generator.multinomial(n, cell.masses).astype(np.int64)
        fit = method.fit(cell.workload, counts, BUDGET, stream.spawn("draw"))
        errors.append(cell.error(fit.answers) / cell.alpha)
        updates.append(fit.cost["updates"])
    return errors, updates


# ---------------------------------------------------------------------------------------------------- sizes
SIZES = "records of the proof / printed records of lemma 7"
MANY = ((2, 1), (2, 10**100), (1000, 1000), (10**100, 1), (10**100, 10**100))
"""Cells and queries."""
TINY_DELTAS = (1e-12, 1e-300)
"""Below the corners: the quotient is largest there, with two cells and many queries."""


def sizes(table: Table) -> float:
    """Judge that the proof needs no more records than are printed, at the corners; return the largest quotient."""
    largest, corners = 0.0, table.corners("alpha", "beta", "epsilon", "delta")
    tiny = [at | {"delta": delta} for at in table.corners("alpha", "beta", "epsilon") for delta in TINY_DELTAS]
    for at, (k, m) in product([*corners, *tiny], MANY):
        records = pmw(at["alpha"] / 2, at["beta"], k, m, Guarantee(at["epsilon"], at["delta"])).records
        quotient = records / pmw_records(at["alpha"], at["beta"], math.log(k), math.log(m), at["epsilon"], at["delta"])
        table.at_most(SIZES, at | {"cells": float(k), "queries": float(m)}, quotient, 1.0)
        largest = max(largest, quotient)
    return largest


# ------------------------------------------------------------------------------------------------- exact distribution
EXACT = "P[a recorded answer is off by more than a], exact, worst data set"
TOO_FEW = "control: the same at a quarter of the records"
ONE = "control: the same at one record"
EXACT_EPSILON = 40.0
ENOUGH = "PMW.records"
"""Where the claim speaks: at the number of records that this method returns, and not below."""
TINY_TARGETS = (0.45, 0.4)
TINY_FAILURES = (0.3, 0.1)
"""Of each target."""
TINY: dict[str, Workload] = {
    "the first of two cells": Listed(np.array([[1, 0]], bool)),
    "each of two cells": Listed(np.eye(2, dtype=bool)),
}
TINY_METHODS = tuple(PMW(a, failure=beta) for a, beta in zip(TINY_TARGETS, TINY_FAILURES, strict=True))


def replayed(method: PMW, workload: Workload, n: int, budget: Guarantee, transcript: Transcript) -> Floats:
    """Return the recorded answers that a transcript of measured queries leads to, (M,)."""
    rate = method.plan(workload.cells, workload.size, budget).rate
    weights, answers, start = np.full(workload.cells, 1 / workload.cells), np.zeros(workload.size), 0
    for query, noisy in transcript:
        shares = workload.sums(weights)
        answers[start:query], answers[query] = shares[start:query], noisy / n
        weights = weights * np.exp(method.step(float(shares[query]), noisy / n, rate) * workload.row(query))
        weights, start = weights / weights.sum(), query + 1
    answers[start:] = workload.sums(weights)[start:]
    return answers


def missed(method: PMW, workload: Workload, n: int) -> float:
    """Return the largest probability of a recorded answer off by more than the accuracy, over all data on two cells."""
    budget, worst = Guarantee(EXACT_EPSILON), 0.0
    most = method.accuracy * (1 + 1e-12)
    answers: dict[Transcript, list[float]] = {}  # of one number or two: quicker without arrays
    for k in range(n + 1):
        counts = np.array([k, n - k])
        exact, chance = (workload.sums(counts) / n).tolist(), 0.0
        for transcript, logarithm in measured_by_pmw(method, workload, counts, budget).items():
            if transcript not in answers:
                answers[transcript] = replayed(method, workload, n, budget, transcript).tolist()
            if any(
                abs(answer - exact_answer) > most
                for answer, exact_answer in zip(answers[transcript], exact, strict=True)
            ):
                chance += math.exp(logarithm)
        worst = max(worst, chance)
    return worst


@claim(
    "BCM20-PMW-accuracy",
    "exact distribution of the recorded answers on two cells, by sums over all noises, for every data set: epsilon = "
    f"{EXACT_EPSILON:g}, delta "
    "= 0, one and two queries, the least number of records of the proof",
    shown=EXACT,
    constants="ours: proved in docs/findings.md",
)
def exactly(table: Table) -> str:
    """Judge the exact probability of a miss at the least number of records; at a quarter and at one it must miss."""
    for (name, work), method in product(TINY.items(), TINY_METHODS):
        n = method.records(work.cells, work.size, Guarantee(EXACT_EPSILON))
        settings: Settings = {"workload": name, "accuracy": method.accuracy, "failure": method.failure}
        settings |= {"cells": work.cells, "queries": work.size, "passes": method.passes}
        settings |= {"epsilon": EXACT_EPSILON, "delta": 0.0}
        table.at_most(EXACT, settings | {"records": ENOUGH, "n_private": n}, missed(method, work, n), method.failure)
        control_size = math.ceil(n / FEWER.fewer)
        table.exceeding(
            TOO_FEW, settings | {"n_private": control_size}, missed(method, work, control_size), method.failure
        )
        table.exceeding(ONE, settings | {"n_private": 1}, missed(method, work, 1), method.failure)
    return (
        f"the chance of a miss is {max(table.values(EXACT)):.1g} or less, where .1 and .3 are allowed: the proof adds "
        f"up tails of all noises; at a quarter of the records it is {min(table.values(TOO_FEW)):.2f} or more, at one "
        f"record {min(table.values(ONE)):.2f} or more"
    )


# ---------------------------------------------------------------------------------------------------- studies
@claim(
    "BCM20-L7",
    "PMW with constants of a proof, at the number of records that is just enough for it; multinomial counts; errors "
    "for labels -1 and 1 against the population; sizes against the printed ones",
    shown=lambda rows: honest_or_failed([row for row in rows if row.quantity == FAILURES]),
    constants="repaired: threshold, step, updates and noise of our proof",
    stream="proven",
)
def lemma_7(table: Table) -> Callable[[Verdict], str]:
    """Measure P[error > alpha], at most beta in every cell, and above beta in every control."""
    quotient = sizes(table)
    judged = [(cell, arm) for cell in cells(table.randomness) for arm in arms(cell)]
    level = GATE_LEVEL / len(judged)
    for cell, arm in track(judged, "cells"):
        trials = table.trials(CONTROL if arm.control else TRIALS, 1)
        stream = table.randomness.spawn(cell.name, cell.distribution, repr(cell.alpha), arm.name)
        errors, updates = drawn(arm, cell, trials, stream)
        settings = cell.settings | {"arm": arm.name, "n_private": math.ceil(cell.accurate.records / arm.fewer)}
        failures = frequency(sum(error > 1 for error in errors), trials, level)
        rule = table.exceeding if arm.control else table.at_most
        rule(FAILURES, settings, failures, BETA, trials)
        table.recorded(WORST, settings, max(errors), 1.0, trials)
        table.recorded("updates, mean", settings, mean_interval(updates), None, trials)
        if cell.distribution == POINT and arm is HONEST:
            prior = Prior().fit(cell.workload, np.ones(cell.workload.cells, np.int64), BUDGET, table.randomness)
            at = cell.settings | {"arm": "no updates"}
            table.exceeding("largest error of uniform cells / alpha", at, cell.error(prior.answers) / cell.alpha, 1.0)
    worst, fewer = (table.values(WORST, arm=arm.name) for arm in (HONEST, FEWER))
    return lambda verdict: (
        (
            f"proved for all distributions; the proof's records are up to {quotient:.2f} of the printed ones. On a "
            f"point mass, an atom just below the threshold and more queries than updates, with just enough records, "
            f"the worst run is off by {max(worst):.2f} alpha; at a quarter of them {min(fewer):.2f} alpha or more"
        )
        + without_power(table, verdict, "{arm}, {workload}, {distribution}, alpha = {alpha}")
    )


FORCED = "P[a recorded answer is off by more than alpha], by a count of updates"
LITERAL = {0.99: 10**6, 0.9: 10**7, 0.8: 10**8, 0.6: 10**10, 0.4: 10**20, 0.2: 10**50, 0.1: 10**100}
"""Cells by alpha at which answers within alpha force more updates than the book's PMW has."""
RUNS = 2
BOOK_RUNS = "largest error of a recorded answer of the book's PMW / alpha, least of the runs"


def printed_records(alpha: float, k: int, m: int) -> int:
    """Return lemma 7's printed number of records, rounded up, as read from its print."""
    return math.ceil(pmw_records(alpha, BETA, math.log(k), math.log(m), BUDGET.epsilon, BUDGET.delta))


def least_error(workload: Runs, alpha: float, trials: int, randomness: Simulation) -> float:
    """Return the least error / alpha of runs of the book's PMW at the printed n, all records in the last cell."""
    method, counts = PMW(alpha, BETA, scales="book"), np.zeros(workload.cells, np.int64)
    counts[-1] = printed_records(alpha, workload.cells, workload.size)
    fits = [method.fit(workload, counts, BUDGET, randomness.spawn(trial)) for trial in range(trials)]
    return 2 * min(float(fit.answers.max()) for fit in fits) / alpha


@claim(
    "BCM20-L7-literal",
    "the book's PMW at target alpha on thresholds, all records in the last of K cells: updates that answers within "
    "alpha need, whatever the noise and the number of records, against those it has; runs at the printed n",
    stream="literal",
)
def lemma_7_literal(table: Table) -> str:
    """Refute lemma 7 with the book's constants by counting updates, and run it."""
    for alpha, k in LITERAL.items():
        has, needs = book_updates(alpha, k), forced_updates(alpha / 2, alpha / 2, k)
        settings: Settings = {"alpha": alpha, "beta": BETA, "cells": float(k), "updates": has, "forced": needs}
        row = table.refutable(FORCED, settings, float(needs > has), BETA)
        if k == LITERAL[0.99]:
            table.show(row)
    first, k = next(iter(LITERAL.items()))
    every: dict[str, tuple[Runs, float, int]] = {
        "prefixes": (Runs(k, np.zeros(k - 1, np.int64), np.arange(1, k)), first, RUNS),
        "intervals": (intervals(3000, STARTS), 0.4, CONTROL),
    }
    for name, (work, alpha, runs) in every.items():
        trials = table.trials(runs, 1)
        least = least_error(work, alpha, trials, table.randomness.spawn(name))
        settings = {"workload": name, "alpha": alpha, "beta": BETA, "cells": work.cells, "queries": work.size}
        settings["n_private"] = printed_records(alpha, work.cells, work.size)
        table.exceeding(BOOK_RUNS, settings, least, 1.0, trials)
    return (
        f"it has 4 ln(K) / alpha^2 updates with steps of alpha / 2; on {k:,} cells at alpha = {first} answers within "
        "alpha need one more than it has, whatever the noise is, so that it fails with probability 1 at every n. Runs "
        f"of the code are off by {table.values(BOOK_RUNS, workload='prefixes')[0]:.2f} alpha or more there, and by "
        f"{table.values(BOOK_RUNS, workload='intervals')[0]:.2f} alpha or more on intervals over 3,000 cells at alpha "
        "= .4, each time. Dwork and Roth's theorem 4.15, of which the lemma is a corollary, promises three times its "
        "target, for shares in place of labels -1 and 1; BCM20-L7 has constants that do"
    )
