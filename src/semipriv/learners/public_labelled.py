"""Baseline: empirical risk minimisation on labelled public points only."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, ListedCover
from semipriv.fields import value
from semipriv.learners.base import FiniteOutput, IgnoresPrivate, Law
from semipriv.privacy.guarantee import Release
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.stages.labelled_minimum import LabelledMinimum

__all__ = ["PublicLabelled"]


@value
class PublicLabelled(IgnoresPrivate[ListedCover], FiniteOutput):
    """Empirical risk minimiser on public points *with their labels*.  A_SSPP does not need these labels.

    Under an agnostic law it needs order d / alpha^2 public examples.
    """

    @classmethod
    def examples(cls) -> tuple["PublicLabelled", ...]:
        """Return the only instance."""
        return (cls(),)

    @property
    def role(self) -> Role:
        """The role of learning from public data alone."""
        return Role.PUBLIC_ONLY

    @property
    def short_title(self) -> str:
        """The name: the data on which it minimises."""
        return "ERM on labelled public points"

    @property
    def public_stage(self) -> LabelledMinimum:
        """The stage that finds the minimiser."""
        return LabelledMinimum()

    def release(
        self, prepared: ListedCover, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Return the minimiser; ignore points and labels."""
        return Release(prepared[0], self.guarantee, randomness.source)

    def law(self, prepared: ListedCover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Return the law with probability 1 on the minimiser."""
        return Law(prepared.parameters, np.zeros(1))
