"""GenericLearner on rectangles in the plane around noisy strips: errors of runs on fresh data."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Simulation
from semipriv.core.types import Integers
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.bns15.bounds.strips import code_bits, prefix_deviation
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.papers.bns15.queries.sanitizers.strips import Strips

SIZE = 100
"""Released points, of at most 19 strips."""
RANGES = 2
"""Prefixes of codes in a run of a strip."""


def entries(bits: int, alpha: float, beta: float, epsilon: float) -> int:
    """Return the entries with which the noise of a run of one strip is at most alpha / 5 with probability 1 - beta.

    A run is the difference of two prefixes.  No size with a proof for all ranges: with 100 points that is none.
    """
    length = code_bits(bits, SIZE)
    noise = prefix_deviation(length, 2 * (2 * length - 1) / epsilon, beta)
    return math.ceil(RANGES * noise * 5 / alpha)


@dataclass(frozen=True)
class PlaneDistribution:
    """A product of two equal distributions on the integers below 2^bits, with label 1 on the square [low, high]^2.

    below: the mass of integers below a cut.  draw: (n, generator) -> (n,).
    """

    name: str
    bits: int
    low: int
    high: int
    below: Callable[[int], float]
    draw: Callable[[int, np.random.Generator], Integers]

    def error(self, ends: tuple[int, int, int, int]) -> float:
        """Return the error of the rectangle [a, c] x [b, d] for ends (a, b, c, d); a > c is the empty set."""

        def mass(first: int, last: int) -> float:
            return self.below(last + 1) - self.below(first) if first <= last else 0.0

        own = mass(self.low, self.high) ** 2
        if ends[0] > ends[2]:
            return own
        both = math.prod(mass(max(self.low, first), min(self.high, last)) for first, last in (ends[::2], ends[1::2]))
        return own + mass(ends[0], ends[2]) * mass(ends[1], ends[3]) - 2 * both


def uniform(bits: int) -> PlaneDistribution:
    """Return UNIF x UNIF, with label 1 on the middle: [1/8, 7/8] of each coordinate, a share of 9/16."""
    top = 2**bits
    return PlaneDistribution(
        "UNIF", bits, top // 8, top - top // 8 - 1, lambda cut: cut / top, lambda n, g: g.integers(0, top, n)
    )


def atoms(bits: int) -> PlaneDistribution:
    """Return ATOMS x ATOMS: half of the mass of a coordinate on the middle integer, else as UNIF."""
    even, middle = uniform(bits), 2 ** (bits - 1)

    def draw(n: int, generator: np.random.Generator) -> Integers:
        return np.where(generator.random(n) < 0.5, middle, even.draw(n, generator))

    return PlaneDistribution(
        "ATOMS", bits, even.low, even.high, lambda cut: even.below(cut) / 2 + (cut > middle) / 2, draw
    )


DISTRIBUTIONS = (uniform, atoms)


def error(distribution: PlaneDistribution, learner: GenericLearner, randomness: Simulation) -> float:
    """Return the error of a run on fresh entries and labels."""
    h = DiscreteRectangles(2, distribution.bits)

    def drawn(n: int, name: str) -> Integers:
        generator = randomness.spawn(name).generator
        return np.stack([distribution.draw(n, generator) for _ in range(2)], axis=1)

    m = learner.labelled_needed(h)
    x = drawn(m, "labelled")
    labels = ((x >= distribution.low) & (x <= distribution.high)).all(axis=1).astype(np.int8)
    unlabelled = ListedEntries(drawn(learner.unlabelled_needed(m, h), "unlabelled").astype(float))
    points = learner.sanitized(h, m, unlabelled, randomness.spawn("sanitizer"))
    tally = learner.candidates(h, points).tally(x.astype(float), labels)
    chosen = ExponentialMechanism(learner.epsilon).select(tally, randomness.spawn("selection"))
    a, b, c, d = (int(end) for end in chosen.parameters)
    return distribution.error((a, b, c, d))


def learner(bits: int, alpha: float, beta: float, epsilon: float) -> GenericLearner:
    """Return the learner with 100 points, at most 19 strips."""
    n = entries(bits, alpha, beta, epsilon)
    return GenericLearner(epsilon, Strips(), alpha, beta, size=SIZE, n_unlabelled=n)
