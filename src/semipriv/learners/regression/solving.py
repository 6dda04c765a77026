"""From noisy sums to a linear function: where they start, and what they are weighed against."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from semipriv.core.types import Floats
from semipriv.learners.regression.moments import (
    Coordinates,
    Draw,
    Posterior,
    Prior,
    Step,
    gram,
    posterior,
    private_sum,
    step_of,
)
from semipriv.learners.regression.plan import Plan
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_ridge import FEW, RidgeMetric

SPREAD_CLIP = 0.5
"""Quantile of public L1 norms, times the spread of the responses: the clipping norm without public responses."""
SIGNAL = 0.3
"""Variance that a linear function is expected to explain, in units of that of the responses."""
INTERCEPT = 0.25
"""Variance of the intercept that is expected, in the same units."""
ONE_POPULATION = 0.95
"""Chance that public and private responses are of one population, so that a public row is worth a private one."""
WORTHS = 4.0 ** -np.arange(9)
"""What a public row is worth, in private rows."""
LEAST_VARIANCE = 1e-6
"""Variance of responses in [-1, 1] about a model, at least."""
UNKNOWN_SPREAD = 0.5
"""How far most responses are taken to lie from a centre, if nothing tells it."""
UNNOTICED = 0.25
"""Deviation of noise over that of sampling, with which it hardly counts."""


@dataclass(frozen=True, eq=False)
class Start:
    """Where private sums start.  From public data and earlier outputs.

    rule: (d + 1,), weights of standardised features and an offset.  coordinates: of what is added to it.  clip: the
    clipping norm.  variance: of responses about the model.  matrix: the Gram matrix.  priors: of what is added.
    """

    rule: Floats
    coordinates: Coordinates
    clip: float
    variance: float
    matrix: Floats
    priors: Sequence[Prior]

    def at(self, weights: Floats) -> Floats:
        """Return the rule (d + 1,) to which weights (k + 1,) of the coordinates are added."""
        return self.rule + self.coordinates.rule(weights)

    def moved(self, before: Posterior | None, step: Step, n: int) -> Posterior:
        """Return what is believed after a sum over n rows at the weights before; None: at no change."""
        weights, apart = (np.zeros(len(self.matrix)), None) if before is None else (before.weights, before.apart)
        rows = n, self.coordinates.public.shape[1]
        return posterior(weights, step, self.matrix, self.variance, rows, self.priors, apart)


def from_spread(metric: Metric, plan: Plan, centre: float, spread: float, n: int) -> Start:
    """Return the start at a constant function, with responses within about ``spread`` of it.

    What features explain is spread over the axes in proportion to their variances, as it is where weights of all
    standardised features are of one size; or evenly: the sums say which.  n: number of private rows.
    """
    coordinates = Coordinates.of(metric, plan.axes)
    rule = np.append(np.zeros(metric.functions.dimension), centre)
    norms = np.abs(coordinates.public * coordinates.weights).sum(axis=0)
    clip = spread * (float(np.quantile(norms, SPREAD_CLIP)) if len(norms) else 1.0)
    variance = max(spread**2, LEAST_VARIANCE)
    clip = max(clip, free_clip(coordinates, plan, variance, n))
    varying = metric.variances[: plan.axes]
    shares = varying / varying.sum(), np.full(len(varying), 1 / max(len(varying), 1))
    priors = [Prior(0.5, np.diag(1 / (variance * np.append(SIGNAL * share, INTERCEPT)))) for share in shares]
    return Start(rule, coordinates, clip, variance, gram(coordinates), priors)


def from_ridge(prepared: RidgeMetric, plan: Plan, n: int) -> Start:
    """Return the start at the public model: a public row is worth as much as a private one, or less.

    It is worth the less, the farther private rows are from the public model; what is added to the model then explains
    at most as much as responses vary on public rows.  The sum itself says how much.  Private rows may lie farther from
    it than public ones: the less noise there is, the less is clipped (``free_clip``).  Public rows that are too few, or
    have one response all, tell no spread: then it is that of ``from_spread``, about their mean.  n: private rows.
    """
    m, y = len(prepared.responses), prepared.responses
    if m < FEW or not np.ptp(y):
        return from_spread(prepared.metric, plan, float(y.mean()) if m else 0.0, UNKNOWN_SPREAD, n)
    coordinates = Coordinates.of(prepared.metric, plan.axes)
    residuals = y - prepared.left_out
    variance = max(float((residuals**2).mean()), LEAST_VARIANCE)
    norms = np.abs(residuals * coordinates.weights * coordinates.public).sum(axis=0)
    clip = max(float(np.quantile(norms, 1 - plan.clipped)), math.sqrt(LEAST_VARIANCE))
    clip = max(clip, free_clip(coordinates, plan, variance, n))
    precision = m / variance * gram(coordinates)
    least = min(1.0, len(coordinates.public) * variance / (m * max(float(y.var()), LEAST_VARIANCE)))
    worths = np.unique(np.maximum(WORTHS, least))[::-1]
    chances = np.append(ONE_POPULATION, np.full(len(worths) - 1, (1 - ONE_POPULATION) / max(len(worths) - 1, 1)))
    priors = [Prior(float(chance), worth * precision) for chance, worth in zip(chances, worths, strict=True)]
    return Start(prepared.rule, coordinates, clip, variance, gram(coordinates, norms <= clip), priors)


def free_clip(coordinates: Coordinates, plan: Plan, variance: float, n: int) -> float:
    """Return the clipping norm whose noise is ``UNNOTICED`` of what sampling n rows makes, or one for residuals of 2.

    Responses are in [-1, 1], so a residual above 2 is of a row beyond the public ones.  variance: of responses about
    the model.
    """
    whole = 2 * (math.sqrt(coordinates.count) * coordinates.radius + 1)
    noise = math.sqrt(plan.noises[0].noise.variance) / plan.lattice  # of the sum, in units of the norm
    allowed = UNNOTICED * math.sqrt(variance * max(n, 1))
    return whole if allowed >= noise * whole else allowed / noise


def solved(start: Start, plan: Plan, n: int, draw: Draw) -> Floats:
    """Return weights of standardised features and an offset, (d + 1,): n private rows are read by ``draw`` alone.

    draw: sums over points (n, d) in the domain and responses (n,) in [-1, 1], and adds the noise.
    """
    found: Posterior | None = None
    for noise in plan.noises:
        rule = start.rule if found is None else start.at(found.weights)
        summand = partial(private_sum, rule, start.coordinates, clip=start.clip, lattice=plan.lattice)
        found = start.moved(found, step_of(draw(noise, summand), noise, start.clip, plan.lattice, n), n)
    assert found is not None
    return start.at(found.weights)
