"""From noisy sums to a linear function: where they start, and what they are weighed against."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from semipriv.core.types import Floats
from semipriv.learners.regression.moments import Coordinates, Draw, Step, gram, posterior, private_sum, step_of
from semipriv.learners.regression.plan import Plan
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_ridge import RidgeMetric

SPREAD_CLIP = 0.5
"""Quantile of public L1 norms, times the spread of the responses: the clipping norm without public responses."""
SIGNAL = 0.3
"""Variance that a linear function is expected to explain, in units of that of the responses."""
INTERCEPT = 0.25
"""Variance of the intercept that is expected, in the same units."""
LEAST_VARIANCE = 1e-6
"""Variance of responses in [-1, 1] about a model, at least."""


@dataclass(frozen=True, eq=False)
class Start:
    """Where private sums start.  From public data and earlier outputs.

    rule: (d + 1,), weights of standardised features and an offset.  coordinates: of what is added to it.  clip: the
    clipping norm.  variance: of responses about the model.  matrix: the Gram
    matrix.  prior: precision of what is added, whose prior mean is 0.
    """

    rule: Floats
    coordinates: Coordinates
    clip: float
    variance: float
    matrix: Floats
    prior: Floats

    def at(self, weights: Floats) -> Floats:
        """Return the rule (d + 1,) to which weights (k + 1,) of the coordinates are added."""
        return self.rule + self.coordinates.rule(weights)

    def moved(self, weights: Floats, step: Step, n: int) -> Floats:
        """Return the weights after a sum over n rows at other weights."""
        return posterior(weights, step, self.matrix, self.variance, n, self.prior)


def from_spread(metric: Metric, plan: Plan, centre: float, spread: float) -> Start:
    """Return the start at a constant function, with responses within about ``spread`` of it."""
    coordinates = Coordinates.of(metric, plan.axes)
    rule = np.append(np.zeros(metric.functions.dimension), centre)
    norms = np.abs(coordinates.public * coordinates.weights).sum(axis=0)
    clip = spread * (float(np.quantile(norms, SPREAD_CLIP)) if len(norms) else 1.0)
    variance = max(spread**2, LEAST_VARIANCE)
    slopes = np.full(plan.axes, variance * SIGNAL / max(plan.axes, 1))
    prior = np.diag(1 / np.append(slopes, variance * INTERCEPT))
    return Start(rule, coordinates, clip, variance, gram(coordinates), prior)


def from_ridge(prepared: RidgeMetric, plan: Plan) -> Start:
    """Return the start at the public model: a public row is worth as much as a private one."""
    coordinates = Coordinates.of(prepared.metric, plan.axes)
    residuals, m = prepared.responses - prepared.left_out, len(prepared.responses)
    variance = max(float((residuals**2).mean()), LEAST_VARIANCE) if m else 1.0
    norms = np.abs(residuals * coordinates.weights * coordinates.public).sum(axis=0)
    clip = max(float(np.quantile(norms, 1 - plan.clipped)) if m else 1.0, float(np.sqrt(LEAST_VARIANCE)))
    prior = max(m, 1) / variance * gram(coordinates)
    return Start(prepared.rule, coordinates, clip, variance, gram(coordinates, norms <= clip), prior)


def solved(start: Start, plan: Plan, n: int, draw: Draw) -> Floats:
    """Return weights of standardised features and an offset, (d + 1,): n private rows are read by ``draw`` alone.

    draw: sums over points (n, d) in the domain and responses (n,) in [-1, 1], and adds the noise.
    """
    weights = np.zeros(plan.axes + 1)
    for noise in plan.noises:
        rule = start.at(weights)
        summand = partial(private_sum, rule, start.coordinates, clip=start.clip, lattice=plan.lattice)
        weights = start.moved(weights, step_of(draw(noise, summand), noise, start.clip, plan.lattice, n), n)
    return start.at(weights)
