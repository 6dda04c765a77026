"""The exact minimiser of the class."""

from semipriv.classes.base import HypothesisClass, Predictions
from semipriv.core.fields import value
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats
from semipriv.learners.oracles.base import Oracle

__all__ = ["Exact"]


@value
class Exact(Oracle):
    """The exact search of each class (``HypothesisClass.minimal_labels``).

    Polynomial in the number of points; for halfspaces of R^d its degree is d.
    """

    exact = True

    def labels(self, hypothesis_class: HypothesisClass, points: Points, labels: Labels, weights: Floats) -> Predictions:
        """Return the labels of a minimiser."""
        return hypothesis_class.minimal_labels(points, labels, weights)
