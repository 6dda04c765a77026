"""The metric of unlabelled public points, for rules of several labels."""

from typing import Any, ClassVar

from semipriv.classes.classifiers.base import Classifiers
from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.core.fields import value
from semipriv.learners.stages.public_metric import PublicMetric

__all__ = ["PublicMetricOfClasses"]


@value
class PublicMetricOfClasses(PublicMetric):
    """The public metric of ``LinearRules``: mean, standard deviation, and axes of the shrunk covariance."""

    learns: ClassVar[Any] = Classifiers

    def check(self, hypothesis_class: Any) -> None:
        """Raise ValueError unless the class is linear rules."""
        if not isinstance(hypothesis_class, LinearRules):
            raise ValueError(f"the public metric of several labels is for linear_rules, got {hypothesis_class!r}")
