"""The metric of labelled public points, with a model that was fitted to them and an honest look at it."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core import estimates
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.machine import one_thread
from semipriv.core.samples import Labels, Sample
from semipriv.core.types import Floats, Indices
from semipriv.core.work import check_work
from semipriv.learners.stages.base import LabelledStage
from semipriv.learners.stages.public_metric import Metric, PublicMetric

__all__ = ["ModelledMetric", "PublicModel", "ridge_logistic"]

RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Penalties of the public model, on weights of coordinates or of standardised features: least cross-fitted loss."""
FOLDS = 5
CHOOSING = 4_000
"""Public points, evenly spaced in their order, by which a penalty is chosen at most: the best one is that of the
weights, and does not grow with the number of points."""
TEMPERATURES = (0.2, 1.3)
"""Ends of the factor that makes cross-fitted scores as sure of themselves as they should be."""
_STEPS, _SMALL, _FAR = 12, 1e-8, 8.0
_INTERCEPT = 0.1
"""Penalty of the intercept: it stays finite, with one label only."""


@value(eq=False)
class ModelledMetric:
    """A metric, and a logistic model on all its coordinates.  From public data only.

    labels: (m,) of the public points.  model: (r + 1,), weights of the r coordinates and the intercept, tempered.
    crossed: (m,), tempered scores of the public points by models that were fitted without them.
    """

    metric: Metric
    labels: Labels
    model: Floats
    crossed: Floats

    @property
    def hypothesis_class(self) -> HypothesisClass:
        """The class to learn."""
        return self.metric.hypothesis_class

    def arrays(self) -> Arrays:
        """Return those of the metric, labels, model and scores."""
        return {**self.metric.arrays(), "labels": self.labels, "model": self.model, "crossed": self.crossed}

    @cached_property
    def rule(self) -> Floats:
        """The model as weights of standardised features and an offset, (d + 1,)."""
        weights = self.metric.directions @ self.model[:-1]
        return np.append(weights, self.model[-1] - weights @ self.metric.mean)


@value
class PublicModel(LabelledStage[ModelledMetric]):
    """The public metric, then a ridge logistic regression on all its coordinates, cross-fitted in five folds.

    Points whose places leave one remainder by 5 are a fold.  Weights of the coordinates are penalised alike, or those
    of the standardised features, which differs where features are correlated; the way and the penalty of least
    logarithmic loss are taken, by 4,000 points at most.
    """

    weighs = True

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the class is halfspaces."""
        PublicMetric().check(hypothesis_class)

    def _labelled(self, examples: Sample, hypothesis_class: HypothesisClass) -> ModelledMetric:
        m, d = examples.points.shape
        check_work(fitting(m, d), estimates.newton(looked_at(m), d, m), "take fewer public rows or columns")
        with one_thread():
            return self._fitted(examples, hypothesis_class)

    def _fitted(self, examples: Sample, hypothesis_class: HypothesisClass) -> ModelledMetric:
        metric = PublicMetric().prepare(examples.points, hypothesis_class)
        u = metric.coordinates(metric.rows, len(metric.variances)).T
        y = examples.labels
        penalty = least_penalty(metric, len(y), lambda some, penalties: _losses(u[some], y[some], penalties))
        model = ridge_logistic(u, y, penalty)
        (crossed,) = _crossed(u, y, [penalty])
        slope = _slope(crossed, y)
        return ModelledMetric(metric, y, slope * model, slope * crossed)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> ModelledMetric:
        """Return the metric and the model with these arrays."""
        metric = PublicMetric().restore(arrays, hypothesis_class)
        return ModelledMetric(metric, arrays["labels"], arrays["model"], arrays["crossed"])


def fitting(m: int, d: int) -> str:
    """Say what there is to do."""
    return f"a model of {m:,} public rows with {d:,} features to fit"


def looked_at(m: int) -> int:
    """Return how many rows all fits to m public ones have: those of two ways to penalise, and of the penalty taken."""
    return 2 * len(RIDGES) * (FOLDS - 1) * min(m, CHOOSING) + FOLDS * m


def least_penalty(metric: Metric, m: int, losses: Callable[[Indices, list[Floats]], Sequence[float]]) -> Floats:
    """Return the penalty (r,) of least cross-fitted loss on ``CHOOSING`` of m points at most.

    losses: places of points, and penalties of one way, to the loss of each.
    """
    some = np.arange(m)[:: max(1, -(-m // CHOOSING))]
    ways = [[ridge * factor for ridge in RIDGES] for factor in metric.penalties]
    scored = [(float(loss), penalty) for way in ways for loss, penalty in zip(losses(some, way), way, strict=True)]
    return min(scored, key=lambda pair: pair[0])[1]


def _losses(u: Floats, y: Labels, penalties: list[Floats]) -> list[float]:
    """Return the logarithmic loss of cross-fitted scores for each penalty."""
    return [float(np.logaddexp(0, -(2.0 * y - 1) * scores).sum()) for scores in _crossed(u, y, penalties)]


def _crossed(u: Floats, y: Labels, penalties: Sequence[Floats]) -> Floats:
    """Return cross-fitted scores (c, m) for each of c penalties; a fit begins at that of the penalty after it."""
    fold, scores = np.arange(len(y)) % FOLDS, np.zeros((len(penalties), len(y)))
    for j in range(min(FOLDS, len(y))):
        model = None
        for place in reversed(range(len(penalties))):
            model = ridge_logistic(u[fold != j], y[fold != j], penalties[place], model)
            scores[place, fold == j] = u[fold == j] @ model[:-1] + model[-1]
    return scores


def _slope(scores: Floats, y: Labels) -> float:
    """Return the factor of cross-fitted scores with the least loss, within ``TEMPERATURES``: 1 without points."""
    if not len(y):
        return 1.0
    grid = np.linspace(*TEMPERATURES, 23)
    losses = np.logaddexp(0, -grid[:, None] * ((2.0 * y - 1) * scores)).sum(axis=1)
    return float(grid[int(np.argmin(losses))])


def ridge_logistic(u: Floats, y: Sequence[int] | Labels, ridge: Floats, start: Floats | None = None) -> Floats:
    """Return weights (p,) and intercept b that minimise the logistic loss + (<ridge, w^2> + b^2 / 10) / 2: (p + 1,).

    Newton's method from ``start`` (p + 1,), or 0; steps of length 8 at most.
    """
    x = np.column_stack([u, np.ones(len(u))])
    penalty = np.append(ridge, _INTERCEPT)
    weights = np.zeros(x.shape[1]) if start is None else start
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(hessian, x.T @ (y - p) - penalty * weights)
        length = float(np.linalg.norm(step))
        weights = weights + step * min(1.0, _FAR / max(length, _SMALL))
        if length < _SMALL:
            break
    return weights
