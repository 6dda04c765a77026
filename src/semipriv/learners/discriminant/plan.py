"""How epsilon is spent: what public numbers alone decide, before a private row is read."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from semipriv.core.fields import value
from semipriv.core.rounding import Bracket, rounded_down
from semipriv.core.types import Integers
from semipriv.learners._totals import Summand
from semipriv.mechanisms.gaussian_integers import GaussianIntegers
from semipriv.mechanisms.noisy_integers import LARGEST, NoisyIntegers
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.events import Composed, Event, selection_epsilon, whole
from semipriv.privacy.guarantee import Guarantee

Noise = NoisyIntegers | GaussianIntegers
"""The mechanism of a private sum."""
Draw = Callable[[Noise, Summand], NDArray[Any]]
"""A mechanism, and what is summed over the private rows, to the sum with noise."""

LATTICE = 2**10
"""Steps of the lattice on which the norm of a clipped gradient is measured."""
LEAST = 150.0
"""n epsilon below which a gradient is noise alone: stumps and constants are all."""
AXES = 8.0
"""k axes for n epsilon = AXES k^1.5: the noise of a gradient grows as k^1.5."""
LOAD, MOST_GRADIENTS = 0.1, 14
"""Noise 2 k^1.5 / (epsilon n) of one gradient that had all of epsilon: at LOAD / T there are T + 1, so many at most."""
MOST_FOR_SELECTION = Fraction(2, 5)
"""Share of epsilon that selection gets at most."""
LOSS = 0.01
"""Share of mistakes that selection may lose: with more epsilon than that takes, gradients get the rest,"""
LEAST_FOR_SELECTION = Fraction(1, 20)
"""but for this share: so selection loses less and less as epsilon and rows grow."""
SLACK = 0.18, 0.43, 5.0
"""Clipping norms are larger by a factor a load^-b than where noise is large, 1 at least, and so much at most."""
LATER = Fraction(6, 5)
"""Epsilon of each later gradient, where the first has 1."""
GAUSSIAN_AXES = 3.0
"""With Gaussian noise, k axes for n sqrt(rho) = this times k: the noise of a gradient grows as k."""
GAUSSIAN_LOADS = (0.2, 0.12, 0.08, 0.05, 0.03, 0.02)
"""Noise of one gradient, k / (n sqrt(rho)), below which there are two, three, ... of them."""
SETTLED, LEAD = 4, 6.0
"""Gradients from which on the last rule is believed: others are to make sqrt(n) / LEAD mistakes less."""
GAUSSIAN_SHARE = Fraction(1, 4)
"""Share of rho that selection gets at most."""
_LARGE = 2.0**100
"""n epsilon beyond it counts as this: all axes and all gradients are taken long before, and no float overflows."""


@value
class Plan:
    """The uses of the private rows, one after the other; their epsilons add up to that of the learner, exactly.

    axes: number k of public axes, 0 if there is no gradient.  gradients: epsilon of each gradient.  selection: epsilon
    of the selection, a float.  lattice: the norm of a clipped gradient, in steps.  slack: factor of clipping norms: the
    less noise there is, the less is clipped.
    """

    axes: int
    gradients: tuple[Fraction, ...]
    selection: float
    lattice: int = LATTICE
    slack: float = 1.0

    norm: ClassVar[int] = 1
    """The norm in which summands are clipped."""

    @property
    def noises(self) -> Sequence[Noise]:
        """The mechanism of each gradient: a sum over rows, each of L1 norm at most ``lattice``.

        Replacing a row takes one summand away and adds another: the sum moves by at most twice that norm.
        """
        return [NoisyIntegers(2 * self.lattice, epsilon) for epsilon in self.gradients]

    @property
    def selector(self) -> SelectionMechanism:
        """The mechanism of the selection."""
        return PermuteAndFlip(self.selection)

    def handicaps(self, n: int, candidates: int) -> Integers:
        """Return what is added to the mistakes of candidates (c,) on n rows: of the last one nothing.

        Where gradients are many, the last rule is nearly the best of its kind for the population, and the best of many
        on the private rows is so by chance.
        """
        lead = math.floor(math.sqrt(n) / LEAD) if len(self.gradients) >= SETTLED else 0
        added = np.full(candidates, lead, np.int64)
        added[-1:] = 0
        return added

    @property
    def event(self) -> Event:
        """Each gradient, then the selection."""
        return Composed([*((noise.event, 1) for noise in self.noises), (self.selector.event, 1)])

    def check(self, n: int) -> None:
        """Raise ValueError unless sums over n rows, and their noise, are certain to fit in 64 bits."""
        if n * self.lattice > LARGEST:
            raise ValueError(f"n_private = {n}: must be at most {LARGEST // self.lattice}, sums of more do not fit")
        for noise in self.noises:
            noise.noise.check_width()


@value
class GaussianPlan(Plan):
    """The uses of the private rows at a delta: rhos of zero-concentrated privacy add up to that of the guarantee.

    gradients: rho of each gradient.  selection: epsilon of an exponential mechanism, whose rho is epsilon^2 / 8.
    """

    norm: ClassVar[int] = 2

    @property
    def noises(self) -> Sequence[Noise]:
        """The mechanism of each gradient: a sum over rows of L2 norm at most ``lattice``, which moves by twice that."""
        return [GaussianIntegers(2 * self.lattice, rho) for rho in self.gradients]

    @property
    def selector(self) -> SelectionMechanism:
        """The mechanism of the selection."""
        return ExponentialMechanism(self.selection)


def slack_of(load: float) -> float:
    """Return the factor of clipping norms for the noise of one sum, in units of what it is to tell."""
    factor, power, most = SLACK
    return float(min(most, max(1.0, factor * load**-power)))


def selection_of(share: Fraction, n: int, epsilon: Fraction, candidates: int) -> float:
    """Return the epsilon of the selection: a share of all, or what ``LOSS`` takes, or ``LEAST_FOR_SELECTION``.

    It is rounded down to a float, so that what is left for gradients is exact.
    """
    enough = max(2 * math.log(candidates) / (LOSS * n), rounded_down(LEAST_FOR_SELECTION * epsilon))
    return min(rounded_down(share * epsilon), enough)


def gaussian_plan(
    guarantee: Guarantee, n: int, axes: int, steps: int, candidates: int, lattice: int, load: float
) -> GaussianPlan:
    """Return the plan of so many steps on so many axes, of equal noise.  load: of one step, if it had all of rho."""
    rho = whole(guarantee)
    enough = max(2 * math.log(candidates) / (LOSS * n), selection_epsilon(LEAST_FOR_SELECTION**2 * rho))
    selection = min(selection_epsilon(GAUSSIAN_SHARE * rho), enough)
    rest = rho - Fraction(selection) ** 2 / 8
    return GaussianPlan(axes, (rest / steps,) * steps, selection, lattice, slack_of(load))


def gaussian_is_better(guarantee: Guarantee, axes: int, steps: int) -> bool:
    """Return whether Gaussian noise is the smaller one for so many axes and gradients, by public numbers alone.

    Of one gradient on k axes, clipped to norms C in L2 and about sqrt(k) C in L1, noise is C sqrt(2 / rho) and
    2 sqrt(2 k) C / epsilon; T gradients take rho / T and epsilon / T each: it is if epsilon^2 < 4 k T rho.
    """
    return guarantee.delta > 0 and Fraction(guarantee.epsilon) ** 2 < 4 * axes * steps * whole(guarantee)


def plan_of(
    epsilon: float | Fraction,
    n: int,
    axes: int,
    candidates: int,
    *,
    most: int = MOST_GRADIENTS,
    share: Fraction = MOST_FOR_SELECTION,
    delta: float = 0.0,
) -> Plan:
    """Return the plan for n private rows: with Gaussian noise if there is a delta, and it is the smaller noise.

    axes: number of axes of the public metric.  candidates: about how many hypotheses there are to select from.  most:
    gradients at most.  share: of epsilon that selection gets at most.
    """
    if axes == 0 or n * epsilon < LEAST:
        return Plan(0, (), rounded_down(Fraction(epsilon)))
    size = float(min(n * epsilon, _LARGE))
    k = max(1, min(axes, math.floor((size / AXES) ** (2 / 3))))
    load = 2 * k**1.5 / size
    count = min(most, 1 + math.floor(LOAD / load))
    selection = selection_of(share, n, Fraction(epsilon), candidates)
    rest = Fraction(epsilon) - Fraction(selection)
    guarantee = Guarantee(float(epsilon), delta)
    if gaussian_is_better(guarantee, k, count):
        size = float(min(n * Bracket.of(whole(guarantee)).sqrt().down, _LARGE))
        k = max(1, min(axes, math.floor(size / GAUSSIAN_AXES)))
        count = 1 + sum(k / size <= load for load in GAUSSIAN_LOADS)
        return gaussian_plan(guarantee, n, k, count, candidates, LATTICE, k / size)
    shares = [Fraction(1), *[LATER] * (count - 1)]
    return Plan(k, tuple(rest * share / sum(shares) for share in shares), selection, slack=slack_of(load))
