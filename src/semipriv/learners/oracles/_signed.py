"""What heuristic oracles share: halfspaces fitted to examples with positive weights."""

from abc import abstractmethod

import numpy as np

from semipriv.classes.base import HypothesisClass, Predictions
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats
from semipriv.learners.oracles.base import OfHalfspaces


class LinearModel(OfHalfspaces):
    """A heuristic that fits a halfspace: an example of weight w < 0 counts as one of the other label and weight -w."""

    exact = False

    def labels(self, hypothesis_class: HypothesisClass, points: Points, labels: Labels, weights: Floats) -> Predictions:
        """Return the labels of the points under the halfspace that was fitted."""
        flipped = np.where(weights < 0, 1 - labels, labels)
        kept = weights != 0
        if not kept.any() or np.ptp(flipped[kept]) == 0:
            constant = bool(flipped[kept][0]) if kept.any() else True
            return np.full(len(points), constant)
        theta = self._fitted(points[kept], flipped[kept], np.abs(weights[kept]))
        return hypothesis_class.predict(theta[None], points)[0]

    @abstractmethod
    def _fitted(self, points: Points, labels: Labels, weights: Floats) -> Floats:
        """Return the halfspace (d + 1,) fitted to examples of both labels and weights > 0."""
