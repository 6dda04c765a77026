"""Privacy of all ones, and of the zeros beyond a value of one feature."""

import numpy as np

from semipriv.core import fields
from semipriv.core.samples import Labels, Points, StatusModel
from semipriv.core.types import Floats
from semipriv.distributions.statuses.base import StatusDistribution

__all__ = ["ByThreshold"]


@fields.value
class ByThreshold(StatusDistribution):
    """Private if y = 1 or x_feature > above: the privacy of a zero depends on its features; relaxation (i).

    Args:
        feature: number of the feature, from 0.
        above: the greatest value of a zero that is public, finite.
    """

    feature: int = fields.size(0)
    above: float = fields.real()

    model = StatusModel.ANY

    def probability(self, points: Points, labels: Labels) -> Floats:
        """Return 0 or 1; raise ValueError if the points do not have the feature."""
        if self.feature >= points.shape[1]:
            raise ValueError(f"feature = {self.feature}: must be below the number of features, {points.shape[1]}")
        return np.asarray((labels == 1) | (points[:, self.feature] > self.above), np.float64)
