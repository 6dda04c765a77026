"""Many features and labelled public rows: a public model, tested and moved by private rows."""

import numpy as np

from semipriv.classes.base import Hypothesis
from semipriv.classes.predictors.clipped_halfspaces import ClippedHalfspaces
from semipriv.core import estimates
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.types import Floats
from semipriv.core.work import Cost
from semipriv.learners._public_model import SHARE, PublicModelLearner
from semipriv.learners.discriminant.candidates import stumps
from semipriv.learners.discriminant.plan import Draw, Plan, plan_of
from semipriv.learners.discriminant.trust import Promise
from semipriv.learners.discriminant.warm import GRADIENTS, SHIFTS, WORTHS, Handicapped, handicapped, rules_of
from semipriv.learners.public_metric_discriminant import candidates_of, estimated_candidates
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_model import ModelledMetric, PublicModel

__all__ = ["PublicModelDiscriminant"]


@value
class PublicModelDiscriminant(PublicModelLearner[ModelledMetric]):
    """A linear rule of many features: labelled public points give a model, private rows test and move it.

    Public stage: the metric of ``public_metric_discriminant``, and a cross-fitted ridge logistic regression.

    If that model is hardly better than a constant on public points, what follows is ``public_metric_discriminant``.

    Private stage: the number of mistakes of the public model, with noise.  If these are many more than public points
    promise, what follows is ``public_metric_discriminant`` with the epsilon that is left, and the public model is one
    more candidate.  Else noisy gradients are taken at the scores of the public model, each combined with it by
    precision: what a public row is worth is told by the noisy gradient itself.  Permute-and-flip selects among the
    rules between them; a prior and public mistakes count, too, as integers that are added to private mistakes.

    Replacing one row moves each number of mistakes by at most 1, and a sum of clipped gradients by at most twice the
    norm in L1.  Whatever else is computed, and which way is taken, depends on public data and earlier outputs: all is
    pure epsilon-DP by basic composition of adaptive mechanisms.

    Args:
        epsilon: privacy parameter, finite and > 0.
        same_population: whether public and private rows are declared to be of one population: then nothing is tested.

    Source:
        This package; proof in docs/findings.md.
    """

    @classmethod
    def examples(cls) -> tuple["PublicModelDiscriminant", ...]:
        """Return one for which a few rows are too few for a gradient, and two for which they are not."""
        return cls(1.0), cls(60.0), cls(60.0, same_population=True)

    sums_key = "gradients"
    public_stage = PublicModel()
    many_features = True

    @property
    def short_title(self) -> str:
        """The name, with what is declared."""
        return "public-model discriminant" + ", same population" * self.same_population

    def plan(self, prepared: ModelledMetric, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is trusted, which public numbers alone decide."""
        metric = prepared.metric
        candidates = self._candidates(metric)
        rest, axes = self._rest(prepared, n_private), len(metric.variances)
        return plan_of(rest, n_private, axes, candidates, most=GRADIENTS, share=SHARE)

    @staticmethod
    def _candidates(metric: Metric) -> int:
        """Return about how many candidates there are if the public model is trusted."""
        return (len(SHIFTS) + 1) * (1 + GRADIENTS * (len(WORTHS) + 1)) + len(stumps(metric)) + 2

    def fallback(self, prepared: ModelledMetric, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is not trusted."""
        metric = prepared.metric
        return plan_of(self._rest(prepared, n_private), n_private, len(metric.variances), estimated_candidates(metric))

    def draw_cost(self, prepared: ModelledMetric, n_private: int) -> Cost:
        """Return what gradients, the mistakes of candidates, and those on public rows take, the longer way."""
        metric, d = prepared.metric, prepared.metric.functions.dimension
        plan, other = self.plan(prepared, n_private), self.fallback(prepared, n_private)
        counting = estimates.rules_counted(max(self._candidates(metric), estimated_candidates(metric)))
        ways = [estimates.gradients(n_private, d, option.axes, len(option.gradients)) for option in (plan, other)]
        public = estimates.public_points(len(metric.rows), d, 1 + GRADIENTS * (len(WORTHS) + 1))
        return max(ways, key=lambda cost: cost.seconds) + counting + public

    def functions(self, prepared: ModelledMetric) -> ClippedHalfspaces:
        """Return those of standardised features."""
        return prepared.metric.functions

    @staticmethod
    def _promise(prepared: ModelledMetric) -> Promise:
        y = prepared.labels == 1
        if not len(y):
            return Promise(0, 0.0, 0.0)
        share_of_ones = float(y.mean())
        return Promise(len(y), float(np.mean((prepared.crossed >= 0) != y)), min(share_of_ones, 1 - share_of_ones))

    @staticmethod
    def _model(prepared: ModelledMetric) -> Parameters:
        return prepared.rule[None]

    def _moved(self, prepared: ModelledMetric, plan: Plan, n: int, draw: Draw) -> Handicapped:
        rules = rules_of(prepared, plan, n, draw, self.same_population)
        return handicapped(prepared, rules, plan.selection, n)

    def _without(self, prepared: ModelledMetric, plan: Plan, n: int, draw: Draw) -> Handicapped:
        model, size = prepared.rule[None], float(np.abs(prepared.rule).max())
        others = candidates_of(prepared.metric, plan, n, draw)
        every = np.concatenate([model / size, others]) if 0 < size < np.inf else others
        return Handicapped(every, plan.handicaps(n, len(every)))

    def _output(self, prepared: ModelledMetric, parameters: Floats) -> Hypothesis:
        return Hypothesis(prepared.metric.functions, parameters)
