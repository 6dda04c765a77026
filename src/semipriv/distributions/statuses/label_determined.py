"""Privacy determined by the label."""

import numpy as np

from semipriv.core import fields
from semipriv.core.samples import Labels, Points, StatusModel
from semipriv.distributions.marginals.base import FloatArray
from semipriv.distributions.statuses.base import StatusLaw

__all__ = ["LabelDetermined"]


@fields.value
class LabelDetermined(StatusLaw):
    """Private if and only if y = 1.

    Source:
        BMN20 section 4.
    """

    @property
    def model(self) -> StatusModel:
        """Label-determined."""
        return StatusModel.LABEL_DETERMINED

    def probability(self, points: Points, labels: Labels) -> FloatArray:
        """Return the label."""
        return np.asarray(labels, np.float64)

    @property
    def of_zeros(self) -> float:
        """0: no zero is private."""
        return 0.0
