"""Baseline: discard the private sample."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Cover, HypothesisClass
from semipriv.learners.base import FiniteOutput, Law, Learner, refuse_labels
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.randomness import Randomness

__all__ = ["DiscardPrivate"]


@dataclass(frozen=True)
class DiscardPrivate(Learner, FiniteOutput):
    """A uniformly random member of the cover of the public points: what A_SSPP becomes as epsilon tends to 0."""

    @property
    def guarantee(self) -> Guarantee:
        """Zero epsilon: the output does not depend on the private sample."""
        return Guarantee(0.0)

    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> Cover:
        """Cover of the public points."""
        refuse_labels(public_labels)
        return hypothesis_class.cover(public_points)

    def release(self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release:
        """Uniform draw; points and labels are ignored."""
        chosen = prepared.tally([], []).member(0, randomness)
        return Release(chosen, self.guarantee, {"cover_size": prepared.size})

    def law(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Uniform."""
        return Law(prepared.listed().parameters, np.full(prepared.size, -np.log(prepared.size)))
