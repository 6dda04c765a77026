"""Claim BNS15-C3.4, an illustration: how the need of a noisy tree grows with b, and that of the cited recursion."""

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict, loglog_slope
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.papers.bns15.queries.sanitizers._quantiles import middle_ranks, noise, quantiles
from semipriv.papers.bns15.queries.sanitizers._rec_concave import Rank, levels
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.quasi_concave import HALF, QuasiConcave, chooser
from semipriv.papers.bns15.queries.sanitizers.tree import Tree
from semipriv.papers.bns15.studies._fixed_data import entries, failure
from semipriv.report.ledger.findings import Finding, Measurement, Settings, conclude, recorded

CLAIMS = ("BNS15-C3.4",)
SECONDS = 15

EPSILON, ALPHA, BETA, SIZE = 1.0, 0.2, 0.1, 5
BITS = (8, 16, 32, 60)
LAWS = ("POWER", "CORNER")
MEDIAN_BITS = (5, 8, 16, 32, 33, 48, 60)
"""RecConcave goes down 0, 1 and 2 levels there."""
DELTA = 1e-6
STEP = 1.25
"""Sizes tried are multiples of it."""
TRIALS = 60

Off = Callable[[list[int], int, Simulation], bool]

NEED = "private points needed, noisy tree, on a grid"
MEDIAN = "private points needed for a median, RecConcave, on a grid"
MEDIAN_TREE = "private points needed for a median, noisy tree, on a grid"
LEVEL = "largest need of a median with so many levels over that with one less"
WITHIN = "largest need of a median over least, among the b of one level"
PURE = "P[some prefix is off by alpha or more], net mechanism, at the tree's need"
EXPONENT = "exponent in b, noisy tree"
LABELS = "labels that the learner's size asks for"


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Illustrate BNS15-C3.4."""
    trials = max(4, round(TRIALS * effort))
    rows, slopes = [], []
    for law in track(LAWS, "laws"):
        needs = [_need(law, bits, trials, randomness.spawn(law, bits), _off) for bits in BITS]
        for bits, n in zip(BITS, needs, strict=True):
            where: Settings = {"law": law, "bits": bits, "released": SIZE, "alpha": ALPHA, "theorem": Tree.theorem}
            rows.append(recorded(NEED, where, n, trials=trials))
            whole = 5 * round(n / 5)
            rows.append(recorded(PURE, {**where, "n_unlabelled": whole}, _pure(law, bits, whole)))
        slopes.append(recorded(EXPONENT, {"law": law}, loglog_slope(BITS, needs), 1.5))
    for bits in BITS:
        made = GenericLearner(EPSILON, Net(), ALPHA, BETA)
        rows.append(recorded(LABELS, {"bits": bits}, made.labelled_needed(DiscreteThresholds(bits))))
    medians, steps = _medians(trials, randomness.spawn("median"))
    within = max(row.measured.value for row in steps if row.quantity == WITHIN)
    ratios = " and ".join(f"{row.measured.value:.1f}" for row in steps if row.quantity == LEVEL)
    told = ", ".join(f"{row.measured.value:.2f} ({row.settings['law']})" for row in slopes)
    finding = conclude(
        f"noisy tree on fixed data, k = {SIZE}, alpha = {ALPHA}, epsilon = 1: least size on a grid of factor {STEP}",
        [*rows, *slopes, *medians, *steps],
        deciding=slopes[0],
        constants="ours",
        verdict=Verdict.ILLUSTRATION,
        reason="the tree is a substitute, pure: its size is of order b^1.5 with a logarithm; measured exponents from "
        f"b = 8 to 60: {told}. The cited sanitizer with approximate privacy needs 8^(log* b), of which there are three "
        "values here: no rate. Its recursion is run for one quantile, the median, with delta = 1e-6: going down 1 and "
        f"2 levels in place of one less multiplies its largest need by {ratios}; among the b of one level and law it "
        f"changes by a factor of at most {within:.1f}. For k points each gets epsilon / k. Labels do not see b, by "
        "construction",
    )
    return {"BNS15-C3.4": finding}


def _pure(law: str, bits: int, n: int) -> float:
    return failure(law, bits, n, SIZE, ALPHA, Fraction(1, 2))


def _medians(trials: int, randomness: Simulation) -> tuple[list[Measurement], list[Measurement]]:
    """Record the needs of a median, and how the largest one of each level compares with that of the level before."""
    rows: list[Measurement] = []
    needs: dict[tuple[int, str], list[int]] = {}
    for law, bits in track(list(itertools.product(LAWS, MEDIAN_BITS)), "medians"):
        where: Settings = {"law": law, "bits": bits, "released": 1, "alpha": ALPHA}
        depth = levels(2**bits)
        own: Settings = {"levels": depth, "delta": DELTA, "theorem": QuasiConcave.theorem}
        need = _need(law, bits, trials, randomness.spawn(law, bits), _median_off)
        needs.setdefault((depth, law), []).append(need)
        rows.append(recorded(MEDIAN, where | own, need, trials=trials))
        need = _need(law, bits, trials, randomness.spawn("tree", law, bits), _tree_median_off)
        rows.append(recorded(MEDIAN_TREE, where | {"theorem": Tree.theorem}, need, trials=trials))
    largest = [max(max(found) for (depth, _), found in needs.items() if depth == i) for i in range(3)]
    steps = [recorded(LEVEL, {"levels": i}, largest[i] / largest[i - 1], 8.0) for i in (1, 2)]
    steps += [
        recorded(WITHIN, {"levels": depth, "law": law}, max(found) / min(found))
        for (depth, law), found in needs.items()
        if depth
    ]
    return rows, steps


def _need(law: str, bits: int, trials: int, randomness: Simulation, off: Off) -> int:
    """Return the first size of the grid at which at most a share of BETA of the runs is off by ALPHA or more."""
    n = 20.0
    while True:
        size = round(n)
        data = entries(law, bits, size, ALPHA)
        runs = (off(data, bits, randomness.spawn(size, i)) for i in range(trials))
        if sum(runs) <= BETA * trials:
            return size
        n *= STEP


def _off(data: list[int], bits: int, randomness: Simulation) -> bool:
    """Return whether some prefix of the released points is off by ALPHA or more."""
    noises = noise(bits, Fraction(EPSILON))
    found = np.array(quantiles(data, bits, middle_ranks(len(data), SIZE), noises, randomness), np.int64)
    x = np.array(data, np.int64)
    cuts = np.unique(np.concatenate([x, found])) + 1
    gap = np.searchsorted(x, cuts) / len(data) - np.searchsorted(found, cuts) / SIZE
    return bool(np.abs(gap).max() >= ALPHA)


def _median_off(data: list[int], bits: int, randomness: Simulation) -> bool:
    """Return whether the median by RecConcave is off by a share of ALPHA or more, or is none."""
    promise = max(2, int(ALPHA * len(data) / HALF))
    quality = Rank(tuple(data), bits, -(-len(data) // 2), promise)
    found = chooser(bits, 1, EPSILON, DELTA).choose(quality, promise, HALF, randomness)
    return found is None or _far(data, found)


def _tree_median_off(data: list[int], bits: int, randomness: Simulation) -> bool:
    """Return whether the median by the noisy tree is off by a share of ALPHA or more."""
    found = quantiles(data, bits, [-(-len(data) // 2)], noise(bits, Fraction(EPSILON)), randomness)
    return _far(data, found[0])


def _far(data: list[int], found: int) -> bool:
    """Return whether the share below a point is more than 1/2 + ALPHA, or that up to it less than 1/2 - ALPHA."""
    below, up_to = np.searchsorted(data, found), np.searchsorted(data, found, side="right")
    return bool(below >= (0.5 + ALPHA) * len(data) or up_to <= (0.5 - ALPHA) * len(data))
