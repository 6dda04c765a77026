"""The empty public stage, for learners without public data."""

from typing import Any, ClassVar

from semipriv.classes.base import HypothesisClass
from semipriv.classes.regressors.base import Regressors
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Points
from semipriv.learners.stages.base import UnlabelledStage

__all__ = ["Nothing", "NothingPrepared", "NothingReal"]


@value
class NothingPrepared:
    """The class to learn, without public data."""

    hypothesis_class: HypothesisClass

    def arrays(self) -> Arrays:
        """Return an empty mapping."""
        return {}


@value
class Nothing(UnlabelledStage[NothingPrepared]):
    """The stage of learners without public data."""

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> NothingPrepared:
        return NothingPrepared(hypothesis_class)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> NothingPrepared:
        """Return the class to learn."""
        return NothingPrepared(hypothesis_class)


@value
class NothingReal(Nothing):
    """The stage of learners of functions to [-1, 1] without public data."""

    learns: ClassVar[Any] = Regressors
