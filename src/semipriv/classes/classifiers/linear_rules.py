"""Linear rules for several labels: a weight for each label and feature."""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.classifiers.base import MOST_CLASSES, Classifiers
from semipriv.core.fields import size, value
from semipriv.core.samples import as_points
from semipriv.core.types import Floats
from semipriv.geometry.predicates import affine_values

__all__ = ["LinearRules"]


def linear_scores(parameters: ArrayLike, columns: Floats, classes: int) -> Floats:
    """Return <w_c, x> + b_c for parameters (k, classes (d + 1)) and coordinates (d, n): (k, classes, n)."""
    theta = np.asarray(parameters, np.float64).reshape(-1, len(columns) + 1)
    return affine_values(theta, columns).reshape(len(theta) // classes, classes, columns.shape[1])


@value
class LinearRules(Classifiers):
    """h(x) = argmax_c <w_c, x> + b_c, the lowest c of equal ones.  Parameters: (w_0, b_0, w_1, b_1, ...).

    Args:
        dimension: number of features.
        classes: number K of labels, from 2 to 100.
    """

    dimension: int = size()
    classes: int = size(2, most=MOST_CLASSES)

    @classmethod
    def examples(cls) -> "tuple[LinearRules, ...]":
        """Return a line and a plane."""
        return cls(1, 3), cls(2, 4)

    @property
    def width(self) -> int:
        """K (d + 1)."""
        return self.classes * (self.dimension + 1)

    def scores(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return <w_c, x> + b_c: (k, K (d + 1)), (n, d) -> (k, K, n)."""
        columns = np.ascontiguousarray(as_points(points, self.dimension).T)
        with np.errstate(over="ignore", invalid="ignore"):  # no warning tells where points are
            return linear_scores(parameters, columns, self.classes)
