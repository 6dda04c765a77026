"""Baseline: logistic regression on labelled public points only."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, ListedCover
from semipriv.fields import positive, value
from semipriv.learners.base import FiniteOutput, IgnoresPrivate, Law
from semipriv.privacy.guarantee import Release
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.stages.labelled_logistic import LabelledLogistic

__all__ = ["PublicLogisticRegression"]


@value
class PublicLogisticRegression(IgnoresPrivate[ListedCover], FiniteOutput):
    """The halfspace of a logistic regression on public points *with their labels*, ridge penalty 1 / (2 C).

    Where labelled public points are to be had, it is what a private learner must beat.
    """

    C: float = positive(default=1.0)

    @classmethod
    def examples(cls) -> tuple["PublicLogisticRegression", ...]:
        """Return one with the default parameters."""
        return (cls(),)

    @property
    def role(self) -> Role:
        """The role of learning from public data alone."""
        return Role.PUBLIC_ONLY

    @property
    def short_title(self) -> str:
        """The name: the data that it fits."""
        return "logistic regression on labelled public points"

    @property
    def public_stage(self) -> LabelledLogistic:
        """The stage that fits the model."""
        return LabelledLogistic(self.C)

    def release(
        self, prepared: ListedCover, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Return the halfspace; ignore points and labels."""
        return Release(prepared[0], self.guarantee, randomness.source)

    def law(self, prepared: ListedCover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Return the law with probability 1 on the halfspace."""
        return Law(prepared.parameters, np.zeros(1))
