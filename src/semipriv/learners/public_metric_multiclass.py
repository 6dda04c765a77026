"""Many features and several labels: noisy means of the labels in the metric of unlabelled public points."""

from typing import ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.classifiers.base import Classifier
from semipriv.classes.predictors.clipped_linear_rules import ClippedLinearRules
from semipriv.core import estimates
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.types import Floats
from semipriv.core.work import Cost
from semipriv.learners._public_metric import PublicMetricLearner
from semipriv.learners.base import ListedDistribution
from semipriv.learners.discriminant.plan import Draw, Plan
from semipriv.learners.multiclass.candidates import (
    candidates_of,
    classes_of,
    constants,
    estimated_candidates,
    functions_of,
)
from semipriv.learners.multiclass.plan import constants_alone, multiclass_plan
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_metric_of_classes import PublicMetricOfClasses

__all__ = ["PublicMetricMulticlass"]


@value
class PublicMetricMulticlass(PublicMetricLearner):
    """A linear rule of many features for several labels: public points tell the metric, private rows the labels' means.

    Public stage: that of ``public_metric_discriminant``.  Public sizes decide how many axes, how many sums, and what
    epsilon each use gets; if n epsilon is too small for a sum, the output is a constant.

    Private stage, on coordinates of public variance 1: first the sum of coordinates by label, with discrete Laplace
    noise, which makes a linear discriminant; then gradients of the softmax loss, if public sizes allow more of them.  A
    row's summand is cut to a lattice, and its L1 norm, over all labels together, is clipped.  Permute-and-flip selects
    among the rules so found and constants, by private mistakes, counted exactly.

    Replacing one row moves a sum of integers by at most twice the clipping norm in L1, also if its label changes, and
    each number of mistakes by at most 1.  Whatever else is computed depends on public data and earlier outputs.  So all
    is pure epsilon-DP, by basic composition of adaptive mechanisms, however many labels there are.

    With a delta, summands are clipped in L2, over all labels together, and sums get discrete Gaussian noise, if that is
    the smaller one, as in ``public_metric_discriminant``.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: in [0, 1); 0 for pure privacy.

    Source:
        This package; proof in docs/findings.md.
    """

    output_kind: ClassVar[str] = "classifier"

    @classmethod
    def examples(cls) -> tuple["PublicMetricMulticlass", ...]:
        """Return one for which a few rows are too few for a sum, and two for which they are not."""
        return cls(1.0), cls(60.0), cls(60.0, 1e-6)

    sums_key = "sums"
    short_title = "public-metric discriminant of several labels"
    public_stage = PublicMetricOfClasses()

    def plan(self, prepared: Metric, n_private: int) -> Plan:
        """Return how epsilon is spent, which public numbers alone decide."""
        classes = classes_of(prepared)
        axes, candidates = len(prepared.variances), estimated_candidates(classes)
        return multiclass_plan(self.epsilon, n_private, axes, classes, candidates, delta=self.delta)

    def draw_cost(self, prepared: Metric, n_private: int) -> Cost:
        """Return what sums, the mistakes of candidates, and the public points take, for all labels."""
        plan, d, classes = self.plan(prepared, n_private), prepared.functions.dimension, classes_of(prepared)
        scored = estimates.labelled(classes * estimated_candidates(classes), n_private, d)
        public = estimates.public_points(len(prepared.rows), d, 1)
        return estimates.gradients(n_private, d, plan.axes, classes * len(plan.gradients)) + scored + public

    def note(self, prepared: Metric, n_private: int) -> str | None:
        """Return that a constant will be the output, if it will."""
        return constants_alone(self.plan(prepared, n_private), classes_of(prepared))

    def functions(self, prepared: Metric) -> ClippedLinearRules:
        """Return those of standardised features."""
        return functions_of(prepared, classes_of(prepared))

    def _candidates(self, prepared: Metric, plan: Plan, n: int, draw: Draw) -> Parameters:
        return candidates_of(prepared, classes_of(prepared), plan, n, draw)

    def _output(self, prepared: Metric, parameters: Floats) -> Classifier:
        return Classifier(self.functions(prepared), parameters)

    def output_distribution(self, prepared: Metric, points: ArrayLike, labels: ArrayLike) -> ListedDistribution:
        """Return the probability of each constant, if private examples are too few for a sum.

        Raises:
            ValueError: with sums, whose noise has infinitely many values.
        """
        functions = self.functions(prepared)
        x, y = functions.labelled(points, labels)
        plan = self.plan(prepared, len(x))
        if plan.gradients:
            raise ValueError(
                f"n_private = {len(x)}: has sums, whose noise has no end: its distribution cannot be listed"
            )
        candidates = constants(functions)
        mistakes = functions.mistakes(candidates, x, y)
        return ListedDistribution(candidates, plan.selector.log_probabilities(-mistakes))
