"""Sums of residuals times coordinates: private ones as integers, and what public points say of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.samples import Points, Responses
from semipriv.core.types import Floats, Integers
from semipriv.geometry.predicates import affine_values
from semipriv.learners._totals import Summand
from semipriv.learners.stages.public_metric import Metric
from semipriv.mechanisms.noisy_integers import NoisyIntegers, bounded

RADIUS = 0.9
"""Quantile of the public norms beyond which a row weighs less."""
LEVEL = 0.05
"""Added to the diagonal of the public Gram matrix, where coordinates have variance 1."""
UNLIKE = 2.0
"""How much the Gram matrices of public and private rows differ beyond what is added to the diagonal: ``posterior``."""
_BLOCK = 2**14

Draw = Callable[[NoisyIntegers, Summand], NDArray[Any]]
"""A mechanism, and what is summed over the private rows, to the sum with noise."""


@dataclass(frozen=True, eq=False)
class Coordinates:
    """k coordinates of points on the public axes and a constant one; far rows get a weight below 1.  All is public.

    metric: what it is made from.  count: k.  radius: norm of the k coordinates up to which rows have weight 1; beyond
    it their weighted coordinates keep that norm.  public: (k + 1, m), those of the public points.  weights: (m,).
    """

    metric: Metric
    count: int
    radius: float
    public: Floats
    weights: Floats

    @classmethod
    def of(cls, metric: Metric, count: int) -> "Coordinates":
        """Return those of the first ``count`` axes."""
        raw = metric.coordinates(metric.rows, count)
        norms = np.sqrt((raw**2).sum(axis=0))
        radius = float(np.quantile(norms, RADIUS)) if len(norms) else 0.0
        radius = radius or float(norms.max(initial=0.0)) or 1.0  # most points may lie at the mean
        return cls(metric, count, radius, _extended(raw), _weights(raw, radius))

    def __call__(self, standardised: Points) -> tuple[Floats, Floats]:
        """Return coordinates (k + 1, n) and weights (n,) of points (n, d), each from its own point alone."""
        raw = self.metric.coordinates(standardised, self.count)
        return _extended(raw), _weights(raw, self.radius)

    def rule(self, weights: Floats) -> Floats:
        """Return weights (k + 1,) of coordinates as weights of standardised features and an offset, (d + 1,)."""
        directions = self.metric.directions[:, : self.count] @ weights[:-1]
        return np.append(directions, weights[-1] - directions @ self.metric.mean)


def _extended(raw: Floats) -> Floats:
    return np.concatenate([raw, np.ones((1, raw.shape[1]))])


def _weights(raw: Floats, radius: float) -> Floats:
    return np.asarray(radius / np.maximum(np.sqrt((raw**2).sum(axis=0)), radius))


def private_sum(
    rule: Floats, coordinates: Coordinates, points: Points, responses: Responses, clip: float, lattice: int
) -> Integers:
    """Return the sum over rows of weight * (y - rule(z)) * u, clipped to an L1 norm, in steps of clip / lattice.

    rule: weights of standardised features and an offset, (d + 1,).  points: (n, d).  Each row adds integers (k + 1,) of
    L1 norm at most ``lattice``, whatever the rounding (``bounded``), and depends on no other row.
    """
    total = np.zeros(coordinates.count + 1, np.int64)
    for parts in _parts(rule, coordinates, points, responses):
        total += bounded(parts * (lattice / clip), lattice).sum(axis=1)
    return total


def far_rows(rule: Floats, coordinates: Coordinates, points: Points, responses: Responses, *, clip: float) -> Integers:
    """Return the number of rows whose part of ``private_sum`` has an L1 norm above clip, (1,): each adds 0 or 1."""
    counts = (int((np.abs(parts).sum(axis=0) > clip).sum()) for parts in _parts(rule, coordinates, points, responses))
    return np.array([sum(counts)], np.int64)


def _parts(rule: Floats, coordinates: Coordinates, points: Points, responses: Responses) -> Iterator[Floats]:
    """Yield weight * (y - rule(z)) * u of rows, (k + 1, b) for each block, each from its own row alone."""
    for first in range(0, len(points), _BLOCK):
        block = slice(first, first + _BLOCK)
        z = coordinates.metric.functions.standardised(points[block])
        u, weights = coordinates(z)
        yield (responses[block] - affine_values(rule[None], np.ascontiguousarray(z.T))[0]) * weights * u


@dataclass(frozen=True, eq=False)
class Step:
    """What a noisy sum says.  mean: (k + 1,) of a row.  error: standard deviation of its noise."""

    mean: Floats
    error: float


def step_of(noisy: NDArray[Any], noise: NoisyIntegers, clip: float, lattice: int, n: int) -> Step:
    """Return a noisy sum, in units of the responses, as a mean over n rows."""
    unit = clip / lattice / max(n, 1)
    return Step(noisy.astype(np.float64) * unit, float(np.sqrt(noise.noise.variance)) * unit)


def gram(coordinates: Coordinates, kept: Floats | float = 1.0) -> Floats:
    """Return the weighted mean of u u^T over public points, (k + 1, k + 1), with two standard errors on its diagonal.

    An axis along which few public rows vary is not trusted: a rare level that public rows hardly have would divide
    noise by nearly 0.  kept: (m,), 0 for public rows that the clipping would hold, whose part does not move; they have
    none.
    """
    u, m = coordinates.public, coordinates.public.shape[1]
    if not m:
        return np.eye(len(u))
    weights = coordinates.weights * kept
    terms = u**2 * weights
    matrix = u * weights @ u.T / m
    matrix[np.diag_indices(len(u))] += 2 * terms.std(axis=1) / np.sqrt(m) + LEVEL
    return np.asarray(matrix)


@dataclass(frozen=True, eq=False)
class Prior:
    """What may be believed of weights (k + 1,) before a sum: mean 0, a precision matrix, and the chance of this."""

    chance: float
    precision: Floats


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is believed after a sum.  weights: (k + 1,), the mean.  apart: expected mean square of what they miss."""

    weights: Floats
    apart: float


def posterior(
    weights: Floats,
    step: Step,
    matrix: Floats,
    variance: float,
    rows: tuple[int, int],
    priors: Sequence[Prior],
    apart: float | None = None,
) -> Posterior:
    """Return the weights between what a noisy sum says and priors with mean 0, by precision.

    With H the Gram matrix of m public rows, S = error^2 I + (variance / n + lost / m) H the covariance of the sum's
    mean g at weights w, and P the precision of a prior, the quadratic form of both is least at

        (H S^-1 H + P)^-1 H S^-1 (g + H w).

    The Gram matrix of private rows is another one, which the diagonal of H covers while axes are few.  If they are
    many, g is farther from H times the way that is left: lost = ``UNLIKE`` (k + 1) / m times ``apart``, the mean square
    of what weights miss; None: that of the prior, the trace of H P^-1.  The constant coordinate alone has one matrix.

    Under that prior g + H w is normal with mean 0 and covariance S + H P^-1 H.  The mean over the priors is returned,
    each with its chance times the density of g + H w.  So noisy sums themselves say which prior is to be believed.

    variance: of the responses about the model.  rows: n and m.
    """
    conditionals = [under(weights, step, matrix, variance, rows, prior, apart) for prior in priors]
    evidence = np.array([log_evidence for log_evidence, _ in conditionals])
    shares = np.exp(evidence - evidence.max())
    mean = (
        shares / shares.sum() @ np.array([[*conditional.weights, conditional.apart] for _, conditional in conditionals])
    )
    return Posterior(mean[:-1], float(mean[-1]))


def under(
    weights: Floats,
    step: Step,
    matrix: Floats,
    variance: float,
    rows: tuple[int, int],
    prior: Prior,
    apart: float | None = None,
) -> tuple[float, Posterior]:
    """Return what follows from one prior, as for ``posterior``, after the logarithm of its chance times the density."""
    n, m = (max(count, 1) for count in rows)
    seen = step.mean + matrix @ weights
    missed = float(np.trace(np.linalg.solve(prior.precision, matrix))) if apart is None else apart
    lost = UNLIKE * len(matrix) / m * missed if len(matrix) > 1 else 0.0
    covariance = step.error**2 * np.eye(len(matrix)) + (variance / n + lost / m) * matrix
    spread = covariance + matrix @ np.linalg.solve(prior.precision, matrix)
    unlikely = np.linalg.slogdet(spread)[1] + seen @ np.linalg.solve(spread, seen)
    precise = np.linalg.solve(covariance, matrix).T
    both = precise @ matrix + prior.precision
    solution = np.asarray(np.linalg.solve(both, precise @ seen), dtype=np.float64)
    believed = Posterior(solution, float(np.trace(np.linalg.solve(both, matrix))))
    return float(np.log(prior.chance) - unlikely / 2), believed
