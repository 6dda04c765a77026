"""Many features and labelled public rows: a public model, tested and moved by private rows."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np

from semipriv.classes.base import Hypothesis
from semipriv.classes.predictors.clipped_halfspaces import ClippedHalfspaces
from semipriv.core import checks
from semipriv.core.fields import checked, positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats, Integers
from semipriv.learners._totals import Examples, Summand, Totalling
from semipriv.learners.base import Facts
from semipriv.learners.discriminant.candidates import stumps
from semipriv.learners.discriminant.plan import Draw, Noise, Plan, plan_of
from semipriv.learners.discriminant.warm import GRADIENTS, SHIFTS, WORTHS, handicapped, in_units, rules_of
from semipriv.learners.public_metric_discriminant import candidates_of, estimated_candidates
from semipriv.learners.stages.public_model import ModelledMetric, PublicModel
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.events import Composed, Event, Pure
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["PublicModelDiscriminant"]

SHARE = Fraction(1, 5)
"""Share of epsilon that selection gets at most: with a prior it needs less."""
TEST_SHARE, TEST_ROWS = Fraction(6, 25), 120.0
"""Epsilon of the test: this share, or this number over n if that is less; more if with that it would see nothing."""
MOST_FOR_TEST = Fraction(1, 2)
"""Share of epsilon that the test gets at most, if with less it would see nothing."""
BLIND = 0.08
"""Standard error of a share of mistakes, by the noise alone, above which a test would see nothing, and is left out."""
FAR = 2.0
"""Standard errors by which mistakes may exceed what public rows promise."""
NO_USE = 0.02
"""A public model that is not better than a constant by so much is of no use."""


@value
class PublicModelDiscriminant(Totalling[ModelledMetric]):
    """A linear rule of many features: labelled public points give a model, private rows test and move it.

    Public stage: the metric of ``public_metric_discriminant``, and a cross-fitted ridge logistic regression.

    Private stage: two counts with noise, mistakes of the public model and ones.  If it makes many more mistakes than
    public points promise, or hardly fewer than a constant, what follows is ``public_metric_discriminant`` with the
    epsilon that is left.  Else noisy gradients are taken at the scores of the public model, each combined with it by
    precision, and permute-and-flip selects among the rules between them; a prior and public mistakes count, too, as
    integers that are added to private mistakes.

    Replacing one row moves each count and each number of mistakes by at most 1, and a sum of clipped gradients by at
    most twice the norm in L1.  Whatever else is computed, and which way is taken, depends on public data and earlier
    outputs: all is pure epsilon-DP by basic composition of adaptive mechanisms.

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

    def test(self, n_private: int) -> NoisyIntegers | None:
        """Return the mechanism of both counts.

        Args:
            n_private: number of private examples.

        Returns:
            The mechanism; None if nothing is tested.
        """
        if self.same_population or not n_private:
            return None
        own = Fraction(self.epsilon)
        seeing = Fraction(2 * math.sqrt(2) / BLIND) / n_private  # the variance of the noise is below 2 (2 / epsilon)^2
        epsilon = min(TEST_SHARE * own, Fraction(TEST_ROWS) / n_private)
        if epsilon < seeing <= MOST_FOR_TEST * own:
            epsilon = seeing
        mechanism = NoisyIntegers(2, epsilon)
        return None if math.sqrt(mechanism.noise.variance) / n_private > BLIND else mechanism

    def _rest(self, n_private: int) -> Fraction:
        """Return the epsilon that the test leaves."""
        mechanism = self.test(n_private)
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
        candidates = (len(SHIFTS) + 1) * (1 + GRADIENTS * len(WORTHS)) + len(stumps(metric)) + 2
        rest, axes = self._rest(n_private), len(metric.variances)
        return plan_of(rest, n_private, axes, candidates, most=GRADIENTS, share=SHARE)

    def fallback(self, prepared: ModelledMetric, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is not trusted.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan of what follows the test.
        """
        metric = prepared.metric
        return plan_of(self._rest(n_private), n_private, len(metric.variances), estimated_candidates(metric))

    def check_release(self, prepared: ModelledMetric, n_private: int) -> None:
        """Check that sums over so many examples, and their noise, fit in 64 bits.

        Raises:
            ValueError: if they do not.
        """
        super().check_release(prepared, n_private)
        for plan in (self.plan(prepared, n_private), self.fallback(prepared, n_private)):
            plan.check(n_private)

    def release_event(self, prepared: ModelledMetric, n_private: int) -> Event:
        """Return the test and all that follows, as one event: which way is taken is not known before."""
        mechanism = self.test(n_private)
        if mechanism is None:
            return self.plan(prepared, n_private).event
        return Composed([(mechanism.event, 1), (Pure(self._rest(n_private)), 1)])

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
            choices = handicapped(prepared, rules_of(prepared, plan, n, draw), plan.selection, n)
            candidates, handicaps = choices.candidates, choices.handicaps
        else:
            plan = self.fallback(prepared, n)
            candidates = candidates_of(prepared.metric, plan, n, draw)
            handicaps = np.zeros(len(candidates), np.int64)
        scores = -examples.total(partial(functions.mistakes, candidates)) - in_units(handicaps, examples.units)
        chosen = PermuteAndFlip(plan.selection).per(examples.units).sample(scores, randomness)
        cost: dict[str, float] = {"candidates": len(candidates), "gradients": len(plan.gradients), "axes": plan.axes}
        return Release(Hypothesis(functions, candidates[chosen]), self.guarantee, randomness.source, cost)

    def _trusted(self, prepared: ModelledMetric, n: int, draw: Draw) -> bool:
        """Return whether the public model is what follows starts from: by noisy counts and public points."""
        m = len(prepared.labels)
        mechanism = self.test(n)
        if mechanism is None or not m:
            return True
        counts = draw(mechanism, _MistakesAndOnes(prepared.metric.functions, prepared.rule))
        mistakes, ones = (min(max(int(count), 0), n) / n for count in counts)
        promised = float(np.mean((prepared.crossed >= 0) != (prepared.labels == 1)))
        noise = math.sqrt(mechanism.noise.variance) / n
        error = math.sqrt(max(promised * (1 - promised), 0.02) * (1 / m + 1 / n) + noise**2)
        return mistakes - promised <= FAR * error and mistakes <= min(ones, 1 - ones) - NO_USE + noise


@dataclass(frozen=True, eq=False)
class _MistakesAndOnes:
    """How many mistakes a rule (d + 1,) makes, and how many labels are 1: (2,)."""

    functions: ClippedHalfspaces
    rule: Floats

    def __call__(self, points: Points, labels: Labels) -> Integers:
        return np.append(self.functions.mistakes(self.rule[None], points, labels), np.count_nonzero(labels))
