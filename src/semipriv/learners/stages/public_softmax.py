"""The metric of labelled public points of several labels, with a model that was fitted to them, cross-fitted."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy

from semipriv.classes.base import HypothesisClass
from semipriv.classes.classifiers.base import MOST_CLASSES, Classifiers
from semipriv.core import estimates
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.machine import one_thread
from semipriv.core.samples import ClassLabels, Points, as_class_labels
from semipriv.core.types import Floats, Indices
from semipriv.core.work import check_work
from semipriv.learners.multiclass.sums import softmax
from semipriv.learners.stages.base import PublicStage
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_metric_of_classes import PublicMetricOfClasses
from semipriv.learners.stages.public_model import FOLDS, TEMPERATURES, fitting, least_penalty, looked_at

__all__ = ["ModelledClasses", "PublicSoftmax", "ridge_softmax"]

_INTERCEPT = 0.1
_STEPS, _FLAT = 150, 1e-4
"""Steps at most; the largest slope at the end, in units in which a step of length 1 lowers the loss by 1/2 or less."""


@value(eq=False)
class ModelledClasses:
    """A metric, and a softmax model on all its coordinates.  From public data only.

    labels: (m,) of the public points.  model: (K, r + 1), weights of the r coordinates and intercepts, tempered.
    crossed: (K, m), tempered scores of the public points by models that were fitted without them.
    """

    metric: Metric
    labels: ClassLabels
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
        """The model as weights of standardised features and offsets, (K, d + 1)."""
        weights = self.model[:, :-1] @ self.metric.directions.T
        return np.column_stack([weights, self.model[:, -1] - weights @ self.metric.mean])

    @property
    def wrong(self) -> int:
        """Number of public points that models without them label wrong."""
        return int(np.count_nonzero(np.argmax(self.crossed, axis=0) != self.labels)) if len(self.labels) else 0


@value
class PublicSoftmax(PublicStage[ModelledClasses]):
    """The public metric, then a ridge softmax regression on all its coordinates, cross-fitted in five folds.

    Points whose places leave one remainder by 5 are a fold.  Way and penalty are chosen as by ``PublicModel``.
    """

    needs_labels = True
    learns: ClassVar[Any] = Classifiers

    def check(self, hypothesis_class: Any) -> None:
        """Raise ValueError unless the class is linear rules."""
        PublicMetricOfClasses().check(hypothesis_class)

    def _targets(self, given: Any, n: int) -> ClassLabels:
        return as_class_labels(given, MOST_CLASSES, n, "public_labels")

    def _prepare(self, points: Points, labels: Any, hypothesis_class: Any) -> ModelledClasses:
        classes = hypothesis_class.classes
        y = as_class_labels(labels, classes, len(points), "public_labels")
        m, d = points.shape
        cost = estimates.descent(looked_at(m), d, classes, m)
        check_work(fitting(m, d), cost, "take fewer public rows or columns")
        with one_thread():
            return self._fitted(points, y, hypothesis_class)

    def _fitted(self, points: Points, y: ClassLabels, hypothesis_class: Any) -> ModelledClasses:
        classes = hypothesis_class.classes
        metric = PublicMetricOfClasses().prepare(points, hypothesis_class)
        u = metric.coordinates(metric.rows, len(metric.variances)).T

        def losses(some: Indices, penalties: list[Floats]) -> list[float]:
            return [_loss(scores, y[some]) for scores in _crossed(u[some], y[some], classes, penalties)]

        penalty = least_penalty(metric, len(y), losses)
        model = ridge_softmax(u, y, classes, penalty)
        (crossed,) = _crossed(u, y, classes, [penalty])
        slopes = np.linspace(*TEMPERATURES, 23)
        slope = (
            float(slopes[int(np.argmin([_loss(candidate * crossed, y) for candidate in slopes]))]) if len(y) else 1.0
        )
        return ModelledClasses(metric, y, slope * model, slope * crossed)

    def restore(self, arrays: Arrays, hypothesis_class: Any) -> ModelledClasses:
        """Return the metric and the model with these arrays."""
        metric = PublicMetricOfClasses().restore(arrays, hypothesis_class)
        return ModelledClasses(metric, arrays["labels"], arrays["model"], arrays["crossed"])


def _crossed(u: Floats, y: ClassLabels, classes: int, penalties: Sequence[Floats]) -> Floats:
    """Return cross-fitted scores (c, K, m) for each of c penalties; a fit begins at that of the penalty after it."""
    fold, scores = np.arange(len(y)) % FOLDS, np.zeros((len(penalties), classes, len(y)))
    for j in range(min(FOLDS, len(y))):
        model = None
        for place in reversed(range(len(penalties))):
            model = ridge_softmax(u[fold != j], y[fold != j], classes, penalties[place], model)
            scores[place][:, fold == j] = model[:, :-1] @ u[fold == j].T + model[:, -1:]
    return scores


def _loss(scores: Floats, y: ClassLabels) -> float:
    return float(-np.log(np.maximum(softmax(scores)[y, np.arange(len(y))], 1e-300)).sum())


def ridge_softmax(u: Floats, y: ClassLabels, classes: int, ridge: Floats, start: Floats | None = None) -> Floats:
    """Return weights and intercepts (K, p + 1) that minimise the softmax loss + (ridge W^2 + |b|^2 / 10) / 2.

    ridge: (p,), the penalty of each coordinate.  start: (K, p + 1), where to begin, or 0.

    The method of limited memory, in coordinates in which Boehning's bound of the Hessian is the identity.

    Source:
        Boehning 1992, Multinomial logistic regression algorithm.  Liu and Nocedal 1989.
    """
    x = np.column_stack([u, np.ones(len(u))])
    penalty = np.append(ridge, _INTERCEPT)
    bound = np.linalg.cholesky(x.T @ x / 2 + np.diag(penalty))  # W = V bound^-1
    inverse, places = np.linalg.inv(bound), np.arange(len(y))

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(classes, -1) @ inverse
        scores = weights @ x.T
        scores -= scores.max(axis=0)
        powers = np.exp(scores)
        sums = powers.sum(axis=0)
        value = float(np.log(sums).sum() - scores[y, places].sum() + (penalty * weights**2).sum() / 2)
        powers /= sums
        powers[y, places] -= 1
        return value, ((powers @ x + penalty * weights) @ inverse.T).ravel()

    begin = np.zeros((classes, x.shape[1])) if start is None else start @ bound
    solution = scipy.optimize.minimize(
        loss, begin.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS, "gtol": _FLAT}
    )
    return np.asarray(solution.x.reshape(classes, -1) @ inverse)
