"""A weighted linear support vector machine as a heuristic oracle."""

import numpy as np

from semipriv.core.fields import value
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats
from semipriv.learners.oracles._signed import LinearModel

__all__ = ["LinearSVM"]


@value
class LinearSVM(LinearModel):
    """The halfspace of least weighted squared hinge loss plus |w|^2 / 2.  Not a minimiser of mistakes."""

    def _fitted(self, points: Points, labels: Labels, weights: Floats) -> Floats:
        from sklearn.svm import LinearSVC  # noqa: PLC0415  (slow import, one heuristic)

        model = LinearSVC(dual=False, max_iter=10_000).fit(points, labels, weights)
        return np.append(model.coef_[0], model.intercept_[0])
