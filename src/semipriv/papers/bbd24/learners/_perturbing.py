"""What algorithms 2 and 3 of BBD24 share: a stable fit, its public values with noise, the nearest function."""

import math
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressor
from semipriv.core import checks
from semipriv.core.losses import LOSSES, loss
from semipriv.core.randomness import Randomness, Simulation
from semipriv.core.registry import check_name
from semipriv.core.rounding import Bracket, rational
from semipriv.core.samples import RegressionSample
from semipriv.learners._linear import clipped
from semipriv.learners.base import Learner, Needed, Setting
from semipriv.mechanisms.noisy_vector import NOISES, NORMS, NoisyVector
from semipriv.papers.bbd24.bounds.norms import linear_remainder
from semipriv.papers.bbd24.perturbation.calibration import (
    gaussian_scale,
    gaussian_unit,
    laplace_scale,
    largest_gaussian_rho,
    largest_laplace_rho,
)
from semipriv.papers.bbd24.perturbation.public_values import PublicValues
from semipriv.papers.bbd24.perturbation.sizes import PARTS, Sizes, Task, normal_quantile
from semipriv.papers.bbd24.stages.gram import GramStage, is_ball
from semipriv.privacy.guarantee import Guarantee, Release

DIAMETER = 2.0
"""No two functions within [-1, 1] are farther apart in ||.||_m."""


def as_loss(name: str, given: Any) -> str:
    """Return the name of a loss; raise ValueError, with the names, for another."""
    return check_name(name, given, list(LOSSES))


def as_noise(name: str, given: Any) -> str:
    """Return the name of a noise; raise ValueError, with the names, for another."""
    return check_name(name, given, list(NOISES))


def as_scale(name: str, given: Any) -> float | None:
    """Return a scale > 0, or None for the least one."""
    return None if given is None else checks.positive(name, given)


class Perturbing(Learner[PublicValues]):
    """Fit, clip, add noise, project: the private stage of algorithms 2 and 3.  For simulation only.

    Records are clipped first: points into the domain, responses into [-1, 1].  So the fit is stable whatever is given.
    What is released is a function of the noisy values and the public points alone.
    """

    output_kind: ClassVar[str] = "regressor"
    releasable: ClassVar[bool] = False
    """Real-valued noise on real-valued predictions has no exact sampler."""
    epsilon: float
    delta: float
    eta: float
    loss: str
    noise: str
    gamma: float | None

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private record, in real arithmetic."""
        return Guarantee(self.epsilon, self.delta)

    public_stage = GramStage()

    @property
    def noise_delta(self) -> float:
        """The part of delta that the noise spends: all of it, if the fit is stable for certain."""
        return self.delta

    @abstractmethod
    def stability(self, prepared: PublicValues, n_private: int) -> float:
        """Bound how far the fit moves if one record is replaced.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private records.

        Returns:
            rho, at least the distance in ||.||_m, except with the rest of delta.
        """

    @abstractmethod
    def _advice(self, prepared: PublicValues, n_private: int, rho: float) -> str:
        """Return how else the stability could be at most rho, in words."""

    @abstractmethod
    def _fit(self, prepared: PublicValues, sample: RegressionSample, randomness: Simulation) -> tuple[Regressor, int]:
        """Return the stable fit to a clipped sample, and the calls of the oracle."""

    def _project(self, prepared: PublicValues, target: np.ndarray[Any, Any]) -> tuple[Regressor, int]:
        """Return the function that is released, by default the nearest, and the calls of the oracle."""
        return prepared.nearest(target)

    def scale(self, m: int, rho: float) -> float:
        """Return the least scale of the noise on m values of a rho-stable fit, rounded up.

        Args:
            m: number of public points.
            rho: stability of the fit, in ||.||_m.

        Returns:
            Scale of the noise on each value, rounded up.
        """
        if self.noise == "laplace":
            return laplace_scale(self.epsilon, m, rho)
        return gaussian_scale(self.epsilon, self.noise_delta, m, rho)

    def mechanism(self, prepared: PublicValues, n_private: int) -> NoisyVector:
        """Return the mechanism that adds the noise; it depends on public things only.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private records.

        Returns:
            The noise on the m values, with its scale.

        Raises:
            ValueError: with the least gamma, for a gamma that is too small.
        """
        m, rho = len(prepared), min(DIAMETER, self.stability(prepared, n_private))
        least = self.scale(m, rho)
        if self.gamma is not None and self.gamma < least:
            most = largest_laplace_rho(self.epsilon, m, self.gamma)
            if self.noise == "gaussian":
                most = largest_gaussian_rho(self.epsilon, self.noise_delta, m, self.gamma)
            raise ValueError(
                f"gamma = {self.gamma!r}: must be >= {least!r} with {m} public points and a fit that moves by "
                f"{rho:.4g}; {self._advice(prepared, n_private, most)}"
            )
        size = Bracket.of(m).sqrt() if NORMS[self.noise] == 2 else Bracket.of(m)
        return NoisyVector(self.noise, least if self.gamma is None else self.gamma, (size * rational("rho", rho)).up)

    def needed(self, alpha: float, setting: Setting) -> Needed | None:
        """Return sizes for any distribution on the unit ball, ours: linear functions, squared losses, Gaussian noise.

        ``linear_remainder`` t at beta/8 turns a distance r on the public points into sqrt(r^2 + 4 t) <= r + 2 sqrt(t)
        under the distribution: 2 lambda sqrt(t) <= alpha/2 is left to public points.  The rest of alpha is for records,
        regulariser and noise, whose part within the linear functions has the length of a normal vector (``Task``).

        Raises:
            ValueError: if the public points that the setting gives are too few for alpha, whatever n_private.
        """
        functions: Any = setting.hypothesis_class
        losses = loss(self.loss)
        if not is_ball(functions) or losses.power != 2 or self.noise != "gaussian":
            return None
        part, d = setting.beta / PARTS, functions.dimension
        most = (alpha / (4 * losses.lipschitz)) ** 2
        m = setting.sizes.get("n_public") or math.ceil(2 * math.log(d / part) / most**2)
        left = alpha - 2 * losses.lipschitz * math.sqrt(linear_remainder(m, d, part))
        if left < alpha / 4:
            raise ValueError(f"n_public = {m:,}: too few public points for alpha = {alpha!r}, whatever n_private")
        noise = gaussian_unit(self.epsilon, self.noise_delta) * normal_quantile(d, part)
        sizes, learner = self._sized(left, Task(losses.lipschitz, 1.0, noise, range=2.0, beta=setting.beta))
        note = f"eta = {sizes.eta:.6g}" + (f", draws = {sizes.count:,}" if sizes.count > 1 else "")
        needed = {"n_public": m, "n_private": sizes.n}
        return Needed(needed, learner, f"{self.theorem}, explicit", "every distribution on the unit ball", (note,))

    @abstractmethod
    def _sized(self, alpha: float, task: Task) -> "tuple[Sizes, Perturbing]":
        """Return sizes for alpha, and the learner with the parameters that go with them."""

    def release(
        self, prepared: PublicValues, points: ArrayLike, responses: ArrayLike, randomness: Randomness
    ) -> Release[Regressor]:
        """Fit the clipped private records, add noise to the values at public points, return the nearest function.

        Points are clipped into the domain, responses to [-1, 1].  Costs: calls of the oracle, scale of the noise,
        stability.

        Args:
            prepared: what ``prepare`` returned.
            points: (n, d).
            responses: (n,).
            randomness: Simulation(seed).

        Raises:
            ValueError: for ``Secure``: the rounding of noise and predictions, real numbers, would reveal the records.
        """
        sample = clipped(prepared.functions, points, responses)
        if not isinstance(randomness, Simulation):
            raise ValueError(
                f"randomness: {self.title} is for simulation only: it adds real-valued noise to real-valued "
                "predictions, and the rounding of their sums reveals what the noise hides (Mironov 2012); no real "
                "data can be released with it"
            )
        mechanism = self.mechanism(prepared, len(sample))
        fitted, calls = self._fit(prepared, sample, randomness)
        target = mechanism.release(fitted.predict(prepared.points), randomness)
        output, projection_calls = self._project(prepared, target)
        rho = min(DIAMETER, self.stability(prepared, len(sample)))
        cost = {"oracle_calls": float(calls + projection_calls), "noise_scale": mechanism.scale, "stability": rho}
        return Release(output, self.guarantee, randomness.source, cost)
