"""Privacy determined by the label."""

from dataclasses import dataclass

import numpy as np

from semipriv.distributions.marginals.base import FloatArray
from semipriv.distributions.privacy.base import PrivacyData
from semipriv.samples import Labels, Points, PrivacyModel

__all__ = ["LabelDetermined"]


@dataclass(frozen=True)
class LabelDetermined(PrivacyData):
    """Private if and only if y = 1.  BMN20 section 4."""

    @property
    def model(self) -> PrivacyModel:
        """Label-determined."""
        return PrivacyModel.LABEL_DETERMINED

    def probability(self, points: Points, labels: Labels) -> FloatArray:
        """The label."""
        return np.asarray(labels, np.float64)

    @property
    def of_zeros(self) -> float:
        """None of them."""
        return 0.0
