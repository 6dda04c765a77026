"""Steps of the privacy proof of RRSPM (BBD24 algorithm 4, lemmas 17 to 20): deterministic, on classes of the package.

The objective is q(h) + <xi, h> over the labelings h of the distinct public points, q(h) the least mistakes of the
functions that label them by h.
"""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.types import Bools, Floats, Integers
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, largest
from semipriv_lab.papers.bbd24.studies._line import neighbours

DRAWS = 10_000
MANY = 100_000


# ---------------------------------------------------------------------------------------------------- lemma 17
CLASSES: dict[str, HypothesisClass] = {
    "thresholds": Thresholds(),
    "signed thresholds": DecisionStumps(1),
    "intervals": Intervals(),
    "stumps of 3 features": DecisionStumps(3),
    "rectangles": Rectangles(2),
    "planar halfspaces": Halfspaces(2),
}


def least_distance(patterns: Bools) -> int:
    """Return the least number of places in which two rows of (k, m) differ."""
    rows = patterns.astype(np.int64)
    positives = rows.sum(axis=1)
    distance = positives[:, None] + positives - 2 * rows @ rows.T
    return int(distance[~np.eye(len(rows), dtype=bool)].min())


@claim("BBD24-L17", "all labelings of random public points, one of them twice and merged, six classes", stream="points")
def different(table: Table) -> str:
    """Check that projected functions differ on the public points."""
    generator = table.randomness.generator
    for (name, functions), m in product(CLASSES.items(), (1, 3, 8)):
        points = generator.random((m, functions.dimension))
        merged = np.unique(np.concatenate([points, points[:1]]), axis=0)
        least = least_distance(functions.cover(merged).listed().dichotomies())
        quantity = "least number of public points on which two projected functions differ"
        table.within(quantity, {"class": name, "m": m}, least, 1, math.inf)
    table.show(table.rows[0])
    doubled = np.array([[0, 0, 1], [0, 1, 1], [0, 1, 1]], bool)
    settings: Settings = {"class": "two functions kept that agree on all points", "m": 3}
    alike = 1.0 - least_distance(doubled)
    table.exceeding("pairs of projected functions that do not differ", settings, alike, 0.0)
    return "a definition: the projection has one function for each labeling of the distinct public points"


# ---------------------------------------------------------------------------------------------------- lemma 18
@dataclass(frozen=True)
class Pairs:
    """Labelings (k, m) and pairs of least mistakes of neighbours, (r, 2, k)."""

    name: str
    patterns: Bools
    mistakes: Integers


def _cube(m: int) -> Pairs:
    """Return all labelings, and one record that tells parity, a single bit, or membership in random halves."""
    patterns = ((np.arange(2**m)[:, None] >> np.arange(m)) & 1).astype(bool)
    parity = patterns.sum(axis=1) % 2
    predicted = np.array([parity, patterns[:, 0], patterns[:, :2].any(axis=1)], np.int64)
    pairs = np.stack([predicted, 1 - predicted], axis=1)
    return Pairs(f"all labelings of {m} points", patterns, np.concatenate([pairs, pairs[:, ::-1]]))


def _line(m: int, n: int) -> Pairs:
    pairs = np.array(neighbours(m, n))
    patterns = np.arange(m) >= np.arange(m + 1)[:, None]
    return Pairs(f"thresholds on {m} points, {n} records", patterns, np.concatenate([pairs, pairs[:, ::-1]]))


def _hard_line(m: int) -> Pairs:
    """Return thresholds with all vectors of 0 and 1 against their complements, and one cut against all others."""
    patterns = np.arange(m) >= np.arange(m + 1)[:, None]
    predicted = ((np.arange(2 ** (m + 1))[:, None] >> np.arange(m + 1)) & 1).astype(np.int64)
    return Pairs(f"thresholds on {m} points, any mistakes", patterns, np.stack([predicted, 1 - predicted], axis=1))


def _intervals(m: int) -> Pairs:
    """Return intervals with one record at each place, of either label against the other."""
    patterns = Intervals().cover(np.arange(float(m))[:, None]).listed().dichotomies()
    predicted = patterns.T.astype(np.int64)
    pairs = np.stack([predicted, 1 - predicted], axis=1)
    return Pairs(f"intervals on {m} points", patterns, np.concatenate([pairs, pairs[:, ::-1]]))


CHANGED = "share of draws in which the winner changes under the shifted noise"


def winner_changes(pairs: Pairs, draws: int, size: float, generator: np.random.Generator) -> float:
    """Return in which share of the draws the winner on D does not win on D' under xi + v; |v_i| = size."""
    m = pairs.patterns.shape[1]
    weights = generator.laplace(0.0, 1.0, (draws, m))
    of = generator.integers(len(pairs.mistakes), size=draws)
    positives = pairs.patterns.T.astype(float)
    before, after = pairs.mistakes[of, 0], pairs.mistakes[of, 1]
    won = (weights @ positives + before).argmin(axis=1)
    shifted = weights + np.where(pairs.patterns[won], -size, size)
    return float(np.mean((shifted @ positives + after).argmin(axis=1) != won))


@claim(
    "BBD24-L18", f"{DRAWS:,} draws of noise for each class, neighbours drawn among all or hard pairs", stream="shifts"
)
def kept(table: Table) -> str:
    """Check that the winner stays under shifts of the noise by 2, and not by 1."""
    cases = (
        *(_cube(m) for m in range(1, 7)),
        *(_line(m, n) for m, n in ((1, 3), (2, 3), (3, 2), (4, 2))),
        _hard_line(8),
        _intervals(4),
        _intervals(8),
    )
    draws, generator = max(50, round(DRAWS * min(table.effort, 1))), table.randomness.generator
    for case in cases:
        changes = winner_changes(case, draws, 2.0, generator)
        table.at_most(CHANGED, {"class": case.name, "shift": 2.0}, changes, 0.0)
    table.show(table.rows[0])
    for case in (_cube(6), _hard_line(8)):
        changes = winner_changes(case, draws, 1.0, generator)
        table.exceeding(f"{CHANGED}, control", {"class": case.name, "shift": 1.0}, changes, 0.0)
    return (
        "the statement is deterministic: no draw fails it; with shifts of 1 instead of 2 some do.  The lemma "
        "asks nothing of the "
        "distribution of the noise: weights here have scale 1, so that all labelings win"
    )


# ---------------------------------------------------------------------------------------------------- lemma 19
RATIO = "largest |log density ratio| of the shifted noise / epsilon"


def density_ratio(points: int, epsilon: float, size: float) -> float:
    """Return the largest |log ratio| of the densities of m weights of scale 2 m / epsilon at xi and at xi + v.

    |xi_i + size| - |xi_i| is largest, size, for xi_i >= 0, and least, -size, for xi_i <= -size; it is linear between.
    """
    corners = np.array([-2 * size, -size, -size / 2, 0.0, size])
    change = np.abs(np.abs(corners + size) - np.abs(corners)).max()
    return float(points * change / (2 * points / epsilon))


@claim(
    "BBD24-L19",
    "closed form: the ratio is piecewise linear in each weight, and largest at a corner",
    shown=lambda gates: largest([row for row in gates if row.quantity == RATIO]),
)
def ratio(table: Table) -> str:
    """Compare density ratios of shifted noise with e^epsilon."""
    for m, epsilon in product((1, 15, 1000), (1.0, 0.1)):
        settings = {"m": m, "epsilon": epsilon, "shift": 2.0}
        table.at_most(RATIO, settings, density_ratio(m, epsilon, 2.0) / epsilon, 1.0, rounding=1e-12)
        ratio_at_control = density_ratio(m, epsilon, 2.01) / epsilon
        table.exceeding(f"{RATIO}, control", settings | {"shift": 2.01}, ratio_at_control, 1.0)
    return "attained wherever all weights are shifted away from 0"


# ---------------------------------------------------------------------------------------------------- lemma 20
TIED = "share of draws with a tie"


def gaps(patterns: Bools, mistakes: Integers, weights: Floats) -> Floats:
    """Return the gap between the least and the second value of q + <xi, h>: (k, m), (k,), (draws, m) -> (draws,)."""
    values = np.partition(weights @ patterns.T.astype(float) + mistakes, 1, axis=1)
    return np.asarray(values[:, 1] - values[:, 0])


@claim("BBD24-L20", f"{MANY:,} draws of noise for each class", stream="ties")
def unique(table: Table) -> str:
    """Count ties of drawn noise."""
    draws, generator = max(100, round(MANY * min(table.effort, 1))), table.randomness.generator
    for case in (_cube(5), _line(4, 2), _intervals(6)):
        weights = generator.laplace(0.0, 2.0 * case.patterns.shape[1], (draws, case.patterns.shape[1]))
        apart = gaps(case.patterns, case.mistakes[0, 0], weights)
        table.at_most(TIED, {"class": case.name}, float(np.mean(apart == 0)), 0.0)
        table.recorded("least gap between the best and the second labeling", {"class": case.name}, float(apart.min()))
    table.show(table.rows[0])
    doubled = FiniteClass([[0, 0, 1], [0, 0, 1]]).cover(np.arange(3.0)[:, None])
    twice = np.repeat(doubled.listed().dichotomies()[:1], 2, axis=0)
    tied = float(np.mean(gaps(twice, np.zeros(2, np.int64), generator.laplace(size=(100, 3))) == 0))
    table.exceeding(f"{TIED}, control", {"class": "a labeling listed twice"}, tied, 0.0)
    return (
        "probability 0 is the proof's: <xi, h - h'> has a density for labelings that differ.  Draws only show "
        "that no two doubles were equal"
    )
