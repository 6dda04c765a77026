"""Many features, several labels, labelled public rows: a public model, tested and moved by private rows."""

from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np

from semipriv.classes.classifiers.base import Classifier
from semipriv.classes.predictors.clipped_linear_rules import ClippedLinearRules
from semipriv.core import checks, estimates
from semipriv.core.fields import checked, positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.types import Floats
from semipriv.core.work import Cost
from semipriv.learners._totals import Examples, Summand, Totalling
from semipriv.learners.base import Facts
from semipriv.learners.discriminant.plan import Draw, Noise, Plan
from semipriv.learners.discriminant.trust import Promise
from semipriv.learners.discriminant.warm import FULL, WORTHS, possible
from semipriv.learners.multiclass.candidates import (
    candidates_of,
    classes_of,
    estimated_candidates,
    functions_of,
    scaled,
)
from semipriv.learners.multiclass.plan import constants_alone, multiclass_plan, public_model_alone
from semipriv.learners.multiclass.warm import GRADIENTS, Handicapped, handicapped
from semipriv.learners.public_model_discriminant import SHARE
from semipriv.learners.stages.public_softmax import ModelledClasses, PublicSoftmax
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.events import Composed, Event, Pure
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["PublicModelMulticlass"]


@value
class PublicModelMulticlass(Totalling[ModelledClasses]):
    """A linear rule for several labels: labelled public points give a model, private rows test and move it.

    Public stage: the metric of ``public_metric_multiclass``, and a cross-fitted ridge softmax regression.  If it is
    hardly better than a constant on public points, what follows is ``public_metric_multiclass``.

    Private stage: the number of mistakes of the public model, with noise.  If these are many more than public points
    promise, what follows is ``public_metric_multiclass`` with the epsilon that is left, and the public model is one
    more candidate.  Else noisy gradients of the
    softmax loss are taken at the scores of the public model, each combined with it by precision, and permute-and-flip
    selects among the rules between them; a prior and public mistakes count, too, as integers.

    Replacing one row moves the number of mistakes by at most 1, and a sum of clipped gradients by at most twice the
    norm in L1, over all labels together.  Whatever else is computed, and which way is taken, depends on public data and
    earlier outputs: all is pure epsilon-DP by basic composition of adaptive mechanisms.

    Args:
        epsilon: privacy parameter, finite and > 0.
        same_population: whether public and private rows are declared to be of one population: then nothing is tested.

    Source:
        This package; proof in docs/findings.md.
    """

    facts: ClassVar[Facts] = Facts(law_is_listed=False, others={"same_population": True}, unseen=("same_population",))
    output_kind: ClassVar[str] = "classifier"

    epsilon: float = positive()
    same_population: bool = checked(checks.boolean, default=False)

    @classmethod
    def examples(cls) -> tuple["PublicModelMulticlass", ...]:
        """Return one for which a few rows are too few for a gradient, and two for which they are not."""
        return cls(1.0), cls(60.0), cls(60.0, same_population=True)

    role = Role.VARIANT
    public_stage = PublicSoftmax()

    @property
    def short_title(self) -> str:
        """The name, with what is declared."""
        return "public-model discriminant of several labels" + ", same population" * self.same_population

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon)

    def test(self, prepared: ModelledClasses, n_private: int) -> NoisyIntegers | None:
        """Return the mechanism of the number of mistakes.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The mechanism; None if nothing is tested.
        """
        return None if self.same_population else _promise(prepared).test(self.epsilon, n_private)

    def _begins(self, prepared: ModelledClasses, n_private: int) -> bool:
        """Return whether the public model is where private rows begin, if nothing is tested.

        It is, too, where they are too few to tell anything: then public rows alone decide.
        """
        return self.same_population or _promise(prepared).useful or n_private * self.epsilon < FULL

    def _rest(self, prepared: ModelledClasses, n_private: int) -> Fraction:
        """Return the epsilon that the test leaves."""
        mechanism = self.test(prepared, n_private)
        return Fraction(self.epsilon) - (0 if mechanism is None else Fraction(mechanism.epsilon))

    def plan(self, prepared: ModelledClasses, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is trusted, which public numbers alone decide.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan of what follows the test.
        """
        axes, classes = len(prepared.metric.variances), classes_of(prepared.metric)
        rest, many = self._rest(prepared, n_private), self._candidates(classes)
        return multiclass_plan(rest, n_private, axes, classes, many, most=GRADIENTS, share=SHARE)

    def fallback(self, prepared: ModelledClasses, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is not trusted.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan of what follows the test.
        """
        axes, classes = len(prepared.metric.variances), classes_of(prepared.metric)
        return multiclass_plan(self._rest(prepared, n_private), n_private, axes, classes, estimated_candidates(classes))

    def check_release(self, prepared: ModelledClasses, n_private: int) -> None:
        """Check that sums over so many examples, and their noise, fit in 64 bits.

        Raises:
            ValueError: if they do not.
        """
        for plan in (self.plan(prepared, n_private), self.fallback(prepared, n_private)):
            plan.check(n_private)
        super().check_release(prepared, n_private)

    def draw_cost(self, prepared: ModelledClasses, n_private: int) -> Cost:
        """Return what sums and the mistakes of candidates take, for all labels, the longer way."""
        classes, d = classes_of(prepared.metric), prepared.metric.functions.dimension
        plans = self.plan(prepared, n_private), self.fallback(prepared, n_private)
        ways = [estimates.gradients(n_private, d, option.axes, classes * len(option.gradients)) for option in plans]
        scored = estimates.labelled(classes * self._candidates(classes), n_private, d)
        return max(ways, key=lambda cost: cost.seconds) + scored

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

    def release_event(self, prepared: ModelledClasses, n_private: int) -> Event:
        """Return the test and all that follows, as one event: which way is taken is not known before."""
        mechanism = self.test(prepared, n_private)
        if mechanism is None:
            way = self.plan if self._begins(prepared, n_private) else self.fallback
            return way(prepared, n_private).event
        return Composed([(mechanism.event, 1), (Pure(self._rest(prepared, n_private)), 1)])

    def functions(self, prepared: ModelledClasses) -> ClippedLinearRules:
        """Return those of standardised features."""
        return functions_of(prepared.metric, classes_of(prepared.metric))

    def release_totals(
        self, prepared: ModelledClasses, examples: Examples, randomness: Randomness
    ) -> Release[Classifier]:
        """Test the public model, take noisy gradients, then select a rule by its mistakes."""
        functions, n = self.functions(prepared), examples.count
        self.check_release(prepared, n)

        def draw(noise: Noise, summand: Summand) -> Floats:
            return examples.noisy(noise, summand, randomness)

        if self._trusted(prepared, n, draw):
            plan = self.plan(prepared, n)
            choices = handicapped(prepared, functions.classes, plan, n, draw, self.same_population)
        else:
            plan = self.fallback(prepared, n)
            others = candidates_of(prepared.metric, functions.classes, plan, n, draw)
            model = scaled([prepared.rule], functions)
            choices = Handicapped(np.concatenate([model, others]), np.zeros(len(model) + len(others), np.int64))
        kept = possible(choices.handicaps, examples.units)
        candidates, handicaps = choices.candidates[kept], choices.handicaps[kept]
        scores = -examples.total(partial(functions.mistakes, candidates)) - handicaps * examples.units
        chosen = PermuteAndFlip(plan.selection).per(examples.units).sample(scores, randomness)
        cost: dict[str, float] = {"candidates": len(scores), "sums": len(plan.gradients), "axes": plan.axes}
        return Release(Classifier(functions, candidates[chosen]), self.guarantee, randomness.source, cost)

    def _trusted(self, prepared: ModelledClasses, n: int, draw: Draw) -> bool:
        """Return whether the public model is what follows starts from: by a noisy count and public points."""
        mechanism = self.test(prepared, n)
        if mechanism is None:
            return self._begins(prepared, n)
        wrong = partial(self.functions(prepared).mistakes, prepared.rule.ravel()[None])
        return _promise(prepared).kept(int(draw(mechanism, wrong)[0]), mechanism, n)


def _promise(prepared: ModelledClasses) -> Promise:
    m = len(prepared.labels)
    return (
        Promise(m, prepared.wrong / m, 1 - int(np.bincount(prepared.labels).max()) / m) if m else Promise(0, 0.0, 0.0)
    )
