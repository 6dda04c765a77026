"""Privacy determined by the label."""

import numpy as np

from semipriv.core import fields
from semipriv.core.samples import Labels, Points, StatusModel
from semipriv.core.types import Floats
from semipriv.distributions.statuses.base import StatusDistribution

__all__ = ["LabelDetermined"]


@fields.value
class LabelDetermined(StatusDistribution):
    """Private if and only if y = 1.

    Source:
        BMN20 section 4.
    """

    model = StatusModel.LABEL_DETERMINED

    def probability(self, points: Points, labels: Labels) -> Floats:
        """Return the label."""
        return np.asarray(labels, np.float64)

    of_zeros = 0.0
