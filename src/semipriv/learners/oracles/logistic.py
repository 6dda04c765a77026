"""Weighted logistic regression as a heuristic oracle."""

import numpy as np

from semipriv.core.fields import value
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats
from semipriv.learners.oracles._signed import LinearModel

__all__ = ["Logistic"]


@value
class Logistic(LinearModel):
    """The halfspace of weighted logistic regression with a ridge penalty of 1 / 2.  Not a minimiser of mistakes."""

    def _fitted(self, points: Points, labels: Labels, weights: Floats) -> Floats:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow import, one heuristic)

        model = LogisticRegression(max_iter=1_000).fit(points, labels, weights)
        return np.append(model.coef_[0], model.intercept_[0])
