"""Claims on tracing: the attack of theorem 14 against its formula, and what a DP release allows (BCM20 section 4)."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, Verdict, mean_interval
from semipriv.core.types import Floats
from semipriv.papers.bcm20.studies._attacks import (
    CENTRED,
    DOUBLED,
    EXPECTED_RATE,
    PUBLIC_ONLY,
    PUBLIC_RECORDS,
    PUBLIC_SIZES,
    RATE,
    REFERENCES,
    UNCENTRED,
    Attacks,
    Cell,
    Seen,
    trial,
)
from semipriv.papers.bcm20.studies._trade_off import trade_off
from semipriv.report.ledger.claim import Table, claim
from semipriv.report.ledger.findings import Measurement, Settings, farthest_from_bound, largest, verdict_on

FIGURE = "tracing"
SECONDS = 17

TRIALS = 20
DIMENSIONS = (1000, 4000)
ALPHAS = (0.1, 0.2)
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
CELLS = tuple(Cell(*one) for one in product(DIMENSIONS, ALPHAS, FACTORS))
TOLERANCE = 0.06
"""Largest distance of the true-positive rate from its prediction, which takes scores as normal."""
_LEVEL = GATE_LEVEL / (5 * len(CELLS))
"""Two-sided error level of a gate of T14: mean, variance and rate, and two broken twins."""

MEAN, VARIANCE = "mean score of private records", "variance of fresh scores"
TRACED = "true-positive rate at 1 % false positives"
BY_REFERENCES = f"{TRACED}, references"
ERROR = "largest error of an answer"
COUNT = "(true-positive rate less false-positive rate) n alpha^2"

Runs = dict[int, list[Attacks]]
"""The attacks of each trial, by p."""


def attack(randomness: Simulation, effort: float) -> Runs:
    """Attack all cells in each trial."""
    runs: Runs = {p: [] for p in DIMENSIONS}
    every = list(product(DIMENSIONS, range(max(2, round(TRIALS * effort)))))
    for p, t in track(every, "trials", work=[p for p, _ in every]):
        runs[p].append(trial([cell for cell in CELLS if cell.p == p], randomness.spawn("cells", p, t)))
    return runs


def by_trial(runs: Sequence[Attacks], key: tuple[str, float, float], of: Callable[[Seen], float]) -> Floats:
    """Return a number of each trial: its mean over the data sets of the trial, (trials,)."""
    return np.array([np.mean([of(seen) for seen in run[key]]) for run in runs])


# ---------------------------------------------------------------------------------------------------- theorem 13
@claim(
    "BCM20-T13-dp",
    "Gaussian release of p means at epsilon = 1, delta = 1 / (4 n): its exact delta(1) for every n from 11 to 1e5, "
    "and the law of the noise drawn; the tracing attack on A_PAP's answers to 6 and 12 stumps",
)
def allowed_by_privacy(table: Table) -> str:
    """Judge what differential privacy allows every attack."""
    return trade_off(table)


# ---------------------------------------------------------------------------------------------------- theorem 14
def rate_of_worst(found: Sequence[Measurement]) -> Measurement:
    """Return the gate of the joint verdict whose rate is farthest from its prediction; the first if none is a rate."""
    worst = [row for row in found if row.verdict is verdict_on(found)]
    rates = [row for row in worst if row.quantity == TRACED]
    return farthest_from_bound(rates) if rates else worst[0]


def in_cell(table: Table, cell: Cell) -> None:
    """Judge mean, variance and true-positive rate of a cell; the broken twins must fall below the z-score."""
    runs = table.once(attack)[cell.p]
    trials, where = len(runs), cell.settings

    def mean(kind: str, of: Callable[[Seen], float], level: float = 0.05) -> Interval:
        return mean_interval(by_trial(runs, (kind, cell.alpha, cell.factor), of), level)

    table.equals(MEAN, where, mean(CENTRED, lambda seen: seen.inside, _LEVEL), cell.mean_inside, trials)
    table.equals(VARIANCE, where, mean(CENTRED, lambda seen: seen.variance, _LEVEL), cell.variance_outside, trials)
    rate, low, high = mean(CENTRED, lambda seen: seen.flagged, _LEVEL), cell.rate - TOLERANCE, cell.rate + TOLERANCE
    table.within(TRACED, where, rate, low, high, cell.rate, trials)
    alarms = mean(CENTRED, lambda seen: seen.false_alarms)
    table.recorded("false-positive rate, other fresh records", where, alarms, RATE, trials)
    table.recorded(ERROR, where, mean(CENTRED, lambda seen: seen.error), cell.alpha, trials)
    fewer = where | {"references": round(1 / cell.alpha**2)}
    table.recorded(BY_REFERENCES, fewer, mean(REFERENCES, lambda seen: seen.flagged), None, trials)
    for twin in (UNCENTRED, DOUBLED):
        below = mean(twin, lambda seen: seen.z, _LEVEL)
        table.at_most(f"z-score of the broken twin: {twin}", where, below, cell.z, trials)


@claim(
    "BCM20-T14",
    "centred score, population known, uniform noise in [-alpha, alpha]: p = 1000, 4000, alpha = .1, .2, n = f "
    "sqrt(p) / alpha, against mean 2 p / (3 n), variance p (2 alpha^2 / 9 + 8 / (15 n)) and their normal rate",
    shown=rate_of_worst,
    constants="ours",
)
def statistic(table: Table) -> str:
    """Judge all cells, and record how far the curves in the factor are apart."""
    for cell in CELLS:
        in_cell(table, cell)
    spread = {}
    for factor in FACTORS:
        rates = table.values(TRACED, factor=factor)
        spread[factor] = max(rates) - min(rates)
        quantity = "largest less smallest true-positive rate over p and alpha"
        table.recorded(quantity, {"factor": factor}, spread[factor])
    errors = table.values(ERROR)
    beyond = sum(row.measured.value > (row.bound or 0.0) for row in table(ERROR))
    far = max(spread[factor] for factor in FACTORS if factor >= 1)
    known, fewer_known = (
        ", ".join(f"{rate:.2f}" for rate in table.values(quantity, factor=FACTORS[0]))
        for quantity in (TRACED, BY_REFERENCES)
    )
    return (
        "the statistic is as computed; this is not theorem 14: the largest error of an answer, "
        f"{min(errors):.2f} to {max(errors):.2f}, exceeds alpha in {beyond} of {len(errors)} cells, so these are no "
        "alpha-accurate releases; answers are not clipped, means are multiples of 2^-15; an uncentred score and "
        "doubled noise must fall below the z-score in every cell; with 1 / alpha^2 reference records in place of the "
        f"population it traces {fewer_known} in place of {known} (f = 1/4, not judged); curves in f differ by up to "
        f"{far:.2f} for f >= 1, {spread[FACTORS[0]]:.2f} at f = 1/4 (not judged); allowed: {TOLERANCE:g} about the "
        "prediction; shown: the rate farthest from it"
    )


@claim(
    "BCM20-T14-count",
    "number of private records traced at 1 % false positives, less false alarms, times alpha^2: the cells of T14",
    constants="ours",
    verdict=lambda control: Verdict.VIOLATED if control is Verdict.VIOLATED else Verdict.ILLUSTRATION,
)
def number_traced(table: Table) -> str:
    """Record the number traced; public means must trace no private record, which is judged."""
    runs = table.once(attack)
    for cell in CELLS:
        key = (CENTRED, cell.alpha, cell.factor)
        more = by_trial(runs[cell.p], key, lambda seen: seen.flagged - seen.false_alarms)
        table.recorded(COUNT, cell.settings, mean_interval(cell.n * cell.alpha**2 * more), None, len(more))
    p, shares = DIMENSIONS[-1], []
    for m in PUBLIC_SIZES:
        private, public = (
            by_trial(runs[p], (kind, m, 0), lambda seen: seen.flagged) for kind in (PUBLIC_ONLY, PUBLIC_RECORDS)
        )
        where: Settings = {"p": p, "n_public": m}
        limits = mean_interval(private, GATE_LEVEL / len(PUBLIC_SIZES))
        table.equals(f"{TRACED}, {PUBLIC_ONLY}", where, limits, EXPECTED_RATE, len(private), width=1.0)
        share = table.recorded(f"{TRACED}, {PUBLIC_RECORDS}", where, mean_interval(public), None, len(public))
        shares.append(f"{share.measured.value:.2f} (m = {m})")
        error = by_trial(runs[p], (PUBLIC_ONLY, m, 0), lambda seen: seen.error)
        table.recorded(f"{ERROR}, public means", where, mean_interval(error), None, len(error))
    table.show(largest(table(COUNT)))
    counts = table.values(COUNT)
    return (
        f"{min(counts):.2f} to {max(counts):.2f} over all cells: no constant, so this does not show the order "
        "1 / alpha^2; control: public means trace no private record, at the false-positive rate; of the public records "
        f"they trace {', '.join(shares)}; shown: the largest"
    )
