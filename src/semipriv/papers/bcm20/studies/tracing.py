"""Claims on tracing: the attack of theorem 14 against its formula, and what a DP release allows (BCM20 section 4)."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, Verdict, mean_interval
from semipriv.papers.bcm20.releases.tracing import Floats
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
    Cell,
    Seen,
    trial,
)
from semipriv.papers.bcm20.studies._trade_off import trade_off
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    comparable,
    conclude,
    equals,
    farthest_from_bound,
    recorded,
    verdict_on,
    within,
)

CLAIMS = ("BCM20-T13-dp", "BCM20-T14", "BCM20-T14-count")
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
ALARMS = "false-positive rate, other fresh records"
ERROR = "largest error of an answer"
SPREAD = "largest less smallest true-positive rate over p and alpha"
COUNT = "(true-positive rate less false-positive rate) n alpha^2"

_Attacks = dict[tuple[str, float, float], list[Seen]]


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BCM20-T13-dp, T14 and T14-count."""
    trials = max(2, round(TRIALS * effort))
    runs: dict[int, list[_Attacks]] = {}
    every = list(product(DIMENSIONS, range(trials)))
    for p, t in track(every, "trials", work=[p for p, _ in every]):
        mine = [cell for cell in CELLS if cell.p == p]
        runs.setdefault(p, []).append(trial(mine, randomness.spawn("cells", p, t)))
    return {
        "BCM20-T13-dp": trade_off(randomness, effort),
        "BCM20-T14": _statistic(runs),
        "BCM20-T14-count": _number_traced(runs),
    }


def _by_trial(runs: Sequence[_Attacks], key: tuple[str, float, float], of: Callable[[Seen], float]) -> Floats:
    """Return a number of each trial: its mean over the data sets of the trial, (trials,)."""
    return np.array([np.mean([of(seen) for seen in run[key]]) for run in runs])


# ---------------------------------------------------------------------------------------------------- theorem 14
def _statistic(runs: dict[int, list[_Attacks]]) -> Finding:
    """Judge mean, variance and true-positive rate in each cell; the broken twins must fall below the z-score."""
    rows: list[Measurement] = []
    for cell in CELLS:
        rows += _cell(cell, runs[cell.p])
    for factor in FACTORS:
        rates = [row.measured.value for row in rows if row.quantity == TRACED and row.settings["factor"] == factor]
        rows.append(recorded(SPREAD, {"factor": factor}, max(rates) - min(rates)))
    return conclude(
        "centred score, population known, uniform noise in [-alpha, alpha]: p = 1000, 4000, alpha = .1, .2, n = f "
        "sqrt(p) / alpha, against mean 2 p / (3 n), variance p (2 alpha^2 / 9 + 8 / (15 n)) and their normal rate",
        rows,
        deciding=_shown,
        constants="ours",
        reason=_said(rows),
    )


def _cell(cell: Cell, runs: Sequence[_Attacks]) -> list[Measurement]:
    """Return the measurements of one cell."""
    trials, key = len(runs), (cell.alpha, cell.factor)
    where: Settings = {"p": cell.p, "alpha": cell.alpha, "factor": cell.factor, "n": cell.n}

    def mean(kind: str, of: Callable[[Seen], float], level: float = 0.05) -> Interval:
        return mean_interval(_by_trial(runs, (kind, *key), of), level)

    inside = mean(CENTRED, lambda seen: seen.inside, _LEVEL)
    variance = mean(CENTRED, lambda seen: seen.variance, _LEVEL)
    rate = mean(CENTRED, lambda seen: seen.flagged, _LEVEL)
    low, high = cell.rate - TOLERANCE, cell.rate + TOLERANCE
    rows = [
        equals(MEAN, where, inside, cell.mean_inside, trials),
        equals(VARIANCE, where, variance, cell.variance_outside, trials),
        within(TRACED, where, rate, low, high, cell.rate, trials),
        recorded(ALARMS, where, mean(CENTRED, lambda seen: seen.false_alarms), RATE, trials),
        recorded(ERROR, where, mean(CENTRED, lambda seen: seen.error), cell.alpha, trials),
    ]
    references: Settings = {"references": round(1 / cell.alpha**2)}
    rows.append(
        recorded(f"{TRACED}, references", where | references, mean(REFERENCES, lambda s: s.flagged), None, trials)
    )
    for twin in (UNCENTRED, DOUBLED):
        below = mean(twin, lambda seen: seen.z, _LEVEL)
        rows.append(at_most(f"z-score of the broken twin: {twin}", where, below, cell.z, trials))
    return rows


def _shown(found: Sequence[Measurement]) -> Measurement:
    """Return the gate of the joint verdict whose rate is farthest from its prediction; the first if none is a rate."""
    worst = [row for row in found if row.verdict is verdict_on(found)]
    rates = [row for row in worst if row.quantity == TRACED]
    return farthest_from_bound(rates) if rates else worst[0]


def _said(rows: Sequence[Measurement]) -> str:
    """Say what the cells are and are not, with the errors of their answers, and how far the curves are apart."""
    errors = [row for row in rows if row.quantity == ERROR]
    least, most = (pick(row.measured.value for row in errors) for pick in (min, max))
    beyond = sum(row.measured.value > (row.bound or 0.0) for row in errors)
    spread = {row.settings["factor"]: row.measured.value for row in rows if row.quantity == SPREAD}
    far = max(spread[factor] for factor in FACTORS if factor >= 1)
    known = [row for row in rows if row.quantity == TRACED and row.settings["factor"] == FACTORS[0]]
    fewer = [row for row in rows if row.quantity.endswith("references") and row.settings["factor"] == FACTORS[0]]
    shares = [", ".join(f"{row.measured.value:.2f}" for row in part) for part in (known, fewer)]
    return (
        "the statistic is as computed; this is not theorem 14: the largest error of an answer, "
        f"{least:.2f} to {most:.2f}, exceeds alpha in {beyond} of {len(errors)} cells, so these are no alpha-accurate "
        "releases; answers are not clipped, means are multiples of 2^-15; an uncentred score and doubled noise must "
        "fall below the z-score in every cell; with 1 / alpha^2 reference records in place of the population it traces "
        f"{shares[1]} in place of {shares[0]} (f = 1/4, not judged); curves in f differ by up to {far:.2f} for f >= 1, "
        f"{spread[FACTORS[0]]:.2f} at f = 1/4 (not judged); allowed: {TOLERANCE:g} about the prediction; shown: the "
        "rate farthest from it"
    )


def _number_traced(runs: dict[int, list[_Attacks]]) -> Finding:
    """Record the number traced; public means must trace no private record, which is judged."""
    rows = []
    for cell in CELLS:
        where: Settings = {"p": cell.p, "alpha": cell.alpha, "factor": cell.factor, "n": cell.n}
        key = (CENTRED, cell.alpha, cell.factor)
        more = _by_trial(runs[cell.p], key, lambda seen: seen.flagged - seen.false_alarms)
        rows.append(recorded(COUNT, where, mean_interval(cell.n * cell.alpha**2 * more), None, len(more)))
    p = DIMENSIONS[-1]
    for m in PUBLIC_SIZES:
        private, public = (
            _by_trial(runs[p], (kind, m, 0), lambda seen: seen.flagged) for kind in (PUBLIC_ONLY, PUBLIC_RECORDS)
        )
        where = {"p": p, "n_public": m}
        limits = mean_interval(private, GATE_LEVEL / len(PUBLIC_SIZES))
        rows.append(equals(f"{TRACED}, {PUBLIC_ONLY}", where, limits, EXPECTED_RATE, len(private), width=1.0))
        rows.append(recorded(f"{TRACED}, {PUBLIC_RECORDS}", where, mean_interval(public), None, len(public)))
        error = _by_trial(runs[p], (PUBLIC_ONLY, m, 0), lambda seen: seen.error)
        rows.append(recorded(f"{ERROR}, public means", where, mean_interval(error), None, len(error)))
    counts = [row for row in rows if row.quantity == COUNT]
    least, most = (pick(row.measured.value for row in counts) for pick in (min, max))
    public_rows = [row for row in rows if row.quantity == f"{TRACED}, {PUBLIC_RECORDS}"]
    shares = ", ".join(f"{row.measured.value:.2f} (m = {row.settings['n_public']})" for row in public_rows)
    control = verdict_on(rows)
    return conclude(
        "number of private records traced at 1 % false positives, less false alarms, times alpha^2: the cells of T14",
        rows,
        verdict=Verdict.VIOLATED if control is Verdict.VIOLATED else Verdict.ILLUSTRATION,
        deciding=max(counts, key=lambda row: comparable(row.measured.value)),
        constants="ours",
        reason=f"{least:.2f} to {most:.2f} over all cells: no constant, so this does not show the order 1 / alpha^2; "
        "control: public means trace no private record, at the false-positive rate; of the public records they trace "
        f"{shares}; shown: the largest",
    )
