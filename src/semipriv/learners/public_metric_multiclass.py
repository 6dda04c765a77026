"""Many features and several labels: noisy means of the labels in the metric of unlabelled public points."""

from functools import partial
from typing import ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.classifiers.base import Classifier
from semipriv.classes.predictors.clipped_linear_rules import ClippedLinearRules
from semipriv.core import estimates, fields
from semipriv.core.fields import positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.work import Cost
from semipriv.learners._totals import Examples, Totalling
from semipriv.learners.base import Facts, FiniteOutput, Law
from semipriv.learners.discriminant.plan import Plan
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
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["PublicMetricMulticlass"]


@value
class PublicMetricMulticlass(Totalling[Metric], FiniteOutput):
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

    facts: ClassVar[Facts] = Facts(law_is_listed=False)
    output_kind: ClassVar[str] = "classifier"

    epsilon: float = positive()
    delta: float = fields.delta(default=0.0)

    @classmethod
    def examples(cls) -> tuple["PublicMetricMulticlass", ...]:
        """Return one for which a few rows are too few for a sum, and two for which they are not."""
        return cls(1.0), cls(60.0), cls(60.0, 1e-6)

    role = Role.VARIANT
    short_title = "public-metric discriminant of several labels"
    public_stage = PublicMetricOfClasses()

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private example."""
        return Guarantee(self.epsilon, self.delta)

    def plan(self, prepared: Metric, n_private: int) -> Plan:
        """Return how epsilon is spent, which public numbers alone decide.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan.
        """
        classes = classes_of(prepared)
        axes, candidates = len(prepared.variances), estimated_candidates(classes)
        return multiclass_plan(self.epsilon, n_private, axes, classes, candidates, delta=self.delta)

    def check_release(self, prepared: Metric, n_private: int) -> None:
        """Check that sums over so many examples, and their noise, fit in 64 bits.

        Raises:
            ValueError: if they do not.
        """
        self.plan(prepared, n_private).check(n_private)
        super().check_release(prepared, n_private)

    def draw_cost(self, prepared: Metric, n_private: int) -> Cost:
        """Return what sums and the mistakes of candidates take, for all labels."""
        plan, d, classes = self.plan(prepared, n_private), prepared.functions.dimension, classes_of(prepared)
        scored = estimates.labelled(classes * estimated_candidates(classes), n_private, d)
        return estimates.gradients(n_private, d, plan.axes, classes * len(plan.gradients)) + scored

    def note(self, prepared: Metric, n_private: int) -> str | None:
        """Return that a constant will be the output, if it will."""
        return constants_alone(self.plan(prepared, n_private), classes_of(prepared))

    def release_event(self, prepared: Metric, n_private: int) -> Event:
        """Return each sum and the selection, composed."""
        return self.plan(prepared, n_private).event

    def functions(self, prepared: Metric) -> ClippedLinearRules:
        """Return those of standardised features."""
        return functions_of(prepared, classes_of(prepared))

    def release_totals(self, prepared: Metric, examples: Examples, randomness: Randomness) -> Release[Classifier]:
        """Take noisy sums, then select a rule by its mistakes."""
        functions, n = self.functions(prepared), examples.count
        self.check_release(prepared, n)
        plan = self.plan(prepared, n)
        candidates = candidates_of(
            prepared, functions.classes, plan, n, lambda noise, summand: examples.noisy(noise, summand, randomness)
        )
        mistakes = examples.total(partial(functions.mistakes, candidates))
        chosen = plan.selector.per(examples.units).sample(-mistakes, randomness)
        cost: dict[str, float] = {"candidates": len(candidates), "sums": len(plan.gradients), "axes": plan.axes}
        return Release(Classifier(functions, candidates[chosen]), self.guarantee, randomness.source, cost)

    def law(self, prepared: Metric, points: ArrayLike, labels: ArrayLike) -> Law:
        """Return the probability of each constant, if private examples are too few for a sum.

        Raises:
            ValueError: with sums, whose noise has infinitely many values.
        """
        functions = self.functions(prepared)
        x, y = functions.labelled(points, labels)
        plan = self.plan(prepared, len(x))
        if plan.gradients:
            raise ValueError(f"n_private = {len(x)}: has sums, whose noise has no end: its law cannot be listed")
        candidates = constants(functions)
        mistakes = functions.mistakes(candidates, x, y)
        return Law(candidates, plan.selector.log_probabilities(-mistakes))
