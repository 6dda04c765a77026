"""Baseline without privacy: empirical risk minimisation on the private sample."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Cover, Hypothesis, HypothesisClass
from semipriv.learners.base import Learner, Protection, refuse_labels
from semipriv.privacy.guarantee import Release
from semipriv.randomness import Randomness
from semipriv.registry import check_name

__all__ = ["EmpiricalRiskMinimiser"]


@dataclass(frozen=True)
class EmpiricalRiskMinimiser(Learner):
    """Fewest mistakes on the private sample, over the whole class or over the cover (over = 'class' or 'cover').

    Not private.  Over the cover it is the limit of A_SSPP as epsilon grows: what privacy alone costs.
    """

    over: str = "class"
    protection: ClassVar[Protection] = Protection.NONE

    def __post_init__(self) -> None:
        check_name("range 'over' of the minimiser", self.over, ["class", "cover"])

    @property
    def guarantee(self) -> None:
        """None: not private."""
        return None

    @property
    def preparation(self) -> tuple[str, ...]:
        """The cover, or nothing."""
        return ("cover", "midpoint") if self.over == "cover" else ("class",)

    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> Cover:
        """Cover of the public points, or of no point for the whole class."""
        refuse_labels(public_labels)
        return hypothesis_class.cover(public_points if self.over == "cover" else [])

    def release(self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release:
        """The first hypothesis with the fewest mistakes."""
        if self.over == "cover":
            listed = prepared.listed()
            best = int(np.argmin(listed.mistakes(points, labels)))
            return Release(listed[best], None, {"cover_size": listed.size})
        minimum = prepared.hypothesis_class.minimise(points, labels)
        return Release(Hypothesis(prepared.hypothesis_class, minimum.parameters), None, {"cover_size": 0})
