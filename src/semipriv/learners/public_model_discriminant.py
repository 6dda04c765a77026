"""Many features and labelled public rows: a public model, tested and moved by private rows."""

from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np

from semipriv.classes.base import Hypothesis
from semipriv.classes.predictors.clipped_halfspaces import ClippedHalfspaces
from semipriv.core import checks, estimates
from semipriv.core.fields import checked, positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.types import Floats
from semipriv.core.work import Cost
from semipriv.learners._totals import Examples, Summand, Totalling
from semipriv.learners.base import Facts
from semipriv.learners.discriminant.candidates import stumps
from semipriv.learners.discriminant.plan import Draw, Noise, Plan, plan_of
from semipriv.learners.discriminant.trust import Promise
from semipriv.learners.discriminant.warm import (
    FULL,
    GRADIENTS,
    SHIFTS,
    WORTHS,
    Handicapped,
    handicapped,
    possible,
    rules_of,
)
from semipriv.learners.public_metric_discriminant import candidates_of, estimated_candidates
from semipriv.learners.stages.public_metric import Metric
from semipriv.learners.stages.public_model import ModelledMetric, PublicModel
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.events import Composed, Event, Pure
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["PublicModelDiscriminant"]

SHARE = Fraction(1, 5)
"""Share of epsilon that selection gets at most: with a prior it needs less."""


@value
class PublicModelDiscriminant(Totalling[ModelledMetric]):
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

    facts: ClassVar[Facts] = Facts(law_is_listed=False, others={"same_population": True}, unseen=("same_population",))

    epsilon: float = positive()
    same_population: bool = checked(checks.boolean, default=False)

    @classmethod
    def examples(cls) -> tuple["PublicModelDiscriminant", ...]:
        """Return one for which a few rows are too few for a gradient, and two for which they are not."""
        return cls(1.0), cls(60.0), cls(60.0, same_population=True)

    role = Role.VARIANT
    public_stage = PublicModel()
    many_features = True

    @property
    def short_title(self) -> str:
        """The name, with what is declared."""
        return "public-model discriminant" + ", same population" * self.same_population

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon)

    def test(self, prepared: ModelledMetric, n_private: int) -> NoisyIntegers | None:
        """Return the mechanism of the number of mistakes.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The mechanism; None if nothing is tested.
        """
        return None if self.same_population else _promise(prepared).test(self.epsilon, n_private)

    def _begins(self, prepared: ModelledMetric, n_private: int) -> bool:
        """Return whether the public model is where private rows begin, if nothing is tested.

        It is, too, where they are too few to tell anything: then public rows alone decide.
        """
        return self.same_population or _promise(prepared).useful or n_private * self.epsilon < FULL

    def _rest(self, prepared: ModelledMetric, n_private: int) -> Fraction:
        """Return the epsilon that the test leaves."""
        mechanism = self.test(prepared, n_private)
        return Fraction(self.epsilon) - (0 if mechanism is None else Fraction(mechanism.epsilon))

    def plan(self, prepared: ModelledMetric, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is trusted, which public numbers alone decide.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan of what follows the test.
        """
        metric = prepared.metric
        candidates = self._candidates(metric)
        rest, axes = self._rest(prepared, n_private), len(metric.variances)
        return plan_of(rest, n_private, axes, candidates, most=GRADIENTS, share=SHARE)

    @staticmethod
    def _candidates(metric: Metric) -> int:
        """Return about how many candidates there are if the public model is trusted."""
        return (len(SHIFTS) + 1) * (1 + GRADIENTS * (len(WORTHS) + 1)) + len(stumps(metric)) + 2

    def fallback(self, prepared: ModelledMetric, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is not trusted.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan of what follows the test.
        """
        metric = prepared.metric
        return plan_of(self._rest(prepared, n_private), n_private, len(metric.variances), estimated_candidates(metric))

    def check_release(self, prepared: ModelledMetric, n_private: int) -> None:
        """Check that sums over so many examples, and their noise, fit in 64 bits.

        Raises:
            ValueError: if they do not.
        """
        for plan in (self.plan(prepared, n_private), self.fallback(prepared, n_private)):
            plan.check(n_private)
        super().check_release(prepared, n_private)

    def draw_cost(self, prepared: ModelledMetric, n_private: int) -> Cost:
        """Return what gradients and the mistakes of candidates take, the longer way."""
        metric, d = prepared.metric, prepared.metric.functions.dimension
        plan, other = self.plan(prepared, n_private), self.fallback(prepared, n_private)
        counting = estimates.rules_counted(max(self._candidates(metric), estimated_candidates(metric)))
        ways = [estimates.gradients(n_private, d, option.axes, len(option.gradients)) for option in (plan, other)]
        return max(ways, key=lambda cost: cost.seconds) + counting

    def release_event(self, prepared: ModelledMetric, n_private: int) -> Event:
        """Return the test and all that follows, as one event: which way is taken is not known before."""
        mechanism = self.test(prepared, n_private)
        if mechanism is None:
            way = self.plan if self._begins(prepared, n_private) else self.fallback
            return way(prepared, n_private).event
        return Composed([(mechanism.event, 1), (Pure(self._rest(prepared, n_private)), 1)])

    def functions(self, prepared: ModelledMetric) -> ClippedHalfspaces:
        """Return those of standardised features."""
        return prepared.metric.functions

    def release_totals(
        self, prepared: ModelledMetric, examples: Examples, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Test the public model, take noisy gradients, then select a rule by its mistakes."""
        functions, n = prepared.metric.functions, examples.count
        self.check_release(prepared, n)

        def draw(noise: Noise, summand: Summand) -> Floats:
            return examples.noisy(noise, summand, randomness)

        if self._trusted(prepared, n, draw):
            plan = self.plan(prepared, n)
            rules = rules_of(prepared, plan, n, draw, self.same_population)
            choices = handicapped(prepared, rules, plan.selection, n)
        else:
            plan = self.fallback(prepared, n)
            model, size = prepared.rule[None], float(np.abs(prepared.rule).max())
            others = candidates_of(prepared.metric, plan, n, draw)
            every = np.concatenate([model / size, others]) if 0 < size < np.inf else others
            choices = Handicapped(every, plan.handicaps(n, len(every)))
        kept = possible(choices.handicaps, examples.units)
        candidates, handicaps = choices.candidates[kept], choices.handicaps[kept]
        scores = -examples.total(partial(functions.mistakes, candidates)) - handicaps * examples.units
        chosen = PermuteAndFlip(plan.selection).per(examples.units).sample(scores, randomness)
        cost: dict[str, float] = {"candidates": len(candidates), "gradients": len(plan.gradients), "axes": plan.axes}
        return Release(Hypothesis(functions, candidates[chosen]), self.guarantee, randomness.source, cost)

    def _trusted(self, prepared: ModelledMetric, n: int, draw: Draw) -> bool:
        """Return whether the public model is what follows starts from: by a noisy count and public points."""
        mechanism = self.test(prepared, n)
        if mechanism is None:
            return self._begins(prepared, n)
        wrong = partial(prepared.metric.functions.mistakes, prepared.rule[None])
        return _promise(prepared).kept(int(draw(mechanism, wrong)[0]), mechanism, n)


def _promise(prepared: ModelledMetric) -> Promise:
    y = prepared.labels == 1
    if not len(y):
        return Promise(0, 0.0, 0.0)
    share_of_ones = float(y.mean())
    return Promise(len(y), float(np.mean((prepared.crossed >= 0) != y)), min(share_of_ones, 1 - share_of_ones))
