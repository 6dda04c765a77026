"""One hypothesis from the labelled public points: the empirical risk minimiser, or a logistic regression."""

import numpy as np

from semipriv.classes.base import HypothesisClass, ListedCover
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import estimates
from semipriv.core.arrays import Arrays
from semipriv.core.fields import value
from semipriv.core.samples import Labels, Points, Sample, distinct
from semipriv.core.types import Floats
from semipriv.core.work import check_work
from semipriv.learners.stages.base import LabelledStage

__all__ = ["LabelledLogistic", "LabelledMinimum", "halfspace"]


class _OneHypothesis(LabelledStage[ListedCover]):
    """A stage whose cover has a single hypothesis."""

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> ListedCover:
        """Return the hypothesis."""
        return ListedCover(hypothesis_class, arrays["points"], arrays["parameters"])


@value
class LabelledMinimum(_OneHypothesis):
    """One hypothesis: the first with the fewest mistakes on the labelled public points."""

    def _labelled(self, examples: Sample, hypothesis_class: HypothesisClass) -> ListedCover:
        minimum = hypothesis_class.minimise(examples.points, examples.labels)
        return ListedCover(hypothesis_class, distinct(examples.points), minimum.parameters[None])


@value
class LabelledLogistic(_OneHypothesis):
    """One hypothesis: the halfspace of a logistic regression on the labelled public points, penalty 1 / (2 C)."""

    weighs = True
    C: float

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the class is halfspaces: the decision rule is a halfspace."""
        if not isinstance(hypothesis_class, Halfspaces):
            raise ValueError(f"logistic regression learns halfspaces, the class is {hypothesis_class!r}")

    def _labelled(self, examples: Sample, hypothesis_class: HypothesisClass) -> ListedCover:
        parameters = halfspace(examples.points, examples.labels, self.C)
        return ListedCover(hypothesis_class, distinct(examples.points), parameters[None])


def halfspace(points: Points, labels: Labels, strength: float) -> Floats:
    """Return weights and offset (d + 1,) of the logistic regression on points (n, d) with C = strength.

    Labels that are all the same, or none, give the constant function.
    """
    n, d = points.shape
    what = f"a logistic regression of {n:,} rows with {d:,} features to fit"
    check_work(what, estimates.logistic(n, d), "take fewer rows or columns")
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (slow import, two baselines)

    if len(np.unique(labels)) < 2:
        return np.array([0.0] * points.shape[1] + [1.0 if labels.any() else -1.0])
    model = LogisticRegression(C=strength).fit(points, labels)
    return np.append(model.coef_[0], model.intercept_[0])
