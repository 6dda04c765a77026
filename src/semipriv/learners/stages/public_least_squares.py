"""Least squares over the unit ball on labelled public points."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressor, Regressors
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core import estimates
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Points, Responses, as_responses
from semipriv.core.work import check_work
from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.learners.stages.base import PublicStage

__all__ = ["PublicLeastSquares"]


@value
class PublicLeastSquares(PublicStage[Regressor]):
    """One linear function: the shortest w with ||w|| <= 1 that minimises sum (<w, x> - y)^2 over public examples.

    Responses are clipped to [-1, 1].
    """

    needs_labels: ClassVar[bool] = True
    learns: ClassVar[Any] = Regressors

    def check(self, hypothesis_class: Any) -> None:
        """Raise ValueError unless the class is ``LinearBall``."""
        if not isinstance(hypothesis_class, LinearBall):
            raise ValueError(f"class: least squares learn linear_ball, got {hypothesis_class!r}")

    def _targets(self, given: ArrayLike, n: int) -> Responses:
        return as_responses(given, n, "public_labels")

    def _prepare(self, points: Points, labels: Responses | None, hypothesis_class: Any) -> Regressor:
        assert labels is not None
        m, d = points.shape
        what = f"least squares of {m:,} public rows with {d:,} features"
        check_work(what, estimates.least_squares(m, d), "take fewer public rows or columns")
        weights = minimisers(Spectrum.of(points.T @ points), points.T @ np.clip(labels, -1.0, 1.0))
        return Regressor.single(hypothesis_class, weights)

    def restore(self, arrays: Arrays, hypothesis_class: Any) -> Regressor:
        """Return the function."""
        return Regressor(hypothesis_class, arrays["parameters"], arrays["weights"])
