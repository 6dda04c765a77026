"""How epsilon is spent on several labels: what public numbers alone decide, before a private row is read."""

import math
from fractions import Fraction

from semipriv.core.rounding import Bracket, rounded_down
from semipriv.learners.discriminant.plan import LATER, Plan, gaussian_is_better, gaussian_plan, selection_of, slack_of
from semipriv.privacy.events import whole
from semipriv.privacy.guarantee import Guarantee

LATTICE = 2**13
"""Steps of the lattice on which the norm of a row's summand is measured, which has a coordinate for each label."""
LEAST = 10.0
"""n epsilon for each label below which sums are noise alone: constants are all."""
AXES = 6.0
"""k axes for n epsilon = AXES K k^1.5."""
LOADS = (0.1, 0.02)
"""Noise of one sum, K k^1.5 / (epsilon n), below which there are two, three of them."""
GAUSSIAN_AXES = 2.0
"""With Gaussian noise, k axes for n sqrt(rho) = this times K k."""
GAUSSIAN_LOADS = (0.2, 0.1, 0.05, 0.03)
"""Noise of one sum, K k / (n sqrt(rho)), below which there are two, three, ... of them."""
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
    delta: float = 0.0,
) -> Plan:
    """Return the plan for n private rows with this number of labels; with Gaussian noise if that is the smaller one.

    axes: number of axes of the public metric.  candidates: about how many functions there are to select from.  most:
    sums at most.  share: of epsilon that selection gets at most.
    """
    if axes == 0 or n * epsilon < LEAST * classes:
        return Plan(0, (), rounded_down(Fraction(epsilon)))
    size = float(min(n * epsilon, _LARGE))
    k = min(axes, max(classes - 1, math.floor((size / (AXES * classes)) ** (2 / 3))))
    load = classes * k**1.5 / size
    count = min(most, 1 + sum(load <= bound for bound in LOADS))
    selection = selection_of(share, n, Fraction(epsilon), candidates)
    rest = Fraction(epsilon) - Fraction(selection)
    guarantee = Guarantee(float(epsilon), delta)
    if gaussian_is_better(guarantee, k, count):
        size = float(min(n * Bracket.of(whole(guarantee)).sqrt().down, _LARGE))
        k = min(axes, max(classes - 1, math.floor(size / (GAUSSIAN_AXES * classes))))
        count = 1 + sum(classes * k / size <= bound for bound in GAUSSIAN_LOADS)
        return gaussian_plan(guarantee, n, k, count, candidates, LATTICE, classes * k / size)
    shares = [Fraction(1), *[LATER] * (count - 1)]
    return Plan(k, tuple(rest * share / sum(shares) for share in shares), selection, LATTICE, slack_of(load))


def constants_alone(plan: Plan, classes: int) -> str | None:
    """Return that a constant will be the output, which public numbers decide; None if it need not be."""
    if plan.gradients:
        return None
    return f"too few rows, epsilon or public points for rules: the output is a constant ({_needed(classes)})"


def public_model_alone(plan: Plan, classes: int) -> str | None:
    """Return that the public model or a constant will be the output; None if private rows can move the model."""
    if plan.gradients:
        return None
    return f"too few rows or epsilon to move the public model: it or a constant is the output ({_needed(classes)})"


def _needed(classes: int) -> str:
    return f"rows times epsilon must be at least {LEAST * classes:g} for {classes} labels"
