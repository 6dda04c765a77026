"""What algorithms 2 and 3 of BBD24 make of public points: values of functions there, and the Gram matrix."""

from typing import Any, ClassVar

import numpy as np

from semipriv.classes.regressors.base import Regressors
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Points
from semipriv.geometry.ball import Spectrum
from semipriv.learners.stages.base import UnlabelledStage, no_points
from semipriv.papers.bbd24.perturbation.public_values import BallValues, PublicValues, TableValues
from semipriv.papers.bbd24.perturbation.spread import spread

__all__ = ["GramStage", "is_ball"]


def is_ball(functions: Any) -> bool:
    """Return whether the functions are linear in features, with weights in the unit ball: a convex class."""
    return functions.features(no_points(functions)) is not None


@value
class GramStage(UnlabelledStage[PublicValues]):
    """The public points as they are, equal ones as often as they are there: ||f||_m counts them.

    For linear functions, too, the eigendecomposition of phi^T phi / m, phi the features of the points, and K_Z, the
    largest ratio of |f(x) - f'(x)| to ||f - f'||_m.
    """

    learns: ClassVar[Any] = Regressors

    def check(self, hypothesis_class: Any) -> None:
        """Raise ValueError for functions that are neither finitely many nor a ball of linear ones."""
        if hypothesis_class.listed() is None and not is_ball(hypothesis_class):
            what = type(hypothesis_class).__name__
            raise ValueError(f"functions: must be a finite list or linear on a ball, got {what}")

    def _unlabelled(self, points: Points, hypothesis_class: Any) -> PublicValues:
        functions: Regressors = hypothesis_class
        if not len(points):
            raise ValueError("public points: there is none; ||f||_m is a mean over at least one")
        features = functions.features(points)
        if features is None:
            return TableValues(functions, points)
        gram = features.T @ features / len(points)
        return BallValues(functions, points, Spectrum.of(gram), spread(features))

    def restore(self, arrays: Arrays, hypothesis_class: Any) -> PublicValues:
        """Return what ``prepare`` made, from points, eigenvalues, eigenvectors and spread."""
        functions: Regressors = hypothesis_class
        points = np.asarray(arrays["points"])
        if "eigenvalues" not in arrays:
            return TableValues(functions, points)
        spectrum = Spectrum(arrays["eigenvalues"], arrays["eigenvectors"])
        return BallValues(functions, points, spectrum, float(arrays["spread"][0]))
