"""The metric of public points with responses, a ridge regression on them, and an honest look at it."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressors
from semipriv.core import estimates
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Points, Responses, as_responses
from semipriv.core.types import Floats
from semipriv.core.work import check_work
from semipriv.learners.stages.base import PublicStage
from semipriv.learners.stages.public_gram import PublicGram, check_linear
from semipriv.learners.stages.public_metric import Metric

__all__ = ["PublicRidge", "RidgeMetric"]

RIDGES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 1e6)
"""Penalties of the public model, on weights of coordinates or of standardised features: least leave-one-out error."""
FEW = 3
"""Fewer public examples have no leave-one-out error: the model is their mean."""


@value(eq=False)
class RidgeMetric:
    """A metric, and a ridge regression on all its coordinates.  From public data only.

    responses: (m,) of the public points, in [-1, 1].  model: (r + 1,), weights of the r coordinates and the intercept.
    left_out: (m,), the value at each public point of the model that was fitted without it.
    """

    metric: Metric
    responses: Responses
    model: Floats
    left_out: Floats

    @property
    def hypothesis_class(self) -> Any:
        """The class to learn."""
        return self.metric.hypothesis_class

    def arrays(self) -> Arrays:
        """Return those of the metric, responses, model and values."""
        responses_and_model = {"responses": self.responses, "model": self.model, "left_out": self.left_out}
        return {**self.metric.arrays(), **responses_and_model}

    @cached_property
    def rule(self) -> Floats:
        """The model as weights of standardised features and an offset, (d + 1,)."""
        weights = self.metric.directions @ self.model[:-1]
        return np.append(weights, self.model[-1] - weights @ self.metric.mean)


@value
class PublicRidge(PublicStage[RidgeMetric]):
    """The public metric, then a ridge regression on all its coordinates.

    Responses are clipped to [-1, 1].  Weights of the coordinates are penalised alike, or those of the standardised
    features, which differs where features are correlated; the way and the penalty of least squared leave-one-out error
    are taken.  The intercept has no penalty.
    """

    needs_labels: ClassVar[bool] = True
    learns: ClassVar[Any] = Regressors

    def check(self, hypothesis_class: Any) -> None:
        """Raise ValueError unless the class is one of linear functions."""
        check_linear(hypothesis_class)

    def _targets(self, given: ArrayLike, n: int) -> Responses:
        return as_responses(given, n, "public_labels")

    def _prepare(self, points: Points, labels: Responses | None, hypothesis_class: Any) -> RidgeMetric:
        assert labels is not None
        m, d = points.shape
        what = f"ridge regressions of {m:,} public rows with {d:,} features to fit"
        check_work(what, estimates.ridge(m, d), "take fewer public rows or columns")
        metric, y = PublicGram().prepare(points, hypothesis_class), np.clip(labels, -1.0, 1.0)
        u = metric.coordinates(metric.rows, len(metric.variances)).T
        if len(y) < FEW:
            mean = float(y.mean()) if len(y) else 0.0
            return RidgeMetric(metric, y, np.append(np.zeros(u.shape[1]), mean), np.full(len(y), mean))
        return RidgeMetric(metric, y, *ridge_regression(u, y, metric.penalties))

    def restore(self, arrays: Arrays, hypothesis_class: Any) -> RidgeMetric:
        """Return the metric and the model with these arrays."""
        metric = PublicGram().restore(arrays, hypothesis_class)
        return RidgeMetric(metric, arrays["responses"], arrays["model"], arrays["left_out"])


def ridge_regression(u: Floats, y: Responses, penalties: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return weights and intercept (p + 1,) that minimise |y - u w - b|^2 + ridge <penalty, w^2>, and values (m,).

    Penalty (p,) and ridge are those of the least squared leave-one-out error, whose values are returned.  With the hat
    matrix H of the fit, the value at a point that is left out is y - (y - H y) / (1 - h), h = diag(H).
    """
    fits = (_leaving_out(u / np.sqrt(penalty), y) for penalty in penalties)
    places = ((*fit, penalty) for fit, penalty in zip(fits, penalties, strict=True))
    _, model, left_out, penalty = min(places, key=lambda place: place[0])
    weights = model[:-1] / np.sqrt(penalty)
    return np.append(weights, model[-1]), left_out


def _leaving_out(u: Floats, y: Responses) -> tuple[float, Floats, Floats]:
    """Return the least leave-one-out error of all ridges, its weights and intercept, and its values."""
    m = len(y)
    centre, mean = u.mean(axis=0), y.mean()
    left, sizes, right = np.linalg.svd(u - centre, full_matrices=False)
    turned, best = left.T @ (y - mean), None
    for ridge in RIDGES:
        kept = sizes**2 / (sizes**2 + ridge)
        residuals = y - mean - left @ (kept * turned)
        residuals /= np.maximum(1 - (left**2 @ kept + 1 / m), 1e-9)
        error = float((residuals**2).sum())
        if best is None or error < best[0]:
            best = error, ridge, y - residuals
    assert best is not None
    weights = right.T @ (sizes / (sizes**2 + best[1]) * turned)
    return best[0], np.append(weights, mean - centre @ weights), np.asarray(best[2])
