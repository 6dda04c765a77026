"""Claim BMN20-DIM: the excess of A_LearnHalf's draw grows with the dimension like ln|G|, and ln|G| like d^2 ln m.

The mean excess of the draw over the best of G is exact for each data set, by the histogram of mistakes over all of G;
data sets are drawn at random.  That ln|G| grows like d^2 ln m is arithmetic, up to d = 8 and a million points.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from semipriv.bounds.bmn20.sizes import excess_mean, hypotheses, log_size_bound
from semipriv.classes.halfspaces import Halfspaces
from semipriv.learners.learn_half import LearnHalf
from semipriv.ledger.findings import Finding, Measurement, Settings
from semipriv.progress import track
from semipriv.randomness import Simulation
from semipriv.statistics import (
    GATE_LEVEL,
    Interval,
    Verdict,
    joint_verdict,
    loglog_slope,
    mean_interval,
    upper_bound_verdict,
    within_verdict,
)

CLAIMS = ("BMN20-DIM",)
FIGURE = "mixture_dimension"

CLAIM = "BMN20-DIM"
PUBLIC, PRIVATE, TRIALS = 10, 30, 120
DIMENSIONS = (1, 2, 3)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
JUDGED = 1.0
FEWEST = 12
"""Data sets below which Student's limits of their mean are not relied on."""
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
"""Ours.  A ratio of excess to ln|G| that varies by less than MOST_SPREAD, judged beside, leaves about 1 -+ 0.44."""
MOST_SPREAD = 2.0
_GATES = 2 * len(DIMENSIONS) + 1
_LEVEL = GATE_LEVEL / _GATES
FORMULA_DIMENSIONS = tuple(range(1, 9))
FORMULA_POINTS = (20, 100, 1_000, 10_000, 1_000_000)
FAR = (1_000, 1_000_000)
"""Points between which the exponent of |G| is taken."""
IN_DIMENSION_ALLOWED = (1.8, 2.0)
"""At the most points; d ln(d! / 2) + ln d! of d^2 ln m is missing, which vanishes as m grows, and slowly."""


def excesses(d: int, public: int, trials: int, randomness: Simulation) -> tuple[dict[float, list[float]], list[float]]:
    """E[mistakes] - min by epsilon and data set, and ln|G| by data set.

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
    """BMN20-DIM: the exponent of the excess in ln|G| by dimension, and of ln|G| in d and m by formula."""
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
            verdict = _careful(upper_bound_verdict(mean, bound), trials) if epsilon == JUDGED else None
            rows.append(Measurement(EXCESS, _where(d, PUBLIC, epsilon, logs[-1]), mean, bound, trials, verdict))
            rows.append(_above(found[epsilon], sizes, _where(d, PUBLIC, epsilon, logs[-1])))
    for epsilon in EPSILONS:
        rows += _rates(epsilon, logs, means[epsilon], trials)
    for d, public in track(OTHERS, "sizes"):
        some = max(2, round(trials / 4))
        found, sizes = excesses(d, public, some, randomness)
        log = float(np.mean(sizes))
        where = _where(d, public, JUDGED, log)
        rows.append(Measurement(EXCESS, where, mean_interval(found[JUDGED], _LEVEL), 2 / JUDGED * log, some))
        rows.append(_above(found[JUDGED], sizes, where))
    rows += _formulas()
    verdict = joint_verdict([row.verdict for row in rows if row.verdict is not None])
    deciding = next(row for row in rows if row.quantity == EXPONENT and row.verdict is not None)
    said = f"allowed: [{ALLOWED[0]:g}, {ALLOWED[1]:g}] at epsilon = 1; {_said(rows)}"
    if verdict is Verdict.INCONCLUSIVE:
        said += f"; too little: {trials} data sets a dimension"
    return {
        CLAIM: Finding(
            "10 public and 30 private Gaussian points, d = 1, 2, 3, the draw's excess over the best of G, exact for "
            "each data set; sizes of G by formula to d = 8",
            verdict,
            deciding,
            tuple(rows),
            reason=said,
        )
    }


def _where(d: int, public: int, epsilon: float, log_size: float) -> Settings:
    return {"d": d, "n_public": public, "n_private": PRIVATE, "epsilon": epsilon, "log_size": log_size}


def _careful(verdict: Verdict, trials: int) -> Verdict:
    """No limit of few values decides that a claim holds."""
    return Verdict.INCONCLUSIVE if verdict is Verdict.HOLDS and trials < FEWEST else verdict


def _above(excess: Sequence[float], log_sizes: Sequence[float], where: Settings) -> Measurement:
    """The bound on the mean holds for each data set, to the rounding of sums."""
    epsilon = float(where["epsilon"])
    bounds = [excess_mean(log_size, epsilon) for log_size in log_sizes]
    above = Interval.exact(sum(e > b * (1 + 1e-9) for e, b in zip(excess, bounds, strict=True)))
    return Measurement(ABOVE, where | {"data_sets": len(bounds)}, above, 0.0, 0, upper_bound_verdict(above, 0))


def _rates(epsilon: float, logs: list[float], means: list[Interval], trials: int) -> Iterator[Measurement]:
    """How the excess grows: from one dimension to the next, beside ln|G|, with its exponent in ln|G| and in d."""
    judged = epsilon == JUDGED
    where: Settings = {"n_public": PUBLIC, "n_private": PRIVATE, "epsilon": epsilon}
    for d, low, high in zip(DIMENSIONS[1:], means, means[1:], strict=False):
        growth = _ratio(high, low)
        verdict = _careful(within_verdict(growth, 1.0, math.inf), trials) if judged else None
        yield Measurement(GROWTH, where | {"d": d}, growth, None, trials, verdict)
    shares = [_scaled(mean, epsilon / (2 * log)) for mean, log in zip(means, logs, strict=True)]
    spread = _spread(shares)
    verdict = _careful(upper_bound_verdict(spread, MOST_SPREAD), trials) if judged else None
    yield Measurement(SPREAD, where, spread, MOST_SPREAD, trials, verdict)
    ends = [[max(getattr(mean, end), 1e-12) for mean in means] for end in ("value", "low", "high")]
    slope = loglog_slope(logs, *ends)
    verdict = _careful(within_verdict(slope, *ALLOWED), trials) if judged else None
    yield Measurement(EXPONENT, where, slope, 1.0, trials, verdict)
    yield Measurement(RAW, where, loglog_slope(DIMENSIONS, *ends), None, trials)


def _ratio(one: Interval, other: Interval) -> Interval:
    """One over the other; a lower limit below 0 is no limit."""
    high = one.high / other.low if other.low > 0 else math.inf
    return Interval(one.value / other.value, max(one.low, 0) / other.high, high)


def _scaled(mean: Interval, factor: float) -> Interval:
    return Interval(mean.value * factor, mean.low * factor, mean.high * factor)


def _spread(shares: Sequence[Interval]) -> Interval:
    """Largest over least, with the limits that follow from theirs."""
    least = min(share.low for share in shares)
    return Interval(
        max(share.value for share in shares) / min(share.value for share in shares),
        max(1.0, max(share.low for share in shares) / min(share.high for share in shares)),
        max(share.high for share in shares) / least if least > 0 else math.inf,
    )


def _formulas() -> Iterator[Measurement]:
    """ln|G| below its bound; |G| grows like m^(d^2), and ln|G| like d^2 but for terms without m."""
    logs = {(d, m): math.log(hypotheses(m, d)) for d in FORMULA_DIMENSIONS for m in {*FORMULA_POINTS, *FAR}}
    for d in FORMULA_DIMENSIONS:
        for m in FORMULA_POINTS:
            bound = log_size_bound(m, d)
            size = Interval.exact(logs[d, m])
            where: Settings = {"d": d, "n_public": m, "against": d**2 * math.log(m)}
            yield Measurement(LOG_SIZE, where, size, bound, 0, upper_bound_verdict(size, bound))
        power = Interval.exact(float(loglog_slope(FAR, [math.exp(logs[d, m] / d**2) for m in FAR]).value))
        where = {"d": d, "from": FAR[0], "to": FAR[1]}
        yield Measurement(IN_POINTS, where, power, 1.0, 0, within_verdict(power, 0.99, 1.01))
    for m in FORMULA_POINTS:
        slope = loglog_slope(FORMULA_DIMENSIONS, [logs[d, m] for d in FORMULA_DIMENSIONS])
        verdict = within_verdict(slope, *IN_DIMENSION_ALLOWED) if m == FORMULA_POINTS[-1] else None
        yield Measurement(IN_DIMENSION, {"n_public": m}, slope, 2.0, 0, verdict)


def _said(rows: Sequence[Measurement]) -> str:
    """The excess by dimension, in words."""
    judged = [row for row in rows if row.quantity == EXCESS and row.verdict is not None]
    parts = [f"{row.measured.value:.3g} of at most {row.bound:.3g} for d = {row.settings['d']}" for row in judged]
    others = [
        f"{row.measured.value:.2f} at epsilon = {row.settings['epsilon']}"
        for row in rows
        if row.quantity == EXPONENT and row.verdict is None
    ]
    return f"mistakes beyond the least {', '.join(parts)}; exponents for the record {', '.join(others)}"
