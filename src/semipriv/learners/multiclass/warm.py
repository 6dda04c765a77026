"""From a public model of several labels: noisy gradients at its scores, and rules between it and private rows."""

import numpy as np

from semipriv.core.functions import Parameters
from semipriv.core.types import Floats
from semipriv.learners.discriminant.gradients import RADIUS, Coordinates, typical_norm
from semipriv.learners.discriminant.plan import Draw, Plan
from semipriv.learners.discriminant.warm import PRIOR, PUBLIC_PRIOR, WORTHS, Handicapped, handicaps_of, weight_of
from semipriv.learners.multiclass.candidates import GRADIENT_CLIPS, Gradient, constants, functions_of, rule_of
from semipriv.learners.multiclass.steps import noisy_of, posterior, weighed
from semipriv.learners.multiclass.sums import chances
from semipriv.learners.stages.public_softmax import ModelledClasses

__all__ = ["GRADIENTS", "handicapped"]

GRADIENTS = 3
"""Gradients at most."""


def handicapped(
    prepared: ModelledClasses, classes: int, plan: Plan, n: int, draw: Draw, declared: bool = False
) -> Handicapped:
    """Return rules, the public model first, and constants; n private rows are read by ``draw`` alone.

    Handicaps are made of public mistakes and a prior, as those of two labels.  The last rule is what the last noisy
    gradient makes of the public model by its own evidence of what a public row is worth.

    declared: whether a public row is worth a private one, because somebody says so.
    """
    functions = functions_of(prepared.metric, classes)
    rules, scores = [prepared.rule], [prepared.crossed]
    if plan.gradients:
        coordinates = Coordinates.of(prepared.metric, plan.axes)
        public = coordinates.public
        least = GRADIENT_CLIPS[1] / 4 * typical_norm(public, 1)
        weights = np.zeros((classes, plan.axes + 1))
        for noise in plan.noises:
            clip = plan.slack * max(_clip(weights, prepared, public), least)
            noisy = draw(noise, Gradient(functions, coordinates, weights, clip, plan.lattice, rule=prepared.rule))
            gradient = noisy_of(noisy, classes, clip, plan.lattice, n, noise.noise.variance)
            every = [posterior(weights, gradient, public, prepared.crossed, n, worth) for worth in reversed(WORTHS)]
            if not declared:
                every.append(weighed(weights, gradient, public, prepared.crossed, n))
            for candidate in every:
                rules.append(prepared.rule + rule_of(prepared.metric, coordinates, candidate))
                scores.append(prepared.crossed + candidate @ public)
            weights = every[-1]
    return _weighed(prepared, rules, scores, constants(functions), plan.selection, n)


def _clip(weights: Floats, prepared: ModelledClasses, public: Floats) -> float:
    """Return the public quantile of the norms of gradients."""
    residuals = np.eye(len(weights))[prepared.labels].T - chances(weights, public, prepared.crossed)
    norms = np.abs(residuals).sum(axis=0) * np.abs(public).sum(axis=0)
    return float(np.quantile(norms, RADIUS)) if len(norms) else 0.0


def _weighed(
    prepared: ModelledClasses, rules: list[Floats], scores: list[Floats], fixed: Parameters, selection: float, n: int
) -> Handicapped:
    """Return rules that are finite, and constants, with their handicaps."""
    y, candidates, wrong, prior = prepared.labels, [], [], []
    for place, (rule, row_scores) in enumerate(zip(rules, scores, strict=True)):
        largest = float(np.abs(rule).max())
        if not 0 < largest < np.inf:
            continue
        candidates.append((rule / largest).ravel())
        wrong.append(int(np.count_nonzero(np.argmax(row_scores, axis=0) != y)))
        prior.append((PUBLIC_PRIOR if place == 0 else 0.0) + (PRIOR if place == len(rules) - 1 else 0.0))
    mistakes = np.array([*wrong, *(int(np.count_nonzero(y != c)) for c in range(len(fixed)))], np.int64)
    chance = np.array([*prior, *([0.0] * len(fixed))])
    weight = weight_of(prepared.wrong / max(1, len(y)), len(y), n, selection)
    return Handicapped(np.array([*candidates, *fixed]), handicaps_of(chance, mistakes, selection, weight, n))
