"""Claims BCM20-T10 and T10-repaired: how often A_PAP's worst error over the class exceeds alpha, at proven sizes.

Public points are drawn, cells are made of them, and records are counted by cells: multinomial counts.  The error is the
supremum over the whole class, in the scale of labels -1 and 1.  PMW has the constants of a proof; T10 runs it with the
printed number of records, T10-repaired with those that the proof, and so the planner, asks for.  Controls must miss
alpha.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from semipriv.classes.base import HypothesisClass
from semipriv.classes.intervals import Intervals
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict, frequency, mean_interval
from semipriv.distributions.spacings import kolmogorov_distribution
from semipriv.papers.bcm20.bounds.proven import Accurate, pap
from semipriv.papers.bcm20.bounds.sizes import cover_points_exact, pap_records
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Method
from semipriv.queries.methods.pmw import PMW
from semipriv.queries.methods.prior import Prior
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, largest
from semipriv_lab.papers.bcm20.studies._controls import honest_or_failed, without_power
from semipriv_lab.papers.bcm20.studies._thresholds import CLASS, DISTRIBUTIONS, FREE, LOW, MIDDLE, Atoms, Known, known

BUDGET = Guarantee(1.0, 1e-6)
BETA = 0.1
FAILURES = "P[error over all thresholds > alpha]"
ALONE = "P[error of public means > alpha]"
WORST = "error over all thresholds / alpha, worst run"
ALPHAS = (0.1, 0.05, 0.2, 0.4)
"""The first two are judged in T10; the first and the third in T10-repaired."""
TRIALS, CONTROL, RECORDED = 150, 40, 20
"""Runs of a cell, of a control, and for the record."""


@dataclass(frozen=True)
class Arm:
    """A way to run a cell.

    kind: PMW with constants of the proof, of the book, or no updates.  printed: whether the number of records is the
    printed one, else that of the proof.  fewer_records: divisor of the records.  fewer: divisor of the public points.
    control: whether the cell must miss alpha.
    """

    name: str
    kind: str = "proof"
    printed: bool = True
    fewer_records: float = 1.0
    fewer: int = 1
    control: bool = True


@dataclass(frozen=True)
class Cell:
    """A distribution, a target and an arm, with its number of runs; judged: whether it is a gate."""

    distribution_name: str
    alpha: float
    arm: Arm
    trials: int
    judged: bool = True
    functions: HypothesisClass = CLASS

    @property
    def accurate(self) -> Accurate:
        """PMW and the records of the proof, as the planner has them, for all proven points."""
        return pap(self.alpha, BETA, *self.workload, BUDGET)

    @property
    def method(self) -> Method:
        """The private method; the book's PMW aims at alpha / 4 in shares with failure beta / 2."""
        if self.arm.kind == "still":
            return Prior()
        return self.accurate.method if self.arm.kind == "proof" else PMW(self.alpha / 4, BETA / 2, scales="book")

    @property
    def distribution(self) -> Atoms:
        """The distribution of the points; the atom below the threshold has the mass that PMW hardly tells from none."""
        if self.distribution_name != BELOW:
            return DISTRIBUTIONS[self.distribution_name]
        n, plan = self.records, self.accurate.method.plan(*self.workload, BUDGET)
        mass = (plan.threshold(n) - SCALES * float(2 * plan.lot)) / n
        return Atoms((0.0,), (mass,))

    @property
    def thresholds(self) -> bool:
        """Whether the class is that of thresholds; the other is that of intervals."""
        return self.functions == CLASS

    @property
    def proven(self) -> int:
        """The least m for an alpha/4-cover with probability 1 - beta/2; twice that for intervals, of two ends."""
        return cover_points_exact(self.alpha, BETA) * (1 if self.thresholds else 2)

    @property
    def workload(self) -> tuple[int, int]:
        """The most cells and queries, at all proven points."""
        m = self.proven
        return m + 1, m + 1 if self.thresholds else m * (m + 1) // 2 + 1

    @property
    def public(self) -> int:
        """The number of public points."""
        return math.ceil(self.proven / self.arm.fewer)

    @property
    def records(self) -> int:
        """Theorem 10's number of records, by the printed lemma 7 or by the proof, over the arm's divisor."""
        cells, queries = map(math.log, self.workload)
        n = pap_records(self.alpha, BETA, cells, queries) if self.arm.printed else self.accurate.records
        return math.ceil(n / self.arm.fewer_records)

    @property
    def settings(self) -> Settings:
        """Sizes, as they are shown."""
        name = "thresholds" if self.thresholds else "intervals"
        settings: Settings = {
            "class": name,
            "distribution": self.distribution_name,
            "alpha": self.alpha,
            "beta": BETA,
            "arm": self.arm.name,
        }
        settings |= {"epsilon": BUDGET.epsilon, "delta": BUDGET.delta}
        return settings | {"n_public": self.public, "n_private": self.records}


PRINTED = Arm("printed", control=False)
THIN = Arm("m / 4", fewer=4)
STILL = Arm("no updates", "still")
BOOK = Arm("the book's PMW at the printed n, target alpha/4", "book", control=False)
REPAIRED = Arm("repaired", printed=False, control=False)
LESS = Arm("n / 8", printed=False, fewer_records=8)
UNNOTICED = (Arm("n / 4", printed=False, fewer_records=4), Arm("m / 2", printed=False, fewer=2))
BELOW = "L5, atom just below the threshold"
SCALES = 2.5
"""How far the atom's mass is below the threshold, in scales of the noise of a comparison."""
HARD = [*DISTRIBUTIONS, BELOW]
ATOMIC = [distribution for distribution in DISTRIBUTIONS if distribution != FREE]


def printed_cells() -> list[Cell]:
    """Return the cells of T10: six distributions at two alphas, with controls, and those for the record."""
    cells = []
    for alpha in ALPHAS[:2]:
        cells += [Cell(distribution, alpha, PRINTED, TRIALS) for distribution in HARD]
        cells += [Cell(FREE, alpha, THIN, CONTROL)]
        cells += [Cell(distribution, alpha, STILL, CONTROL) for distribution in ATOMIC]
        cells += [Cell(distribution, alpha, BOOK, RECORDED, False) for distribution in HARD]
    return cells + [
        Cell(distribution, alpha, PRINTED, RECORDED, False) for alpha in ALPHAS[2:] for distribution in HARD
    ]


def repaired_cells() -> list[Cell]:
    """Return the cells of T10-repaired: six distributions at two alphas, intervals at a third, controls, records."""
    cells = []
    for alpha in ALPHAS[::2]:
        cells += [Cell(distribution, alpha, REPAIRED, TRIALS) for distribution in HARD]
        cells += [Cell(distribution, alpha, LESS, CONTROL) for distribution in (LOW, MIDDLE)]
        cells += [Cell(distribution, alpha, arm, RECORDED, False) for distribution in (FREE, LOW) for arm in UNNOTICED]
    return cells + [Cell(distribution, 0.4, REPAIRED, TRIALS, True, Intervals()) for distribution in (FREE, LOW, BELOW)]


# ---------------------------------------------------------------------------------------------------- runs
@dataclass(frozen=True)
class Run:
    """Errors over the whole class, for labels -1 and 1: of A_PAP and of public means alone; and PMW's updates."""

    error: float
    alone: float
    updates: float


def run(cell: Cell, randomness: Simulation) -> Run:
    """Draw public points and counts of records, and release."""
    sample: Known = known(cell.distribution, cell.public, randomness.spawn("public").generator, cell.functions)
    counts = sample.counts(cell.records, randomness.spawn("records").generator)
    fitted = cell.method.fit(sample.workload, counts, BUDGET, randomness.spawn("draw"))
    updates = fitted.cost.get("updates", 0.0)
    return Run(sample.error(fitted.answers), sample.error(sample.public_means), updates)


def measure(table: Table, cells: Sequence[Cell]) -> None:
    """Add the rows of all cells: the gate first, then what is recorded."""
    level = GATE_LEVEL / sum(cell.judged for cell in cells)
    for cell in track(cells, "cells"):
        trials, settings = max(1, int(cell.trials * table.effort)), cell.settings
        stream = table.randomness.spawn(str(settings["class"]), cell.distribution_name, repr(cell.alpha), cell.arm.name)
        runs = [run(cell, stream.spawn(trial)) for trial in track(range(trials), "trials")]
        over = sum(run.error > cell.alpha for run in runs)
        if cell.judged:
            rule = table.exceeding if cell.arm.control else table.at_most
            rule(FAILURES, settings, frequency(over, trials, level), BETA, trials)
        else:
            table.recorded(FAILURES, settings, frequency(over, trials, 0.05), BETA, trials)
        table.recorded(WORST, settings, max(run.error for run in runs) / cell.alpha, 1.0, trials)
        mean = mean_interval([run.error / cell.alpha for run in runs])
        table.recorded("error over all thresholds / alpha, mean", settings, mean, 1.0, trials)
        table.recorded("updates, mean", settings, mean_interval([run.updates for run in runs]), None, trials)
        if cell.arm is PRINTED:
            alone = sum(run.alone > cell.alpha for run in runs)
            table.recorded(ALONE, settings, frequency(alone, trials, 0.05), BETA, trials)


def span(values: Sequence[float]) -> str:
    """Return the least and the largest value."""
    ends = f"{min(values):.2g}", f"{max(values):.2g}"
    return ends[0] if min(values) == max(values) else " to ".join(ends)


def misses(table: Table, arm: Arm) -> str:
    """Return the least and the largest share of failures of an arm."""
    return span(table.values(FAILURES, arm=arm.name))


def reason(table: Table, verdict: Verdict, arm: Arm) -> str:
    """Say what was run, how near the worst run came, and which controls failed to miss alpha."""
    worst = largest(table(WORST, arm=arm.name))
    return (
        f"proved for every distribution; run on all atomless distributions at once (L0), four with atoms and an atom "
        f"just below PMW's threshold: worst run {worst.measured.value:.2f} alpha ({worst.settings['distribution']}, "
        f"alpha = {worst.settings['alpha']})"
    ) + without_power(table, verdict, "{arm}, {distribution}, alpha = {alpha}")


# ---------------------------------------------------------------------------------------------------- study
@claim(
    "BCM20-T10",
    "A_PAP with our PMW on thresholds, epsilon = 1, delta = 1e-6, multinomial counts; error over all thresholds; least "
    "m for an alpha/4-cover, printed n(alpha/2, beta/2)",
    shown=honest_or_failed,
    constants="repaired: PMW with constants of a proof; public points: the exact least number",
    stream="printed, proof",
)
def theorem_10(table: Table) -> Callable[[Verdict], str]:
    """Measure P[error > alpha], at most beta in every cell, and above beta in every control."""
    measure(table, printed_cells())
    for alpha in ALPHAS[:2]:  # public means alone, without atoms: exact, twice the Kolmogorov-Smirnov distance
        m = cover_points_exact(alpha, BETA)
        settings: Settings = {"class": "thresholds", "distribution": FREE, "alpha": alpha, "beta": BETA, "n_public": m}
        table.exceeding(ALONE, settings | {"arm": "public means"}, 1 - kolmogorov_distribution(m, alpha / 2), BETA)
    return lambda verdict: reason(table, verdict, PRINTED) + beside(table)


def beside(table: Table) -> str:
    """Say how the book's PMW does, and public means where A_PAP is judged and where it is not."""
    alone = [f"{span(table.values(ALONE, arm=PRINTED.name, alpha=a))} at alpha = {a:g}" for a in ALPHAS]
    return (
        f". The book's PMW at the same sizes misses alpha in {misses(table, BOOK)} of the runs of a cell, for the "
        f"record. Public means on the same public points miss it in {', '.join(alone)}, by distribution: from .2 on "
        "they meet (alpha, beta) themselves. MWEM's 20 cells, some of them worse than public means, are in "
        "BCM20-T10-public"
    )


@claim(
    "BCM20-T10-repaired",
    "A_PAP with our PMW on thresholds and intervals, epsilon = 1, delta = 1e-6, multinomial counts; error over the "
    "class; the number of records of the proof, which the planner prints",
    shown=honest_or_failed,
    constants="repaired: PMW and number of records of a proof",
    stream="repaired, proof",
)
def theorem_10_repaired(table: Table) -> Callable[[Verdict], str]:
    """Measure the same with as many records as the proof needs."""
    measure(table, repaired_cells())
    weak = " and ".join(f"{arm.name} in {misses(table, arm)}" for arm in UNNOTICED)
    return lambda verdict: (
        reason(table, verdict, REPAIRED)
        + (
            f"; at an eighth of the records alpha is missed in {misses(table, LESS)} of the runs of a cell. Smaller "
            f"sizes are hardly noticed on these distributions: {weak}"
        )
    )
