"""Perturbed averages: algorithm 2 of BBD24."""

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from semipriv.classes.regressors.base import Regressor
from semipriv.core.fields import between, changed, checked, one_of, positive, size, value
from semipriv.core.losses import loss
from semipriv.core.randomness import Simulation
from semipriv.core.roles import Role
from semipriv.core.rounding import rounded_down
from semipriv.core.samples import RegressionSample
from semipriv.papers.bbd24.learners._perturbing import Perturbing, as_loss, as_noise, as_scale
from semipriv.papers.bbd24.perturbation.calibration import least_count, least_perturbed_eta, rho_perturbed
from semipriv.papers.bbd24.perturbation.public_values import PublicValues
from semipriv.papers.bbd24.perturbation.sizes import Sizes, Task, perturbed_sizes
from semipriv.papers.bbd24.stages.gram import is_ball

__all__ = ["PerturbedAverage"]


@value
class PerturbedAverage(Perturbing):
    """The mean of ``draws`` minimisers of sum_D loss + eta w^j, then noise on its public values, then projection.

    w^j(f) = m^(-1/2) sum_i xi_i f(Z_i) is a Gaussian process, drawn anew for each j.  The mean of the minimisers moves
    by at most rho in ||.||_m if one record is replaced, except with a chance of delta_c, for every class and every loss
    in [0, 1].  rho is the smaller of sqrt(2/pi)/eta + 2 (1 + sqrt(2 L)) / sqrt(draws), by Stein's identity and
    McDiarmid's inequality (BBD24-L1), and sqrt(2/pi)/eta + 4 L / draws + sqrt(4 W L / (eta draws)), by Bernstein's; L =
    ln(2/delta_c), and W bounds E sup w by public numbers: sqrt(2 ln N) for N functions that differ on the public
    points, 1 for linear functions.  Noise of scale gamma on m values is (epsilon, delta_g)-DP then; delta_c + delta_g =
    delta (BBD24-L10).

    The proper output of a class that is not convex may be far from the mean; the accuracy of BBD24-T2 is proven for the
    hull.  For linear functions both are the same.  For simulation only.

    No parameter may be chosen by looking at private records.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: in (0, 1).
        eta: > 0, in the scale of sums over records.
        draws: J >= 1.
        loss: 'squared' or 'absolute'; for linear functions, 'squared' alone.
        noise: 'gaussian', with delta_c = delta / 2, or 'laplace', with delta_c = delta.
        output: 'proper', a function of the class (the paper's), or 'hull', the nearest mean of functions, by
            Frank-Wolfe from the noisy values.
        gamma: scale of the noise; the least one by default, and none below is accepted.

    Source:
        BBD24 algorithm 2, theorem 2, lemmas 1 and 10.
    """

    hue: ClassVar[str] = "vermilion"
    theorem: ClassVar[str] = "BBD24 theorem 2"
    set_by_plan: ClassVar[Mapping[str, Any]] = MappingProxyType({"eta": 1.0, "draws": 1, "gamma": None})

    epsilon: float = positive()
    delta: float = between(0, 1)
    eta: float = positive()
    draws: int = size()
    loss: str = checked(as_loss, default="squared")
    noise: str = checked(as_noise, default="gaussian")
    output: str = one_of(("proper", "hull"), "a perturbed average", default="proper")
    gamma: float | None = checked(as_scale, default=None)

    @classmethod
    def examples(cls) -> "tuple[PerturbedAverage, ...]":
        """Return both outputs, and Laplace noise."""
        return (
            cls(1.0, 1e-2, 5.0, 400),
            cls(2.0, 1e-3, 20.0, 900, output="hull"),
            cls(1.0, 1e-2, 5.0, 400, noise="laplace", output="hull"),
        )

    @property
    def role(self) -> Role:
        """The role of the paper's algorithm; with the other output, of a variant."""
        return Role.PAPER if self.output == "proper" else Role.VARIANT

    @property
    def short_title(self) -> str:
        """The paper's name, with output and noise if they are others."""
        usual = {"proper", "squared", "gaussian"}
        other = [word for word in (self.output, self.loss, self.noise) if word not in usual]
        return "perturbed average" + "".join(f", {word}" for word in other)

    def check(self, hypothesis_class: Any) -> None:
        """Check that this learner can learn a class.

        Raises:
            ValueError: for linear functions with another loss than 'squared': there is no exact minimiser.
        """
        super().check(hypothesis_class)
        if is_ball(hypothesis_class) and self.loss != "squared":
            raise ValueError(f"loss = {self.loss!r}: must be 'squared' for linear functions: no exact minimiser")

    def _sized(self, alpha: float, task: Task) -> tuple[Sizes, "PerturbedAverage"]:
        sizes = perturbed_sizes(alpha, task, self.average_delta)
        return sizes, changed(self, eta=sizes.eta, draws=sizes.count, gamma=None)

    @property
    def average_delta(self) -> float:
        """delta_c: the chance that a mean of minimisers is far from what it is expected to be."""
        return self.delta if self.noise == "laplace" else self.delta / 2

    @property
    def noise_delta(self) -> float:
        """delta_g = delta - delta_c, rounded down."""
        return rounded_down(Fraction(self.delta) - Fraction(self.average_delta))

    def stability(self, prepared: PublicValues, n_private: int) -> float:
        """Return rho, which depends on the class on the public points, not on the number of records."""
        return rho_perturbed(self.eta, self.draws, self.average_delta, prepared.gaussian_width)

    def _advice(self, prepared: PublicValues, n_private: int, rho: float) -> str:
        chance, width = self.average_delta, prepared.gaussian_width
        with suppress(ValueError):  # more draws may be needed, too
            return f"or eta >= {least_perturbed_eta(rho, self.draws, chance, width)!r}"
        eta = max(self.eta, 2 / rho)
        larger = "" if eta == self.eta else f" with eta = {eta!r}"
        return f"or draws >= {least_count(rho, eta, chance, width)}{larger}"

    def _fit(self, prepared: PublicValues, sample: RegressionSample, randomness: Simulation) -> tuple[Regressor, int]:
        """Return the mean of the minimisers: one call for each."""
        generator = randomness.generator
        return prepared.perturbed(sample, loss(self.loss), self.eta, self.draws, generator), self.draws

    def _project(self, prepared: PublicValues, target: np.ndarray[Any, Any]) -> tuple[Regressor, int]:
        """Return the nearest function, or for the hull the nearest mean of functions."""
        return prepared.nearest(target) if self.output == "proper" else prepared.mixture(target)
