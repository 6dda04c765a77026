"""Linear rules for several labels, of features that are standardised and clipped."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._standardised import Standardised
from semipriv.classes.classifiers.base import MOST_CLASSES, Classifiers
from semipriv.classes.classifiers.linear_rules import linear_scores
from semipriv.core import registry
from semipriv.core.fields import size, value
from semipriv.core.types import Floats

__all__ = ["ClippedLinearRules"]


@value
class ClippedLinearRules(Standardised, Classifiers):
    """h(x) = argmax_c <w_c, z> + b_c, z_j = (x_j - centre_j) / scale_j moved into [-4, 4]; the lowest c of equal ones.

    Parameters: (w_0, b_0, w_1, b_1, ...).  A row far away, or a feature with a long tail, weighs no more than one at 4
    scales.  Scores are the floating-point evaluation, from the left, so that each depends on its own row alone.

    Args:
        centre: (d,) finite numbers.
        scale: (d,) finite numbers > 0.
        classes: number K of labels, from 2 to 100.
    """

    classes: int = size(2, most=MOST_CLASSES)

    @property
    def width(self) -> int:
        """K (d + 1)."""
        return self.classes * (self.dimension + 1)

    def specification(self) -> dict[str, Any]:
        """Return the room, the name, centre, scale and the number of labels."""
        return registry.specification("predictors", self)

    def scores(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return the scores: (k, K (d + 1)), (n, d) -> (k, K, n)."""
        columns = np.ascontiguousarray(self.standardised(points).T)
        return linear_scores(parameters, columns, self.classes)
