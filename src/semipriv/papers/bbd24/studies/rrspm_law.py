"""Exact privacy of RRSPM and of RSPM with Laplace weights (BBD24, algorithms 4 and 5), and of the teaching scale.

Laws are exact: of thresholds on all small data sets, by densities of random walks, and of all labelings of m points
with one record, in closed form (Hamming code and parity).  They depend on mistakes over the scale only.  The smallest
classes have the laws in which the scale is used up: thresholds use epsilon / m of the paper's.
"""

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Interval, Verdict
from semipriv.papers.bbd24.bounds.hamming import LaplaceWeights, hamming, parity
from semipriv.papers.bbd24.bounds.teaching import least_gain, shift, teaching_set
from semipriv.papers.bbd24.random_walks import chosen_law
from semipriv.papers.bbd24.studies._line import least_mistakes, neighbours
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    exceeding,
    gates,
    largest,
    recorded,
    within,
)

CLAIMS = ("BBD24-L6", "BBD24-L21", "BBD24-T8", "BBD24-T8-teaching", "BBD24-RSPM")
FIGURE = "teaching_scale"

EPSILONS = (1.0, 0.1, 0.01)
LINES = tuple((m, n) for m, most in ((1, 3), (2, 3), (3, 3), (4, 2)) for n in range(1, most + 1))
"""Public points and private records of all data sets on the line."""
CODES = tuple(2**k - 1 for k in range(2, 11))
PARITIES = (1, 3, 7, 127, 1023)
TWICE = 2.0
"""The broken twins of the cube divide the paper's scale by it."""
NOTICED = {1.0: 1.25, 0.1: 1.03}
"""What less of the scale theorem 8 notices, by epsilon: the plan's controls."""
LOSS = "largest |log ratio| of neighbours / epsilon"
ROUNDING = 1e-9
"""Of a loss over epsilon: propagation of densities is exact to 1e-13 and divided by .01."""


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BBD24-L6, BBD24-L21, BBD24-T8, BBD24-T8-teaching and BBD24-RSPM."""
    return {
        "BBD24-L6": _projection(),
        "BBD24-L21": _law(),
        "BBD24-T8": _canonical(),
        "BBD24-T8-teaching": _teaching(randomness.spawn("points").generator),
        "BBD24-RSPM": _identified(),
    }


# ---------------------------------------------------------------------------------------------------- laws
def paper_scale(points: int, epsilon: float) -> float:
    """Return 2 m / epsilon."""
    return 2 * points / epsilon


@cache
def line_loss(points: int, records: int, scale: float, cells: bool = True) -> tuple[float, float]:
    """Return the largest |log ratio| over all neighbours on the line, and by how much a law misses the sum of 1."""
    pairs = np.array(neighbours(points, records, cells))
    laws = chosen_law(pairs.reshape(-1, points + 1) / scale).reshape(pairs.shape)
    loss = np.abs(np.diff(np.log(laws), axis=1)).max()
    return float(loss), float(np.abs(laws.sum(axis=2) - 1).max())


def cube_losses(code: str, points: int, scale: float) -> tuple[float, float]:
    """Return bounds of the largest |log ratio| on all labelings of m points, one record."""
    return (hamming if code == "hamming" else parity)(points, LaplaceWeights(scale)).losses()


def _private(epsilons: tuple[float, ...] = EPSILONS) -> Iterator[Measurement]:
    """Yield the gates of the paper's scale: no law has a larger ratio than e^epsilon."""
    for epsilon in epsilons:
        for m, n in LINES:
            where: Settings = {"class": "thresholds", "m": m, "n": n, "epsilon": epsilon}
            loss, _ = line_loss(m, n, paper_scale(m, epsilon))
            yield at_most(LOSS, where, loss / epsilon, 1.0, rounding=ROUNDING)
        yield from _cubes(epsilon)


def _cubes(epsilon: float, codes: tuple[int, ...] = CODES) -> Iterator[Measurement]:
    for code, m in (*product(["hamming"], codes), *product(["parity"], PARITIES)):
        where: Settings = {"class": f"all labelings, {code}", "m": m, "n": 1, "epsilon": epsilon}
        loss = cube_losses(code, m, paper_scale(m, epsilon))[1]
        yield at_most(LOSS, where, loss / epsilon, 1.0, rounding=ROUNDING)


def _halved(epsilons: tuple[float, ...] = EPSILONS) -> Iterator[Measurement]:
    """Yield the gates of twins with half the scale, on the cube."""
    for epsilon, (code, m) in product(epsilons, (*product(["hamming"], CODES), *product(["parity"], PARITIES))):
        where: Settings = {"class": f"all labelings, {code}", "m": m, "epsilon": epsilon, "scale": "half"}
        loss = cube_losses(code, m, paper_scale(m, epsilon) / TWICE)[0]
        yield exceeding(f"{LOSS}, control", where, loss / epsilon, 1.0)


def _noticed() -> Iterator[Measurement]:
    """Yield the gates of twins with slightly less than the scale, on parity."""
    for epsilon, factor in NOTICED.items():
        where: Settings = {"class": "all labelings, parity", "m": 127, "epsilon": epsilon, "factor": factor}
        loss = cube_losses("parity", 127, paper_scale(127, epsilon) / factor)[0]
        yield exceeding(f"{LOSS}, control", where, loss / epsilon, 1.0)


FACTOR = "factor by which parity's scale may shrink"


def least_factor(epsilon: float) -> float:
    """Return by how much parity's scale may shrink before its loss is above epsilon: 2 ln((1 + e^epsilon)/2) / epsilon.

    >>> [round(least_factor(epsilon), 4) for epsilon in (1.0, 0.1, 0.01)]
    [1.2402, 1.025, 1.0025]
    """
    return 2 * math.log((1 + math.exp(epsilon)) / 2) / epsilon


def _factors() -> Iterator[Measurement]:
    for epsilon in EPSILONS:
        yield recorded(FACTOR, {"epsilon": epsilon}, least_factor(epsilon))


def _deciding(rows: list[Measurement]) -> Measurement:
    """Return the gate of the largest loss at epsilon = 1."""
    return largest([row for row in gates(rows) if row.quantity == LOSS and row.settings["epsilon"] == 1.0])


# ---------------------------------------------------------------------------------------------------- the paper's scale
def _projection() -> Finding:
    rows = [*_private(), *_halved(), *_factors()]
    return conclude(
        "exact laws: thresholds on all small data sets, all labelings with one record",
        rows,
        deciding=_deciding(rows),
        reason="both directions and all outcomes.  Half the scale is noticed in all cells of the cube, at epsilon = 1 "
        f"already a scale smaller by {least_factor(1.0):.2f}; thresholds use epsilon / m only, and have no power here",
    )


MISSED = "largest |sum of a law - 1|"


def _law() -> Finding:
    rows = [*_private(), *_halved()]
    for m, n in LINES:
        missed = max(line_loss(m, n, paper_scale(m, epsilon))[1] for epsilon in EPSILONS)
        rows.append(at_most(MISSED, {"m": m, "n": n}, missed, 1e-10))
    return conclude(
        "exact laws of the projection, as for BBD24-L6",
        rows,
        deciding=_deciding(rows),
        reason="the laws of thresholds add up to 1 within 1e-10, on every data set",
    )


LEAKED = "P[cut of the oracle's own function that a neighbour cannot have]"


def leaked(scale: float) -> float:
    """Return the chance of a cut under D = ((0.3, 0)) that D' = ((0.4, 0)) cannot give, public point 0.5.

    The exact minimiser's cut lies between 0.3 and 0.5, next to its own record, if the public point is taken for 1.
    """
    cuts = [Thresholds().minimise([[x], [0.5]], [0, 0], [1.0, -5.0]).parameters[0] for x in (0.3, 0.4)]
    chance = float(chosen_law(np.array([least_mistakes(((0, 0),), 1)]) / scale)[0, 0])
    return chance if cuts[0] != cuts[1] else 0.0


def _canonical() -> Finding:
    rows = [*_private(), *_noticed()]
    where: Settings = {"class": "thresholds", "m": 1, "n": 1, "epsilon": 1.0}
    rows.append(exceeding(LEAKED, where, leaked(paper_scale(1, 1.0)), 0.0))
    return conclude(
        "exact laws of the labeling of the public points, on which the canonical function alone depends",
        rows,
        deciding=_deciding(rows),
        reason=f"for an exact oracle, the canonical function of the labeling and real arithmetic.  The oracle's own "
        f"function is not private: with chance {rows[-1].measured.value:.2f} its cut is one that a neighbour cannot "
        "give.  The scale may not be divided by 1.25 at epsilon = 1, nor by 1.03 at 0.1",
    )


# ---------------------------------------------------------------------------------------------------- teaching sets
SHIFT = "largest shift to the left and to the right together"
GAIN = "least <v, h' - h>"
SIZE = "points of the largest teaching set"
WITHOUT = "share of labelings that one point fewer leaves ambiguous"
ERROR = "mean error, exact"


def line_shift(points: int, records: int) -> float:
    """Return the largest shift of two weights that the proof needs for real thresholds, over all neighbours."""
    pairs = np.array(neighbours(points, records))
    change = pairs[:, 1] - pairs[:, 0]
    worst = 0
    for sign, k in product((1, -1), range(points + 1)):
        against = np.maximum(sign * (change[:, [k]] - change), 0)
        sides = [part.max(axis=1, initial=0) for part in (against[:, :k], against[:, k + 1 :])]
        worst = max(worst, int((sides[0] + sides[1]).max()))
    return float(worst)


TAUGHT: dict[str, tuple[HypothesisClass, int | None]] = {
    "thresholds": (Thresholds(), 2),
    "signed thresholds": (DecisionStumps(1), 2),
    "intervals but the empty labeling": (Intervals(), 4),
    "stumps of 2 features": (DecisionStumps(2), 5),
    "stumps of 3 features": (DecisionStumps(3), 8),
    "planar halfspaces": (Halfspaces(2), None),
}
"""Classes, with the proved size of a teaching set; None where it is the number of sides of a cell."""


def small_enough(where: Settings, most: int, size: int) -> Measurement:
    """Return the gate of the largest teaching set found; a larger one says nothing, since others may be smaller."""
    verdict = Verdict.HOLDS if most <= size else Verdict.INCONCLUSIVE
    return Measurement(SIZE, where, Interval.exact(most), size, 0, verdict)


def _taught(name: str, m: int, points: np.ndarray) -> Iterator[Measurement]:
    """Yield the gates of the teaching sets of all labelings of some points."""
    functions, size = TAUGHT[name]
    patterns = functions.cover(points).listed().dichotomies()
    if isinstance(functions, Intervals):
        patterns = patterns[patterns.any(axis=1)]
    sets = [teaching_set(patterns, row) for row in range(len(patterns))]
    where: Settings = {"class": name, "m": m}
    gain = min(least_gain(patterns, row, shift(patterns[row], s)) for row, s in enumerate(sets))
    yield within(GAIN, where, gain, 2.0, math.inf)
    most = max(map(len, sets))
    yield recorded(SIZE, where, most) if size is None else small_enough(where, most, size)
    fewer = [least_gain(patterns, row, shift(patterns[row], s[1:])) for row, s in enumerate(sets)]
    yield exceeding(WITHOUT, {**where, "left out": 1}, float(np.mean(np.array(fewer) < 2)), 0.0)


SCALES: dict[str, Callable[[int], float]] = {
    "2 m / epsilon": lambda m: 2.0 * m,
    "4 / epsilon": lambda m: 4.0,
    "2 / epsilon": lambda m: 2.0,
}
"""Scales times epsilon: the paper's, teaching sets, and teaching sets of real thresholds."""
RECORDS = 100
TARGET = 1 / 3


def mean_error(points: int, scale: float, records: int = RECORDS) -> float:
    """Return the mean error of the chosen midpoint, exactly: n records and m points at even places, target 1/3.

    The law of the private points is uniform on [0, 1], and labels are those of the target.
    """
    places = np.arange(1, points + 1) / (points + 1)
    x = (np.arange(records) + 0.5) / records
    record = [(2 * int(np.searchsorted(places, value)), int(value >= TARGET)) for value in x]
    law = chosen_law(np.array([least_mistakes(tuple(record), points)]) / scale)[0]
    ends = np.concatenate([[0.0], places, [1.0]])
    chosen = (ends[:-1] + ends[1:]) / 2
    chosen[[0, -1]] = 0.0, 1.0
    return float(law @ np.abs(chosen - TARGET))


def _teaching(generator: np.random.Generator) -> Finding:
    rows: list[Measurement] = []
    for epsilon, (m, n) in product(EPSILONS, LINES):
        where: Settings = {"class": "thresholds", "m": m, "n": n, "epsilon": epsilon, "scale": "2 / epsilon"}
        rows.append(at_most(LOSS, where, line_loss(m, n, 2 / epsilon)[0] / epsilon, 1.0, rounding=ROUNDING))
        loss = line_loss(m, n, 4 / epsilon)[0] / epsilon
        rows.append(at_most(LOSS, {**where, "scale": "4 / epsilon"}, loss, 1.0, rounding=ROUNDING))
        if n >= 2:
            control = {**where, "factor": 1 / 0.99}
            rows.append(exceeding(f"{LOSS}, control", control, line_loss(m, n, 0.99 * 2 / epsilon)[0] / epsilon, 1.0))
    rows += [at_most(SHIFT, {"m": m, "n": n}, line_shift(m, n), 2.0) for m, n in LINES]
    for name, (functions, _) in TAUGHT.items():
        for m in (3, 6, 12):
            rows += _taught(name, m, generator.random((m, functions.dimension)))
    for name, m in product(SCALES, (1, 2, 4, 8, 16)):
        where = {"scale": name, "m": m, "n": RECORDS, "epsilon": 1.0}
        rows.append(recorded(ERROR, where, mean_error(m, SCALES[name](m))))
    two = [row for row in gates(rows) if row.settings.get("scale") == "2 / epsilon" and row.quantity == LOSS]
    errors = {row.settings["scale"]: row.measured.value for row in rows if _shown(row)}
    return conclude(
        "exact laws of thresholds on all small data sets, and teaching sets of all labelings of random points",
        rows,
        deciding=_deciding(two),
        constants="ours",
        reason="exact on these, the proof goes beyond (docs/findings.md).  2 / epsilon is for real thresholds, and two "
        "records use it up; other classes have 2 TD / epsilon.  At 16 public points, 100 records and epsilon = 1 the "
        f"mean error is {errors['2 / epsilon']:.3f} in place of {errors['2 m / epsilon']:.3f}",
    )


def _shown(row: Measurement) -> bool:
    return row.quantity == ERROR and row.settings["m"] == 16


# ---------------------------------------------------------------------------------------------------- algorithm 5
def _identified() -> Finding:
    """Judge algorithm 5: the public points are the domain, so that the function itself is its labeling."""
    rows: list[Measurement] = []
    for epsilon in EPSILONS:
        rows += _cubes(epsilon, codes=())
        for size, n in LINES:
            where: Settings = {"class": "thresholds on a grid", "m": size, "n": n, "epsilon": epsilon}
            loss = line_loss(size, n, paper_scale(size, epsilon), cells=False)[0]
            rows.append(at_most(LOSS, where, loss / epsilon, 1.0, rounding=ROUNDING))
    rows += [*_noticed(), *_factors()]
    return conclude(
        "exact laws with the whole domain as public points: parity, and thresholds on grids of up to 4 points",
        rows,
        deciding=_deciding(rows),
        reason="the minimiser itself is returned: two functions never agree on the whole domain",
    )
