"""The metric of unlabelled public points for regression: what the classification has, for linear functions."""

from typing import Any, ClassVar

from semipriv.classes.regressors.base import Regressors
from semipriv.classes.regressors.clipped_linear import ClippedLinear
from semipriv.classes.regressors.linear import Linear
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Points
from semipriv.learners.stages.base import UnlabelledStage
from semipriv.learners.stages.public_metric import Metric, metric_from, metric_of

__all__ = ["PublicGram", "check_linear"]


def check_linear(regressors: Any) -> None:
    """Raise ValueError unless the class is one of linear functions."""
    if not isinstance(regressors, Linear | LinearBall):
        raise ValueError(f"class: must be linear or linear_ball, got {regressors!r}")


@value
class PublicGram(UnlabelledStage[Metric]):
    """Mean and standard deviation of each feature, then the covariance after clipping at 4 of these, shrunk."""

    learns: ClassVar[Any] = Regressors

    def check(self, hypothesis_class: Any) -> None:
        """Raise ValueError unless the class is one of linear functions."""
        check_linear(hypothesis_class)

    def _unlabelled(self, points: Points, hypothesis_class: Any) -> Metric:
        return metric_of(points, hypothesis_class, ClippedLinear)

    def restore(self, arrays: Arrays, hypothesis_class: Any) -> Metric:
        """Return the metric with these arrays."""
        return metric_from(arrays, hypothesis_class, ClippedLinear)
