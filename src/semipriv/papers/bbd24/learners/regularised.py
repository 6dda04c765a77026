"""Regularised empirical risk minimisation: algorithm 3 of BBD24."""

import math
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

from semipriv.classes.regressors.base import Regressor
from semipriv.core import fields
from semipriv.core.fields import changed, checked, positive, value
from semipriv.core.losses import loss
from semipriv.core.randomness import Simulation
from semipriv.core.roles import Role
from semipriv.core.rounding import Bracket
from semipriv.core.samples import RegressionSample
from semipriv.learners.base import Facts
from semipriv.papers.bbd24.learners._perturbing import Perturbing, as_loss, as_noise, as_scale
from semipriv.papers.bbd24.perturbation.calibration import least_regularised_eta, rho_regularised
from semipriv.papers.bbd24.perturbation.public_values import BallValues, PublicValues
from semipriv.papers.bbd24.perturbation.sizes import Sizes, Task, regularised_sizes
from semipriv.papers.bbd24.stages.gram import is_ball

__all__ = ["Regularised"]

GAP = 2.0**-33
"""How far the objective with absolute losses may exceed its minimum, for each record."""
LEAST_ETA = 0.25
"""Below it, 1 / sqrt(eta) > 2 says nothing."""


@value
class Regularised(Perturbing):
    """The minimiser of sum_D loss + eta ||f||_m^2, then noise on its public values, then projection.

    The class is convex: linear functions.  Replacing one record moves the minimiser by at most
    rho = min(1 / sqrt(eta), lambda K_Z / eta) in ||.||_m (BBD24-L2-sharp): lambda is the loss's Lipschitz constant and
    K_Z the largest ratio of |f(x) - f'(x)| to ||f - f'||_m, public.  Laplace noise of scale m rho / epsilon on m values
    is epsilon-DP, Gaussian noise (epsilon, delta)-DP (BBD24-L11).

    Squared losses are minimised in closed form, absolute ones to a certified gap g, which adds 2 sqrt(g / eta) to rho.
    For simulation only.

    No parameter may be chosen by looking at private records.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: in (0, 1) for Gaussian noise, 0 for Laplace noise.
        eta: >= 1/4, in the scale of sums over records.
        loss: 'squared' or 'absolute'.
        noise: 'gaussian' or 'laplace'.
        gamma: scale of the noise; the least one by default, and none below is accepted.

    Raises:
        ValueError: for a delta that does not fit the noise, and for eta < 1/4.

    Source:
        BBD24 algorithm 3, theorem 3, lemmas 2 and 11.
    """

    hue: ClassVar[str] = "sky"
    theorem: ClassVar[str] = "BBD24 theorem 3"
    set_by_plan: ClassVar[Mapping[str, Any]] = MappingProxyType({"eta": 1.0, "gamma": None})
    facts: ClassVar[Facts] = Facts(along={"noise": {"delta": 0.0}})

    epsilon: float = positive()
    delta: float = fields.delta()
    eta: float = positive()
    loss: str = checked(as_loss, default="squared")
    noise: str = checked(as_noise, default="gaussian")
    gamma: float | None = checked(as_scale, default=None)

    def __attrs_post_init__(self) -> None:
        if (self.delta > 0) != (self.noise == "gaussian"):
            needed = "> 0 for gaussian noise" if self.noise == "gaussian" else "0 for laplace noise, which is pure"
            raise ValueError(f"delta = {self.delta!r}: must be {needed}")
        if self.eta < LEAST_ETA:
            raise ValueError(f"eta = {self.eta!r}: must be >= {LEAST_ETA}, or replacing a record may move all values")

    @classmethod
    def examples(cls) -> "tuple[Regularised, ...]":
        """Return both noises and both losses."""
        return cls(1.0, 1e-2, 50.0), cls(2.0, 0.0, 100.0, noise="laplace"), cls(1.0, 1e-3, 20.0, "absolute")

    role = Role.PAPER

    @property
    def short_title(self) -> str:
        """What it does, with loss and noise if they are others."""
        other = [word for word in (self.loss, self.noise) if word not in {"squared", "gaussian"}]
        return "regularised" + "".join(f", {word}" for word in other)

    def check(self, hypothesis_class: Any) -> None:
        """Check that this learner can learn a class.

        Raises:
            ValueError: for a class that is not convex: its minimiser is not stable.
        """
        super().check(hypothesis_class)
        if not is_ball(hypothesis_class):
            raise ValueError(
                f"functions: must be convex, a ball of linear ones, got {type(hypothesis_class).__name__}: over others "
                "the regularised minimiser may jump; perturbed_average learns them"
            )

    def _sized(self, alpha: float, task: Task) -> tuple[Sizes, "Regularised"]:
        sizes = regularised_sizes(alpha, task)
        return sizes, changed(self, eta=sizes.eta, gamma=None)

    def stability(self, prepared: PublicValues, n_private: int) -> float:
        """Return rho, rounded up; with absolute losses it depends on the number of records, through the gap."""
        rho = rho_regularised(self.eta, loss(self.loss).lipschitz, self._spread(prepared))
        if loss(self.loss).power == 2:
            return rho
        gap_part = 2 * Bracket.of(Fraction(self._gap(n_private)) / Fraction(self.eta)).sqrt()
        return (gap_part + Fraction(rho)).up

    @staticmethod
    def _gap(n_private: int) -> float:
        return GAP * max(n_private, 1)

    @staticmethod
    def _spread(prepared: PublicValues) -> float:
        return prepared.spread if isinstance(prepared, BallValues) else math.inf

    def _advice(self, prepared: PublicValues, n_private: int, rho: float) -> str:
        least = least_regularised_eta(rho, loss(self.loss).lipschitz, self._spread(prepared))
        return f"or eta >= {least!r}"

    def _fit(self, prepared: PublicValues, sample: RegressionSample, randomness: Simulation) -> tuple[Regressor, int]:
        """Return the minimiser: one call."""
        assert isinstance(prepared, BallValues), "checked"
        return prepared.regularised(sample, loss(self.loss), self.eta, self._gap(len(sample))), 1
