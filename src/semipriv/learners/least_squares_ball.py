"""Baseline without privacy: least squares over the unit ball."""

import math
from typing import ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressor
from semipriv.core import estimates
from semipriv.core.fields import between, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.work import Cost, check_work
from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.learners._linear import LinearLearner, as_output, clipped
from semipriv.learners.base import NotPrivate
from semipriv.learners.stages.nothing import NothingPrepared
from semipriv.privacy.guarantee import Release

__all__ = ["LeastSquaresBall"]

FEWER = "take fewer rows or columns"


@value
class LeastSquaresBall(LinearLearner, NotPrivate[NothingPrepared]):
    """min sum (<w, x> - y)^2 + ridge ||w||^2 over ||w|| <= 1, with points and responses clipped.  Not private.

    Points of norm above 1 are shortened to it, responses clipped to [-1, 1].

    Args:
        ridge: >= 0; 0 is the exact minimiser of the squared loss.
    """

    hue: ClassVar[str] = "grey"

    ridge: float = between(0, math.inf, closed="l", default=0.0)

    @classmethod
    def examples(cls) -> "tuple[LeastSquaresBall, ...]":
        """Return one without a ridge, and one with."""
        return cls(), cls(2.0)

    @property
    def role(self) -> Role:
        """The role of a minimiser over the class; with a ridge, of another model."""
        return Role.MINIMISER if self.ridge == 0 else Role.OTHER_MODEL

    @property
    def short_title(self) -> str:
        """The name of the method."""
        return "least squares" if self.ridge == 0 else f"ridge regression, {self.ridge:g}"

    def draw_cost(self, prepared: NothingPrepared, n_private: int) -> Cost:
        """Return what X^T X and its eigenvectors take."""
        return estimates.least_squares(n_private, prepared.hypothesis_class.dimension)

    def release(
        self, prepared: NothingPrepared, points: ArrayLike, responses: ArrayLike, randomness: Randomness
    ) -> Release[Regressor]:
        """Return the minimiser, the shortest one if there are several."""
        sample = clipped(prepared.hypothesis_class, points, responses)
        x, y = sample.points, sample.responses
        n, d = x.shape
        check_work(f"least squares of {n:,} rows with {d:,} features", self.draw_cost(prepared, n), FEWER)
        gram = x.T @ x
        gram[range(len(gram)), range(len(gram))] += self.ridge
        return Release(as_output(prepared, minimisers(Spectrum.of(gram), x.T @ y)), None, randomness.source)
