"""A heuristic whose answer is checked, and the exact search where the check fails."""

import numpy as np

from semipriv.classes.base import HypothesisClass, Predictions
from semipriv.core.fields import value
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats
from semipriv.learners.oracles.base import OfHalfspaces
from semipriv.learners.oracles.exact import Exact
from semipriv.learners.oracles.linear_svm import LinearSVM

__all__ = ["Certified"]


@value
class Certified(OfHalfspaces):
    """The linear SVM's answer if it is certainly least, else the exact search on the same weights.

    An answer is certified if its weighted mistakes are the sum of the negative weights: none can have less.  The search
    that follows a failure has the same weights; only the time reveals it.  With fresh noise instead, the release would
    not be private: what is certified depends on the private sample (BBD24, section on robust oracles; Neel, Roth,
    Vietri and Wu 2019).
    """

    exact = True

    def labels(self, hypothesis_class: HypothesisClass, points: Points, labels: Labels, weights: Floats) -> Predictions:
        """Return the labels of a minimiser."""
        proposed = LinearSVM().labels(hypothesis_class, points, labels, weights)
        wrong = (proposed != (labels == 1)) & (weights != 0)
        if np.array_equal(wrong, weights < 0):
            return proposed
        return Exact().labels(hypothesis_class, points, labels, weights)
