"""Claim BMN20-DIM: the mean excess of A_LearnHalf's draw is at most (2 / epsilon) ln|G|, of the order of d^2 ln m.

The draw's distribution makes E[mistakes] - (2 / epsilon) entropy least (Gibbs).  So its mean exceeds the least number
of mistakes by at most (2 / epsilon) entropy <= (2 / epsilon) ln|G|.  Data sets are random.  For each of them the mean
is exact, by the histogram of mistakes over all of G, and it is judged.  How it grows with the dimension d and the
number m of public points is an illustration.  The growth of ln|G| like d^2 ln m is arithmetic, up to d = 8 and a
million points.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Interval, loglog_slope, mean_interval
from semipriv.papers.bmn20.bounds.sizes import hypotheses, log_size_bound
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings, at_most, exceeding, largest, recorded, within
from semipriv_lab.papers.bmn20.studies.excess import TIGHT, tight

PUBLIC, PRIVATE, TRIALS = 10, 30, 120
SIZES = {1: (10, 30, 100, 1_000, 10_000), 2: (5, 10, 20, 40, 80), 3: (5, 7, 10)}
"""Numbers of public points by dimension."""
FEWER = 30
"""Data sets of each size in the plane and in space with other than PUBLIC public points."""
EPSILONS = (0.5, 1.0, 2.0, 4.0)
TOLD = 1.0
"""The epsilon whose means the ledger tells."""
_UNIT = 2.0**12

EXCESS = "mean number of mistakes beyond the least"
SHARE = "largest mean excess of a data set over (2 / epsilon) ln|G|"
HALVED = "control: mean excess over (2 / epsilon) ln|G|, drawn with half of epsilon"
EXPONENT = "exponent of the excess in ln|G|, d growing"
IN_M = "exponent of the excess in ln|G|, m growing"
RAW = "exponent of the excess in d"
LOG_SIZE = "ln|G| of points in general position"
IN_POINTS = "exponent of |G| in m over d^2"
IN_DIMENSION = "exponent of ln|G| in d"

ROUNDING = 1e-9
"""Relative error of the mean excess that the rounding of sums explains."""
LEVEL = 0.05
"""Error level of an exponent; the means behind it share it."""
FORMULA_DIMENSIONS = tuple(range(1, 9))
FORMULA_POINTS = (20, 100, 1_000, 10_000, 1_000_000)
FAR = (1_000, 1_000_000)
"""The two numbers of points that give the exponent of |G|."""
MOST_IN_DIMENSION = 2.0
"""d^2 ln m exceeds ln|G| by d ln(d! / 2) + ln d!; so the exponent of ln|G| nears 2 from below as m grows."""


def excesses(d: int, public: int, trials: int, randomness: Simulation) -> tuple[dict[float, list[float]], list[float]]:
    """Return E[mistakes] - min by epsilon and data set, and ln|G| by data set.

    Public zeros from N(-(1/2, ..., 1/2), I), private ones from N((1/2, ..., 1/2), I), in steps of 2^-12.
    """
    samples: dict[float, list[float]] = {epsilon: [] for epsilon in EPSILONS}
    sizes = []
    for trial in track(range(trials), "data sets"):
        generator = randomness.spawn("dimension, drawn anew", d, public, trial).generator
        zeros = np.rint((generator.standard_normal((public, d)) - 0.5) * _UNIT)
        values = np.rint((generator.standard_normal((PRIVATE, d)) + 0.5) * _UNIT)
        cover = LearnHalf(1.0).prepare(zeros, Halfspaces(d), np.zeros(public, int))
        tally = cover.tally(values, np.ones(PRIVATE, int))
        least = int(tally.histogram()[0][0])
        for epsilon in EPSILONS:
            samples[epsilon].append(tally.expected_mistakes(epsilon / 2) - least)
        sizes.append(math.log(cover.size))
    return samples, sizes


@claim(
    "BMN20-DIM",
    f"{PRIVATE} private and 5 to 10,000 public Gaussian points, d = 1, 2, 3: the draw's mean excess over the best of "
    "G, exact for each data set; sizes of G by formula to d = 8",
    constants="explicit: 2 / epsilon",
)
def excess_by_dimension(table: Table) -> str:
    """Measure each mean against its bound, its growth for the record, and ln|G| by formula."""
    means: dict[tuple[int, int, float], Interval] = {}
    logs: dict[tuple[int, int], float] = {}
    for d, public in track([(d, public) for d, sizes in SIZES.items() for public in sizes], "sizes"):
        trials = table.trials(TRIALS if d == 1 or public == PUBLIC else FEWER)
        samples, log_sizes = excesses(d, public, trials, table.randomness)
        logs[d, public] = float(np.mean(log_sizes))
        for epsilon, values in samples.items():
            mean = means[d, public, epsilon] = mean_interval(values, LEVEL / max(len(SIZES), len(SIZES[d])))
            settings: Settings = {"d": d, "n_public": public, "n_private": PRIVATE, "epsilon": epsilon}
            bound = 2 / epsilon * logs[d, public]
            table.recorded(EXCESS, settings | {"log_size": logs[d, public]}, mean, bound, trials)
            table.add([_share(values, log_sizes, settings)])
    for epsilon in EPSILONS:
        table.add(_exponents(epsilon, logs, means))
        table.add(_near(epsilon))
    table.add(_formulas())
    table.show(largest(table(SHARE)))
    return _reason(table.rows)


def _share(excess: Sequence[float], log_sizes: Sequence[float], settings: Settings) -> Measurement:
    """Measure the largest mean excess of a data set over its bound: it may not exceed 1."""
    bounds = 2 / float(settings["epsilon"]) * np.array(log_sizes)
    shares = np.array(excess) / bounds
    return at_most(SHARE, settings | {"data_sets": len(shares)}, float(shares.max()), 1.0, rounding=ROUNDING)


def _near(epsilon: float) -> Iterator[Measurement]:
    """Measure the mean excess on data made to come near the bound, and a control: a draw with half of epsilon.

    One of 2 TIGHT + 1 hypotheses is best, the others make about ``gap`` mistakes more.  The gap is that at which the
    mean of the draw is about largest.
    """
    log_size = math.log(2 * TIGHT + 1)
    for quantity, used in ((SHARE, epsilon), (HALVED, epsilon / 2)):
        data = tight(TIGHT, max(1, round(2 / used * (log_size - 1.5))))
        gaps, distribution = data.gaps[0], data.output_distribution(used)
        settings: Settings = {"d": 1, "n_public": len(data.public), "n_private": len(data.private), "epsilon": epsilon}
        share = float(distribution @ gaps) / (2 / epsilon * data.log_ratio("|G|"))
        if quantity == SHARE:
            yield at_most(SHARE, settings | {"data_sets": 1}, share, 1.0, rounding=ROUNDING)
        else:
            yield exceeding(HALVED, settings, share, 1.0)


def _exponents(
    epsilon: float, logs: dict[tuple[int, int], float], means: dict[tuple[int, int, float], Interval]
) -> Iterator[Measurement]:
    """Measure the exponents of the excess: in ln|G| and in d at PUBLIC points, and in ln|G| as the points get more."""
    settings: Settings = {"n_private": PRIVATE, "epsilon": epsilon}
    cells = [(d, PUBLIC) for d in SIZES]
    yield recorded(
        EXPONENT, settings | {"n_public": PUBLIC}, _exponent([logs[c] for c in cells], cells, epsilon, means)
    )
    yield recorded(RAW, settings | {"n_public": PUBLIC}, _exponent(list(SIZES), cells, epsilon, means))
    for d, sizes in SIZES.items():
        cells = [(d, public) for public in sizes]
        slope = _exponent([logs[c] for c in cells], cells, epsilon, means)
        yield recorded(IN_M, settings | {"d": d, "least_m": sizes[0], "greatest_m": sizes[-1]}, slope)


def _exponent(
    x: Sequence[float],
    cells: Sequence[tuple[int, int]],
    epsilon: float,
    means: dict[tuple[int, int, float], Interval],
) -> Interval:
    """Return the log-log slope of the means of some cells, with the limits that follow from theirs."""
    some = [means[*cell, epsilon] for cell in cells]
    value, low, high = ([max(getattr(mean, end), 1e-12) for mean in some] for end in ("value", "low", "high"))
    return loglog_slope(x, value, low, high)


def _formulas() -> Iterator[Measurement]:
    """Measure ln|G| beside its bound, the growth of |G| like m^(d^2), and that of ln|G| at most like d^2."""
    logs = {(d, m): math.log(hypotheses(m, d)) for d in FORMULA_DIMENSIONS for m in {*FORMULA_POINTS, *FAR}}
    for d in FORMULA_DIMENSIONS:
        for m in FORMULA_POINTS:
            bound = log_size_bound(m, d)
            settings: Settings = {"d": d, "n_public": m, "against": d**2 * math.log(m)}
            yield at_most(LOG_SIZE, settings, logs[d, m], bound)
        power = float(loglog_slope(FAR, [math.exp(logs[d, m] / d**2) for m in FAR]).value)
        yield within(IN_POINTS, {"d": d, "from": FAR[0], "to": FAR[1]}, power, 0.99, 1.01, 1.0)
    for m in FORMULA_POINTS:
        slope = loglog_slope(FORMULA_DIMENSIONS, [logs[d, m] for d in FORMULA_DIMENSIONS])
        yield at_most(IN_DIMENSION, {"n_public": m}, slope, MOST_IN_DIMENSION)


def _reason(rows: Sequence[Measurement]) -> str:
    """Say how near the means come to their bounds, and how they grow."""
    judged = [row for row in rows if row.quantity == SHARE]
    looked_at = sum(int(row.settings["data_sets"]) for row in judged) // len(EPSILONS)
    constructed = max(row.measured.value for row in judged if row.settings["data_sets"] == 1)
    halved = min(row.measured.value for row in rows if row.quantity == HALVED)
    shares = {
        (row.settings["d"], row.settings["n_public"]): row.measured.value
        for row in rows
        if row.quantity == EXCESS and row.settings["epsilon"] == TOLD
    }
    dimensions = ", ".join(f"{shares[d, PUBLIC]:.2f} at d = {d}" for d in SIZES)
    points = "; ".join(
        f"{', '.join(f'{shares[d, m]:.2f}' for m in sizes)} at m = {', '.join(f'{m:,}' for m in sizes)} (d = {d})"
        for d, sizes in SIZES.items()
    )
    in_d = _told(rows, EXPONENT, "epsilon")
    in_m = _told([row for row in rows if row.settings.get("epsilon") == TOLD], IN_M, "d")
    return (
        f"judged as an upper bound, exactly, on {looked_at} data sets, one of them made to come near it, with "
        f"{constructed:.2f} of the bound; a draw with half of epsilon, a control, has at least {halved:.2f} of it. "
        f"Growth is an illustration, mistakes at epsilon = {TOLD:g}: with d {dimensions} (m = {PUBLIC}); with m "
        f"{points}. Exponents in ln|G| with 95 % limits, d growing: {in_d}; m growing, epsilon = {TOLD:g}: {in_m}. "
        "Changed after the result was seen: only epsilon = 1, m = 10 was judged, as growth like ln|G|; "
        "drawn anew since"
    )


def _told(rows: Sequence[Measurement], quantity: str, key: str) -> str:
    """Say what the exponents are, with their limits and one of their settings."""
    return ", ".join(
        f"{row.measured.value:.2f} [{row.measured.low:.2f}, {row.measured.high:.2f}] ({key} = {row.settings[key]:g})"
        for row in rows
        if row.quantity == quantity
    )
