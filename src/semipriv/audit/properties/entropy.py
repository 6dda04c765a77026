"""Entropy for tests: scripted, of which a sampler's distribution is enumerated, and entropy that repeats."""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count

import numpy as np

from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.mechanisms.sampling.choice import Uniform

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


def output_distribution(
    draw: Callable[[Scripted], Hashable], unresolved: float
) -> tuple[dict[Hashable, Fraction], Fraction]:
    """Probability of each outcome in the most probable paths of a sampler, and that of all other paths together.

    A path is a sequence of answers, its probability the product of theirs: P[outcome] is between the number found and
    that plus what is left.
    """
    distribution: dict[Hashable, Fraction] = defaultdict(Fraction)
    order, left = count(), Fraction(1)
    paths: list[tuple[Fraction, int, tuple[int, ...]]] = [(Fraction(-1), next(order), ())]
    while paths and left > unresolved:
        weight, _, path = heapq.heappop(paths)
        try:
            distribution[draw(Scripted(path))] -= weight
            left += weight
        except Exhausted as exhausted:
            for value, probability in enumerate(exhausted.args):
                heapq.heappush(paths, (weight * probability, next(order), (*path, value)))
    return distribution, left


# ------------------------------------------------------------------------------------------- draws from numbers
@dataclass
class Frozen:
    """Uniform numbers as written, then zeros; ``used``: how many were asked for.  It stands in for a generator."""

    numbers: Sequence[Fraction]
    used: int = 0

    def following(self) -> Fraction:
        self.used += 1
        return self.numbers[self.used - 1] if self.used <= len(self.numbers) else Fraction(0)

    def random(self) -> float:
        return float(self.following())

    def integers(self, bound: int) -> int:
        return self.below(bound)

    def below(self, bound: int) -> int:
        return math.floor(self.following() * bound)


@dataclass(frozen=True)
class FrozenSecure(Secure):
    """The same where draws are exact: each ``Begun`` number is the next one, its digits those that are asked for."""

    source_of_numbers: Frozen
    current: list[Fraction] = field(default_factory=list)

    def begin(self) -> None:
        self.current[:] = [self.source_of_numbers.following()]

    def bits(self, count: int) -> int:
        scaled = self.current[0] * 2**count
        self.current[0] = scaled - math.floor(scaled)
        return math.floor(scaled)

    def below(self, bound: int) -> int:
        return self.source_of_numbers.below(bound)


@dataclass
class Begun(Uniform):
    """A uniform number that says where it begins."""

    def __post_init__(self) -> None:
        self.randomness.begin()


def frozen(kind: type[Randomness], numbers: Frozen) -> Randomness:
    """Randomness of a kind that draws the given numbers; under Secure with ``Begun`` instead of ``Uniform``."""
    if kind is Secure:
        return FrozenSecure(numbers)
    stream = Simulation(0)
    stream.__dict__["generator"] = numbers
    return stream


def distribution_of_numbers(draw: Callable[[Frozen], Hashable], digits: int, given: tuple[Fraction, ...] = ()) -> dict:
    """Probability of each outcome of a sampler of uniform numbers, each within some 2^-digits: by halving, no chance.

    For each number it must hold, given those before it: between two values with one outcome, all zeros later, there is
    no other outcome.  So it is of inverse transforms.
    """
    distribution: dict[Hashable, Fraction] = defaultdict(Fraction)

    def seen(numbers: tuple[Fraction, ...]) -> tuple[Hashable, int]:
        source = Frozen(numbers)
        return draw(source), source.used

    def explore(numbers: tuple[Fraction, ...], weight: Fraction) -> None:
        outcome, used = seen(numbers)
        if used <= len(numbers):
            distribution[outcome] += weight
            return
        ends, finest = [(Fraction(0), seen((*numbers, Fraction(0))))], Fraction(1, 2**digits)
        todo = [(1 - finest, seen((*numbers, 1 - finest)))]
        while todo:
            (low, below), (high, above) = ends[-1], todo[-1]
            if below == above or high - low <= finest:
                ends.append(todo.pop())
            else:
                middle = (low + high) / 2
                todo.append((middle, seen((*numbers, middle))))
        start = Fraction(0)
        for (_, below), (high, above) in zip(ends, [*ends[1:], (Fraction(1), None)], strict=True):
            if below != above:
                explore((*numbers, (start + high) / 2), weight * (high - start))
                start = high

    explore(given, Fraction(1))
    return distribution
