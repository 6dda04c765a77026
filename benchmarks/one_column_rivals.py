"""Answers on one column by methods of other people, written here from what their papers say: for ``one_dimension.py``.

They are simulations: noise is of doubles.  All protect a row against its replacement, epsilon (pure).
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.consistent_tree import ConsistentTree
from semipriv.queries.workloads import Runs

LEVELS = 4
"""Levels of halving: 2^4 - 1 quantiles, at sixteenths."""
SIXTEENTHS = np.arange(1, 2**LEVELS) / 2**LEVELS
ROBUST = 0.1
"""Share of the prior that is uniform, so that wrong public rows cost at most ln(1 / ROBUST) in the exponent."""
PARTITION = 0.25
"""Share of epsilon that chooses buckets, as in the paper."""


# ---------------------------------------------------------------------------------------------------------- quantiles
class _Prior:
    """Where a quantile is thought to be on [0, K]: a Cauchy distribution in it, and a uniform one."""

    def __init__(self, cells: int, centre: float = 0.0, scale: float = np.inf) -> None:
        """centre, scale: of the Cauchy distribution; an infinite scale: the uniform distribution alone."""
        self.cells, self.centre, self.scale = cells, centre, scale
        self.ends = self._arc(np.array([0.0, cells]))

    def _arc(self, x: Floats) -> Floats:
        return np.arctan((x - self.centre) / self.scale) / np.pi

    def below(self, x: Floats) -> Floats:
        """Return the mass below each x."""
        if np.isinf(self.scale):
            return x / self.cells
        low, high = self.ends
        return ROBUST * x / self.cells + (1 - ROBUST) * (self._arc(x) - low) / (high - low)

    def drawn(self, low: float, high: float, coins: np.random.Generator) -> float:
        """Return a number of the distribution between two numbers, by bisection of its distribution function."""
        wanted = coins.uniform(*self.below(np.array([low, high])))
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.below(np.array([middle]))[0] < wanted else (low, middle)
        return (low + high) / 2


def priors(public: Floats, cells: int) -> list[_Prior]:
    """Return a prior for each sixteenth, from sorted public points; without any the uniform distribution.

    A Cauchy distribution in the quantile of the public points; its scale is half of the distance of their quantiles one
    standard error of a rank above and below, at least half a cell.
    """
    if not len(public):
        return [_Prior(cells) for _ in SIXTEENTHS]
    error = np.sqrt(SIXTEENTHS * (1 - SIXTEENTHS) / len(public))
    low, centre, high = (np.quantile(public, np.clip(SIXTEENTHS + k * error, 0, 1)) for k in (-1, 0, 1))
    return [_Prior(cells, float(c), float(s)) for c, s in zip(centre, np.maximum((high - low) / 2, 0.5), strict=True)]


def quantiles(points: Floats, given: list[_Prior], epsilon: float, coins: np.random.Generator) -> Floats:
    """Return the sixteenths of sorted points, in order: a median, then the medians of both halves, and so on.

    Kaplan, Schnapp and Stemmer 2022 (halving) with the priors of Khodak, Amin, Dick and Vassilvitskii 2023: x has the
    density prior(x) exp(-epsilon |rank of x - half of the points| / (2 LEVELS)); the mass of a prior that lies outside
    of the interval that is left is at its ends.  The rank less half of the points moves by 1/2 if a point comes or
    goes.  A replaced point comes into one interval of a level and leaves another, or moves in one, by 1: each level
    costs epsilon / LEVELS.
    """
    answers = np.zeros(len(given))

    def halved(first: int, last: int, low: float, high: float, inside: Floats) -> None:
        if first >= last:
            return
        middle = (first + last) // 2
        ends = np.concatenate([[low], inside, [high]])
        below = given[middle].below(ends)
        mass = np.concatenate([[below[0]], np.diff(below), [1 - below[-1]]])
        rank = np.concatenate([[0], np.arange(len(inside) + 1), [len(inside)]])
        with np.errstate(divide="ignore"):
            score = np.log(np.maximum(mass, 0)) - epsilon / (2 * LEVELS) * np.abs(rank - len(inside) / 2)
        chosen = int(np.argmax(score + coins.gumbel(size=len(score))))
        if chosen in (0, len(score) - 1):
            answers[middle] = low if chosen == 0 else high
        else:
            answers[middle] = given[middle].drawn(ends[chosen - 1], ends[chosen], coins)
        place = int(np.searchsorted(inside, answers[middle]))
        halved(first, middle, low, answers[middle], inside[:place])
        halved(middle + 1, last, answers[middle], high, inside[place:])

    halved(0, len(given), 0.0, float(given[0].cells), points)
    return answers


def spread(counts: Floats, coins: np.random.Generator) -> Floats:
    """Return sorted points, each at a random place of its cell, so that no two are equal."""
    places = np.repeat(np.arange(len(counts)), counts)
    return np.sort(places + coins.random(len(places)))


def by_quantiles(counts: Floats, public: Floats, epsilon: float, seed: list[int]) -> Floats:
    """Return the shares of the first 0, ..., K cells: straight lines between private sixteenths."""
    coins, cells = np.random.default_rng(seed), len(counts)
    answers = quantiles(spread(counts, coins), priors(spread(public, coins), cells), epsilon, coins)
    knots = np.concatenate([[0.0], answers, [cells]]) + 1e-9 * np.arange(len(answers) + 2)
    return np.interp(np.arange(cells + 1), knots, np.concatenate([[0.0], SIXTEENTHS, [1.0]]))


# ------------------------------------------------------------------------------------------------------------ buckets
def buckets(counts: Floats, epsilon: float, price: float, coins: np.random.Generator) -> list[int]:
    """Return where buckets begin, and K: the partition of least noisy cost (stage one of DAWA, Li et al. 2014).

    A bucket has 1, 2, 4, ... cells, wherever it begins, and costs the sum of |count - mean| in it and ``price``, the
    error that noise will make.  A replaced row moves the cost of two buckets of a partition by at most 2 each, so that
    Laplace noise of scale 8 / epsilon on each cost hides it: the chosen partition alone is released.
    """
    cells, lengths = len(counts), []
    for power in range(int(np.log2(len(counts))) + 1):
        length = 2**power
        windows = sliding_window_view(counts.astype(float), length)
        cost = np.abs(windows - windows.mean(axis=1, keepdims=True)).sum(axis=1)
        lengths.append((length, cost + price + coins.laplace(0, 8 / epsilon, len(cost))))
    best, last = np.full(cells + 1, np.inf), np.zeros(cells + 1, int)
    best[0] = 0
    for stop in range(1, cells + 1):
        for length, cost in lengths:
            start = stop - length
            if start >= 0 and best[start] + cost[start] < best[stop]:
                best[stop], last[stop] = best[start] + cost[start], start
    starts = [cells]
    while starts[-1] > 0:
        starts.append(int(last[starts[-1]]))
    return starts[::-1]


def by_buckets(counts: Floats, epsilon: float, seed: list[int], coins: Simulation) -> Floats:
    """Return the shares of the first 0, ..., K cells: a consistent tree over buckets, spread evenly in each."""
    cells, rest = len(counts), (1 - PARTITION) * epsilon
    starts = buckets(counts, PARTITION * epsilon, 2 / rest, np.random.default_rng(seed))
    if len(starts) == 2:
        return np.linspace(0, 1, cells + 1)
    coarse = np.add.reduceat(counts, starts[:-1])
    work = Runs(len(coarse), np.zeros(len(coarse) - 1, np.int64), np.arange(1, len(coarse)))
    answers = ConsistentTree().fit(work, coarse, Guarantee(rest), coins).answers
    return np.interp(np.arange(cells + 1), starts, np.concatenate([[0.0], answers, [1.0]]))
