"""The functions to select from: rules by noisy sums, and constants."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semipriv.classes.predictors.clipped_linear_rules import ClippedLinearRules
from semipriv.core.functions import Parameters
from semipriv.core.samples import ClassLabels, Points
from semipriv.core.types import Floats, Integers
from semipriv.learners.discriminant.gradients import Coordinates, typical_norm
from semipriv.learners.discriminant.plan import Draw, Noise, Plan
from semipriv.learners.multiclass.plan import LOADS
from semipriv.learners.multiclass.steps import (
    discriminant,
    means_of,
    newton,
    noisy_of,
    shrunk,
    weighted,
)
from semipriv.learners.multiclass.sums import gradient_sum, sums_by_label
from semipriv.learners.stages.public_metric import Metric

CLIPS = {1: 0.6, 2: 0.8}
"""Norm of a row's summand, as a share of the public quantile of such norms of coordinates."""
GRADIENT_CLIPS = {1: 1.2, 2: 0.8}
"""The same of a gradient's summand, whose norm is over all labels together."""


def classes_of(metric: Metric) -> int:
    """Return the number of labels."""
    learned: Any = metric.hypothesis_class
    return int(learned.classes)


def estimated_candidates(classes: int) -> int:
    """Return about how many candidates there are."""
    return 4 + len(LOADS) + classes


def functions_of(metric: Metric, classes: int) -> ClippedLinearRules:
    """Return the set of functions of a metric's features."""
    return ClippedLinearRules(metric.functions.centre, metric.functions.scale, classes)


def constants(functions: ClippedLinearRules) -> Parameters:
    """Return the function that is c everywhere, for each label c: (K, K (d + 1))."""
    parameters = np.zeros((functions.classes, functions.classes, functions.dimension + 1))
    parameters[np.arange(functions.classes), np.arange(functions.classes), -1] = 1.0
    return parameters.reshape(functions.classes, -1)


def rule_of(metric: Metric, coordinates: Coordinates, weights: Floats) -> Floats:
    """Return weights (K, k + 1) of coordinates as weights of standardised features and offsets, (K, d + 1)."""
    own = weights[:, :-1] @ metric.directions[:, : coordinates.count].T
    return np.column_stack([own, weights[:, -1] * coordinates.public[-1, 0] - own @ metric.mean])


def scaled(rules: Sequence[Floats], functions: ClippedLinearRules) -> Parameters:
    """Return rules (K, d + 1) whose largest number has absolute value 1, (c, K (d + 1)).

    Rules that are not finite, by noise without end, or all 0 are left out.
    """
    largest = [float(np.abs(rule).max()) for rule in rules]
    parts = [(rule / size).ravel() for rule, size in zip(rules, largest, strict=True) if 0 < size < np.inf]
    return np.array(parts).reshape(len(parts), functions.width)


@dataclass(frozen=True, eq=False)
class ByLabel:
    """The private sum of coordinates by label, as a function of rows: points (n, d), labels (n,) to (K (k + 1),)."""

    functions: ClippedLinearRules
    coordinates: Coordinates
    clip: float
    lattice: int
    norm: int

    def __call__(self, points: Points, labels: ClassLabels) -> Integers:
        """Return the sum; each row adds to it by itself."""
        rows = self.coordinates(self.functions.standardised(points))
        return sums_by_label(rows, labels, self.functions.classes, self.clip, self.lattice, self.norm)


@dataclass(frozen=True, eq=False)
class Gradient:
    """The private sum of one gradient of the softmax loss at weights (K, k + 1), as ``ByLabel``.

    rule: (K, d + 1) on standardised features, scores to which those of the weights are added; None: none are.
    """

    functions: ClippedLinearRules
    coordinates: Coordinates
    weights: Floats
    clip: float
    lattice: int
    norm: int = 1
    rule: Floats | None = None

    def __call__(self, points: Points, labels: ClassLabels) -> Integers:
        """Return the sum; each row adds to it by itself."""
        rows = self.coordinates(self.functions.standardised(points))
        start = 0.0 if self.rule is None else self.functions.scores(self.rule.ravel(), points)[0]
        return gradient_sum(self.weights, rows, labels, self.clip, self.lattice, start, self.norm)


def discriminants(
    functions: ClippedLinearRules, coordinates: Coordinates, noise: Noise, n: int, plan: Plan, draw: Draw
) -> list[Floats]:
    """Return linear discriminants (K, k + 1) from one noisy sum of coordinates by label, over n rows.

    Of the means as they are and shrunk, without and with shares; the last one is shrunk and has shares.
    """
    classes, public = functions.classes, coordinates.public
    clip = plan.slack * CLIPS[plan.norm] * typical_norm(public, plan.norm)
    noisy = draw(noise, ByLabel(functions, coordinates, clip, plan.lattice, plan.norm))
    means = means_of(noisy_of(noisy, classes, clip, plan.lattice, n, noise.noise.variance), public)
    rules = []
    for estimate in (means, shrunk(means)):
        rule = discriminant(estimate, public)
        rules += [weighted(rule, shares, float(public[-1, 0])) for shares in (np.ones(classes), estimate.shares)]
    return rules


def candidates_of(metric: Metric, classes: int, plan: Plan, n: int, draw: Draw) -> Parameters:
    """Return what is selected from, (c, K (d + 1)): n private rows are read by ``draw`` alone, which adds the noise."""
    functions = functions_of(metric, classes)
    if not plan.gradients:
        return constants(functions)
    coordinates = Coordinates.of(metric, plan.axes)
    public = coordinates.public
    first, *later = plan.noises
    coordinate_rules = discriminants(functions, coordinates, first, n, plan, draw)
    clip = plan.slack * GRADIENT_CLIPS[plan.norm] * typical_norm(public, plan.norm)
    for noise in later:
        noisy = draw(noise, Gradient(functions, coordinates, coordinate_rules[-1], clip, plan.lattice, plan.norm))
        gradient = noisy_of(noisy, classes, clip, plan.lattice, n, noise.noise.variance)
        coordinate_rules.append(newton(coordinate_rules[-1], gradient, public))
    rules = [rule_of(metric, coordinates, weights) for weights in coordinate_rules]
    return np.concatenate([scaled(rules, functions), constants(functions)])
