"""Many exact draws of integers at once: rejection under a step function, digits as needed.

Magnitudes y = 0, 1, 2, ... have weights w(y) = exp(-x(y)), with x rational and x(0) = 0.  For an integer S, an attempt
draws u, uniform below 2^b, and returns each y with probability S w(y) / 2^b:

- Magnitudes below N form blocks of B.  Block m owns a_m >= S B w(B m) of the numbers u.  If u is the p-th of them, y is
  uniform in the block, and it is accepted if p + v < S B w(y), where v in [0, 1) stands for the digits of u that were
  not drawn.
- Magnitudes from N on own a >= 2 L S w(N) numbers u, where w(y + L) <= w(y) / 2.  Here y = N + j L + r with
  P[j] = 2^-(j + 1) and r uniform below L, and it is accepted with probability 2^(j + 1) L S w(y) / a.
- Nobody owns the other numbers u: they are rejected.

So what is accepted has probabilities proportional to w, and no normaliser is needed.  A random sign makes the
distribution two-sided, and -0 is rejected.

Floats t near S B w(y) decide wherever p is further away than their error; a_m and a lie above by that error.  Nearer,
once in 2^38 attempts, further digits of u are drawn, and brackets of exp with as many digits decide.

The error of t: floats of x are within 2^-49 of x, S B and p are rounded, and np.exp is taken to be within 2^-42 of its
value.  Up to x = 64 that leaves t within 2^-40 of S B w(y).  Beyond, both are below 2^64 e^-64 < 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.randomness import Secure
from semipriv.core.types import Floats
from semipriv.mechanisms.sampling.choice import Uniform
from semipriv.mechanisms.sampling.weights import exponential_multiple

__all__ = ["FURTHEST", "StepRejection"]

FURTHEST = 2**58
"""Largest N: magnitudes of blocks fit in 64 bits, with room to be added to others."""
_ROOMY = 2**62
_BLOCKS = 512
"""Most blocks: a draw in 200 is rejected, and making them takes no time."""
_ERROR = 2.0**-40
"""Of a float, relative to its value; besides it may be off by 1."""
_AT_ONCE = 2**17
"""Attempts at once, which bounds the memory."""


@dataclass(frozen=True)
class _Owners:
    """Who owns a number u.

    first: the first u of each block, of the tail and of nobody, (blocks + 2,).  unit: S.  tail: a.
    """

    first: NDArray[np.uint64]
    unit: int
    tail: int


@dataclass(frozen=True)
class StepRejection:
    """Draws from P[k] proportional to exp(-x(|k|)) on the integers k.

    Args:
        exponent: x, with rational values, not decreasing, x(0) = 0.
        exponents: the same in floats, of an array of magnitudes: within 2^-49 of x, or above 64 as x is.
        near: N, 1 to 2^58: a draw beyond it takes some 100 microseconds, so it should be rare.
        halving: L >= 1, such that x(y + L) >= x(y) + ln 2 for all y >= N.
        bits: b, up to 64: with fewer of them, what is rare is not.

    Raises ValueError, when it draws, for so few bits that S is 0.
    """

    exponent: Callable[[int], Fraction]
    exponents: Callable[[Floats], Floats]
    near: int
    halving: int
    bits: int = 64

    def draw(self, size: int, randomness: Secure) -> NDArray[Any]:
        """Draw independent integers.

        Args:
            size: how many, >= 0.
            randomness: Secure().

        Returns:
            The integers (size,), int64; Python's if one is 2^62 or more, either way.
        """
        drawn: NDArray[Any] = np.empty(size, np.int64)
        for start in range(0, size, _AT_ONCE):
            missing = np.arange(start, min(start + _AT_ONCE, size))
            while missing.size:
                values, accepted = self._attempt(missing.size, randomness)
                drawn = drawn.astype(np.result_type(drawn, values), copy=False)
                drawn[missing[accepted]] = values[accepted]
                missing = missing[~accepted]
        return drawn

    def _attempt(self, size: int, randomness: Secure) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return integers (size,), and which of them are accepted."""
        owners = self._owners
        number, other = np.frombuffer(randomness.entropy(16 * size), "<u8").reshape(2, size)
        number = number >> np.uint64(64 - self.bits)
        owner = np.searchsorted(owners.first, number, side="right") - 1
        position = number - owners.first[owner]
        p = position.astype(np.float64)
        within = (other >> np.uint64(1)) & np.uint64(self._block - 1)
        magnitude: NDArray[Any] = owner * self._block + within.astype(np.int64)
        share = self._shares(magnitude)
        accepted = p < share * (1 - _ERROR) - 1
        for i in np.flatnonzero(~accepted & (p <= share * (1 + _ERROR) + 1) & (owner < self._blocks)).tolist():
            uniform = Uniform(randomness, int(position[i]), self.bits)
            factor = Fraction(owners.unit * self._block, 2**self.bits)
            accepted[i] = uniform.is_below(self._multiple(factor, int(magnitude[i])))
        accepted &= owner < self._blocks
        for i in np.flatnonzero(owner == self._blocks).tolist():
            far, accepted[i] = self._beyond(randomness)
            magnitude = magnitude.astype(object) if far >= _ROOMY else magnitude
            magnitude[i] = far
        negative = (other & np.uint64(1)).astype(bool)
        return np.where(negative, -magnitude, magnitude), accepted & ~(negative & (magnitude == 0))

    def _beyond(self, randomness: Secure) -> tuple[int, bool]:
        """Return a magnitude from N on, and whether it is accepted."""
        j = next(j for j in count() if randomness.bits(1))
        y = self._end + j * self.halving + randomness.below(self.halving)
        factor = Fraction((self.halving * self._owners.unit) << (j + 1), self._owners.tail)
        return y, Uniform(randomness).is_below(self._multiple(factor, y))

    def _multiple(self, factor: Fraction, magnitude: int) -> Callable[[int], tuple[Fraction, Fraction]]:
        """Return what brackets factor w(y) with as many digits as asked for."""
        return partial(exponential_multiple, factor, self.exponent(magnitude))

    def _shares(self, magnitudes: NDArray[Any]) -> Floats:
        """Return floats near S B w(y)."""
        return float(self._owners.unit * self._block) * np.exp(-self.exponents(magnitudes.astype(np.float64)))

    @cached_property
    def _block(self) -> int:
        """B, a power of 2."""
        return 1 << max(0, (self.near - 1).bit_length() - (_BLOCKS - 1).bit_length())

    @cached_property
    def _blocks(self) -> int:
        return -(-self.near // self._block)

    @property
    def _end(self) -> int:
        """The first magnitude beyond the blocks: N, or a little more."""
        return self._blocks * self._block

    @cached_property
    def _owners(self) -> _Owners:
        """Share the numbers u out: nearly all of them are owned, and never more than there are.

        2^-20 of them, and four for each block, are more than errors of floats and rounding up may take.
        """
        starts = np.arange(self._blocks + 1) * self._block
        weights = np.exp(-self.exponents(starts.astype(np.float64))) * self._block
        weights[-1] *= 2 * self.halving / self._block
        unit = math.floor((2**self.bits - 4 * len(weights)) * (1 - 2.0**-20) / float(weights.sum()))
        if unit < 1:
            raise ValueError(f"bits = {self.bits}: are too few for N = {self.near}")
        owned = (np.ceil(unit * weights * (1 + _ERROR)) + 1).astype(np.uint64)
        first = np.zeros(len(owned) + 1, np.uint64)  # never through floats, which would round it
        np.cumsum(owned, out=first[1:])
        return _Owners(first, unit, int(owned[-1]))
