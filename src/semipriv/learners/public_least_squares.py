"""Baseline: least squares over the unit ball on labelled public points only."""

from typing import ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressor
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.learners._public_only import PublicOnly
from semipriv.learners.stages.public_least_squares import PublicLeastSquares as PublicLeastSquaresStage
from semipriv.privacy.guarantee import Release

__all__ = ["PublicLeastSquares"]


@value
class PublicLeastSquares(PublicOnly[Regressor]):
    """Least squares over ||w|| <= 1 on public points *with their responses*, which are clipped to [-1, 1].

    Algorithms 2 and 3 of BBD24 do not need these responses.  It learns the public distribution: under a shift of the
    points alone it is still right where the linear model is.

    Source:
        Baseline for BBD24 algorithms 2 and 3.
    """

    hue: ClassVar[str] = "purple"
    output_kind: ClassVar[str] = "regressor"

    short_title = "least squares on labelled public points"
    public_stage = PublicLeastSquaresStage()

    def release(
        self, prepared: Regressor, points: ArrayLike, responses: ArrayLike, randomness: Randomness
    ) -> Release[Regressor]:
        """Return the minimiser; ignore points and responses.

        Args:
            prepared: the minimiser that ``prepare`` returned.
            points: ignored.
            responses: ignored.
            randomness: not used.
        """
        return Release(prepared, self.guarantee, randomness.source)
