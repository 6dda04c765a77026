"""Claims BCM20-T10-public and T10-gap: A_PAP's worst error over all thresholds, beside that of public points alone.

With private answers that are exact, the error is twice the largest gap between public points: its mean is known, as is
that of public means, twice the Kolmogorov-Smirnov distance.  With MWEM each run lies between two bounds by its gap.
All under an atomless distribution: errors have the same distribution under every one.  Under a point mass all are 0.
What the expected gap is for every m is worked out, and a claim of its own; MWEM is run.  Labels are -1 and 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semipriv.core.least import least_size
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, Verdict, loglog_slope, mean_interval
from semipriv.core.types import Floats
from semipriv.distributions.spacings import bad_probability_thresholds_float, mean_largest_gap
from semipriv.papers.bcm20.bounds.public_only import kolmogorov_mean
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.mwem import MWEM
from semipriv_lab.ledger.claim import Table, brief, claim
from semipriv_lab.ledger.findings import Measurement, Settings, largest
from semipriv_lab.papers.bcm20.studies._thresholds import DISTRIBUTIONS, FREE, known

EPSILON = 1.0
DELTA = 1e-6
BUDGET = Guarantee(EPSILON, DELTA)
BETA = 0.1
ATOMLESS = "atomless"
SIZES = (10, 30, 100, 300, 1000)
RECORDS = (1_000, 10_000, 100_000, 1_000_000)
RUNS, EXACT_RUNS = 30, 200
"""Runs of MWEM in a cell, and of each way that costs next to nothing."""

MWEM_WAY, EXACT, ALONE = "MWEM", "exact private answers", "public means"
MEAN = "mean error over all thresholds"
EXPECTED = "expected error over all thresholds"
CEILING = "error / (2 largest gap + error over the cover), largest of all runs"
MOVED = "error with projections moved one gap / (2 largest gap), least of all runs"
FORM = "expected largest gap / (ln(m) / m)"
EXPONENT = "exponent of the expected error"
SHARE = "mean error / expected error of public means"
LEAST_M = 10
LARGEST_M = 100_000
"""From and up to which E[largest gap] is compared with ln(m) / m."""
MOST_FORM = 1.2
"""What the quotient of the two must not exceed."""
ROUNDING = 1e-9
ROOT = "expected error of public means times sqrt(m)"
ROOT_OF_GAP = "control: expected error with exact private answers times sqrt(m)"
FORM_OF_MEANS = "control: expected distance of public means / (ln(m) / m)"
LEAST_ROOT, LIMIT_ROOT = 1.5, math.sqrt(2 * math.pi) * math.log(2)
"""Between which the first lies: it rises to the second, twice the mean of Kolmogorov's limit distribution."""
FALL = "mean error of MWEM at m = 300 / at m = 1000, n = 1000"
FALL_OF_EXACT = "control: expected error with exact private answers, m = 300 / m = 1000"
FLAT = 1.5
"""What the fall must not exceed where private noise dominates."""
FLOOR_RUNS = 150
"""Runs of MWEM for each end of the fall, on a stream of their own: 30 left limits too wide for the limit set before."""
_LEVEL = GATE_LEVEL / (2 * len(SIZES) + 2)


@dataclass(frozen=True)
class Run:
    """Errors of a run over all thresholds and over the cover, the largest gap, and the error of public means."""

    error: float
    cover: float
    gap: float
    alone: float


def run(m: int, n: int | None, randomness: Simulation) -> Run:
    """Draw m public points and the counts of n records, and release by MWEM; None: exact answers on the cover."""
    sample = known(DISTRIBUTIONS[FREE], m, randomness.spawn("public").generator)
    answers = sample.exact
    if n is not None:
        counts = sample.counts(n, randomness.spawn("records").generator)
        answers = MWEM().fit(sample.workload, counts, BUDGET, randomness.spawn("draw")).answers
    alone = sample.error(sample.public_means)
    return Run(sample.error(answers), sample.cover_error(answers), sample.gap, alone)


def moved(m: int, randomness: Simulation) -> float:
    """Return the error over twice the gap with exact answers, if each threshold gets that of the gap to its left."""
    sample = known(DISTRIBUTIONS[FREE], m, randomness.spawn("public").generator)
    return sample.error(shifted(sample.exact)) / (2 * sample.gap)


def shifted(answers: Floats) -> Floats:
    """Return the answers of each one's left neighbour, (M,)."""
    return np.concatenate([answers[:1], answers[:-1]])


def theorem_alpha(m: int) -> float:
    """Return the least alpha, to 1e-4, with P[largest of m gaps > alpha / 4] <= beta / 2; infinite above 1.

    >>> round(theorem_alpha(349), 3)
    0.1
    """

    def failure(step: int) -> float:
        mass = step / 40_000
        rare = (m + 1) * math.exp(m * math.log1p(-mass)) < 1  # else more than one such gap is expected
        return bad_probability_thresholds_float(m, mass) if rare else 1.0

    return least_size(failure, BETA / 2) / 10_000 if failure(9_999) <= BETA / 2 else math.inf


# ---------------------------------------------------------------------------------------------------- measurements
def inequalities(table: Table, settings: Settings, runs: Sequence[Run]) -> None:
    """Add what each run must obey: gap <= error <= 2 gap + error over the cover."""
    below = max(run.gap / run.error for run in runs)
    above = max(run.error / (2 * run.gap + run.cover) for run in runs)
    table.at_most("largest gap / error, largest of all runs", settings, below, 1.0, len(runs), rounding=ROUNDING)
    table.at_most(CEILING, settings, above, 1.0, len(runs), rounding=ROUNDING)


def without_noise(table: Table, m: int, randomness: Simulation) -> None:
    """Measure exact answers and public means against their formulas, and the moved projection."""
    level, trials = _LEVEL, max(2, int(EXACT_RUNS * table.effort))
    runs = [run(m, None, randomness.spawn(trial)) for trial in range(trials)]
    for way, exact, errors in (
        (EXACT, 2 * mean_largest_gap(m), [run.error for run in runs]),
        (ALONE, 2 * kolmogorov_mean(m), [run.alone for run in runs]),
    ):
        table.recorded(EXPECTED, {"way": way, "distribution": ATOMLESS, "n_public": m}, exact)
        table.equals(
            MEAN, {"way": way, "distribution": ATOMLESS, "n_public": m}, mean_interval(errors, level), exact, trials
        )
    least = min(moved(m, randomness.spawn("moved", trial)) for trial in range(trials))
    settings: Settings = {"way": EXACT, "distribution": ATOMLESS, "n_public": m}
    inequalities(table, settings, runs)
    table.exceeding(MOVED, settings, least, 1 + ROUNDING, trials)
    if (alpha := theorem_alpha(m)) < 1:
        table.recorded("theorem 10's alpha: its public need is m", {"n_public": m, "beta": BETA}, alpha)


def private(table: Table, m: int, n: int, randomness: Simulation) -> None:
    """Measure MWEM in a cell; the bound of its mean is that of exact answers and its error over the cover."""
    trials = max(2, int(RUNS * table.effort))
    runs = [run(m, n, randomness.spawn(trial)) for trial in range(trials)]
    settings: Settings = {"way": MWEM_WAY, "distribution": ATOMLESS, "n_public": m, "n_private": n}
    settings |= {"epsilon": EPSILON, "delta": DELTA}
    cover = mean_interval([run.cover for run in runs])
    mean = mean_interval([run.error for run in runs])
    table.recorded(MEAN, settings, mean, 2 * mean_largest_gap(m) + cover.value, trials)
    table.recorded("mean error over the cover", settings, cover, None, trials)
    table.recorded(SHARE, settings, mean.value / (2 * kolmogorov_mean(m)), 1.0, trials)
    inequalities(table, settings, runs)


def extremes() -> dict[str, tuple[int, float]]:
    """Return where E[largest gap] / (ln(m) / m) is least and largest, m = 10, ..., ``LARGEST_M``: m and the value."""
    m = np.arange(LEAST_M, LARGEST_M + 1)
    harmonic = np.cumsum(1 / np.arange(1.0, LARGEST_M + 2))[m]  # H_{m + 1}
    quotient = harmonic / (m + 1) / (np.log(m) / m)
    ends = {"least": int(np.argmin(quotient)), "largest": int(np.argmax(quotient))}
    return {end: (int(m[i]), float(quotient[i])) for end, i in ends.items()}


def means(table: Table) -> None:
    """Judge the expected error of public means times sqrt(m), with its controls."""
    for size in SIZES:
        settings: Settings = {"distribution": ATOMLESS, "n_public": size}
        root, gap, mean = math.sqrt(size), mean_largest_gap(size), kolmogorov_mean(size)
        table.within(ROOT, settings, 2 * mean * root, LEAST_ROOT, LIMIT_ROOT, LIMIT_ROOT)
        if size == SIZES[-1]:
            table.at_most(ROOT_OF_GAP, settings, 2 * gap * root, LEAST_ROOT)
            table.exceeding(FORM_OF_MEANS, settings, mean / (math.log(size) / size), MOST_FORM)


def floor(table: Table, randomness: Simulation) -> None:
    """Judge that more public points hardly help where private noise dominates."""
    trials, n = table.trials(FLOOR_RUNS), RECORDS[0]
    errors = [[run(m, n, randomness.spawn(m, trial)).error for trial in range(trials)] for m in SIZES[-2:]]
    with_few, with_many = (mean_interval(errors_of, _LEVEL) for errors_of in errors)
    fall = Interval(
        with_few.value / with_many.value, with_few.low / with_many.high, with_few.high / max(with_many.low, 1e-300)
    )
    settings: Settings = {"way": MWEM_WAY, "distribution": ATOMLESS, "n_private": n, "epsilon": EPSILON, "delta": DELTA}
    table.at_most(FALL, settings, fall, FLAT, trials)
    exact = mean_largest_gap(SIZES[-2]) / mean_largest_gap(SIZES[-1])
    table.exceeding(FALL_OF_EXACT, {"n_private": "all"}, exact, FLAT)


# ---------------------------------------------------------------------------------------------------- study
def ceiling_or_failed(rows: Sequence[Measurement]) -> Measurement:
    """Return the nearest to its bound of MWEM's gates; or, where all but a control hold, that control."""
    failed = [row for row in rows if row.quantity == MOVED and row.verdict is not Verdict.HOLDS]
    ceilings = [row for row in rows if row.quantity == CEILING and row.settings["way"] == MWEM_WAY]
    return failed[0] if failed else largest(ceilings)


@claim(
    "BCM20-T10-public",
    f"A_PAP on thresholds, an atomless distribution: exact means without private noise, and MWEM (epsilon = "
    f"{EPSILON:g}, delta = {brief(DELTA)}) "
    "in 20 cells, n = 1e3 to 1e6, m = 10 to 1000; errors over all thresholds, labels -1 and 1",
    shown=ceiling_or_failed,
    constants="explicit: gap <= error <= 2 gap + error over the cover",
)
def worst_error(table: Table) -> str:
    """Compare errors with the gap; say the order, what exponents are, and where public means are better."""
    means(table)
    gaps, alone = [mean_largest_gap(m) for m in SIZES], [kolmogorov_mean(m) for m in SIZES]
    for way, against, x, expected in (
        (EXACT, "m / ln(m)", [m / math.log(m) for m in SIZES], gaps),
        (EXACT, "m", SIZES, gaps),
        (ALONE, "m", SIZES, alone),
    ):
        table.recorded(EXPONENT, {"way": way, "against": against}, loglog_slope(x, expected))
    for m in track(SIZES, "public sizes"):
        without_noise(table, m, table.randomness.spawn("exact", m))
        for n in RECORDS:
            private(table, m, n, table.randomness.spawn("MWEM", m, n))
    floor(table, table.randomness.spawn("floor"))
    exponents, roots = table.values(EXPONENT), table.values(ROOT)
    ratios = {(row.settings["n_private"], row.settings["n_public"]): row.measured.value for row in table(SHARE)}
    worse = [f"n = {n:g}, m = {m} ({ratio:.2f})" for (n, m), ratio in ratios.items() if ratio > 1]
    (by_cover,), (by_means,) = (table.values(EXPECTED, way=way, n_public=10) for way in (EXACT, ALONE))
    return (
        "each run lies between the gap and twice the gap plus the private part, under an atomless distribution; what "
        "the gap is for every m is BCM20-T10-gap. Under a distribution with atoms gaps are smaller, and 0 for a point "
        f"mass. Public means err by {min(roots):.2f} to {max(roots):.2f} / sqrt(m) at m = 10 to 1000. With n = 1000 "
        f"private noise is a floor: from m = 300 to 1000 the mean error falls by {table.values(FALL)[0]:.2f}, with "
        f"exact answers by {table.values(FALL_OF_EXACT)[0]:.1f}. Exponents over m = 10 to 1000, exact, for the record: "
        f"{exponents[0]:.3f} in m / ln(m), {exponents[1]:.3f} in m; public means {exponents[2]:.3f} in m. MWEM's error "
        f"over that of public means is {ratios[100_000, 300]:.2f} at n = 1e5, m = 300; it is above 1 at "
        f"{'; '.join(worse) or 'no cell'}, and with exact answers at m = 10 ({by_cover:.3f} against {by_means:.3f})"
    )


@claim(
    "BCM20-T10-gap",
    "the expected largest of m + 1 uniform spacings, H_{m+1} / (m + 1), over ln(m) / m, for every m from "
    f"{LEAST_M} to {LARGEST_M:,}; the same for one point at which the distribution has all its mass",
    constants="explicit: 1 and 1.2",
)
def largest_gap(table: Table) -> str:
    """Judge the quotient where it is least and largest; a gap of a point mass, or at m = 5, must be outside."""
    quotients = extremes()
    for end, (m, quotient) in quotients.items():
        settings: Settings = {"distribution": ATOMLESS, "n_public": m, "end": end}
        table.show(table.within(FORM, settings, quotient, 1.0, MOST_FORM))
    below = LEAST_M // 2
    before = mean_largest_gap(below) / (math.log(below) / below)
    table.exceeding(f"control: {FORM}", {"distribution": ATOMLESS, "n_public": below}, before, MOST_FORM)
    table.recorded(FORM, {"distribution": "point mass", "n_public": LEAST_M}, 0.0)
    (least, low), (largest_at, high) = quotients["least"], quotients["largest"]
    return (
        f"it is {high:.3f} at m = {largest_at:,} and {low:.3f} at m = {least:,}, and in between for all others; at m = "
        f"{below} it is {before:.2f}. A_PAP with exact private answers errs by twice the gap. The distribution has no "
        "atom: under a point mass every gap has mass 0"
    )
