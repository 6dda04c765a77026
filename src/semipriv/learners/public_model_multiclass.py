"""Many features, several labels, labelled public rows: a public model, tested and moved by private rows."""

from typing import ClassVar

import numpy as np

from semipriv.classes.classifiers.base import Classifier
from semipriv.classes.predictors.clipped_linear_rules import ClippedLinearRules
from semipriv.core import estimates
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.types import Floats
from semipriv.core.work import Cost
from semipriv.learners._public_model import SHARE, PublicModelLearner
from semipriv.learners.discriminant.plan import Draw, Plan
from semipriv.learners.discriminant.trust import Promise
from semipriv.learners.discriminant.warm import WORTHS, Handicapped
from semipriv.learners.multiclass.candidates import (
    candidates_of,
    classes_of,
    estimated_candidates,
    functions_of,
    scaled,
)
from semipriv.learners.multiclass.plan import constants_alone, multiclass_plan, public_model_alone
from semipriv.learners.multiclass.warm import GRADIENTS, handicapped
from semipriv.learners.stages.public_softmax import ModelledClasses, PublicSoftmax

__all__ = ["PublicModelMulticlass"]


@value
class PublicModelMulticlass(PublicModelLearner[ModelledClasses]):
    """A linear rule for several labels: labelled public points give a model, private rows test and move it.

    Public stage: the metric of ``public_metric_multiclass``, and a cross-fitted ridge softmax regression.  If it is
    hardly better than a constant on public points, what follows is ``public_metric_multiclass``.

    Private stage: the number of mistakes of the public model, with noise.  If these are many more than public points
    promise, what follows is ``public_metric_multiclass`` with the epsilon that is left, and the public model is one
    more candidate.  Else noisy gradients of the softmax loss are taken at the scores of the public model, each combined
    with it by precision, and permute-and-flip selects among the rules between them; a prior and public mistakes count,
    too, as integers.

    Replacing one row moves the number of mistakes by at most 1, and a sum of clipped gradients by at most twice the
    norm in L1, over all labels together.  Whatever else is computed, and which way is taken, depends on public data and
    earlier outputs: all is pure epsilon-DP by basic composition of adaptive mechanisms.

    Args:
        epsilon: privacy parameter, finite and > 0.
        same_population: whether public and private rows are declared to be of one population: then nothing is tested.

    Source:
        This package; proof in docs/findings.md.
    """

    output_kind: ClassVar[str] = "classifier"

    @classmethod
    def examples(cls) -> tuple["PublicModelMulticlass", ...]:
        """Return one for which a few rows are too few for a gradient, and two for which they are not."""
        return cls(1.0), cls(60.0), cls(60.0, same_population=True)

    sums_key = "sums"
    public_stage = PublicSoftmax()

    @property
    def short_title(self) -> str:
        """The name, with what is declared."""
        return "public-model discriminant of several labels" + ", same population" * self.same_population

    def plan(self, prepared: ModelledClasses, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is trusted, which public numbers alone decide."""
        axes, classes = len(prepared.metric.variances), classes_of(prepared.metric)
        rest, many = self._rest(prepared, n_private), self._candidates(classes)
        return multiclass_plan(rest, n_private, axes, classes, many, most=GRADIENTS, share=SHARE)

    def fallback(self, prepared: ModelledClasses, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is not trusted."""
        axes, classes = len(prepared.metric.variances), classes_of(prepared.metric)
        return multiclass_plan(self._rest(prepared, n_private), n_private, axes, classes, estimated_candidates(classes))

    def draw_cost(self, prepared: ModelledClasses, n_private: int) -> Cost:
        """Return what sums, the mistakes of candidates, and those on public rows take, the longer way."""
        classes, d = classes_of(prepared.metric), prepared.metric.functions.dimension
        plans = self.plan(prepared, n_private), self.fallback(prepared, n_private)
        ways = [estimates.gradients(n_private, d, option.axes, classes * len(option.gradients)) for option in plans]
        scored = estimates.labelled(classes * self._candidates(classes), n_private, d)
        public = estimates.public_points(len(prepared.metric.rows), d, self._candidates(classes))
        return max(ways, key=lambda cost: cost.seconds) + scored + public

    @staticmethod
    def _candidates(classes: int) -> int:
        """Return about how many candidates there are if the public model is trusted."""
        return 1 + (len(WORTHS) + 1) * GRADIENTS + classes

    def note(self, prepared: ModelledClasses, n_private: int) -> str | None:
        """Return that nothing but a constant or the public model can be the output, if so."""
        classes = classes_of(prepared.metric)
        if self._begins(prepared, n_private):
            return public_model_alone(self.plan(prepared, n_private), classes)
        return constants_alone(self.fallback(prepared, n_private), classes)

    def functions(self, prepared: ModelledClasses) -> ClippedLinearRules:
        """Return those of standardised features."""
        return functions_of(prepared.metric, classes_of(prepared.metric))

    @staticmethod
    def _promise(prepared: ModelledClasses) -> Promise:
        m = len(prepared.labels)
        if not m:
            return Promise(0, 0.0, 0.0)
        return Promise(m, prepared.wrong / m, 1 - int(np.bincount(prepared.labels).max()) / m)

    @staticmethod
    def _model(prepared: ModelledClasses) -> Parameters:
        return prepared.rule.ravel()[None]

    def _moved(self, prepared: ModelledClasses, plan: Plan, n: int, draw: Draw) -> Handicapped:
        return handicapped(prepared, classes_of(prepared.metric), plan, n, draw, self.same_population)

    def _without(self, prepared: ModelledClasses, plan: Plan, n: int, draw: Draw) -> Handicapped:
        functions = self.functions(prepared)
        others = candidates_of(prepared.metric, functions.classes, plan, n, draw)
        model = scaled([prepared.rule], functions)
        return Handicapped(np.concatenate([model, others]), np.zeros(len(model) + len(others), np.int64))

    def _output(self, prepared: ModelledClasses, parameters: Floats) -> Classifier:
        return Classifier(self.functions(prepared), parameters)
