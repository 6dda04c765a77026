"""How epsilon is spent: what public numbers alone decide, before a private row is read."""

import math
from fractions import Fraction

from semipriv.core.fields import value
from semipriv.core.rounding import rounded_down
from semipriv.mechanisms.noisy_integers import LARGEST, NoisyIntegers
from semipriv.privacy.events import Composed, Event, Pure

LATTICE = 2**10
"""Steps of the lattice on which the norm of a clipped gradient is measured."""
LEAST = 150.0
"""n epsilon below which a gradient is noise alone: stumps and constants are all."""
AXES = 8.0
"""k axes for n epsilon = AXES k^1.5: the noise of a gradient grows as k^1.5."""
LOADS = (0.1, 0.04, 0.015)
"""Noise of one gradient, 2 k^1.5 / (epsilon n), below which there are two, three, four of them."""
MOST_FOR_SELECTION = Fraction(2, 5)
"""Share of epsilon that selection gets at most."""
LOSS = 0.01
"""Share of mistakes that selection may lose: with more epsilon than that takes, gradients get the rest."""
LATER = Fraction(6, 5)
"""Epsilon of each later gradient, where the first has 1."""
_LARGE = 2.0**100
"""n epsilon beyond it counts as this: all axes and all gradients are taken long before, and no float overflows."""


@value
class Plan:
    """The uses of the private rows, one after the other; their epsilons add up to that of the learner, exactly.

    axes: number k of public axes, 0 if there is no gradient.  gradients: epsilon of each gradient.  selection: epsilon
    of the selection, a float.  lattice: the norm of a clipped gradient, in steps.
    """

    axes: int
    gradients: tuple[Fraction, ...]
    selection: float
    lattice: int = LATTICE

    @property
    def noises(self) -> list[NoisyIntegers]:
        """The mechanism of each gradient: a sum over rows, each of L1 norm at most ``lattice``.

        Replacing a row takes one summand away and adds another: the sum moves by at most twice that norm.
        """
        return [NoisyIntegers(2 * self.lattice, epsilon) for epsilon in self.gradients]

    @property
    def event(self) -> Event:
        """Each gradient, then the selection."""
        return Composed([*((noise.event, 1) for noise in self.noises), (Pure(self.selection), 1)])

    def check(self, n: int) -> None:
        """Raise ValueError unless sums over n rows, and their noise, are certain to fit in 64 bits."""
        if n * self.lattice > LARGEST:
            raise ValueError(f"n_private = {n}: must be at most {LARGEST // self.lattice}, sums of more do not fit")
        for noise in self.noises:
            noise.noise.check_width()


def plan_of(
    epsilon: float | Fraction,
    n: int,
    axes: int,
    candidates: int,
    *,
    most: int = len(LOADS) + 1,
    share: Fraction = MOST_FOR_SELECTION,
) -> Plan:
    """Return the plan for n private rows.

    axes: number of axes of the public metric.  candidates: about how many hypotheses there are to select from.  most:
    gradients at most.  share: of epsilon that selection gets at most.
    """
    if axes == 0 or n * epsilon < LEAST:
        return Plan(0, (), rounded_down(Fraction(epsilon)))
    size = float(min(n * epsilon, _LARGE))
    k = max(1, min(axes, math.floor((size / AXES) ** (2 / 3))))
    load = 2 * k**1.5 / size
    count = min(most, 1 + sum(load <= one for one in LOADS))
    selection = min(rounded_down(share * Fraction(epsilon)), 2 * math.log(candidates) / (LOSS * n))
    rest = Fraction(epsilon) - Fraction(selection)
    shares = [Fraction(1), *[LATER] * (count - 1)]
    return Plan(k, tuple(rest * share / sum(shares) for share in shares), selection)
