"""Logistic gradients: private ones as sums of integers, and what is made of them with public rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats, Integers
from semipriv.geometry.predicates import affine_values
from semipriv.learners.discriminant._kernels import bounded_sum, coordinates_and_scores
from semipriv.learners.regression.moments import Prior
from semipriv.learners.regression.moments import Step as Noisy
from semipriv.learners.regression.moments import posterior as believed
from semipriv.learners.stages.public_metric import Metric
from semipriv.mechanisms.gaussian_integers import bounded_in_length
from semipriv.mechanisms.noisy_integers import bounded

RADIUS = 0.6
"""Quantile of the public norms at which coordinates are shortened."""
CLIPS = {1: 0.3, 2: 0.5}
"""L1 or L2 norm of a clipped gradient, as a share of that quantile of public norms; residuals begin at 1/2."""
RIDGE, FEW_AXES = 0.1, 4.0
"""Added to the diagonal of the public Hessian where noise is large, or public rows are fewer than so many times k."""
ONE_POPULATION = 0.9
"""Chance that public and private rows are of one population, so that a public row is worth a private one."""
PARTS = 4.0 ** -np.arange(6)
"""What a public row is worth, in private rows."""
SHIFTED = 4.0
"""Variance of scores that is expected of private rows which public rows say nothing of."""
SEEN = 3.0
"""Standard deviations of its noise from which on a change of gradients is believed."""
BOUNDED = {1: bounded, 2: bounded_in_length}
"""How a row's summand is bounded in a norm."""
_BLOCK = 2**12
_SURE = 0.01
"""Variance of a label of which the model is certain."""
_STEEP = 30.0
"""Scores beyond it are as good as certain."""


@dataclass(frozen=True, eq=False)
class Coordinates:
    """k coordinates of points on the public axes, shortened to a radius, and a constant one.

    All numbers are public.  metric: what it is made from.  count: k.  radius: the largest norm.  public: (k + 1, m),
    those of the public points.
    """

    metric: Metric
    count: int
    radius: float
    public: Floats

    @classmethod
    def of(cls, metric: Metric, count: int) -> "Coordinates":
        """Return those of the first ``count`` axes."""
        raw = metric.coordinates(metric.rows, count)
        norms = np.sqrt((raw**2).sum(axis=0))
        radius = float(np.quantile(norms, RADIUS)) or float(norms.max()) or 1.0  # most points may lie at the mean
        return cls(metric, count, radius, _extended(raw, radius))

    def penalty(self, n: int) -> Floats:
        """Return the penalty (k + 1,) of weights for n rows: as if those of standardised features were normal.

        A square of a weight of a standardised feature counts 1 / n beside the mean loss, the intercept nothing.
        """
        return np.append(1 / (n * self.metric.variances[: self.count]), 0.0)

    def clip(self, norm: int = 1, slack: float = 1.0) -> float:
        """Return the norm to which gradients are clipped, in L1 or in L2; slack: its factor, of the plan."""
        return slack * CLIPS[norm] * typical_norm(self.public, norm)

    def __call__(self, standardised: Points) -> Floats:
        """Return the coordinates of standardised points (n, d): (k + 1, n), each column from its own point alone."""
        return _extended(self.metric.coordinates(standardised, self.count), self.radius)

    def scored(self, columns: Floats, weights: Floats, start: Floats | None) -> tuple[Floats, Floats]:
        """Return the coordinates (k + 1, n) of standardised points (d, n), and scores (n,) by weights (k + 1,).

        start: None, or weights and offset (d + 1,) of standardised features, whose scores are added.
        """
        rows, initial = self.metric.affine(self.count), np.zeros(0) if start is None else start
        return coordinates_and_scores(columns, rows, self.radius, self.public[-1, 0], np.append(weights, 0.0), initial)


def typical_norm(public: Floats, norm: int) -> float:
    """Return the public quantile of L1 or L2 norms of coordinates (p, m)."""
    norms = np.abs(public).sum(axis=0) if norm == 1 else np.sqrt((public**2).sum(axis=0))
    return float(np.quantile(norms, RADIUS))


def _extended(raw: Floats, radius: float) -> Floats:
    """Shorten columns to the radius; the constant coordinate has the size that one of k has at the radius."""
    norms = np.sqrt((raw**2).sum(axis=0))
    short = raw * (radius / np.maximum(norms, radius))
    return np.concatenate([short, np.full((1, raw.shape[1]), radius / np.sqrt(len(raw)))])


def chances(weights: Floats, coordinates: Floats, start: Floats | float = 0.0) -> Floats:
    """Return P[y = 1] = 1 / (1 + e^-score) by weights (p,) at coordinates (p, n): (n,).  start: scores to add to."""
    return _chances(affine_values(np.append(weights, 0.0)[None], coordinates)[0] + start)


def _chances(scores: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(scores, -_STEEP, _STEEP))))


def private_sum(
    weights: Floats,
    coordinates: Floats,
    labels: Labels,
    clip: float,
    lattice: int,
    start: Floats | float = 0.0,
    norm: int = 1,
) -> Integers:
    """Return the sum over rows of the gradient (y - p) u, clipped to a norm, in steps of clip / lattice: (k + 1,).

    weights: (k + 1,).  coordinates: (k + 1, n).  start: scores (n,) to which theirs are added.  norm: 1 or 2.  Each row
    adds integers of that norm at most ``lattice``, whatever the rounding (``BOUNDED``), and depends on no other row.
    """
    residuals = labels - chances(weights, coordinates, start)
    return np.asarray(BOUNDED[norm](residuals * coordinates * (lattice / clip), lattice).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Gradient:
    """The private sum of one gradient, as a function of rows: points (n, d), labels (n,) to (k + 1,).

    weights: (k + 1,) at which it is taken.  rule: (d + 1,) on standardised features, scores to which theirs are added.
    norm: 1 or 2, in which a row's part is at most ``lattice``.
    """

    coordinates: Coordinates
    weights: Floats
    clip: float
    lattice: int
    rule: Floats | None = None
    norm: int = 1

    def __call__(self, points: Points, labels: Labels) -> Integers:
        """Return the sum, block by block: each row adds to it by itself."""
        total = np.zeros(len(self.weights), np.int64)
        for first in range(0, len(points), _BLOCK):
            block = slice(first, first + _BLOCK)
            columns = self.coordinates.metric.functions.standardised_columns(points[block])
            u, scores = self.coordinates.scored(columns, self.weights, self.rule)
            residuals, factor = labels[block] - _chances(scores), self.lattice / self.clip
            if self.norm == 1:
                total += bounded_sum(residuals, u, factor, self.lattice)
            else:
                total += BOUNDED[self.norm](residuals * u * factor, self.lattice).sum(axis=1)
        return total


@dataclass(frozen=True, eq=False)
class Step:
    """What one noisy gradient says.  weights: (p,) at which it was taken.  mean: (p,) of a row.  error: its noise."""

    weights: Floats
    mean: Floats
    error: float


def step_of(weights: Floats, noisy: NDArray[Any], clip: float, lattice: int, n: int, variance: float) -> Step:
    """Return a noisy sum in units of the gradient, as a mean over n rows; variance: of the noise, in steps."""
    unit = clip / lattice / n
    return Step(weights, noisy.astype(np.float64) * unit, float(np.sqrt(variance)) * unit)


def posterior(step: Step, public: Floats, start: Floats, n: int, worth: float) -> Floats:
    """Return the weights between those of the public model, 0, and what a gradient of n private rows says.

    With H the mean public Hessian, S = error^2 I + H / n the covariance of the gradient's mean, and m public rows that
    are worth a share of private ones, the quadratic form of both is least at

        w + (H S^-1 H + worth m H)^-1 (H S^-1 g - worth m H w).

    start: scores (m,) of the public rows.
    """
    p = chances(step.weights, public, start)
    return between(step, cautious_hessian(p, public, _SURE), public.shape[1], n, worth)


def weighed(step: Step, public: Floats, start: Floats, n: int) -> Floats:
    """Return the weights of ``posterior`` for a public row that is worth what the noisy gradient itself says.

    It is worth a private one with the chance ``ONE_POPULATION``, or less, down to where what private rows add to scores
    has the variance ``SHIFTED``.  The gradient is normal with mean 0 and covariance S + H / (worth m) at the public
    model; the mean over the worths is returned, each with its chance times that density.

    start: scores (m,) of the public rows.
    """
    p, m = chances(step.weights, public, start), public.shape[1]
    hessian = cautious_hessian(p, public, _SURE)
    worths = worths_of(len(hessian), m, float((p * (1 - p)).mean()))
    priors = [Prior(chance, worth * m * hessian) for worth, chance in worths]
    return believed(step.weights, Noisy(step.mean, step.error), hessian, 1.0, (n, m), priors).weights


def worths_of(k: int, m: int, spread: float) -> list[tuple[float, float]]:
    """Return what each of m public rows may be worth, and the chance of it, for k weights.

    spread: mean variance of a label under the public model.
    """
    least = min(1.0, k / (m * max(spread, _SURE) * SHIFTED))
    worths = np.unique(np.maximum(PARTS, least))[::-1]
    chances = np.append(ONE_POPULATION, np.full(len(worths) - 1, (1 - ONE_POPULATION) / max(len(worths) - 1, 1)))
    return list(zip(worths.tolist(), chances.tolist(), strict=True))


def cautious_hessian(p: Floats, public: Floats, sure: float) -> Floats:
    """Return the mean Hessian (p, p) of a label of chance p (m,) on public coordinates (p, m).

    It gets twice the standard error of its own diagonal: an axis along which few public rows vary is not trusted.
    sure: least variance of the label.
    """
    m, spread = public.shape[1], np.maximum(p * (1 - p), sure)
    terms = public**2 * spread
    hessian = public * spread @ public.T / m
    hessian += np.diag(2 * terms.std(axis=1) / np.sqrt(m)) + 0.05 * spread.mean() * np.eye(len(public))
    return np.asarray(hessian)


def between(step: Step, hessian: Floats, m: int, n: int, worth: float) -> Floats:
    """Return the weights of ``posterior`` for a mean public Hessian."""
    precise = hessian @ np.linalg.inv(step.error**2 * np.eye(len(hessian)) + hessian / n)
    both = precise @ hessian + worth * m * hessian
    return np.asarray(step.weights + np.linalg.solve(both, precise @ step.mean - worth * m * hessian @ step.weights))


def ridge_of(slack: float, public: Floats) -> float:
    """Return the ridge for public coordinates (k + 1, m): the smaller, the less noise there is, by the plan's slack.

    A Hessian of few public rows for many axes needs one without noise, too.
    """
    return RIDGE * max(1 / slack, min(1.0, FEW_AXES * (len(public) - 1) / public.shape[1]))


def newton(
    step: Step, public: Floats, ridge: float = RIDGE, penalty: Floats | float = 0.0, earlier: Sequence[Step] = ()
) -> Floats:
    """Return the weights after a step with the Hessian of the public points (p, m), plus a ridge.

    The loss is the mean logistic one + <penalty, w^2> / 2; penalty: (p,), of squares of the weights.  earlier: steps
    before this one, which correct the Hessian: that of few public points is not the private one.

    Source:
        Nocedal 1980, Updating quasi-Newton matrices with limited storage.
    """
    p = chances(step.weights, public)
    hessian = public * (p * (1 - p)) @ public.T / public.shape[1]
    matrix = hessian + ridge * np.eye(len(public)) + np.diag(np.broadcast_to(penalty, len(public)))
    seen, slope = secants([*earlier, step], penalty), step.mean - penalty * step.weights
    shares = []
    for moved, change in reversed(seen):
        shares.append(moved @ slope / (moved @ change))
        slope = slope - shares[-1] * change
    way = np.linalg.solve(matrix, slope)
    for (moved, change), share in zip(seen, reversed(shares), strict=True):
        way = way + (share - change @ way / (moved @ change)) * moved
    return np.asarray(step.weights + way)


def secants(steps: Sequence[Step], penalty: Floats | float) -> list[tuple[Floats, Floats]]:
    """Return how far weights (p,) moved from step to step, and how the gradient of the loss changed.

    A change along the way that is less than ``SEEN`` standard deviations of its noise says nothing, and is left out.
    """
    changes = []
    for step, following in pairwise(steps):
        moved = following.weights - step.weights
        change = step.mean - following.mean + penalty * moved
        if moved @ change > SEEN * np.hypot(step.error, following.error) * np.linalg.norm(moved):
            changes.append((moved, change))
    return changes
