"""How epsilon is spent on several labels: what public numbers alone decide, before a private row is read."""

import math
from fractions import Fraction

from semipriv.core.rounding import rounded_down
from semipriv.learners.discriminant.plan import LATER, LOSS, Plan

LATTICE = 2**13
"""Steps of the lattice on which the norm of a row's summand is measured, which has a coordinate for each label."""
LEAST = 20.0
"""n epsilon for each label below which sums are noise alone: constants are all."""
AXES = 4.0
"""k axes for n epsilon = AXES K k^1.5."""
LOADS = (0.1, 0.02)
"""Noise of one sum, K k^1.5 / (epsilon n), below which there are two, three of them."""
SHARE = Fraction(7, 20)
"""Share of epsilon that selection gets at most."""
_LARGE = 2.0**100


def multiclass_plan(
    epsilon: float | Fraction,
    n: int,
    axes: int,
    classes: int,
    candidates: int,
    *,
    most: int = len(LOADS) + 1,
    share: Fraction = SHARE,
) -> Plan:
    """Return the plan for n private rows with this number of labels.

    axes: number of axes of the public metric.  candidates: about how many functions there are to select from.  most:
    sums at most.  share: of epsilon that selection gets at most.
    """
    if axes == 0 or n * epsilon < LEAST * classes:
        return Plan(0, (), rounded_down(Fraction(epsilon)))
    size = float(min(n * epsilon, _LARGE))
    k = min(axes, max(classes - 1, math.floor((size / (AXES * classes)) ** (2 / 3))))
    load = classes * k**1.5 / size
    count = min(most, 1 + sum(load <= one for one in LOADS))
    selection = min(rounded_down(share * Fraction(epsilon)), 2 * math.log(candidates) / (LOSS * n))
    rest = Fraction(epsilon) - Fraction(selection)
    shares = [Fraction(1), *[LATER] * (count - 1)]
    return Plan(k, tuple(rest * share / sum(shares) for share in shares), selection, LATTICE)
