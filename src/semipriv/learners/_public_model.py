"""What both learners that test a public model share: the test, what follows it, and the selection at the end."""

from abc import abstractmethod
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Generic

from semipriv.core import checks
from semipriv.core.fields import checked, positive, value
from semipriv.core.functions import Parameters
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.types import Floats
from semipriv.learners._totals import Examples, Summand, Totalling
from semipriv.learners.base import Facts
from semipriv.learners.discriminant.plan import Draw, Noise, Plan
from semipriv.learners.discriminant.trust import Promise
from semipriv.learners.discriminant.warm import FULL, Handicapped, possible
from semipriv.learners.stages.base import P
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.events import Composed, Event, Pure
from semipriv.privacy.guarantee import Guarantee, Output, Release

SHARE = Fraction(1, 5)
"""Share of epsilon that selection gets at most: with a prior it needs less."""


@value
class PublicModelLearner(Totalling[P], Generic[P]):
    """Tests a public model by a noisy count of its mistakes; moves it, or does without it; then selects a rule."""

    facts: ClassVar[Facts] = Facts(
        distribution_is_listed=False, others={"same_population": True}, unseen=("same_population",)
    )
    sums_key: ClassVar[str]
    """Key of the number of noisy sums in the cost of a release."""

    epsilon: float = positive()
    same_population: bool = checked(checks.boolean, default=False)

    role = Role.VARIANT

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon)

    # ------------------------------------------------------------------ what each learner adds
    @staticmethod
    @abstractmethod
    def _promise(prepared: P) -> Promise:
        """Return what public points promise of the public model."""

    @staticmethod
    @abstractmethod
    def _model(prepared: P) -> Parameters:
        """Return the parameters of the public model, (1, p)."""

    @abstractmethod
    def plan(self, prepared: P, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is trusted, which public numbers alone decide.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan of what follows the test.
        """

    @abstractmethod
    def fallback(self, prepared: P, n_private: int) -> Plan:
        """Return how epsilon is spent if the public model is not trusted.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan of what follows the test.
        """

    @abstractmethod
    def _moved(self, prepared: P, plan: Plan, n: int, draw: Draw) -> Handicapped:
        """Return candidates from the public model on; n private rows are read by ``draw`` alone."""

    @abstractmethod
    def _without(self, prepared: P, plan: Plan, n: int, draw: Draw) -> Handicapped:
        """Return candidates of private rows, and the public model among them; n rows are read by ``draw`` alone."""

    @abstractmethod
    def _output(self, prepared: P, parameters: Floats) -> Output:
        """Return what is released: the function with parameters (p,)."""

    # ------------------------------------------------------------------ the test
    def test(self, prepared: P, n_private: int) -> NoisyIntegers | None:
        """Return the mechanism of the number of mistakes.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The mechanism; None if nothing is tested.
        """
        return None if self.same_population else self._promise(prepared).test(self.epsilon, n_private)

    def _begins(self, prepared: P, n_private: int) -> bool:
        """Return whether gradients start at the public model when it is not tested.

        They do if the populations are declared to be the same, or if public rows say that the model is useful.  They
        also do if private rows are too few to say anything: then public rows alone decide.
        """
        return self.same_population or self._promise(prepared).useful or n_private * self.epsilon < FULL

    def _rest(self, prepared: P, n_private: int) -> Fraction:
        """Return the epsilon that the test leaves."""
        mechanism = self.test(prepared, n_private)
        return Fraction(self.epsilon) - (0 if mechanism is None else Fraction(mechanism.epsilon))

    def _trusted(self, prepared: P, n: int, draw: Draw) -> bool:
        """Return whether the public model is what follows starts from: by a noisy count and public points."""
        mechanism = self.test(prepared, n)
        if mechanism is None:
            return self._begins(prepared, n)
        wrong = partial(self.functions(prepared).mistakes, self._model(prepared))
        return self._promise(prepared).kept(int(draw(mechanism, wrong)[0]), mechanism, n)

    # ------------------------------------------------------------------ the release
    def check_release(self, prepared: P, n_private: int) -> None:
        """Check that sums over so many examples, and their noise, fit in 64 bits.

        Raises:
            ValueError: if they do not.
        """
        for plan in (self.plan(prepared, n_private), self.fallback(prepared, n_private)):
            plan.check(n_private)
        super().check_release(prepared, n_private)

    def release_event(self, prepared: P, n_private: int) -> Event:
        """Return the test and all that follows, as one event: which way is taken is not known before."""
        mechanism = self.test(prepared, n_private)
        if mechanism is None:
            way = self.plan if self._begins(prepared, n_private) else self.fallback
            return way(prepared, n_private).event
        return Composed([(mechanism.event, 1), (Pure(self._rest(prepared, n_private)), 1)])

    def release_totals(self, prepared: P, examples: Examples, randomness: Randomness) -> Release[Any]:
        """Test the public model, take noisy gradients, then select a rule by its mistakes."""
        functions, n = self.functions(prepared), examples.count
        self.check_release(prepared, n)

        def draw(noise: Noise, summand: Summand) -> Floats:
            return examples.noisy(noise, summand, randomness)

        trusted = self._trusted(prepared, n, draw)
        plan = self.plan(prepared, n) if trusted else self.fallback(prepared, n)
        choices = (self._moved if trusted else self._without)(prepared, plan, n, draw)
        kept = possible(choices.handicaps, examples.units)
        candidates, handicaps = choices.candidates[kept], choices.handicaps[kept]
        scores = -examples.total(partial(functions.mistakes, candidates)) - handicaps * examples.units
        chosen = PermuteAndFlip(plan.selection).per(examples.units).sample(scores, randomness)
        cost: dict[str, float] = {"candidates": len(candidates), self.sums_key: len(plan.gradients), "axes": plan.axes}
        return Release(self._output(prepared, candidates[chosen]), self.guarantee, randomness.source, cost)
