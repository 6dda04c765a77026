"""Claim BCM20-L7: how often a recorded answer of PMW is off by more than alpha, at the number of records of lemma 7.

Counts are multinomial: records are independent, and only their cells matter.  Errors are against the population, in the
scale of labels -1 and 1.  Controls must miss the target: at fewer records, with more noise, without updates, and with
updates of the wrong sign.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from semipriv.core.fields import value
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, Verdict, frequency, mean_interval
from semipriv.papers.bcm20.studies._controls import Arm
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Counts, Fitted, Floats, Workload
from semipriv.queries.methods.pmw import PMW, Plan
from semipriv.queries.methods.prior import Prior
from semipriv.queries.workloads import Listed, Runs
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    exceeding,
    highest_over_bound,
    recorded,
    verdict_on,
)

CLAIMS = ("BCM20-L7",)
SECONDS = 40

CLAIM = "BCM20-L7"
BUDGET = Guarantee(1.0, 1e-6)
BETA = 0.1
FAILURES = "P[largest error of a recorded answer > alpha]"
WORST = "largest error of a recorded answer / alpha, worst run"
FINAL = "largest error of the last weights / alpha, mean"
UPDATES = "updates, mean"
PRIOR = "largest error of uniform cells / alpha"
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
    """Return lemma 7's number of records, rounded up, as read from its print:

    200 sqrt(ln K ln(2/delta)) (ln M + ln(128 ln K / (alpha^2 beta))) / (epsilon alpha^2), for ``BUDGET``.

    >>> records(0.05, 0.05, 356, 356)
    15868554
    """
    log_cells = math.log(cells)
    logs = math.log(queries) + math.log(128 * log_cells / (alpha**2 * beta))
    root = math.sqrt(log_cells * math.log(2 / BUDGET.delta))
    return math.ceil(200 * root * logs / (BUDGET.epsilon * alpha**2))


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
        own: Settings = {"workload": self.name, "law": self.law, "alpha": self.alpha, "beta": BETA}
        return own | {"cells": self.workload.cells, "queries": self.workload.size}

    def error(self, answers: Floats) -> float:
        """Return the largest error against the population, for labels -1 and 1."""
        return 2 * float(np.abs(answers - self.workload.sums(self.masses)).max())


def cells(randomness: Simulation) -> list[Cell]:
    """Return the 13 cells of the claim; the random queries are one draw."""
    found = []
    for alpha, m in PREFIXES.items():
        prefixes = Runs(m + 1, np.zeros(m + 1, np.int64), np.arange(m + 1))
        found += [Cell(prefixes, "prefixes", law, draw(m + 1), alpha) for law, draw in LAWS.items()]
    labels = randomness.spawn("queries").generator.integers(0, 2, RANDOM).astype(bool)
    for alpha in (0.1, 0.2):
        work = Listed(labels)
        found += [Cell(work, "random queries", law, draw(RANDOM[1]), alpha) for law, draw in SKEWED.items()]
    return found


def dirichlet(cell: Cell, randomness: Simulation) -> Cell:
    """Return the cell with masses drawn once from Dirichlet(.05)."""
    masses = randomness.spawn("Dirichlet", cell.name, repr(cell.alpha)).generator
    return replace(cell, law="Dirichlet .05", masses=masses.dirichlet(np.full(cell.workload.cells, 0.05)))


# ---------------------------------------------------------------------------------------------------- runs
HONEST = Arm("PMW", control=False)
FEWER = Arm("n / 1.5", fewer=1.5)
NOISE = Arm("noise times 10", Noisy)
SIGN = Arm("update reversed", Reversed)


def arms(cell: Cell) -> list[Arm]:
    """Return the judged arms of a cell."""
    several = cell.name == "random queries"
    return [HONEST, FEWER, NOISE, SIGN] if several else [HONEST, FEWER, NOISE]


def runs(cell: Cell, arm: Arm, trials: int, randomness: Simulation) -> Iterator[Fitted]:
    """Yield releases on independent samples."""
    n, method = math.ceil(cell.n / arm.fewer), arm.method(cell.alpha, BETA)
    for trial in track(range(trials), "trials"):
        stream = randomness.spawn(cell.name, cell.law, repr(cell.alpha), arm.name, trial)
        counts: Counts = stream.spawn("records").generator.multinomial(n, cell.masses).astype(np.int64)
        yield method.fit(cell.workload, counts, BUDGET, stream.spawn("draw"))


def _measured(cell: Cell, arm: Arm, trials: int, randomness: Simulation, level: float | None) -> list[Measurement]:
    """Measure an arm; level: of its gate, None for the record."""
    found = list(runs(cell, arm, trials, randomness))
    errors = [cell.error(fitted.answers) for fitted in found]
    settings = cell.settings | {"arm": arm.name, "n_private": math.ceil(cell.n / arm.fewer)}
    last = [cell.error(cell.workload.sums(f.weights)) / cell.alpha for f in found if f.weights is not None]
    rows = [
        recorded(WORST, settings, max(errors) / cell.alpha, 1.0, trials),
        recorded(FINAL, settings, mean_interval(last), 1.0, trials),
        recorded(UPDATES, settings, mean_interval([fitted.cost["updates"] for fitted in found]), None, trials),
    ]
    if level is None:
        return rows
    failures = frequency(sum(error > cell.alpha for error in errors), trials, level)
    if arm.control:
        return [exceeding(FAILURES, settings, failures, BETA, trials), *rows]
    return [at_most(FAILURES, settings, failures, BETA, trials), *rows]


# ---------------------------------------------------------------------------------------------------- study
def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BCM20-L7: P[error > alpha] <= beta in 13 cells, and above beta in every control."""
    judged = [(cell, arm) for cell in cells(randomness) for arm in arms(cell)]
    level, rows = GATE_LEVEL / len(judged), list[Measurement]()
    for cell, arm in track(judged, "cells"):
        trials = max(1, int((CONTROL if arm.control else TRIALS) * effort))
        rows += _measured(cell, arm, trials, randomness, level)
        if not arm.control:
            prior = Prior().fit(cell.workload, np.ones(cell.workload.cells, np.int64), BUDGET, randomness)
            error = Interval.exact(cell.error(prior.answers) / cell.alpha)
            rows.append(exceeding(PRIOR, cell.settings | {"arm": "no updates"}, error, 1.0, 0))
    shown = [cell for cell, arm in judged if arm is HONEST]
    extra = [dirichlet(cell, randomness) for cell in shown if cell.law == "Zipf"]
    fewer = [Arm(f"n / {factor}", fewer=factor, control=False) for factor in (10, 30)]
    for cell, arm in [*((cell, HONEST) for cell in extra), *((cell, arm) for cell in shown for arm in fewer)]:
        rows += _measured(cell, arm, max(1, int(RECORDED * effort)), randomness, None)
    finding = conclude(
        "PMW by the sparse vector technique, 01 target alpha, at the printed n with exact K and M; epsilon = 1, "
        "delta = 1e-6; multinomial counts; errors for labels -1 and 1 against the population",
        rows,
        deciding=_shown,
        constants="the paper's, as far as its print can be read",
        reason=lambda verdict: _reason(rows, verdict),
    )
    return {CLAIM: finding}


def _is_control(row: Measurement) -> bool:
    return row.settings["arm"] != HONEST.name


def _shown(found: Sequence[Measurement]) -> Measurement:
    """Return the deciding gate at the printed n; or, where these hold and a control does not, that control."""
    printed = [row for row in found if not _is_control(row)]
    failed = [row for row in found if _is_control(row) and row.verdict is not Verdict.HOLDS]
    return failed[0] if failed and verdict_on(printed) is Verdict.HOLDS else highest_over_bound(printed)


def _reason(rows: list[Measurement], verdict: Verdict) -> str:
    """Say what was run, how near the worst run came, and what the controls show."""

    def worst(arm: str) -> list[float]:
        return [row.measured.value for row in rows if row.quantity == WORST and row.settings["arm"] == arm]

    said = (
        "recorded answers of the book's PMW at the printed n on these laws, not every law; worst run "
        f"{max(worst(HONEST.name)):.2f} alpha, at n / 1.5 between {min(worst(FEWER.name)):.2f} and "
        f"{max(worst(FEWER.name)):.2f} alpha in the worst of its runs; sizes 1.2 times too small may pass; the "
        "constant 200 is not proved for labels -1 and 1; the last weights are for the record: they forget; 150 runs a "
        "cell were planned, too few where one of them fails (prefixes, Zipf, alpha = .2), hence 300"
    )
    missed = [
        f"{row.settings['arm']}, {row.settings['workload']}, {row.settings['law']}, alpha = {row.settings['alpha']}"
        for row in rows
        if row.verdict is Verdict.INCONCLUSIVE and _is_control(row)
    ]
    if verdict is not Verdict.HOLDS and missed:
        said += f"; controls that do not miss the target: {'; '.join(missed)}"
    return said
