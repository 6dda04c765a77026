"""Baseline: logistic regression on labelled public points only."""

from typing import ClassVar

from semipriv.core.fields import positive, value
from semipriv.learners._public_only import FromPublicLabels
from semipriv.learners.stages.labelled import LabelledLogistic

__all__ = ["PublicLogisticRegression"]


@value
class PublicLogisticRegression(FromPublicLabels):
    """The halfspace of a logistic regression on public points *with their labels*, ridge penalty 1 / (2 C).

    Where labelled public points are to be had, it is what a private learner must beat.

    Args:
        C: inverse strength of the penalty, > 0.
    """

    hue: ClassVar[str] = "brown"

    C: float = positive(default=1.0)

    many_features = True
    short_title = "logistic regression on labelled public points"

    @property
    def public_stage(self) -> LabelledLogistic:
        """The stage that fits the model."""
        return LabelledLogistic(self.C)
