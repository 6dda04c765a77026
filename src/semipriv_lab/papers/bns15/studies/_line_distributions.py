"""Distributions on the integers below 2^b with a target threshold, whose errors are known exactly: the four of BNS15's
studies.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semipriv.core.types import Integers

TOP = 30
"""TWO-ATOMS and CORNER lie below 2^30."""


@dataclass(frozen=True)
class LineDistribution:
    """A distribution of points below 2^bits, bits at most 62, with label 1 below ``target``.

    below: the mass of the points below a cut.  draw: (n, generator) -> (n,).
    """

    name: str
    bits: int
    target: int
    below: Callable[[int], float]
    draw: Callable[[int, np.random.Generator], Integers]

    def error(self, cut: int) -> float:
        """Return the error of 1[x < cut]."""
        return abs(self.below(cut) - self.below(self.target))


def two_atoms(bits: int, alpha: float) -> LineDistribution:
    """Return TWO-ATOMS: 0 with mass 1/2 and label 1, 1 with mass 5 alpha / 4, the rest uniform; labels 0 from 1 on."""
    atom, top = 1.25 * alpha, 2 ** min(bits, TOP)

    def below(cut: int) -> float:
        return 0.5 * (cut > 0) + atom * (cut > 1) + (0.5 - atom) * min(max(cut - 2, 0) / (top - 2), 1.0)

    def draw(n: int, generator: np.random.Generator) -> Integers:
        place = generator.random(n)
        rest = generator.integers(2, top, n)
        return np.where(place < 0.5, 0, np.where(place < 0.5 + atom, 1, rest))

    return LineDistribution("TWO-ATOMS", bits, 1, below, draw)


def corner(bits: int, alpha: float) -> LineDistribution:
    """Return CORNER: uniform below 2^30 (2^b, if that is less), where the last 5 alpha / 4 have label 0."""
    top = 2 ** min(bits, TOP)
    target = math.ceil((1 - 1.25 * alpha) * top)
    return LineDistribution("CORNER", bits, target, lambda cut: min(cut / top, 1.0), lambda n, g: g.integers(0, top, n))


def power(bits: int, alpha: float) -> LineDistribution:
    """Return POWER: 2^(b U) rounded down, U uniform; the last 5 alpha / 4 have label 0."""

    def below(cut: int) -> float:
        return min(math.log2(cut) / bits, 1.0) if cut > 0 else 0.0

    def draw(n: int, generator: np.random.Generator) -> Integers:
        return np.floor(2.0 ** (bits * generator.random(n))).astype(np.int64)

    return LineDistribution("POWER", bits, round(2 ** (bits * (1 - 1.25 * alpha))), below, draw)


def uniform(bits: int, alpha: float) -> LineDistribution:
    """Return UNIF: uniform below 2^b; the last 5 alpha / 4 have label 0."""
    top = 2**bits
    target = math.ceil((1 - 1.25 * alpha) * top)
    return LineDistribution("UNIF", bits, target, lambda cut: cut / top, lambda n, g: g.integers(0, top, n))


DISTRIBUTIONS = (two_atoms, corner, power, uniform)
