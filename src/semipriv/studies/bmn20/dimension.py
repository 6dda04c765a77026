"""Claim BMN20-DIM: the excess of A_LearnHalf's draw grows with the dimension like ln|G|, and ln|G| like d^2 ln m.

Data sets are random.  For each of them the mean excess of the draw over the best of G is exact, by the histogram of
mistakes over all of G.  The growth of ln|G| like d^2 ln m is arithmetic, up to d = 8 and a million points.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from semipriv.bounds.bmn20.sizes import excess_mean, hypotheses, log_size_bound
from semipriv.classes.halfspaces import Halfspaces
from semipriv.learners.learn_half import LearnHalf
from semipriv.ledger.findings import Finding, Measurement, Settings, at_most, conclude, gates, recorded, within
from semipriv.progress import track
from semipriv.randomness import Simulation
from semipriv.statistics import GATE_LEVEL, Interval, Verdict, loglog_slope, mean_interval

CLAIMS = ("BMN20-DIM",)
FIGURE = "mixture_dimension"

CLAIM = "BMN20-DIM"
PUBLIC, PRIVATE, TRIALS = 10, 30, 120
DIMENSIONS = (1, 2, 3)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
JUDGED = 1.0
FEWEST = 12
"""With fewer data sets Student's limits of their mean are not relied on."""
OTHERS = ((1, 30), (1, 100), (1, 1000), (2, 5), (2, 20), (2, 40), (3, 5), (3, 7))
"""Dimensions and public points measured for the record."""
_UNIT = 2.0**12

EXCESS = "mean number of mistakes beyond the least"
ABOVE = "data sets with a mean beyond (2 / epsilon) (ln|G| + 1)"
GROWTH = "excess over that of one dimension less"
SPREAD = "largest over least excess / ((2 / epsilon) ln|G|)"
EXPONENT = "exponent of the excess in ln|G|"
RAW = "exponent of the excess in d"
LOG_SIZE = "ln|G| of points in general position"
IN_POINTS = "exponent of |G| in m over d^2"
IN_DIMENSION = "exponent of ln|G| in d"

ALLOWED = (0.75, 1.25)
"""Ours.  The ratio of excess to ln|G| is judged beside: if it varies by less than MOST_SPREAD, about 1 -+ 0.44 is left.
"""
MOST_SPREAD = 2.0
_GATES = 2 * len(DIMENSIONS) + 1
_LEVEL = GATE_LEVEL / _GATES
FORMULA_DIMENSIONS = tuple(range(1, 9))
FORMULA_POINTS = (20, 100, 1_000, 10_000, 1_000_000)
FAR = (1_000, 1_000_000)
"""The two numbers of points that give the exponent of |G|."""
IN_DIMENSION_ALLOWED = (1.8, 2.0)
"""Allowed at the most points.  d^2 ln m exceeds ln|G| by d ln(d! / 2) + ln d!; that share of it falls slowly with m."""


def excesses(d: int, public: int, trials: int, randomness: Simulation) -> tuple[dict[float, list[float]], list[float]]:
    """Return E[mistakes] - min by epsilon and data set, and ln|G| by data set.

    Public zeros from N(-(1/2, ..., 1/2), I), private ones from N((1/2, ..., 1/2), I), in steps of 2^-12.
    """
    found: dict[float, list[float]] = {epsilon: [] for epsilon in EPSILONS}
    sizes = []
    for trial in track(range(trials), "data sets"):
        generator = randomness.spawn("dimension", d, public, trial).generator
        zeros = np.rint((generator.standard_normal((public, d)) - 0.5) * _UNIT)
        ones = np.rint((generator.standard_normal((PRIVATE, d)) + 0.5) * _UNIT)
        cover = LearnHalf(1.0).prepare(zeros, Halfspaces(d), np.zeros(public, int))
        tally = cover.tally(ones, np.ones(PRIVATE, int))
        least = int(tally.histogram()[0][0])
        for epsilon in EPSILONS:
            found[epsilon].append(tally.expected_mistakes(epsilon / 2) - least)
        sizes.append(math.log(cover.size))
    return found, sizes


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BMN20-DIM: the exponent of the excess in ln|G|, and of ln|G| in d and m by formula."""
    trials = max(2, round(TRIALS * effort))
    rows: list[Measurement] = []
    means: dict[float, list[Interval]] = {epsilon: [] for epsilon in EPSILONS}
    logs = []
    for d in track(DIMENSIONS, "dimensions"):
        found, sizes = excesses(d, PUBLIC, trials, randomness)
        logs.append(float(np.mean(sizes)))
        for epsilon in EPSILONS:
            mean = mean_interval(found[epsilon], _LEVEL)
            means[epsilon].append(mean)
            bound = 2 / epsilon * logs[-1]
            where = _where(d, PUBLIC, epsilon, logs[-1])
            rows.append(at_most(EXCESS, where, mean, bound, trials, fewest=FEWEST, judged=epsilon == JUDGED))
            rows.append(_above(found[epsilon], sizes, where))
    for epsilon in EPSILONS:
        rows += _rates(epsilon, logs, means[epsilon], trials)
    for d, public in track(OTHERS, "sizes"):
        some = max(2, round(trials / 4))
        found, sizes = excesses(d, public, some, randomness)
        log = float(np.mean(sizes))
        where = _where(d, public, JUDGED, log)
        rows.append(recorded(EXCESS, where, mean_interval(found[JUDGED], _LEVEL), 2 / JUDGED * log, some))
        rows.append(_above(found[JUDGED], sizes, where))
    rows += _formulas()
    said = f"allowed: [{ALLOWED[0]:g}, {ALLOWED[1]:g}] at epsilon = 1; {_said(rows)}"
    too_little = f"; too little: {trials} data sets a dimension"
    return {
        CLAIM: conclude(
            "10 public and 30 private Gaussian points, d = 1, 2, 3, the draw's excess over the best of G, exact for "
            "each data set; sizes of G by formula to d = 8",
            rows,
            deciding=next(row for row in gates(rows) if row.quantity == EXPONENT),
            reason=lambda verdict: said + (too_little if verdict is Verdict.INCONCLUSIVE else ""),
        )
    }


def _where(d: int, public: int, epsilon: float, log_size: float) -> Settings:
    return {"d": d, "n_public": public, "n_private": PRIVATE, "epsilon": epsilon, "log_size": log_size}


def _above(excess: Sequence[float], log_sizes: Sequence[float], where: Settings) -> Measurement:
    """Count the data sets whose mean exceeds its bound, up to the rounding of sums: there must be none."""
    epsilon = float(where["epsilon"])
    bounds = [excess_mean(log_size, epsilon) for log_size in log_sizes]
    above = sum(e > b * (1 + 1e-9) for e, b in zip(excess, bounds, strict=True))
    return at_most(ABOVE, where | {"data_sets": len(bounds)}, above, 0.0)


def _rates(epsilon: float, logs: list[float], means: list[Interval], trials: int) -> Iterator[Measurement]:
    """Measure how the excess grows: from one dimension to the next, beside ln|G|, and its exponents in ln|G| and d."""
    judged = epsilon == JUDGED
    where: Settings = {"n_public": PUBLIC, "n_private": PRIVATE, "epsilon": epsilon}
    for d, low, high in zip(DIMENSIONS[1:], means, means[1:], strict=False):
        growth = _ratio(high, low)
        yield within(GROWTH, where | {"d": d}, growth, 1.0, math.inf, None, trials, fewest=FEWEST, judged=judged)
    shares = [_scaled(mean, epsilon / (2 * log)) for mean, log in zip(means, logs, strict=True)]
    spread = _spread(shares)
    yield at_most(SPREAD, where, spread, MOST_SPREAD, trials, fewest=FEWEST, judged=judged)
    ends = [[max(getattr(mean, end), 1e-12) for mean in means] for end in ("value", "low", "high")]
    slope = loglog_slope(logs, *ends)
    yield within(EXPONENT, where, slope, *ALLOWED, 1.0, trials, fewest=FEWEST, judged=judged)
    yield recorded(RAW, where, loglog_slope(DIMENSIONS, *ends), None, trials)


def _ratio(one: Interval, other: Interval) -> Interval:
    """Return one over the other; a lower limit below 0 is no limit."""
    high = one.high / other.low if other.low > 0 else math.inf
    return Interval(one.value / other.value, max(one.low, 0) / other.high, high)


def _scaled(mean: Interval, factor: float) -> Interval:
    return Interval(mean.value * factor, mean.low * factor, mean.high * factor)


def _spread(shares: Sequence[Interval]) -> Interval:
    """Return the largest over the least, with the limits that follow from theirs."""
    least = min(share.low for share in shares)
    return Interval(
        max(share.value for share in shares) / min(share.value for share in shares),
        max(1.0, max(share.low for share in shares) / min(share.high for share in shares)),
        max(share.high for share in shares) / least if least > 0 else math.inf,
    )


def _formulas() -> Iterator[Measurement]:
    """Measure ln|G| beside its bound, the growth of |G| like m^(d^2), and that of ln|G| like d^2 for many points."""
    logs = {(d, m): math.log(hypotheses(m, d)) for d in FORMULA_DIMENSIONS for m in {*FORMULA_POINTS, *FAR}}
    for d in FORMULA_DIMENSIONS:
        for m in FORMULA_POINTS:
            bound = log_size_bound(m, d)
            where: Settings = {"d": d, "n_public": m, "against": d**2 * math.log(m)}
            yield at_most(LOG_SIZE, where, logs[d, m], bound)
        power = float(loglog_slope(FAR, [math.exp(logs[d, m] / d**2) for m in FAR]).value)
        yield within(IN_POINTS, {"d": d, "from": FAR[0], "to": FAR[1]}, power, 0.99, 1.01, 1.0)
    for m in FORMULA_POINTS:
        slope = loglog_slope(FORMULA_DIMENSIONS, [logs[d, m] for d in FORMULA_DIMENSIONS])
        judged = m == FORMULA_POINTS[-1]
        yield within(IN_DIMENSION, {"n_public": m}, slope, *IN_DIMENSION_ALLOWED, 2.0, judged=judged)


def _said(rows: Sequence[Measurement]) -> str:
    """Say how large the excess is in each dimension."""
    judged = [row for row in gates(rows) if row.quantity == EXCESS]
    parts = [f"{row.measured.value:.3g} of at most {row.bound:.3g} for d = {row.settings['d']}" for row in judged]
    others = [
        f"{row.measured.value:.2f} at epsilon = {row.settings['epsilon']}"
        for row in rows
        if row.quantity == EXPONENT and row.verdict is None
    ]
    return f"mistakes beyond the least {', '.join(parts)}; exponents for the record {', '.join(others)}"
