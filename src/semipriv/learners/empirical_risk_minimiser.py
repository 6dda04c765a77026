"""Baseline without privacy: empirical risk minimisation on the private sample."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis
from semipriv.core.fields import one_of, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.learners.base import NotPrivate
from semipriv.learners.stages.base import AnyStage
from semipriv.learners.stages.cover import CoverStage
from semipriv.learners.stages.nothing import Nothing
from semipriv.privacy.guarantee import Release

__all__ = ["EmpiricalRiskMinimiser"]


@value
class EmpiricalRiskMinimiser(NotPrivate[Any]):
    """A hypothesis with the fewest mistakes on the private sample, from the class or from the cover.  Not private.

    Over the cover it is the limit of A_SSPP as epsilon tends to infinity: the difference is the cost of privacy alone.

    Args:
        over: 'class' or 'cover'.
    """

    hue: ClassVar[str] = "grey"

    over: str = one_of(["class", "cover"], "the minimiser", default="class")

    @classmethod
    def examples(cls) -> tuple["EmpiricalRiskMinimiser", ...]:
        """Return one over the class and one over the cover."""
        return cls(), cls("cover")

    @property
    def role(self) -> Role:
        """The role of a minimiser over the class, or over the candidates of A_SSPP."""
        return Role.MINIMISER if self.over == "class" else Role.CANDIDATES_MINIMISER

    @property
    def short_title(self) -> str:
        """The name: what it minimises over."""
        return "ERM" if self.over == "class" else "ERM over the cover"

    @property
    def public_stage(self) -> AnyStage:
        """The cover of the public points, or no public data."""
        return CoverStage() if self.over == "cover" else Nothing()

    def release(
        self, prepared: Any, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Return the first hypothesis with the fewest mistakes."""
        if self.over == "cover":
            listed = prepared.listed()
            best = listed[int(np.argmin(listed.mistakes(points, labels)))]
            return Release(best, None, randomness.source, {"cover_size": listed.size})
        h = prepared.hypothesis_class
        return Release(Hypothesis(h, h.minimise(points, labels).parameters), None, randomness.source)
