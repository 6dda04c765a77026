"""What both learners in a public metric share: noisy sums that make candidates, and selection by mistakes."""

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

import numpy as np

from semipriv.core import fields
from semipriv.core.fields import positive, value
from semipriv.core.functions import Parameters
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.types import Floats, Integers
from semipriv.learners._totals import Examples, Totalling
from semipriv.learners.base import Facts, FiniteOutput
from semipriv.learners.discriminant.plan import Draw, Plan
from semipriv.learners.stages.public_metric import Metric
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Output, Release


@value
class PublicMetricLearner(Totalling[Metric], FiniteOutput):
    """Takes noisy sums over private rows in the metric of public points, then selects a rule by its mistakes."""

    facts: ClassVar[Facts] = Facts(distribution_is_listed=False)
    sums_key: ClassVar[str]
    """Key of the number of noisy sums in the cost of a release."""

    epsilon: float = positive()
    delta: float = fields.delta(default=0.0)

    role = Role.VARIANT

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private example."""
        return Guarantee(self.epsilon, self.delta)

    @abstractmethod
    def plan(self, prepared: Metric, n_private: int) -> Plan:
        """Return how epsilon is spent, which public numbers alone decide.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan.
        """

    @abstractmethod
    def _candidates(self, prepared: Metric, plan: Plan, n: int, draw: Draw) -> Parameters:
        """Return what is selected from, (c, p); n private rows are read by ``draw`` alone, which adds the noise."""

    def _handicaps(self, plan: Plan, n: int, candidates: int) -> Integers:
        """Return mistakes (c,) that each candidate has before a private one is counted."""
        return np.zeros(candidates, np.int64)

    @abstractmethod
    def _output(self, prepared: Metric, parameters: Floats) -> Output:
        """Return what is released: the function with parameters (p,)."""

    def check_release(self, prepared: Metric, n_private: int) -> None:
        """Check that sums over so many examples, and their noise, fit in 64 bits.

        Raises:
            ValueError: if they do not.
        """
        self.plan(prepared, n_private).check(n_private)
        super().check_release(prepared, n_private)

    def release_event(self, prepared: Metric, n_private: int) -> Event:
        """Return each noisy sum and the selection, composed."""
        return self.plan(prepared, n_private).event

    def release_totals(self, prepared: Metric, examples: Examples, randomness: Randomness) -> Release[Any]:
        """Take noisy sums, then select a rule by its mistakes."""
        n = examples.count
        self.check_release(prepared, n)
        plan = self.plan(prepared, n)
        candidates = self._candidates(
            prepared, plan, n, lambda noise, summand: examples.noisy(noise, summand, randomness)
        )
        mistakes = examples.total(partial(self.functions(prepared).mistakes, candidates))
        scores = -mistakes - self._handicaps(plan, n, len(candidates)) * examples.units
        chosen = plan.selector.per(examples.units).sample(scores, randomness)
        cost: dict[str, float] = {"candidates": len(candidates), self.sums_key: len(plan.gradients), "axes": plan.axes}
        return Release(self._output(prepared, candidates[chosen]), self.guarantee, randomness.source, cost)
