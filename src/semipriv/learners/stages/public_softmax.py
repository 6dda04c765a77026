"""The metric of labelled public points of several labels, with a model that was fitted to them, cross-fitted."""

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.classes.classifiers.base import MOST_CLASSES, Classifiers
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import ClassLabels, Points, as_class_labels
from semipriv.core.types import Floats
from semipriv.learners.multiclass.sums import softmax
from semipriv.learners.stages.base import PublicStage
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_metric_of_classes import PublicMetricOfClasses

__all__ = ["ModelledClasses", "PublicSoftmax", "ridge_softmax"]

RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Penalties of the public model, on weights of coordinates or of standardised features: least cross-fitted loss."""
FOLDS = 5
TEMPERATURES = (0.2, 1.3)
"""Ends of the factor that makes cross-fitted scores as sure of themselves as they should be."""
_INTERCEPT = 0.1
_STEPS = 150


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

    Points whose places leave one remainder by 5 are a fold.  The penalty of least logarithmic loss is taken.
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
        metric = PublicMetricOfClasses().prepare(points, hypothesis_class)
        u = metric.coordinates(metric.rows, len(metric.variances)).T
        penalties = [ridge * one for ridge in RIDGES for one in metric.penalties]
        crossed = [_crossed(u, y, classes, penalty) for penalty in penalties]
        losses = [_loss(scores, y) for scores in crossed]
        best = int(np.argmin(losses))
        slopes = np.linspace(*TEMPERATURES, 23)
        slope = float(slopes[int(np.argmin([_loss(one * crossed[best], y) for one in slopes]))]) if len(y) else 1.0
        model = ridge_softmax(u, y, classes, penalties[best])
        return ModelledClasses(metric, y, slope * model, slope * crossed[best])

    def restore(self, arrays: Arrays, hypothesis_class: Any) -> ModelledClasses:
        """Return the metric and the model with these arrays."""
        metric = PublicMetricOfClasses().restore(arrays, hypothesis_class)
        return ModelledClasses(metric, arrays["labels"], arrays["model"], arrays["crossed"])


def _crossed(u: Floats, y: ClassLabels, classes: int, penalty: Floats) -> Floats:
    fold, scores = np.arange(len(y)) % FOLDS, np.zeros((classes, len(y)))
    for j in range(min(FOLDS, len(y))):
        model = ridge_softmax(u[fold != j], y[fold != j], classes, penalty)
        scores[:, fold == j] = model[:, :-1] @ u[fold == j].T + model[:, -1:]
    return scores


def _loss(scores: Floats, y: ClassLabels) -> float:
    return float(-np.log(np.maximum(softmax(scores)[y, np.arange(len(y))], 1e-300)).sum())


def ridge_softmax(u: Floats, y: ClassLabels, classes: int, ridge: Floats) -> Floats:
    """Return weights and intercepts (K, p + 1) of about the least softmax loss + (ridge W^2 + |b|^2 / 10) / 2.

    ridge: (p,), the penalty of each coordinate.

    Steps with Boehning's bound of the Hessian, which never lead up; a fixed number of them.

    Source:
        Boehning 1992, Multinomial logistic regression algorithm.
    """
    x = np.column_stack([u, np.ones(len(u))])
    penalty = np.append(ridge, _INTERCEPT)
    inverse = np.linalg.inv(x.T @ x / 2 + np.diag(penalty))
    hit, weights = np.eye(classes)[y].T, np.zeros((classes, x.shape[1]))
    for _ in range(_STEPS):
        weights = weights + ((hit - softmax(weights @ x.T)) @ x - penalty * weights) @ inverse
    return weights
