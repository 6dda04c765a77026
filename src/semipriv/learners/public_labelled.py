"""Baseline: empirical risk minimisation on labelled public points only."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Cover, HypothesisClass, ListedCover
from semipriv.learners.base import FiniteOutput, Law, Learner
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.randomness import Randomness
from semipriv.samples import distinct

__all__ = ["PublicLabelled"]


@dataclass(frozen=True)
class PublicLabelled(Learner, FiniteOutput):
    """Empirical risk minimiser on the public points *with their labels*, which A_SSPP does not need.

    Under an agnostic law it takes order d / alpha^2 of them.
    """

    needs_public_labels: ClassVar[bool] = True

    @property
    def guarantee(self) -> Guarantee:
        """Zero epsilon: the output does not depend on the private sample."""
        return Guarantee(0.0)

    @property
    def preparation(self) -> tuple[str, ...]:
        """One hypothesis, chosen by the labels."""
        return ("public_labelled",)

    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> Cover:
        """Minimise on the labelled public points; the 'cover' is that one hypothesis."""
        if public_labels is None:
            raise ValueError("public_labels: this learner needs labelled public points")
        points = hypothesis_class.validated(public_points, "public points")
        minimum = hypothesis_class.minimise(points, public_labels)
        return ListedCover(hypothesis_class, distinct(points), minimum.parameters[None])

    def release(self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release:
        """The prepared hypothesis; points and labels are ignored."""
        return Release(prepared.listed()[0], self.guarantee, {"cover_size": 1})

    def law(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Certain."""
        return Law(prepared.listed().parameters, np.zeros(1))
