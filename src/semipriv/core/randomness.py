"""Randomness as an explicit value.

``Simulation(seed)`` is reproducible: its streams are derived from a path of names.  A result therefore depends on what
is computed and not on how the work was split.  A release on real data must not use it.

``Secure()`` gives bits of the operating system's cryptographic generator, and integers made of them, but no floats:
what is drawn from it is drawn exactly.

Each says by its ``source`` which of the two it is, and every release says by which it was drawn.
"""

import hashlib
import os
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from operator import index
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray


class Source(StrEnum):
    """Which randomness drew something."""

    SECURE = "secure"
    """Entropy of the operating system."""
    SIMULATION = "simulation"
    """A seeded stream: whoever knows the seed draws the same again."""


@dataclass(frozen=True)
class Simulation:
    """A seeded stream of random numbers, named by a path.

    Streams of different paths are independent: the path is hashed (SHA-256) into the entropy of a SeedSequence.

    Args:
        seed: integer >= 0.
        path: names below it, for instance ("excess_vs_public", "n_public=10", "trial=3").

    Examples:
        >>> Simulation(1).spawn("a", 2).generator.integers(1000) == Simulation(1).spawn("a", 2).generator.integers(1000)
        np.True_
    """

    seed: int
    path: tuple[str, ...] = field(default=())
    source: ClassVar[Source] = Source.SIMULATION

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"seed = {self.seed!r}: must be an integer >= 0")

    def spawn(self, *names: str | int) -> "Simulation":
        """Return the stream of a longer path; order and number of spawned streams do not matter.

        Args:
            names: what is added to the path.

        Returns:
            The stream.
        """
        return Simulation(self.seed, (*self.path, *map(str, names)))

    @cached_property
    def generator(self) -> np.random.Generator:
        """NumPy generator of this stream; repeated use continues the stream."""
        text = "".join(f"{len(name)}:{name}" for name in self.path)
        seed = self.seed.to_bytes(4 * max(1, -(-self.seed.bit_length() // 32)), "little")
        entropy = np.frombuffer(seed + hashlib.sha256(text.encode()).digest(), "<u4").astype(np.uint32)
        return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(entropy)))


@dataclass(frozen=True)
class Secure:
    """Bits of the operating system's entropy.  It takes no seed: nobody can draw the same noise again.

    Examples:
        >>> Secure(seed=1)
        Traceback (most recent call last):
        TypeError: Secure.__init__() got an unexpected keyword argument 'seed'
    """

    source: ClassVar[Source] = Source.SECURE

    def entropy(self, count: int) -> bytes:
        """Return uniform bytes.

        Args:
            count: number of bytes, >= 0.

        Returns:
            The bytes.
        """
        return os.urandom(count)

    def bits(self, count: int) -> int:
        """Return a uniform integer in [0, 2^count).

        Args:
            count: number of bits, >= 0.

        Returns:
            The integer.

        Raises:
            ValueError: if count < 0.
        """
        return int.from_bytes(self.entropy(-(-count // 8)), "little") >> (-count % 8)

    def below(self, bound: int) -> int:
        """Return a uniform integer in [0, bound).

        Draw numbers with as many bits as bound - 1 until one is below the bound: fewer than two on average.

        Args:
            bound: an integer of any size, >= 1.

        Returns:
            The integer.

        Raises:
            ValueError: if bound < 1.
        """
        bound = index(bound)
        if bound < 1:
            raise ValueError(f"bound = {bound!r}: must be >= 1")
        width = (bound - 1).bit_length()
        while (value := self.bits(width)) >= bound:
            pass
        return value


Randomness = Simulation | Secure


def as_randomness(given: object) -> Randomness:
    """Return a source of randomness as it is; raise ValueError for anything else, and say which there are.

    >>> as_randomness(7)
    Traceback (most recent call last):
    ValueError: randomness: is int, must be Secure() for a release or Simulation(seed) for a simulation
    """
    if not isinstance(given, Simulation | Secure):
        what = "None" if given is None else getattr(given, "__name__", type(given).__name__)
        raise ValueError(f"randomness: is {what}, must be Secure() for a release or Simulation(seed) for a simulation")
    return given


def shuffled(count: int, randomness: Randomness) -> NDArray[np.intp]:
    """Return the places 0, ..., count - 1 in a uniformly random order.

    Of ``Secure`` each place gets 64 bits, by which they are sorted; all are drawn again until they differ, so that
    every order has the same probability, exactly.

    Args:
        count: number of places, >= 0.
        randomness: Secure() or Simulation(seed), whose stream continues.

    Returns:
        The places, (count,).
    """
    if isinstance(randomness, Simulation):
        return randomness.generator.permutation(count)
    while True:
        keys = np.frombuffer(randomness.entropy(8 * count), np.uint64)
        order = np.argsort(keys)
        ordered = keys[order]
        if not (ordered[1:] == ordered[:-1]).any():
            return order
