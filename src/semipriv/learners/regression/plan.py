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
MODEL_LOAD, MODEL_LATER = 0.028, Fraction(3)
"""The same two from a public model on: the first sum then only tells how far that is off."""
ROWS_EACH = 3
"""Public rows for each coordinate from which on a second sum from a public model is taken: a Gram matrix of fewer rows
can make a second step longer than the first one."""
FAR_SHARE, FAR_ROWS = Fraction(1, 20), 40
"""Epsilon of the number of rows far from a public model: this share, or this number over n if less."""
FAR_LEAST, FAR_MOST = 20, Fraction(1, 2)
"""The same where n epsilon is small: at least this number over n, but at most that share."""
CLIPPED = (10.0, 0.01, 0.25)
"""Share of rows whose part is clipped: so much k / (epsilon n), at least, at most.  The less noise, the less bias."""
PLACE_SHARE, PLACE_ROWS = Fraction(3, 25), 400.0
"""Epsilon of each of both selections that find where responses lie: this share, or this number over n if less."""
LEAST_PLACE = 44.0
"""n epsilon of such a selection below which it would see nothing, and is left out."""
MEAN_SHARE, MEAN_LEAST, MEAN_MOST = Fraction(1, 8), 40, Fraction(9, 10)
"""Epsilon of the mean of the responses, found where selections would see nothing: this share, or this number over n if
more, but at most the last share."""
_LARGE = 2.0**100
"""n epsilon beyond it counts as this: all axes and all sums are taken long before, and no float overflows."""


@value
class Plan:
    """The uses of the private rows, one after the other; their epsilons add up to that of the learner, exactly.

    axes: number k of public axes.  sums: epsilon of each sum.  place: epsilon of each of the two selections that find
    where the responses lie, a float; None if there is none.  mean: epsilon of their mean; None if it is not found.
    far: epsilon of the number of rows that are far from the public model; None if they are not counted.  clipped: share
    of rows whose part of the sum from a public model on is to be clipped.  lattice: the norm of a row's part of a sum,
    in steps.
    """

    axes: int
    sums: tuple[Fraction, ...]
    place: float | None = None
    mean: Fraction | None = None
    far: Fraction | None = None
    clipped: float = CLIPPED[2]
    lattice: int = LATTICE

    @property
    def noises(self) -> list[NoisyIntegers]:
        """The mechanism of each sum over rows, each of L1 norm at most ``lattice``.

        Replacing a row takes one summand away and adds another: the sum moves by at most twice that norm.
        """
        return [NoisyIntegers(2 * self.lattice, epsilon) for epsilon in self.sums]

    @property
    def counter(self) -> NoisyIntegers | None:
        """The mechanism of the number of far rows: replacing a row moves it by 1 at most."""
        return None if self.far is None else NoisyIntegers(1, self.far)

    @property
    def averager(self) -> NoisyIntegers | None:
        """The mechanism of the sum of the responses, each in steps of 1 / lattice."""
        return None if self.mean is None else NoisyIntegers(2 * self.lattice, self.mean)

    @property
    def rest(self) -> Fraction:
        """Epsilon of all sums."""
        return sum(self.sums, Fraction(0))

    @property
    def event(self) -> Event:
        """Both selections, or the mean, then each sum.  Or the number of far rows, then all that may follow, as one."""
        if self.counter is not None:
            return Composed([(self.counter.event, 1), (Pure(self.rest), 1)])
        places = [] if self.place is None else [(Pure(self.place), 2)]
        means = [] if self.averager is None else [(self.averager.event, 1)]
        return Composed([*places, *means, *((noise.event, 1) for noise in self.noises)])

    def check(self, n: int) -> None:
        """Raise ValueError unless sums over n rows, and their noise, are certain to fit in 64 bits."""
        if n * self.lattice > LARGEST:
            raise ValueError(f"n_private = {n}: must be at most {LARGEST // self.lattice}, sums of more do not fit")
        for noise in [
            *self.noises,
            *(extra_noise for extra_noise in (self.counter, self.averager) if extra_noise is not None),
        ]:
            noise.noise.check_width()


def plan_of(epsilon: float | Fraction, n: int, axes: int, *, modelled: int = 0) -> Plan:
    """Return the plan for n private rows.

    axes: number of axes of the public metric.  modelled: number of public rows that have a model of the responses: rows
    far from it are counted.  If 0, selections are to find where responses lie, or a mean, which less epsilon finds.
    """
    whole, size = Fraction(epsilon), float(min(n * Fraction(epsilon), Fraction(_LARGE)))
    k = min(axes, max(1, math.floor((size / AXES) ** (2 / 3))))
    factor, least, most = CLIPPED
    clipped = min(most, max(least, factor * k / max(size, 1.0)))
    rest, place, mean, far = whole, None, None, None
    if modelled:
        share = max(FAR_SHARE * whole, min(FAR_MOST * whole, Fraction(FAR_LEAST, max(n, 1))))
        far = min(share, Fraction(FAR_ROWS, max(n, 1)))
        rest -= far
    elif PLACE_SHARE * whole * n >= LEAST_PLACE:
        place = min(rounded_down(PLACE_SHARE * whole), PLACE_ROWS / n)
        rest -= 2 * Fraction(place)
    else:
        mean = max(MEAN_SHARE * whole, min(MEAN_MOST * whole, Fraction(MEAN_LEAST, max(n, 1))))
        rest -= mean
    load, later = (MODEL_LOAD, MODEL_LATER) if modelled else (LOAD, LATER)
    twice = 2 * k**1.5 <= load * size and (not modelled or modelled >= ROWS_EACH * (k + 1))
    sums = (rest / (1 + later), rest * later / (1 + later)) if twice else (rest,)
    return Plan(k, sums, place, mean, far, clipped)
