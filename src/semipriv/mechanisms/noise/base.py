"""What noise distributions share: their interface, and integers."""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.core import checks
from semipriv.core.randomness import Randomness, Secure, Simulation, as_randomness
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.sampling.steps import FURTHEST, StepRejection

_WIDEST = 2.0**56
"""Noise of this scale exceeds 64 bits with probability below e^-120."""
_FEW = 4
"""Fewer numbers than these are drawn one by one."""
_ROOMY = 2**62
"""Drawn integers below it are kept in 64 bits, with room to be added to others below it: no sum wraps around."""


class Noise(ABC):
    """Noise to add to a number, or independently to each coordinate of a vector: symmetric about 0."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Variance of one draw; its mean is 0."""

    @abstractmethod
    def sample(self, randomness: Randomness, size: int | None = None) -> Any:
        """Draw one number, or independent ones.

        Args:
            randomness: Secure() for a release, Simulation(seed) for a simulation.
            size: how many; None: a single number.

        Returns:
            A number, or an array (size,).
        """


class ContinuousNoise(Noise):
    """Real-valued noise, for simulation only."""

    discrete: ClassVar[str]
    """Name of the integer-valued noise that a secure release uses instead."""

    def sample(self, randomness: Randomness, size: int | None = None) -> Any:
        """Draw a float, or (size,) float64.

        The floats that number plus noise can reach depend on the number, so the low bits of a release reveal it,
        whatever the randomness (Mironov 2012).

        Raises:
            ValueError: for Secure.
        """
        randomness = as_randomness(randomness)
        if not isinstance(randomness, Simulation):
            raise ValueError(
                f"randomness: {type(self).__name__} noise is for simulation only, the rounding of floating-point sums "
                f"reveals what the noise hides (Mironov 2012); a secure release uses {self.discrete} on integers"
            )
        return self._draw(randomness.generator, size)

    @abstractmethod
    def _draw(self, generator: np.random.Generator, size: int | None) -> Any:
        """Draw a float, or (size,) float64."""


class DiscreteNoise(Noise):
    """Integer-valued noise: fast with floats in a simulation, exact with integers alone under Secure.

    The time of a draw depends on the noise and never on the number that it is added to.
    """

    def sample(self, randomness: Randomness, size: int | None = None) -> Any:
        """Draw an int, or (size,) int64; under Secure an array of Python ints if one is 2^62 or more, either way.

        Secure: exactly the distribution; one by one (``exact``), or four and more at once (``StepRejection``).

        Raises:
            ValueError: for a size that is not an integer >= 0; in a simulation, for scales above 2^56: 64 bits do not
                suffice.
        """
        number = 1 if size is None else checks.size("size", size, minimum=0)
        if isinstance(randomness, Simulation):
            self.check_width()
            return self._draw_one(randomness.generator) if size is None else self._draw(randomness.generator, number)
        secure = cast(Secure, as_randomness(randomness))
        if size is None:
            return self.exact(secure)
        if number >= _FEW and self._reach[0] <= FURTHEST:
            return StepRejection(self.exponent, self._exponents, *self._reach).draw(number, secure)
        return _array([self.exact(secure) for _ in range(number)])

    def add(self, values: Integers, randomness: Randomness) -> NDArray[Any]:
        """Add independent noise to each of several integers.

        Args:
            values: (k,) int64, below 2^62 either way.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            The sums (k,); an array of Python ints where ``sample`` is one.
        """
        return values + self.sample(randomness, len(values))

    def check_width(self) -> None:
        """Check that the noise, and what a release makes of it, fits in 64 bits.

        Raises:
            ValueError: for scales above 2^56.
        """
        if self._width > _WIDEST:
            raise ValueError(
                f"{type(self).__name__} of scale {self._width:.3g}: too wide for 64-bit integers, its scale must be "
                "<= 2^56: take a larger epsilon or delta"
            )

    @abstractmethod
    def per(self, units: int) -> Self:
        """Return the noise for sums of which a person has so many units: of so many times the scale.

        Args:
            units: W >= 1.

        Returns:
            Noise of the same kind, that hides a change W times as large as well as this one does.
        """

    @property
    @abstractmethod
    def _width(self) -> float:
        """Scale in units of 1."""

    @property
    @abstractmethod
    def _reach(self) -> tuple[int, int]:
        """N and L >= 1: magnitudes beyond N are rare, and from N on the next L lose at least half of their weight."""

    @abstractmethod
    def exponent(self, magnitude: int) -> Fraction:
        """Return -ln(P[magnitude] / P[0]), exactly.

        Args:
            magnitude: an integer >= 0.

        Returns:
            The exponent, which does not decrease with the magnitude.
        """

    @abstractmethod
    def _exponents(self, magnitudes: Floats) -> Floats:
        """Return the same in floats: within 2^-49 of themselves, or above 64 as they are."""

    @abstractmethod
    def exact(self, randomness: Secure) -> int:
        """Draw an integer of any size with exactly its probability.

        Args:
            randomness: Secure().

        Returns:
            The integer.
        """

    @abstractmethod
    def _draw(self, generator: np.random.Generator, size: int) -> Integers:
        """Draw (size,) integers."""

    def _draw_one(self, generator: np.random.Generator) -> int:
        """Draw what ``_draw`` does if it draws one integer."""
        return int(self._draw(generator, 1)[0])


def integers(name: str, values: ArrayLike) -> Floats:
    """Return integers, of any shape, as floats; raises ValueError for other numbers and bool.

    >>> integers("values", [0.0, 0.5])
    Traceback (most recent call last):
    ValueError: values[1] = 0.5: must be an integer
    """
    numbers = checks.array(name, values)
    if numbers.dtype.kind == "b":
        raise ValueError(f"{name}: must be integers, got bool")
    floats = numbers.astype(np.float64)
    if numbers.dtype.kind not in "iu" and not (whole := np.isfinite(floats) & (floats == np.rint(floats))).all():
        row = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(~whole)))[: numbers.ndim]
        place = "".join(f"[{i}]" for i in row)
        raise ValueError(f"{name}{place} = {float(floats[row])!r}: must be an integer")
    return floats


def _array(values: list[int]) -> NDArray[Any]:
    return np.array(values, np.int64 if all(-_ROOMY < value < _ROOMY for value in values) else object)
