"""From a public model: noisy gradients at its scores, rules between it and private rows, and what public rows say."""

from dataclasses import dataclass

import numpy as np

from semipriv.core.functions import Parameters
from semipriv.core.types import Floats, Indices, Integers
from semipriv.learners.discriminant.candidates import constants, stumps
from semipriv.learners.discriminant.gradients import RADIUS, Coordinates, Gradient, chances, posterior, step_of, weighed
from semipriv.learners.discriminant.plan import Draw, Plan
from semipriv.learners.stages.public_model import ModelledMetric

GRADIENTS = 4
"""Gradients at most."""
WORTHS = (1.0, 0.1, 0.01)
"""What a public row is worth beside a private one: as much, if populations match; rules of the others come along."""
SHIFTS = (-0.2, -0.1, -0.05, 0.05, 0.1, 0.2)
"""Further cuts of a rule move its public share of ones by so much."""
PRIOR, PUBLIC_PRIOR = 0.8, 0.05
"""Chances of the last rule and of the public model if there were no mistakes to count."""
FULL = 20.0
"""n epsilon of the selection from which on all other rules have what chances these two leave; below it less of that."""
MOST_WEIGHT = 30.0
"""Private rows that a public row counts for in the selection, at most, times n_public / n_private."""
_LEAST_VARIANCE = 0.005
_LEAST_CHANCE = 1e-300
_MOST_HANDICAP = 2**53
_MOST_UNITS = 2.0**100
"""Units of a prior are finite: 0 times infinity would be no integer, and leave a score no room to move by 1."""
_NOISE = 1.6
"""Variance of the mistakes that selection loses, in units of (2 / epsilon)^2: about pi^2 / 6."""


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule (d + 1,) on standardised features, and its scores (m,) of the public points by models without them."""

    rule: Floats
    scores: Floats


def rules_of(prepared: ModelledMetric, plan: Plan, n: int, draw: Draw, declared: bool = False) -> list[Rule]:
    """Return rules, the public model first and the one to trust last; n private rows are read by ``draw`` alone.

    The last one is what a noisy gradient makes of the public model by its own evidence of what a public row is worth.
    declared: whether a public row is worth a private one, because somebody says so.
    """
    metric = prepared.metric
    candidates = [Rule(prepared.rule, prepared.crossed)]
    if not plan.gradients:
        return candidates
    coordinates = Coordinates.of(metric, plan.axes)
    weights = np.zeros(plan.axes + 1)
    for noise in plan.noises:
        residuals = prepared.labels - chances(weights, coordinates.public, prepared.crossed)
        norms = np.abs(residuals * coordinates.public).sum(axis=0)
        clip = plan.slack * max(float(np.quantile(norms, RADIUS)), coordinates.clip() / 2)
        noisy = draw(noise, Gradient(coordinates, weights, clip, plan.lattice, prepared.rule))
        step = step_of(weights, noisy, clip, plan.lattice, n, noise.noise.variance)
        every = [posterior(step, coordinates.public, prepared.crossed, n, worth) for worth in reversed(WORTHS)]
        if not declared:
            every.append(weighed(step, coordinates.public, prepared.crossed, n))
        candidates += [_moved(prepared, coordinates, weights) for weights in every]
        weights = every[-1]
    return candidates


def _moved(prepared: ModelledMetric, coordinates: Coordinates, weights: Floats) -> Rule:
    """Return the public model, to which weights (k + 1,) of coordinates are added."""
    directions = prepared.metric.directions[:, : coordinates.count] @ weights[:-1]
    intercept = weights[-1] * coordinates.public[-1, 0] - directions @ prepared.metric.mean
    return Rule(prepared.rule + np.append(directions, intercept), prepared.crossed + weights @ coordinates.public)


@dataclass(frozen=True, eq=False)
class Handicapped:
    """Candidates (c, d + 1), each with mistakes (c,) that it has before a private one is counted, integers >= 0."""

    candidates: Parameters
    handicaps: Integers


def handicapped(prepared: ModelledMetric, fitted: list[Rule], selection: float, n: int) -> Handicapped:
    """Return rules with several cuts, stumps and constants; handicaps are made of public mistakes and a prior.

    A prior chance q is worth floor((2 / epsilon) ln(largest q / q)) mistakes.  A public mistake counts for as many
    private ones as make the sum of both a weighted mean with the least variance: 1 for many rows, more if selection is
    noisy.  selection: its epsilon.
    """
    metric, y = prepared.metric, prepared.labels == 1
    rules: list[Floats] = []
    wrong, prior = [], []
    for place, entry in enumerate(fitted):
        size = float(np.abs(entry.rule).max())
        if not 0 < size < np.inf:
            continue
        for cut in _cuts(entry.scores):
            rule = entry.rule.copy()
            rule[-1] -= cut
            rules.append(rule / size)
            wrong.append(int(np.count_nonzero((entry.scores >= cut) != y)))
            trusted = (PUBLIC_PRIOR if place == 0 else 0.0) + (PRIOR if place == len(fitted) - 1 else 0.0)
            prior.append(trusted if cut == 0 else 0.0)
    fixed = np.concatenate([constants(metric), stumps(metric)])
    candidates = np.concatenate([*(rule[None] for rule in rules), fixed])
    mistakes = np.append(
        np.array(wrong, np.int64), metric.functions.mistakes_of_columns(fixed, metric.rows.T, prepared.labels)
    )
    chance = np.append(np.array(prior), np.zeros(len(fixed)))
    error = float(np.mean((prepared.crossed >= 0) != y)) if len(y) else 0.0
    return Handicapped(candidates, handicaps_of(chance, mistakes, selection, weight_of(error, len(y), n, selection), n))


def handicaps_of(prior: Floats, mistakes: Integers, selection: float, weight: float, n: int) -> Integers:
    """Return integers (c,), of which the least is 0, for a prior and public mistakes that count ``weight`` times each.

    prior: chances (c,), in sum 1 at most; the rest is spread over all candidates.  Where n private rows cannot tell
    rules apart, n epsilon < ``FULL``, that rest is the smaller, in proportion to n epsilon.
    """
    trusted = float(prior.sum())
    rest = 1 - trusted
    if trusted:
        prior = prior / trusted
        rest = max(rest * min(1.0, n * selection / FULL), _LEAST_CHANCE)
    chance = prior * (1 - rest) + rest / len(prior)
    handicaps = np.floor(min(2 / selection, _MOST_UNITS) * np.log(chance.max() / chance))
    handicaps += np.floor(weight * mistakes)
    return np.asarray(np.minimum(handicaps - handicaps.min(), _MOST_HANDICAP).astype(np.int64))


def possible(handicaps: Integers, units: int) -> Indices:
    """Return the places of the candidates that a selection can take: a score holds their handicaps (c,).

    Of the others no score could say how small their chances are.  Of mistakes a person has so many units; what is left
    is at most 2^53 in them: sums with mistakes are exact, so that scores move by W at most.
    """
    return np.flatnonzero(handicaps < _MOST_HANDICAP // units)


def _cuts(scores: Floats) -> list[float]:
    """Return 0, and cuts that move the share of ones among public points."""
    if not len(scores):
        return [0.0]
    shares = np.clip(float((scores < 0).mean()) + np.array(SHIFTS), 0.01, 0.99)
    return [0.0, *(float(cut) for cut in np.unique(np.quantile(scores, shares)) if cut)]


def weight_of(error: float, m: int, n: int, selection: float) -> float:
    """Return how many private mistakes a public one counts for; error: what public points promise."""
    if not m or not n:
        return 0.0
    variance = max(error * (1 - error), _LEAST_VARIANCE)
    noise = 2 / (selection * n)  # infinite for the smallest epsilons, and so is its square, which is no error
    private = variance / n + _NOISE * (noise * noise)
    return min(MOST_WEIGHT, private / (variance / m)) * n / m
