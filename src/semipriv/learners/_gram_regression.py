"""What both learners of regression with a public Gram matrix share: their guarantee, their plan, their release."""

from abc import abstractmethod
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.regressors.base import Regressor
from semipriv.core.fields import positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import Responses
from semipriv.core.types import Integers
from semipriv.learners._linear import clipped
from semipriv.learners.base import Learner
from semipriv.learners.regression.plan import Plan, plan_of
from semipriv.learners.regression.solving import Start, solved
from semipriv.learners.stages.base import Prepared
from semipriv.learners.stages.public_metric import Metric
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Release

P = TypeVar("P", bound=Prepared)


@value
class GramRegression(Learner[P]):
    """Noisy sums of residuals times coordinates, solved with the Gram matrix of public points."""

    output_kind: ClassVar[str] = "regressor"

    epsilon: float = positive()

    role = Role.VARIANT

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon)

    @staticmethod
    @abstractmethod
    def _metric(prepared: P) -> Metric:
        """Return the public metric."""

    @abstractmethod
    def _start(self, prepared: P, plan: Plan, responses: Responses, randomness: Randomness) -> Start:
        """Return where sums start: of private rows it knows what the plan's selections tell."""

    modelled: ClassVar[bool]
    """Whether the public stage has a model of the responses."""

    def plan(self, prepared: P, n_private: int) -> Plan:
        """Return how epsilon is spent, which public numbers alone decide.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan.
        """
        return plan_of(self.epsilon, n_private, len(self._metric(prepared).variances), modelled=self.modelled)

    def check_release(self, prepared: P, n_private: int) -> None:
        """Check that sums over so many examples, and their noise, fit in 64 bits.

        Raises:
            ValueError: if they do not.
        """
        super().check_release(prepared, n_private)
        self.plan(prepared, n_private).check(n_private)

    def release_event(self, prepared: P, n_private: int) -> Event:
        """Return each selection and each sum, composed."""
        return self.plan(prepared, n_private).event

    def release(
        self, prepared: P, points: ArrayLike, responses: ArrayLike, randomness: Randomness
    ) -> Release[Regressor]:
        """Take noisy sums, and solve.

        Args:
            prepared: what ``prepare`` returned.
            points: (n, d).
            responses: (n,), clipped to [-1, 1].
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            A linear function of standardised features.
        """
        metric = self._metric(prepared)
        sample = clipped(metric.hypothesis_class, points, responses)
        x, y = sample.points, sample.responses
        self.check_release(prepared, len(x))
        plan = self.plan(prepared, len(x))

        def draw(noise: NoisyIntegers, total: Integers) -> NDArray[Any]:
            return noise.release(total, randomness)

        rule = solved(self._start(prepared, plan, y, randomness), plan, x, y, draw)
        cost: dict[str, float] = {"sums": len(plan.sums), "axes": plan.axes}
        return Release(Regressor.one(metric.functions, np.asarray(rule)), self.guarantee, randomness.source, cost)
