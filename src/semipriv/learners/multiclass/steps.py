"""What is made of noisy sums with public rows: discriminants of the labels' means, and steps of the softmax loss."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.types import Floats
from semipriv.learners.discriminant.gradients import Step, between, cautious_hessian, worths_of
from semipriv.learners.multiclass.sums import chances
from semipriv.learners.regression.moments import Prior, under
from semipriv.learners.regression.moments import Step as Moment

FLOOR = 0.15
"""Least variance within labels along an axis, where all rows have variance 1."""
RIDGE = 0.05
_LEAST_SHARE, _SHARE = 0.25, 0.5
"""Least share of a label as such, and where its mean is divided by it, in units of 1 / K."""
_SURE = 0.02
"""Variance of a label of which the model is certain."""


@dataclass(frozen=True, eq=False)
class Noisy:
    """A noisy sum as a mean over rows.  mean: (K, p).  error: standard deviation of the noise of each coordinate."""

    mean: Floats
    error: float


def noisy_of(total: NDArray[Any], classes: int, clip: float, lattice: int, n: int, variance: float) -> Noisy:
    """Return a noisy sum (K p,) as a mean over n rows; variance: of the noise, in steps."""
    unit = clip / lattice / n
    return Noisy(total.astype(np.float64).reshape(classes, -1) * unit, float(np.sqrt(variance)) * unit)


@dataclass(frozen=True, eq=False)
class Means:
    """Means of the labels: shares (K,) and deviations (K, k) from the mean of all rows; error (K,): of a deviation."""

    shares: Floats
    deviations: Floats
    error: Floats


def means_of(sums: Noisy, public: Floats) -> Means:
    """Return what noisy sums by label (K, k + 1) say; public: coordinates (k + 1, m), of which the last is constant."""
    classes = len(sums.mean)
    counted = np.clip(sums.mean[:, -1] / public[-1, 0], 1e-3, 1.0)
    shares = np.maximum(counted, _LEAST_SHARE / classes)
    shares = shares / shares.sum()
    size = np.maximum(shares, _SHARE / classes)
    centred = sums.mean[:, :-1] - counted[:, None] * public[:-1].mean(axis=1)
    return Means(shares, centred / size[:, None], sums.error / size)


def shrunk(means: Means) -> Means:
    """Return deviations shrunk by their noise, each label's by James and Stein's factor."""
    square = np.maximum((means.deviations**2).sum(axis=1), 1e-300)
    factor = np.maximum(0.0, 1 - means.deviations.shape[1] * means.error**2 / square)
    return Means(means.shares, means.deviations * factor[:, None], means.error)


def discriminant(means: Means, public: Floats) -> tuple[Floats, Floats]:
    """Return weights (K, k) and intercepts (K,) of the linear discriminant for labels of equal shares.

    The covariance within labels is that of all rows less that between the labels' means.  On public axes the former is
    a multiple of the identity, up to the shrinkage that the metric has decided on: that of a few public points itself
    would add their noise once more.
    """
    raw = public[:-1]
    total = float((raw**2).mean()) * np.eye(len(raw))
    between = (means.deviations * means.shares[:, None]).T @ means.deviations
    values, axes = np.linalg.eigh(total - between)
    weights = means.deviations @ (axes / np.maximum(values, FLOOR)) @ axes.T
    return weights, -0.5 * (means.deviations * weights).sum(axis=1)


def weighted(rule: tuple[Floats, Floats], shares: Floats, constant: float) -> Floats:
    """Return a discriminant as weights (K, k + 1), with log shares added to its scores."""
    weights, intercepts = rule
    return np.column_stack([weights, (intercepts + np.log(shares)) / constant])


def newton(weights: Floats, gradient: Noisy, public: Floats) -> Floats:
    """Return the weights (K, p) after a step, label by label, with Hessians of the public points (p, m)."""
    moved = weights.copy()
    for c, hessian in enumerate(_hessians(weights, public)):
        moved[c] += np.linalg.solve(hessian + RIDGE * np.eye(len(public)), gradient.mean[c])
    return moved - moved.mean(axis=0)


def posterior(weights: Floats, gradient: Noisy, public: Floats, start: Floats, n: int, worth: float) -> Floats:
    """Return the weights (K, p) between those of the public model, 0, and what gradients of n private rows say.

    Label by label, as ``discriminant.gradients.posterior``.  start: scores (K, m) of the public rows.
    """
    moved = np.empty_like(weights)
    for c, hessian in enumerate(_hessians(weights, public, start)):
        step = Step(weights[c], gradient.mean[c], gradient.error)
        moved[c] = between(step, hessian, public.shape[1], n, worth)
    return moved


def weighed(weights: Floats, gradient: Noisy, public: Floats, start: Floats, n: int) -> Floats:
    """Return the weights (K, p) of ``posterior`` for a public row that is worth what the noisy gradients say.

    As ``discriminant.gradients.weighed``: the mean over worths, each with its chance times the density of all labels'
    gradients.  One of these is told by the others, so that logarithms count (K - 1) / K.

    start: scores (K, m) of the public rows.
    """
    classes, p, m = len(weights), chances(weights, public, start), public.shape[1]
    hessians = _hessians(weights, public, start)
    moved, evidence = [], []
    for worth, chance in worths_of(len(public), m, float((p * (1 - p)).mean()) * classes / (classes - 1)):
        solutions = [
            under(own, Moment(mean, gradient.error), hessian, 1.0, (n, m), Prior(1.0, worth * m * hessian))
            for own, mean, hessian in zip(weights, gradient.mean, hessians, strict=True)
        ]
        moved.append(np.array([solution.weights for _, solution in solutions]))
        evidence.append(np.log(chance) + (classes - 1) / classes * sum(log_evidence for log_evidence, _ in solutions))
    shares = np.exp(np.array(evidence) - max(evidence))
    return np.asarray(np.tensordot(shares / shares.sum(), np.array(moved), 1))


def _hessians(weights: Floats, public: Floats, start: Floats | float = 0.0) -> list[Floats]:
    """Return the mean Hessian (p, p) of each label on public coordinates (p, m) with scores (K, m) to begin with."""
    classes = len(weights)
    probabilities = chances(weights, public, start)
    return [cautious_hessian(probability, public, _SURE) * classes / (classes - 1) for probability in probabilities]
