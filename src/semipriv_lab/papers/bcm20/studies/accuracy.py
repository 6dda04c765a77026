"""Claim BCM20-L7: how often a recorded answer of PMW is off by more than alpha, at the number of records of lemma 7.

Counts are multinomial: records are independent, and only their cells matter.  Errors are against the population, in the
scale of labels -1 and 1.  Controls must miss the target: at fewer records, with more noise, without updates, and with
updates of the wrong sign.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from semipriv.core.fields import value
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict, frequency, mean_interval
from semipriv.core.types import Floats
from semipriv.papers.bcm20.bounds.sizes import pmw_records
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Workload
from semipriv.queries.methods.pmw import PMW, Plan
from semipriv.queries.methods.prior import Prior
from semipriv.queries.workloads import Listed, Runs
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.bcm20.studies._controls import Arm, honest_or_failed, without_power

SECONDS = 40

BUDGET = Guarantee(1.0, 1e-6)
BETA = 0.1
FAILURES = "P[largest error of a recorded answer > alpha]"
WORST = "largest error of a recorded answer / alpha, worst run"
TRIALS, CONTROL = 300, 20
"""Runs of a cell, and of a control.

With 150 runs the upper limit is below beta only without a failure; one of 13 cells had one.  With 300, set after that
was seen, six failures are allowed.
"""
RECORDED = 20
"""Runs for the record."""


@value
class Reversed(PMW):
    """PMW that makes a cell heavier where it should be lighter."""

    def step(self, share: float, answer: float) -> float:
        """Return the step with its sign reversed."""
        return -super().step(share, answer)


@value
class Noisy(PMW):
    """PMW with ten times the noise, against the same threshold."""

    def plan(self, cells: int, queries: int, budget: Guarantee) -> Plan:
        """Return the plan with wider noise."""
        honest = super().plan(cells, queries, budget)
        return replace(honest, lot=10 * honest.lot, numeric=10 * honest.numeric)


def records(alpha: float, beta: float, cells: int, queries: int) -> int:
    """Return lemma 7's number of records for ``BUDGET``, rounded up, as read from its print.

    >>> records(0.05, 0.05, 356, 356)
    15868554
    """
    return math.ceil(pmw_records(alpha, beta, math.log(cells), math.log(queries), BUDGET.epsilon, BUDGET.delta))


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


LAWS: dict[str, Callable[[int], Floats]] = {
    "L1, atom 1/2 at the low end": lambda cells: atom(cells, 0, 0.5),
    "L2, atom 1/2 in the middle": lambda cells: atom(cells, cells // 2, 0.5),
    "Zipf": zipf,
}
SKEWED: dict[str, Callable[[int], Floats]] = {".9 on one cell": lambda cells: atom(cells, 0, 0.9), "Zipf": zipf}
PREFIXES = {0.05: 355, 0.1: 162, 0.2: 73}
"""Public points m by alpha: prefixes of m + 1 cells, the empty one among them."""
RANDOM = (4000, 64)
"""Queries and cells: more queries than updates, so that recorded answers alone do not meet the target."""


@dataclass(frozen=True, eq=False)
class Cell:
    """A workload with a law of the cells and a target; the method aims at alpha in shares."""

    workload: Workload
    name: str
    law: str
    masses: Floats
    alpha: float

    @property
    def n(self) -> int:
        """Lemma 7's number of records, with exact K and M."""
        return records(self.alpha, BETA, self.workload.cells, self.workload.size)

    @property
    def settings(self) -> Settings:
        """Sizes, as they are shown."""
        where: Settings = {"workload": self.name, "law": self.law, "alpha": self.alpha, "beta": BETA}
        return where | {"cells": self.workload.cells, "queries": self.workload.size}

    def error(self, answers: Floats) -> float:
        """Return the largest error against the population, for labels -1 and 1."""
        return 2 * float(np.abs(answers - self.workload.sums(self.masses)).max())


def cells(randomness: Simulation) -> list[Cell]:
    """Return the 13 cells of the claim; the random queries are one draw."""
    every = []
    for alpha, m in PREFIXES.items():
        prefixes = Runs(m + 1, np.zeros(m + 1, np.int64), np.arange(m + 1))
        every += [Cell(prefixes, "prefixes", law, draw(m + 1), alpha) for law, draw in LAWS.items()]
    labels = randomness.spawn("queries").generator.integers(0, 2, RANDOM).astype(bool)
    for alpha in (0.1, 0.2):
        work = Listed(labels)
        every += [Cell(work, "random queries", law, draw(RANDOM[1]), alpha) for law, draw in SKEWED.items()]
    return every


def dirichlet(cell: Cell, randomness: Simulation) -> Cell:
    """Return the cell with masses drawn once from Dirichlet(.05)."""
    masses = randomness.spawn("Dirichlet", cell.name, repr(cell.alpha)).generator
    return replace(cell, law="Dirichlet .05", masses=masses.dirichlet(np.full(cell.workload.cells, 0.05)))


# ---------------------------------------------------------------------------------------------------- arms
HONEST = Arm("PMW", control=False)
FEWER = Arm("n / 1.5", fewer=1.5)
NOISE = Arm("noise times 10", Noisy)
SIGN = Arm("update reversed", Reversed)


def arms(cell: Cell) -> list[Arm]:
    """Return the judged arms of a cell."""
    several = cell.name == "random queries"
    return [HONEST, FEWER, NOISE, SIGN] if several else [HONEST, FEWER, NOISE]


# ---------------------------------------------------------------------------------------------------- study
@claim(
    "BCM20-L7",
    "PMW by the sparse vector technique, 01 target alpha, at the printed n with exact K and M; epsilon = 1, "
    "delta = 1e-6; multinomial counts; errors for labels -1 and 1 against the population",
    shown=honest_or_failed,
    constants="the paper's, as far as its print can be read",
    stream="fresh",
)
def lemma_7(table: Table) -> Callable[[Verdict], str]:
    """Measure P[error > alpha], at most beta in 13 cells, and above beta in every control."""
    judged = [(cell, arm) for cell in cells(table.randomness) for arm in arms(cell)]
    level = GATE_LEVEL / len(judged)

    def measure(cell: Cell, arm: Arm, number: int, gate: bool = True) -> None:
        n, trials = math.ceil(cell.n / arm.fewer), max(1, int(number * table.effort))
        settings = cell.settings | {"arm": arm.name, "n_private": n}
        fits = []
        for trial in track(range(trials), "trials"):
            stream = table.randomness.spawn(cell.name, cell.law, repr(cell.alpha), arm.name, trial)
            counts = stream.spawn("records").generator.multinomial(n, cell.masses).astype(np.int64)
            fits.append(arm.method(cell.alpha, BETA).fit(cell.workload, counts, BUDGET, stream.spawn("draw")))
        errors = [cell.error(fit.answers) for fit in fits]
        last = [cell.error(cell.workload.sums(fit.weights)) / cell.alpha for fit in fits if fit.weights is not None]
        if gate:
            failures = frequency(sum(error > cell.alpha for error in errors), trials, level)
            rule = table.exceeding if arm.control else table.at_most
            rule(FAILURES, settings, failures, BETA, trials)
        table.recorded(WORST, settings, max(errors) / cell.alpha, 1.0, trials)
        table.recorded("largest error of the last weights / alpha, mean", settings, mean_interval(last), 1.0, trials)
        updates = mean_interval([fit.cost["updates"] for fit in fits])
        table.recorded("updates, mean", settings, updates, None, trials)

    for cell, arm in track(judged, "cells"):
        measure(cell, arm, CONTROL if arm.control else TRIALS)
        if not arm.control:
            prior = Prior().fit(cell.workload, np.ones(cell.workload.cells, np.int64), BUDGET, table.randomness)
            error, where = cell.error(prior.answers) / cell.alpha, cell.settings | {"arm": "no updates"}
            table.exceeding("largest error of uniform cells / alpha", where, error, 1.0)
    shown = [cell for cell, arm in judged if arm is HONEST]
    for cell in shown:
        if cell.law == "Zipf":
            measure(dirichlet(cell, table.randomness), HONEST, RECORDED, gate=False)
    for cell, factor in product(shown, (10, 30)):
        measure(cell, Arm(f"n / {factor}", fewer=factor, control=False), RECORDED, gate=False)
    worst, fewer = (table.values(WORST, arm=arm.name) for arm in (HONEST, FEWER))
    return lambda verdict: (
        "recorded answers of the book's PMW at the printed n on these laws, not every law; worst run "
        f"{max(worst):.2f} alpha, at n / 1.5 between {min(fewer):.2f} and "
        f"{max(fewer):.2f} alpha in the worst of its runs; sizes 1.2 times too small may pass; the "
        "constant 200 is not proved for labels -1 and 1; the last weights are for the record: they forget; 150 runs a "
        "cell were planned, too few where one of them fails (prefixes, Zipf, alpha = .2), hence 300, run once with a "
        "fresh stream" + without_power(table, verdict, "{arm}, {workload}, {law}, alpha = {alpha}")
    )
