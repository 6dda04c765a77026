"""What both learners of regression with a public Gram matrix share: their guarantee and their plan."""

from abc import abstractmethod
from typing import ClassVar

from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressor
from semipriv.classes.regressors.linear import Linear
from semipriv.core import estimates
from semipriv.core.fields import positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import Points, Responses, as_points, as_responses
from semipriv.core.types import Floats, Integers
from semipriv.core.work import Cost
from semipriv.learners._linear import clipped
from semipriv.learners._totals import Examples, Summand, Totalling
from semipriv.learners.regression.moments import Draw
from semipriv.learners.regression.plan import Plan
from semipriv.learners.stages.base import P
from semipriv.learners.stages.public_metric import Metric
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Release


@value
class GramRegression(Totalling[P]):
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
    def plan(self, prepared: P, n_private: int) -> Plan:
        """Return how epsilon is spent, which public numbers alone decide.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private examples.

        Returns:
            The plan.
        """

    def functions(self, prepared: P) -> Linear:
        """Return those of standardised features."""
        return self._metric(prepared).functions

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
        x = as_points(points, self._metric(prepared).hypothesis_class.dimension)
        y = as_responses(responses, len(x))
        return self.release_totals(prepared, Examples(len(x), lambda: [(x, y, None)]), randomness)

    def draw_cost(self, prepared: P, n_private: int) -> Cost:
        """Return what selections, a mean and sums take, and their solution beside the public points."""
        plan = self.plan(prepared, n_private)
        sums = len(plan.sums) + (plan.counter is not None) + (plan.averager is not None)
        d, m = self.functions(prepared).dimension, len(self._metric(prepared).rows)
        return estimates.gradients(n_private, d, plan.axes, sums) + estimates.public_points(m, d, 0)

    def check_release(self, prepared: P, n_private: int) -> None:
        """Check that sums over so many examples, and their noise, fit in 64 bits.

        Raises:
            ValueError: if they do not.
        """
        self.plan(prepared, n_private).check(n_private)
        super().check_release(prepared, n_private)

    def release_event(self, prepared: P, n_private: int) -> Event:
        """Return each selection, the mean and each sum, composed."""
        return self.plan(prepared, n_private).event

    def _draw(self, prepared: P, examples: Examples, randomness: Randomness) -> Draw:
        """Return what sums over the private rows, each clipped where it is summed up, and adds noise."""

        def draw(noise: NoisyIntegers, summand: Summand) -> Floats:
            def added(points: Points, responses: Responses) -> Integers:
                sample = clipped(self._metric(prepared).hypothesis_class, points, responses)
                return summand(sample.points, sample.responses)

            return examples.noisy(noise, added, randomness)

        return draw

    def _released(self, prepared: P, rule: Floats, plan: Plan, randomness: Randomness) -> Release[Regressor]:
        """Return the release of weights of standardised features and an offset, (d + 1,)."""
        cost: dict[str, float] = {"sums": len(plan.sums), "axes": plan.axes}
        function = Regressor.single(self._metric(prepared).functions, rule)
        return Release(function, self.guarantee, randomness.source, cost)
