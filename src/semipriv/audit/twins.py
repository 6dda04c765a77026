"""Broken twins of the learners: each breaks one step of a proof, and the exact audit must catch it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from semipriv.audit.exact import LawOf
from semipriv.classes.base import Cover, HypothesisClass
from semipriv.learners.base import Law
from semipriv.learners.sspp import SSPP
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.samples import Labels, Points, as_points


@dataclass(frozen=True)
class FullExponent(SSPP):
    """A_SSPP with weights exp(-epsilon mistakes): forgets that replacing an example moves scores both ways."""

    def law(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Twice the exponent."""
        scores = -prepared.mistakes(points, labels)
        return Law(prepared.parameters, ExponentialMechanism(2 * self.epsilon).log_probabilities(scores))


def cover_from_private_points(learner: SSPP, hypothesis_class: HypothesisClass, public_points: ArrayLike) -> LawOf:
    """A_SSPP with a cover of public *and private* points: the support of its output depends on private data."""
    public = as_points(public_points, hypothesis_class.dimension)

    def law(points: Points, labels: Labels) -> Law:
        prepared = learner.prepare(np.concatenate([public, points]), hypothesis_class)
        return learner.law(prepared, points, labels)

    return law
