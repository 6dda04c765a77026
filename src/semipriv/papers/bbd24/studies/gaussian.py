"""RRSPM with normal weights: the paper's scale is not private for every class, four others are (BBD24, theorem 4).

Public points and data sets are fixed, the class has all labelings of m public points, and the private record tells
whether the labeling is in the Hamming code (``bounds/bbd24/hamming``).  Records that all functions label alike may be
added: they add the same to every labeling, so that the law of the choice stays, whatever n is.
"""

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, Verdict, frequency
from semipriv.papers.bbd24.bounds.hamming import NormalWeights, hamming, paper_scale
from semipriv.papers.bbd24.perturbation.gaussian_weights import closed_scale, union_scale, width_scale
from semipriv.papers.bbd24.random_walks import Step, chosen_law
from semipriv.papers.bbd24.studies._line import neighbours
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    equals,
    exceeding,
    gates,
    largest,
    recorded,
)

CLAIMS = ("BBD24-T4-gaussian", "BBD24-T4-gaussian-rate", "BBD24-T4-gaussian-safe")
SECONDS = 3
FIGURE = "gaussian_weights"

EPSILON = 1.0
DELTA = 1e-5
VIOLATION = "P'(A) - e^epsilon P(A), a lower bound of the least delta"
LARGEST = "largest C that m points refute"
SAFE = "least delta of one Hamming code, an upper bound"
RUNS = 20_000
union = cache(union_scale)


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BBD24-T4-gaussian, BBD24-T4-gaussian-rate and BBD24-T4-gaussian-safe."""
    return {
        "BBD24-T4-gaussian": _refuted(randomness.spawn("codes").generator, max(2, round(RUNS * effort))),
        "BBD24-T4-gaussian-rate": _rate(),
        "BBD24-T4-gaussian-safe": _safe(),
    }


# ---------------------------------------------------------------------------------------------------- the paper's scale
CONSTANTS = ((1.0, DELTA), (2.0, DELTA), (5.0, DELTA), (10.0, DELTA), (20.0, DELTA), (50.0, DELTA))
LARGE = ((100.0, 1e-6), (1000.0, 1e-8))
"""Values of C with a delta; at 1e-5, the bound on one and two flips of bits does not reach them."""
PADDED = ((31, 4), (127, 16), (1023, 100))
"""Size of the code, and how many times as many public points there are: all functions label the others alike."""
PLANNED = 15
"""Points of the deciding cell, set beforehand; fewer do, too."""
SIZES = tuple(2**k - 1 for k in range(2, 25))


def least_points(constant: float, delta: float) -> int:
    """Return the least m = 2^k - 1 at which the paper's scale is seen to violate (epsilon, delta)-DP; 0 for none."""
    return next((m for m in SIZES if _violation(m, constant, delta) > delta), 0)


def largest_constant(points: int, delta: float) -> float:
    """Return the largest C, to a part of 1e-9, at which m points are seen to violate (epsilon, delta)-DP."""
    low, high = 0.0, 1e6
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _violation(points, middle, delta) > delta else (low, middle)
    return low


def _violation(points: int, constant: float, delta: float, copies: int = 1) -> float:
    scale = paper_scale(copies * points, EPSILON, delta, constant)
    return hamming(points, NormalWeights(scale)).violation(EPSILON)


def refuting(where: Settings, violation: float, delta: float) -> Measurement:
    """Return an exact lower bound of the least delta, which refutes the claim if it is above the claim's delta."""
    verdict = Verdict.REFUTED if violation > delta else Verdict.INCONCLUSIVE
    return Measurement(VIOLATION, where, Interval.exact(violation), delta, 0, verdict)


def _refuted(generator: np.random.Generator, runs: int) -> Finding:
    rows, tamed = [], []
    least = [(c, delta, least_points(c, delta)) for c, delta in (*CONSTANTS, *LARGE)]
    for constant, delta, m in ((1.0, DELTA, PLANNED), *least):
        where: Settings = {"C": constant, "delta": delta, "m": m, "d": m}
        rows.append(refuting(where, _violation(m, constant, delta), delta))
        tamed += list(_tame(m, delta, safe=_scales(m, delta)))
    for d, copies in PADDED:
        where = {"C": 1.0, "delta": DELTA, "m": copies * d, "d": d}
        rows.append(refuting(where, _violation(d, 1.0, DELTA, copies), DELTA))
        tamed += list(_tame(d, DELTA, safe=_scales(d, DELTA, copies), copies=copies))
    first, simulated = rows[0], list(_simulated(generator, runs))
    shown = [
        recorded(f"{VIOLATION}, by m", {"C": c, "delta": delta, "m": m}, _violation(m, c, delta), delta)
        for c, delta in CONSTANTS
        for m in SIZES
    ]
    most = largest_constant(PLANNED, DELTA)
    cell: Settings = {"C": 1.0, "delta": DELTA, "m": PLANNED}
    beside = [
        recorded(LARGEST, {"delta": DELTA, "m": PLANNED}, most),
        recorded(f"{VIOLATION}, the paper's scale as variance", cell, _variance(), DELTA),
    ]
    refuted = all(row.verdict is Verdict.REFUTED for row in rows)
    honest = all(row.verdict is Verdict.HOLDS for row in tamed)
    return conclude(
        "closed form of the Hamming code, with fixed public points and data sets; beside it runs of one of them",
        [*rows, *tamed, *simulated, *shown, *beside],
        deciding=first,
        verdict=None if refuted and honest else Verdict.INCONCLUSIVE,
        reason=f"for each C looked at, up to 1000, there are a class, m of the order of d and a delta at which the "
        f"scale is not private: {first.measured.value:.4f} against delta = 1e-5 at C = 1, m = d = {PLANNED}, which "
        f"refutes C up to {most:.3f}.  delta must fall for C = 100 and 1000.  The same instances are private at scales "
        "with a proof.  Not said: that no normal noise works, or that the scale fails for m far above d^2 (open)",
    )


def _variance() -> float:
    scale = math.sqrt(paper_scale(PLANNED, EPSILON, DELTA, 1.0))
    return hamming(PLANNED, NormalWeights(scale)).violation(EPSILON)


def _scales(d: int, delta: float, copies: int = 1) -> dict[str, float]:
    """Return the scales with a proof that serve for all labelings of d points, and one labeling of all others."""
    m = copies * d
    found = {"width": width_scale(m, EPSILON, delta, math.sqrt(2 / math.pi) * d / math.sqrt(m) * (1 + 1e-9))}
    if d <= 4095:
        found["closed"] = closed_scale(m, EPSILON, delta, 2**d)
    if d <= 1023:
        found["union"] = union(m, EPSILON, delta, 2**d)
    return found


def _tame(d: int, delta: float, safe: dict[str, float], copies: int = 1) -> Iterator[Measurement]:
    """Yield the gates of controls: the instance that refutes the paper's scale is private at a scale with a proof."""
    for name, scale in safe.items():
        where: Settings = {"scale": name, "delta": delta, "m": copies * d, "d": d, "control": "yes"}
        yield at_most(SAFE, where, hamming(d, NormalWeights(scale)).delta(EPSILON), delta)


ON, OFF = "P(A), runs", "P'(A), runs"


def _simulated(generator: np.random.Generator, runs: int) -> Iterator[Measurement]:
    """Yield both chances from runs of the deciding cell, with the least over all labelings."""
    scale, level = paper_scale(PLANNED, EPSILON, DELTA, 1.0), GATE_LEVEL / 2
    found = hamming(PLANNED, NormalWeights(scale))
    on, off = won(generator.normal(0.0, scale, (runs, PLANNED)))
    where: Settings = {"C": 1.0, "delta": DELTA, "m": PLANNED, "d": PLANNED}
    yield equals(ON, where, frequency(on, runs, level), found.on, runs)
    limits = frequency(off, runs, level)
    apart = limits.high < found.off_low or limits.low > found.off_high
    narrow = limits.high - limits.low <= found.off_low / 2
    verdict = Verdict.VIOLATED if apart else Verdict.HOLDS if narrow else Verdict.INCONCLUSIVE
    where = {**where, "least": found.off_low, "most": found.off_high}
    yield Measurement(OFF, where, limits, found.off_low, runs, verdict)


def won(weights: NDArray[np.float64]) -> tuple[int, int]:
    """Return in how many of the runs the Hamming code wins on D and on D': weights (runs, m).

    Labelings with the syndrome s of the code cost at least min over sets of bits with syndrome s + s(h*) of their
    sizes |xi_i|, more than h*.  ``least`` holds that minimum for every syndrome, bit by bit.
    """
    runs, m = weights.shape
    syndromes = np.arange(m + 1)
    least = np.full((runs, m + 1), np.inf)
    least[:, 0] = 0.0
    for bit in range(m):
        least = np.minimum(least, least[:, syndromes ^ (bit + 1)] + np.abs(weights[:, [bit]]))
    own = np.bitwise_xor.reduce((weights < 0) * np.arange(1, m + 1), axis=1)
    code = least[np.arange(runs), own]
    least[np.arange(runs), own] = np.inf
    others = least.min(axis=1)
    return int((code + 1 < others).sum()), int((code < others + 1).sum())


# ---------------------------------------------------------------------------------------------------- the rate
def _rate() -> Finding:
    rows = [
        recorded("exponent of 1 / alpha, as stated", {"labels": labels}, exponent)
        for labels, exponent in (("any", 4.0), ("realizable", 2.5))
    ]
    return conclude(
        "none",
        rows,
        deciding=rows[0],
        verdict=Verdict.CITED,
        reason="sizes of an algorithm whose privacy is refuted (BBD24-T4-gaussian): they are not measured",
    )


# ---------------------------------------------------------------------------------------------------- safe scales
WIDE = math.sqrt(2 / math.pi) * (1 + 1e-9)
"""E |g| for a normal g, not less: all labelings of m points have the width sqrt(m) times it."""
SCALES: dict[str, Callable[[int], float]] = {
    "union": lambda m: union(m, EPSILON, DELTA, 2**m),
    "closed": lambda m: closed_scale(m, EPSILON, DELTA, 2**m),
    "width": lambda m: width_scale(m, EPSILON, DELTA, WIDE * math.sqrt(m)),
}
CELLS = (*((name, m) for m in (7, 15, 31, 63, 127) for name in SCALES), ("union", 1023), ("width", 1023))
LOSS = "largest |log ratio| of a labeling"
BROKEN = (("union", 7, 2.4), ("union", 127, 1.6), ("width", 1023, 1.27))
"""Scale, m, and by how much it is divided: the plan's controls."""
LINES = ((1, 2), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2))
"""Public points and private records of all data sets on the line."""
SHIFTED = (1, 2)
"""Points of the shift: a norm of 2 sqrt(2) serves all teaching sets of two points, a norm of 2 real thresholds."""
LINE = "least delta of thresholds, all data sets, teaching scale"


def line_delta(points: int, records: int, scale: float, epsilon: float) -> float:
    """Return the least delta over all pairs of neighbours on the line, with normal weights of that scale, exactly."""
    pairs = np.array(neighbours(points, records))
    one, other = chosen_law(pairs.reshape(-1, points + 1) / scale, Step.NORMAL).reshape(pairs.shape).swapaxes(0, 1)
    found = [np.maximum(p - math.exp(epsilon) * q, 0).sum(axis=1).max() for p, q in ((one, other), (other, one))]
    return float(max(found))


def _safe() -> Finding:
    rows = []
    for name, m in CELLS:
        found = hamming(m, NormalWeights(SCALES[name](m)))
        rows.append(at_most(SAFE, {"scale": name, "m": m, "delta": DELTA}, found.delta(EPSILON), DELTA))
    for points, (m, n) in product(SHIFTED, LINES):
        where: Settings = {"scale": "teaching", "points": points, "m": m, "n": n, "delta": DELTA}
        scale = union(points, EPSILON, DELTA, m + 1)
        rows.append(at_most(LINE, where, line_delta(m, n, scale, EPSILON), DELTA))
    where = {"scale": "teaching", "points": 1, "m": 3, "n": 3, "delta": DELTA, "factor": 4.0}
    missed = line_delta(3, 3, union(1, EPSILON, DELTA, 4) / 4, EPSILON)
    rows.append(exceeding(f"{LINE}, control", where, missed, DELTA))
    for name, m, factor in BROKEN:
        found = hamming(m, NormalWeights(SCALES[name](m) / factor))
        where = {"scale": name, "m": m, "delta": DELTA, "factor": factor}
        rows.append(exceeding(f"{SAFE}, control", where, found.violation(EPSILON), DELTA))
    judged = [row for row in gates(rows) if "control" not in row.settings]
    losses = [recorded(LOSS, {"scale": name, "m": m}, _loss(name, m)) for name, m in CELLS]
    return conclude(
        "Hamming code between two closed forms, and the exact law of thresholds on all small data sets",
        [*rows, *losses],
        deciding=largest(judged),
        constants="ours",
        reason="proved for every class (docs/findings.md); these instances can only fail.  Scales of the union, the "
        "closed form and the width on the code, of teaching sets on the line.  There they have room: a quarter of the "
        "scale is noticed (this factor was chosen after the laws were seen)",
    )


def _loss(name: str, m: int) -> float:
    return hamming(m, NormalWeights(SCALES[name](m))).losses()[1]
