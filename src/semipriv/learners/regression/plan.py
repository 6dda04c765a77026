"""How epsilon is spent: what public numbers alone decide, before a private row is read."""

import math
from fractions import Fraction

from semipriv.core.fields import value
from semipriv.core.rounding import rounded_down
from semipriv.mechanisms.noisy_integers import LARGEST, NoisyIntegers
from semipriv.privacy.events import Composed, Event, Pure

LATTICE = 2**10
"""Steps of the lattice on which the norm of a row's part of the sum is measured."""
AXES = 16.0
"""k axes for n epsilon = AXES k^1.5: the noise of a sum grows as k^1.5."""
LOAD = 0.06
"""Noise of one sum, 2 k^1.5 / (epsilon n), below which there are two, if no public model is there to start from."""
LATER = Fraction(13, 10)
"""Epsilon of the second sum, where the first has 1."""
CLIPPED = (10.0, 0.01, 0.25)
"""Share of rows whose part is clipped: so much k / (epsilon n), at least, at most.  The less noise, the less bias."""
PLACE_SHARE, PLACE_ROWS = Fraction(3, 25), 400.0
"""Epsilon of each of both selections that find where responses lie: this share, or this number over n if less."""
LEAST_PLACE = 22.0
"""n epsilon of such a selection below which it would see nothing, and is left out."""
_LARGE = 2.0**100
"""n epsilon beyond it counts as this: all axes and all sums are taken long before, and no float overflows."""


@value
class Plan:
    """The uses of the private rows, one after the other; their epsilons add up to that of the learner, exactly.

    axes: number k of public axes.  sums: epsilon of each sum.  place: epsilon of each of the two selections that find
    where the responses lie, a float; None if there is none.  clipped: share of rows whose part of the sum from a public
    model on is to be clipped.  lattice: the norm of a row's part of a sum, in steps.
    """

    axes: int
    sums: tuple[Fraction, ...]
    place: float | None = None
    clipped: float = CLIPPED[2]
    lattice: int = LATTICE

    @property
    def noises(self) -> list[NoisyIntegers]:
        """The mechanism of each sum over rows, each of L1 norm at most ``lattice``.

        Replacing a row takes one summand away and adds another: the sum moves by at most twice that norm.
        """
        return [NoisyIntegers(2 * self.lattice, epsilon) for epsilon in self.sums]

    @property
    def event(self) -> Event:
        """Both selections, then each sum."""
        places = [] if self.place is None else [(Pure(self.place), 2)]
        return Composed([*places, *((noise.event, 1) for noise in self.noises)])

    def check(self, n: int) -> None:
        """Raise ValueError unless sums over n rows, and their noise, are certain to fit in 64 bits."""
        if n * self.lattice > LARGEST:
            raise ValueError(f"n_private = {n}: must be at most {LARGEST // self.lattice}, sums of more do not fit")
        for noise in self.noises:
            noise.noise.check_width()


def plan_of(epsilon: float, n: int, axes: int, *, modelled: bool) -> Plan:
    """Return the plan for n private rows.

    axes: number of axes of the public metric.  modelled: whether a public model tells where responses lie: then one sum
    is all; if not, selections are to find it.
    """
    whole, size = Fraction(epsilon), float(min(n * Fraction(epsilon), Fraction(_LARGE)))
    k = min(axes, max(1, math.floor((size / AXES) ** (2 / 3))))
    factor, least, most = CLIPPED
    clipped = min(most, max(least, factor * k / max(size, 1.0)))
    if modelled:
        return Plan(k, (whole,), clipped=clipped)
    rest, place = whole, None
    if PLACE_SHARE * whole * n >= LEAST_PLACE:
        place = min(rounded_down(PLACE_SHARE * whole), PLACE_ROWS / n)
        rest -= 2 * Fraction(place)
    if 2 * k**1.5 > LOAD * size:
        return Plan(k, (rest,), place, clipped)
    return Plan(k, (rest / (1 + LATER), rest * LATER / (1 + LATER)), place, clipped)
