"""Baseline: discard the private sample."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Cover, Hypothesis
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.learners.base import FiniteOutput, IgnoresPrivate, ListedDistribution
from semipriv.learners.stages.cover import CoverStage
from semipriv.privacy.guarantee import Release

__all__ = ["DiscardPrivate"]


@value
class DiscardPrivate(IgnoresPrivate[Cover], FiniteOutput):
    """A uniformly random member of the cover of the public points: the limit of A_SSPP as epsilon tends to 0."""

    hue: ClassVar[str] = "black"

    @classmethod
    def examples(cls) -> tuple["DiscardPrivate", ...]:
        """Return the only instance."""
        return (cls(),)

    role = Role.DISCARD
    short_title = "discard the private sample"
    public_stage = CoverStage()

    def release(
        self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Draw uniformly from the cover; ignore points and labels."""
        chosen = prepared.tally([], []).member(0, randomness)
        return Release(chosen, self.guarantee, randomness.source, {"cover_size": prepared.size})

    def output_distribution(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> ListedDistribution:
        """Return the uniform distribution on the cover."""
        return ListedDistribution(prepared.listed().parameters, np.full(prepared.size, -np.log(prepared.size)))
