"""What both learners of regression with a public Gram matrix share: their guarantee and their plan."""

from abc import abstractmethod
from typing import ClassVar

from semipriv.classes.regressors.base import Regressor
from semipriv.core.fields import positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.types import Floats
from semipriv.learners.base import Learner
from semipriv.learners.regression.plan import Plan, plan_of
from semipriv.learners.stages.base import P
from semipriv.learners.stages.public_metric import Metric
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Release


@value
class GramRegression(Learner[P]):
    """Noisy sums of residuals times coordinates, solved with the Gram matrix of public points."""

    output_kind: ClassVar[str] = "regressor"
    modelled: ClassVar[bool]
    """Whether the public stage has a model of the responses."""

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
        self.plan(prepared, n_private).check(n_private)
        super().check_release(prepared, n_private)

    def release_event(self, prepared: P, n_private: int) -> Event:
        """Return each selection and each sum, composed."""
        return self.plan(prepared, n_private).event

    def _released(self, prepared: P, rule: Floats, plan: Plan, randomness: Randomness) -> Release[Regressor]:
        """Return the release of weights of standardised features and an offset, (d + 1,)."""
        cost: dict[str, float] = {"sums": len(plan.sums), "axes": plan.axes}
        function = Regressor.one(self._metric(prepared).functions, rule)
        return Release(function, self.guarantee, randomness.source, cost)
