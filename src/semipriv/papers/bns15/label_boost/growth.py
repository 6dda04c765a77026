"""Rounds of LabelBoost (BNS15 algorithm 3) around base learners of more examples than floats or integers can hold.

The labelled part grows as a tower of exponentials.  So numbers are stored by their iterated logarithm.  Floors are left
out, and the |S| that is taken from the number of examples that a round reads: that changes sizes above 1e12 by a share
of less than 1e-9.  `semipriv.papers.bns15.label_boost.schedule` has the exact integers where they fit.
"""

import math
from dataclasses import dataclass

from semipriv.papers.bns15.label_boost.schedule import Constants

_LARGEST = 700.0
"""e^700 is a float."""


@dataclass(frozen=True, order=True, slots=True)
class Tower:
    """exp(exp(... exp(top))), ``height`` times; sorted as the numbers are.

    The height is the least for which top is a float: it is 0, or top > 700.  Two numbers differ for sure if their tops
    do by more than a share of 1e-12.

    >>> Tower.of(3.0).exp().exp()
    Tower(height=0, top=528491311.48...)
    >>> Tower.of(1000.0).exp(), Tower.of(1000.0).exp().ln()
    (Tower(height=1, top=1000.0), Tower(height=0, top=1000.0))
    """

    height: int
    top: float

    @classmethod
    def of(cls, number: float) -> "Tower":
        """Return a positive number."""
        return cls(0, float(number))

    def exp(self) -> "Tower":
        """Return e to the power of it."""
        if self.height == 0 and self.top <= _LARGEST:
            return Tower(0, math.exp(self.top))
        return Tower(self.height + 1, self.top)

    def ln(self) -> "Tower":
        """Return its logarithm; it must be above 1."""
        if self.height == 0:
            return Tower(0, math.log(self.top))
        return Tower(self.height - 1, self.top)

    def times(self, factor: float) -> "Tower":
        """Return the product with a positive float; beyond e^(e^700) a factor changes no digit."""
        if self.height == 0:
            product = self.top * factor
            return Tower(0, product) if math.isfinite(product) else Tower(1, math.log(self.top) + math.log(factor))
        if self.height == 1:
            return Tower(0, self.top + math.log(factor)).exp()
        return self

    def over(self, other: "Tower") -> float:
        """Return it over a number that is as large or larger; 0 or 1 where logarithms are no floats."""
        if max(self.height, other.height) <= 1:
            own_log, other_log = (math.log(tower.top) if tower.height == 0 else tower.top for tower in (self, other))
            return math.exp(min(0.0, own_log - other_log))
        return 1.0 if self.height == other.height and self.top >= other.top * (1 - 1e-12) else 0.0

    def log_star(self) -> int:
        """Return log*: how many logarithms lead to a number of at most 1."""
        return self._logarithms()[1]

    def iterated_log(self) -> float:
        """Return log* between its steps: x - 1 for x in (0, 1], else 1 more than of ln x; rounded up it is log*.

        >>> [round(tower(height).iterated_log(), 6) for height in (0, 1, 4)], Tower.of(5.0).iterated_log()
        ([0.0, 1.0, 4.0], 1.47588...)
        """
        number, count = self._logarithms()
        return count - 1 + number

    def _logarithms(self) -> tuple[float, int]:
        """Return a number of at most 1, and how many logarithms lead to it."""
        number, count = self.top, self.height
        while number > 1:
            number, count = math.log(number), count + 1
        return number, count


def tower(height: int) -> Tower:
    """Return exp(exp(... exp(1))), with that many exp.

    >>> tower(4).log_star(), round(tower(3).top)
    (4, 3814279)
    """
    number = Tower.of(1.0)
    for _ in range(height):
        number = number.exp()
    return number


@dataclass(frozen=True, slots=True)
class Growth:
    """Sizes of a round: |S_i| at its start, and v, what it reads."""

    labelled: Tower
    read: Tower


def growth(
    constants: Constants, labelled: float, n: Tower | None, alpha: float, beta: float, vc: int, most: int = 60
) -> tuple[Growth, ...]:
    """Return the rounds of LabelBoost around a base learner of n examples, at most so many; n = None: without end.

    >>> [round(math.log(each.labelled.top), 1) for each in growth(Constants(), 5_247_892, None, 0.2, 0.2, 1, 2)]
    [15.5, 254.1]
    """
    rounds: list[Growth] = []
    size = Tower.of(labelled)
    while len(rounds) < most and (n is None or size < n.times(constants.r0)):
        i = len(rounds) + 1
        rate = constants.eps0 * constants.alpha(alpha, i) / (2 * constants.r * vc)
        read = size.times(rate).exp().times(constants.kappa * constants.beta(beta, i) * vc)
        block = None if n is None else n.times(constants.r * constants.r0)
        if block is not None and read >= block:  # what it keeps of a whole block is r0 n
            return (*rounds, Growth(size, block))
        rounds.append(Growth(size, read))
        size = read.times(1 / constants.r)
    return tuple(rounds)
