"""What learners of linear functions on the unit ball share that use no public data."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.regressors.base import Regressor
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core.samples import RegressionSample, as_points, as_responses
from semipriv.learners.base import Learner
from semipriv.learners.stages.nothing import NothingPrepared, NothingReal

Floats = NDArray[np.float64]


def clipped(functions: Any, points: ArrayLike, responses: ArrayLike) -> RegressionSample:
    """Return the records, each clipped by itself: points into the domain of the functions, responses to [-1, 1].

    Raise ValueError for what is no array of so many finite numbers.
    """
    x = functions.clipped(as_points(points, functions.dimension))
    return RegressionSample(x, np.clip(as_responses(responses, len(x)), -1.0, 1.0))


class LinearLearner(Learner[NothingPrepared]):
    """A learner of ``LinearBall`` without public data."""

    output_kind: ClassVar[str] = "regressor"

    @property
    def public_stage(self) -> NothingReal:
        """No public stage."""
        return NothingReal()

    def check(self, hypothesis_class: Any) -> None:
        """Check that this learner can learn a class.

        Raises:
            ValueError: unless the class is ``LinearBall``.
        """
        if not isinstance(hypothesis_class, LinearBall):
            raise ValueError(f"class: {type(self).__name__} learns linear_ball, got {hypothesis_class!r}")


def as_output(prepared: NothingPrepared, weights: Floats) -> Regressor:
    """Return the linear function with weights (p,) of norm at most 1."""
    functions: Any = prepared.hypothesis_class
    return Regressor.one(functions, weights)
