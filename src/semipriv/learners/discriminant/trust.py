"""Whether a public model is believed: what public rows promise of it, and a noisy count of private mistakes."""

import math
from dataclasses import dataclass
from fractions import Fraction

from semipriv.mechanisms.noisy_integers import NoisyIntegers

TELLING = 7.0
"""Epsilon of the test: this number over n and over what the public model is better than a constant, on public rows;"""
TEST_SHARE, TEST_ROWS = Fraction(1, 25), 60.0
"""but at least this share, or this number over n if that is less,"""
MOST_FOR_TEST = Fraction(1, 4)
"""and this share at most."""
MOST_TO_SEE = Fraction(1, 2)
"""Share of epsilon that the test gets at most, if with less it would see nothing."""
BLIND = 0.08
"""Standard error of a share of mistakes, by the noise alone, above which a test would see nothing, and is left out."""
FAR = 2.0
"""Standard errors by which mistakes may exceed what public rows promise."""
NO_USE = 0.04
"""A public model that errs not this share less than a constant, or than a coin if that is better, is of no use."""


@dataclass(frozen=True)
class Promise:
    """What m labelled public points say: the shares on which the cross-fitted model errs, and the better constant."""

    points: int
    model: float
    constant: float

    @property
    def gap(self) -> float:
        """What the model is better than a constant."""
        return self.constant - self.model

    @property
    def useful(self) -> bool:
        """Whether the public model is better than a constant on public points, without a private row."""
        return self.gap > NO_USE * min(self.constant, 0.5)

    def test(self, epsilon: float, n: int) -> NoisyIntegers | None:
        """Return the mechanism of the number of mistakes on n private rows, of an epsilon; None: nothing is tested."""
        if not n or not self.useful:
            return None
        own = Fraction(epsilon)
        usual = min(TEST_SHARE * own, Fraction(TEST_ROWS) / n)
        share = min(max(Fraction(TELLING / self.gap) / n, usual), MOST_FOR_TEST * own)
        seeing = Fraction(math.sqrt(2) / BLIND) / n  # the variance of the noise is below 2 / epsilon^2
        if share < seeing <= MOST_TO_SEE * own:
            share = seeing
        if n * share < 1:  # far below, and perhaps no float
            return None
        mechanism = NoisyIntegers(1, share)
        return None if math.sqrt(mechanism.noise.variance) / n > BLIND else mechanism

    def kept(self, noisy: int, mechanism: NoisyIntegers, n: int) -> bool:
        """Return whether a noisy number of mistakes on n private rows is about what public points promise."""
        mistakes, noise = min(max(noisy, 0), n) / n, math.sqrt(mechanism.noise.variance) / n
        error = math.sqrt(max(self.model * (1 - self.model), 0.02) * (1 / self.points + 1 / n) + noise**2)
        return mistakes - self.model <= FAR * error
