"""From noisy sums to a linear function: where they start, and what they are weighed against."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
ONE_POPULATION, WHERE_FAR = 0.95, 0.5
"""Chance that public and private responses are of one population, so that a public row is worth a private one; and
where more private rows are far from the public model than public ones."""
SURE = 2.5
"""Standard errors by which the share of far rows is above that of public ones before it counts, at least."""
SURE_OF_NOISE = 35.0
"""The same in units of the noise of that share: the more noise, the less is there to fall back upon."""
LARGEST_SHARE = 0.9
"""Share of far rows, at most: how far they are is told by the share of nearer public ones, which few rows do not."""
LARGEST_RESIDUAL = 2.0
"""Of responses in [-1, 1] about a value of that range."""
WORTHS = 4.0 ** -np.arange(9)
"""What a public row is worth, in private rows."""
LEAST_VARIANCE = 1e-6
"""Variance of responses in [-1, 1] about a model, at least."""
UNKNOWN_SPREAD = 0.5
"""How far most responses are taken to lie from a centre, if nothing tells it."""
SCALES = (1.0, 1 / 16)
"""What a linear function explains, in units of what is expected, where nothing tells the spread of the responses."""
UNNOTICED = 0.25
"""Deviation of noise over that of sampling, with which it hardly counts."""


@dataclass(frozen=True, eq=False)
class Start:
    """Where private sums start.  From public data and earlier outputs.

    rule: (d + 1,), weights of standardised features and an offset.  coordinates: of what is added to it.  clip: the
    clipping norm.  variance: of responses about the model.  matrix: the Gram matrix.  priors: of what is added.
    searches: whether a first change that went too far is shortened.
    """

    rule: Floats
    coordinates: Coordinates
    clip: float
    variance: float
    matrix: Floats
    priors: Sequence[Prior]
    searches: bool = False

    def at(self, weights: Floats) -> Floats:
        """Return the rule (d + 1,) to which weights (k + 1,) of the coordinates are added."""
        return self.rule + self.coordinates.rule(weights)

    def moved(self, before: Posterior | None, step: Step, n: int) -> Posterior:
        """Return what is believed after a sum over n rows at the weights before; None: at no change."""
        weights, apart = (np.zeros(len(self.matrix)), None) if before is None else (before.weights, before.apart)
        rows = n, self.coordinates.public.shape[1]
        return posterior(weights, step, self.matrix, self.variance, rows, self.priors, apart)


def from_spread(metric: Metric, plan: Plan, centre: float, spread: float, n: int, missed: float | None = None) -> Start:
    """Return the start at a constant function, with responses within about ``spread`` of it.

    What features explain is spread over the axes in proportion to their variances, as it is where weights of all
    standardised features are of one size; or evenly: the sums say which.  Where the constant is a noisy mean, they also
    say whether it is much or little.  n: number of private rows.  missed: expected square of what a noisy mean misses;
    None: the constant is no mean.
    """
    coordinates = Coordinates.of(metric, plan.axes)
    rule = np.append(np.zeros(metric.functions.dimension), centre)
    norms = np.abs(coordinates.public * coordinates.weights).sum(axis=0)
    clip = spread * (float(np.quantile(norms, SPREAD_CLIP)) if len(norms) else 1.0)
    variance = max(spread**2, LEAST_VARIANCE)
    clip = max(clip, free_clip(coordinates, plan, variance, n))
    varying = metric.variances[: plan.axes]
    shares = varying / varying.sum(), np.full(len(varying), 1 / max(len(varying), 1))
    offset = INTERCEPT * variance if missed is None else missed
    scales = (1.0,) if missed is None else SCALES
    priors = [
        Prior(0.5 / len(scales), np.diag(1 / np.append(variance * scale * SIGNAL * share, offset)))
        for share in shares
        for scale in scales
    ]
    return Start(rule, coordinates, clip, variance, gram(coordinates), priors)


@dataclass(frozen=True, eq=False)
class Residuals:
    """What the public rows say of how far responses lie from their model, each left out of its fit.

    coordinates: of what is added to the model.  norms: (m,), L1 norms of the parts of the public rows in a sum.  clip:
    the norm beyond which a row is far.  variance: of responses about the model.  whole: of responses.
    """

    coordinates: Coordinates
    norms: Floats
    clip: float
    variance: float
    whole: float

    @classmethod
    def of(cls, prepared: RidgeMetric, plan: Plan) -> "Residuals":
        """Return those of a public model."""
        coordinates, residuals = Coordinates.of(prepared.metric, plan.axes), prepared.responses - prepared.left_out
        norms = np.abs(residuals * coordinates.weights * coordinates.public).sum(axis=0)
        clip = max(float(np.quantile(norms, 1 - plan.clipped)), math.sqrt(LEAST_VARIANCE))
        variance, whole = (max(float((part**2).mean()), LEAST_VARIANCE) for part in (residuals, _centred(prepared)))
        return cls(coordinates, norms, clip, variance, whole)

    def scale(self, share: float, error: float, n: int) -> float:
        """Return how many times as far from the model as public rows the private ones lie: 1 if they are no farther.

        share: of n private rows that are far, with noise of standard deviation error.  If residuals of private rows are
        s times those of public rows, as many of them are beyond the clip as of public ones beyond clip / s.
        """
        m, usual = len(self.norms), float((self.norms > self.clip).mean())
        deviation = math.sqrt(error**2 + max(usual * (1 - usual), 1 / m) * (1 / m + 1 / n))
        if share <= usual + max(SURE, SURE_OF_NOISE * error) * deviation:
            return 1.0
        near = float(np.quantile(self.norms, 1 - min(share, LARGEST_SHARE)))
        most = LARGEST_RESIDUAL / math.sqrt(self.variance)
        return max(1.0, min(self.clip / near, most)) if near > 0 else max(1.0, most)

    def mislead(self, scale: float) -> bool:
        """Return whether private rows so many times as far lie farther from the model than public ones from a mean."""
        return scale > 1 and scale**2 * self.variance > self.whole


def _centred(prepared: RidgeMetric) -> Floats:
    return np.asarray(prepared.responses - prepared.responses.mean())


def tells(prepared: RidgeMetric) -> bool:
    """Return whether public rows tell a model: fewer than three, or those of one response, tell a mean alone."""
    return len(prepared.responses) >= FEW and bool(np.ptp(prepared.responses))


def from_ridge(prepared: RidgeMetric, plan: Plan, n: int, scale: float = 1.0) -> Start:
    """Return the start at the public model: a public row is worth as much as a private one, or less.

    It is worth the less, the farther private rows are from the public model; what is added to the model then explains
    at most as much as responses vary on public rows.  The sum itself says how much.  Nor does it explain more than all
    of this if spread evenly over the axes, as a Gram matrix of few rows can be small along some.  Private rows may lie
    farther from the model than public ones: the less noise there is, the less is clipped (``free_clip``).  n: private
    rows.  scale: how many times as far they lie (``Residuals.scale``).
    """
    residuals, m = Residuals.of(prepared, plan), len(prepared.responses)
    coordinates, variance = residuals.coordinates, scale**2 * residuals.variance
    clip = max(scale * residuals.clip, free_clip(coordinates, plan, variance, n))
    precision = m / residuals.variance * gram(coordinates)
    least = min(1.0, len(coordinates.public) * residuals.variance / (m * residuals.whole))
    worths = np.unique(np.maximum(WORTHS, least))[::-1]
    first_chance = ONE_POPULATION if scale == 1 else WHERE_FAR
    chances = np.append(first_chance, np.full(len(worths) - 1, (1 - first_chance) / max(len(worths) - 1, 1)))
    even = np.diag(np.append(np.full(plan.axes, plan.axes / max(residuals.whole, variance)), 0.0))
    priors = [Prior(float(chance), worth * precision + even) for chance, worth in zip(chances, worths, strict=True)]
    return Start(
        prepared.rule,
        coordinates,
        clip,
        variance,
        gram(coordinates, np.asarray(residuals.norms <= clip, np.float64)),
        priors,
        True,
    )


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
    solution: Posterior | None = None
    first: Step | None = None
    for noise in plan.noises:
        rule = start.rule if solution is None else start.at(solution.weights)
        summand = partial(private_sum, rule, start.coordinates, clip=start.clip, lattice=plan.lattice)
        step = step_of(draw(noise, summand), noise, start.clip, plan.lattice, n)
        if start.searches and first is not None and solution is not None:
            solution, step = shortened(solution, first, step)
        first, solution = step, start.moved(solution, step, n)
    assert solution is not None
    return start.at(solution.weights)


def shortened(solution: Posterior, first: Step, second: Step) -> tuple[Posterior, Step]:
    """Return the change that was made, and the sum there, or a part of both if the change went too far.

    Of a quadratic the sum changes linearly on the way: on the part t of it the sum is (1 - t) first + t second.  Along
    the change it is 0 at t = a / (a - b), with a and b the products of the change with both sums.  Public rows that
    vary too little along an axis make a first step too long; a second one by the same matrix would be still longer.
    """
    a, b = (float(solution.weights @ step.mean) for step in (first, second))
    if b >= 0 or a <= 0:
        return solution, second
    t = a / (a - b)
    error = math.hypot((1 - t) * first.error, t * second.error)
    return replace(solution, weights=t * solution.weights), Step((1 - t) * first.mean + t * second.mean, error)
