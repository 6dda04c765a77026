"""Entropy for tests: scripted, of which a sampler's law is enumerated, and entropy that repeats."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count

import numpy as np

from semipriv.randomness import Secure

LEVEL = 1e-6
"""Chance of a false alarm of one test of unseeded draws."""


class Exhausted(Exception):  # noqa: N818
    """More is asked than is written: ``args`` are the probabilities of the possible answers."""


@dataclass(frozen=True)
class Scripted(Secure):
    """Answers as written, each the index of one of those that were possible."""

    path: tuple[int, ...]
    position: count = field(default_factory=count)

    def answer(self, probabilities: Callable[[], Sequence[Fraction | float]]) -> int:
        place = next(self.position)
        if place == len(self.path):
            raise Exhausted(*probabilities())
        return self.path[place]

    def below(self, bound: int) -> int:
        return self.answer(lambda: [Fraction(1, bound)] * bound)

    def bits(self, count: int) -> int:
        return self.below(2**count)


@dataclass(frozen=True)
class Seeded(Secure):
    """Entropy that repeats."""

    seed: int
    generator: np.random.Generator = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "generator", np.random.default_rng(self.seed))

    def entropy(self, count: int) -> bytes:
        return self.generator.bytes(count)


def output_law(draw: Callable[[Scripted], Hashable], unresolved: float) -> tuple[dict[Hashable, Fraction], Fraction]:
    """Probability of each outcome in the most probable paths of a sampler, and that of all other paths together.

    A path is a sequence of answers, its probability the product of theirs: P[outcome] is between the number found and
    that plus what is left.
    """
    law: dict[Hashable, Fraction] = defaultdict(Fraction)
    order, left = count(), Fraction(1)
    paths: list[tuple[Fraction, int, tuple[int, ...]]] = [(Fraction(-1), next(order), ())]
    while paths and left > unresolved:
        weight, _, path = heapq.heappop(paths)
        try:
            law[draw(Scripted(path))] -= weight
            left += weight
        except Exhausted as more:
            for value, probability in enumerate(more.args):
                heapq.heappush(paths, (weight * probability, next(order), (*path, value)))
    return law, left
