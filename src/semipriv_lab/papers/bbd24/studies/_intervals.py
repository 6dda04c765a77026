"""RRSPM with Laplace weights over intervals of the line, simulated by the examples whose label is flipped."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.core.types import Floats, Integers

LEFT, RIGHT = 0.3, 0.7
"""Ends of the target."""
NOISE = 0.1
"""Chance that a label is flipped."""


def excesses(m: int, n: int, scale: float, trials: int, generator: np.random.Generator) -> Floats:
    """Return the excess error of RRSPM in independent trials, (trials,): m public, n private uniform points."""
    return np.array([_excess(np.sort(generator.random(m)), n, scale, generator) for _ in range(trials)])


def _excess(public: Floats, n: int, scale: float, generator: np.random.Generator) -> float:
    """Return the excess error of one release.

    Let S be the sum of the costs of the first private points, where a point costs 1 if it should be 0, else -1; X that
    of the public weights.  An interval that starts in gap i and ends in gap j > i costs min_j S + X_j - max_i S - X_i.
    """
    walk = draw_walk(public, n, generator)
    summed = np.concatenate([[0.0], np.cumsum(generator.laplace(scale=scale, size=len(public)))])
    opening, closing = walk.highest + summed, walk.lowest + summed
    costs = closing[1:] - np.maximum.accumulate(opening)[:-1]
    last = int(np.argmin(costs))
    first = int(np.argmax(opening[: last + 1]))
    if costs[last] >= -walk.widest and costs[last] >= -walk.deepest():  # one inside a gap, 0 on all points, is as good
        return (1 - 2 * NOISE) * (RIGHT - LEFT)
    ends = np.concatenate([[0.0], (public[1:] + public[:-1]) / 2, [1.0]])
    low, high = ends[first], ends[last + 1]
    shared = max(0.0, min(high, RIGHT) - max(low, LEFT))
    return float((1 - 2 * NOISE) * (high - low + RIGHT - LEFT - 2 * shared))


@dataclass(frozen=True, eq=False)
class Walk:
    """S in each gap: its values where it may be extreme, and the range [begin, end) of the values of each gap."""

    values: Integers
    begin: Integers
    end: Integers

    def _of_gaps(self, extreme: np.ufunc) -> Integers:
        ranges = np.stack([self.begin, self.end], axis=1).ravel()
        return np.asarray(extreme.reduceat(np.append(self.values, 0), ranges)[::2])

    @cached_property
    def lowest(self) -> Integers:
        """Least value in each gap."""
        return self._of_gaps(np.minimum)

    @cached_property
    def highest(self) -> Integers:
        """Largest value in each gap."""
        return self._of_gaps(np.maximum)

    @property
    def widest(self) -> int:
        """At least the largest fall of S inside a gap."""
        return int((self.highest - self.lowest).max())

    def deepest(self) -> int:
        """Return the largest fall of S inside a gap, 0 if it never falls."""
        parts = (self.values[begin:end] for begin, end in zip(self.begin, self.end, strict=True))
        return max(int((np.maximum.accumulate(part) - part).max()) for part in parts)


def draw_walk(public: Floats, n: int, generator: np.random.Generator) -> Walk:
    """Draw S for n uniform private points, in the gaps of sorted public points (m,).

    Numbers of points between public points and the ends of the target are multinomial; flips are a Bernoulli sequence
    along the line.  Between flips, ends of gaps and ends of the target S is monotone.
    """
    places = np.sort(np.concatenate([[0.0, LEFT, RIGHT, 1.0], public]))
    before = np.concatenate([[0], np.cumsum(generator.multinomial(n, np.diff(places)))])
    left, right = (int(before[np.searchsorted(places, end)]) for end in (LEFT, RIGHT))
    gaps = before[np.searchsorted(places, np.concatenate([[0.0], public, [1.0]]))]
    flips = _flips(n, generator)
    places = np.sort(np.concatenate([np.stack([flips, flips + 1], axis=1).ravel(), gaps, [left, right]]), kind="stable")
    inside = (flips >= left) & (flips < right)
    moved = np.concatenate([[0], np.cumsum(np.where(inside, 2, -2))])
    plain = places - 2 * np.clip(places - left, 0, right - left)
    values = plain + moved[np.searchsorted(flips, places)]
    return Walk(values, np.searchsorted(places, gaps[:-1]), np.searchsorted(places, gaps[1:], side="right"))


def _flips(n: int, generator: np.random.Generator) -> Integers:
    """Return which of n examples have a flipped label: sorted places, gaps between them geometric."""
    places = np.cumsum(generator.geometric(NOISE, int(n * NOISE + 8 * math.sqrt(n * NOISE) + 50))) - 1
    while places[-1] < n:
        places = np.concatenate([places, places[-1] + np.cumsum(generator.geometric(NOISE, 50))])
    return np.asarray(places[places < n])
