"""What learners of linear functions on the unit ball share that use no public data."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.learners.base import Learner
from semipriv.regressors.base import Regressor
from semipriv.regressors.linear_ball import LinearBall
from semipriv.samples import as_points, as_responses
from semipriv.stages.nothing import NothingPrepared, NothingReal

Floats = NDArray[np.float64]


def clipped(points: ArrayLike, responses: ArrayLike, dimension: int) -> tuple[Floats, Floats]:
    """Return points (n, dimension) shortened to norm 1 and responses (n,) clipped to [-1, 1], record by record.

    A shortened point has norm at most 1 in exact arithmetic: it is divided by a little more than its norm.  Raise
    ValueError for what is no array of so many finite numbers.
    """
    x = as_points(points, dimension)
    y = as_responses(responses, len(x))
    norms = np.linalg.norm(x, axis=1)
    return x / np.where(norms > 1 - SLACK, norms * (1 + SLACK), 1.0)[:, None], np.clip(y, -1.0, 1.0)


SLACK = 1e-12
"""More than the rounding of a norm: points that may be as long as this below 1 are shortened."""


class LinearLearner(Learner[NothingPrepared]):
    """A learner of ``LinearBall`` without public data."""

    output_kind: ClassVar[str] = "regressor"

    @property
    def public_stage(self) -> NothingReal:
        """No public stage."""
        return NothingReal()

    def check(self, hypothesis_class: Any) -> None:
        """Raise ValueError unless the class is ``LinearBall``."""
        if not isinstance(hypothesis_class, LinearBall):
            raise ValueError(f"class: {type(self).__name__} learns linear_ball, got {hypothesis_class!r}")


def as_output(prepared: NothingPrepared, weights: Floats) -> Regressor:
    """Return the linear function with weights (p,) of norm at most 1."""
    functions: Any = prepared.hypothesis_class
    return Regressor.one(functions, weights)
