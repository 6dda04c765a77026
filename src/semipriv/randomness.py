"""Randomness as an explicit value.

``Simulation(seed)`` is reproducible: its streams are derived from a path of names, so that a result depends on what is
computed and not on how the work was split.  A release on real data must not use it.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Simulation:
    """A seeded stream of random numbers, named by a path.

    seed: integer >= 0.  path: names below it, for instance ("excess_vs_public", "n_public=10", "trial=3").
    Streams of different paths are independent: the path is hashed (SHA-256) into the entropy of a SeedSequence.

    >>> Simulation(1).spawn("a", 2).generator.integers(1000) == Simulation(1).spawn("a", 2).generator.integers(1000)
    np.True_
    """

    seed: int
    path: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"seed = {self.seed!r}: must be an integer >= 0")

    def spawn(self, *names: str | int) -> "Simulation":
        """Return the stream of a longer path; order and number of spawned streams do not matter."""
        return Simulation(self.seed, (*self.path, *map(str, names)))

    @cached_property
    def generator(self) -> np.random.Generator:
        """NumPy generator of this stream; repeated use continues the stream."""
        text = "".join(f"{len(name)}:{name}" for name in self.path)
        digest = hashlib.sha256(text.encode()).digest()
        words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 32, 4)]
        return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence([self.seed, *words])))
