"""What learners share that learn from public data alone."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, ListedCover
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.learners.base import FiniteOutput, IgnoresPrivate, ListedDistribution
from semipriv.learners.stages.base import P
from semipriv.privacy.guarantee import Release


class PublicOnly(IgnoresPrivate[P]):
    """A baseline that learns in its public stage, with public labels or responses."""

    role = Role.PUBLIC_ONLY

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Return one with the default parameters."""
        return (cls(),)


class FromPublicLabels(PublicOnly[ListedCover], FiniteOutput):
    """One whose public stage finds a single hypothesis."""

    def release(
        self, prepared: ListedCover, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Return the hypothesis; ignore points and labels."""
        return Release(prepared[0], self.guarantee, randomness.source)

    def output_distribution(self, prepared: ListedCover, points: ArrayLike, labels: ArrayLike) -> ListedDistribution:
        """Return the distribution with probability 1 on the hypothesis."""
        return ListedDistribution(prepared.parameters, np.zeros(1))
