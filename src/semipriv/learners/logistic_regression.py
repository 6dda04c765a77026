"""Baseline without privacy: logistic regression by scikit-learn."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv import checks
from semipriv.classes.base import Cover, Hypothesis, HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.learners.base import Learner, Protection, refuse_labels
from semipriv.privacy.guarantee import Release
from semipriv.randomness import Randomness
from semipriv.samples import as_labels, as_points

__all__ = ["LogisticRegression"]


@dataclass(frozen=True)
class LogisticRegression(Learner):
    """Logistic regression on the private sample, ridge penalty 1 / (2 C); the output is its halfspace.  Not private."""

    C: float = 1.0
    protection: ClassVar[Protection] = Protection.NONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "C", checks.positive("C", self.C))

    @property
    def guarantee(self) -> None:
        """None: not private."""
        return None

    @property
    def preparation(self) -> tuple[str, ...]:
        """Nothing."""
        return ("class",)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the class is halfspaces."""
        if not isinstance(hypothesis_class, Halfspaces):
            raise ValueError(f"logistic_regression learns halfspaces, the class is {hypothesis_class!r}")

    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> Cover:
        """Nothing to prepare; the class must be halfspaces, which hold the decision rule."""
        refuse_labels(public_labels)
        self.check(hypothesis_class)
        return hypothesis_class.cover([])

    def release(self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release:
        """Fit; a sample with one label only gives the constant."""
        from sklearn.linear_model import LogisticRegression as Model  # noqa: PLC0415  (slow import, one baseline)

        x = as_points(points, prepared.hypothesis_class.dimension)
        y = as_labels(labels, len(x))
        if np.ptp(y) == 0:
            parameters = np.array([0.0] * x.shape[1] + [1.0 if y[0] else -1.0])
        else:
            model = Model(C=self.C).fit(x, y)
            parameters = np.append(model.coef_[0], model.intercept_[0])
        return Release(Hypothesis(prepared.hypothesis_class, parameters), None, {"cover_size": 0})
