"""Baseline without privacy, which protects nobody: logistic regression by scikit-learn."""

from typing import ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import estimates
from semipriv.core.fields import positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import as_labels, as_points
from semipriv.core.work import Cost
from semipriv.learners.base import NotPrivate
from semipriv.learners.stages.labelled import halfspace
from semipriv.learners.stages.nothing import Nothing, NothingPrepared
from semipriv.privacy.guarantee import Release

__all__ = ["LogisticRegression"]


@value
class LogisticRegression(NotPrivate[NothingPrepared]):
    """Logistic regression on the private sample, ridge penalty 1 / (2 C).  Not private: it protects nobody.

    Its halfspace depends on each row as it stands; use it in simulations, beside learners that protect.

    Args:
        C: inverse strength of the penalty, > 0.
    """

    hue: ClassVar[str] = "vermilion"

    C: float = positive(default=1.0)

    @classmethod
    def examples(cls) -> tuple["LogisticRegression", ...]:
        """Return one with the default parameters."""
        return (cls(),)

    role = Role.OTHER_MODEL
    many_features = True
    short_title = "logistic regression"
    public_stage = Nothing()

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that this learner can learn a class.

        Raises:
            ValueError: unless the class is halfspaces: the decision rule is a halfspace.
        """
        if not isinstance(hypothesis_class, Halfspaces):
            raise ValueError(f"logistic_regression learns halfspaces, the class is {hypothesis_class!r}")

    def draw_cost(self, prepared: NothingPrepared, n_private: int) -> Cost:
        """Return what the fit takes."""
        return estimates.logistic(n_private, prepared.hypothesis_class.dimension)

    def release(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Fit the model, and return its halfspace; a sample with one label only gives the constant function."""
        x = as_points(points, prepared.hypothesis_class.dimension)
        y = as_labels(labels, len(x))
        return Release(Hypothesis(prepared.hypothesis_class, halfspace(x, y, self.C)), None, randomness.source)
