"""What learners of linear functions on the unit ball share that use no public data."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressor
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core.randomness import Randomness
from semipriv.core.samples import RegressionSample, as_points, as_responses
from semipriv.core.types import Floats
from semipriv.learners.base import Learner
from semipriv.learners.stages.nothing import NothingPrepared, NothingReal
from semipriv.privacy.guarantee import Release


def clipped(functions: Any, points: ArrayLike, responses: ArrayLike) -> RegressionSample:
    """Return the records, each clipped by itself: points into the domain of the functions, responses to [-1, 1].

    Raise ValueError unless both are arrays of finite numbers, as many responses as points.
    """
    x = functions.clipped(as_points(points, functions.dimension))
    return RegressionSample(x, np.clip(as_responses(responses, len(x)), -1.0, 1.0))


class LinearLearner(Learner[NothingPrepared]):
    """A learner of ``LinearBall`` without public data."""

    output_kind: ClassVar[str] = "regressor"

    public_stage = NothingReal()

    def check(self, hypothesis_class: Any) -> None:
        """Check that this learner can learn a class.

        Raises:
            ValueError: unless the class is ``LinearBall``.
        """
        if not isinstance(hypothesis_class, LinearBall):
            raise ValueError(f"class: {type(self).__name__} learns linear_ball, got {hypothesis_class!r}")

    @abstractmethod
    def release(
        self, prepared: NothingPrepared, points: ArrayLike, responses: ArrayLike, randomness: Randomness
    ) -> Release[Regressor]:
        """Carry out the learner on examples with responses.

        Args:
            prepared: what ``prepare`` returned: nothing is public.
            points: (n, d), shortened to norm 1.
            responses: (n,), clipped to [-1, 1].
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            The linear function with weights of norm at most 1.
        """


def as_output(prepared: NothingPrepared, weights: Floats) -> Regressor:
    """Return the linear function with weights (p,) of norm at most 1."""
    functions: Any = prepared.hypothesis_class
    return Regressor.single(functions, weights)
