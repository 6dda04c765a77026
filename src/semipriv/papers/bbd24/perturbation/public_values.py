"""What algorithms 2 and 3 need of a class on public points: minimisers, their values there, nearest functions."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.classes.regressors.base import Regressor, Regressors
from semipriv.core.arrays import Arrays
from semipriv.core.losses import Loss
from semipriv.core.samples import Points, RegressionSample
from semipriv.core.types import Floats
from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.papers.bbd24.perturbation.absolute import least_absolute
from semipriv.papers.bbd24.perturbation.average import chosen, mean_on_ball, root
from semipriv.papers.bbd24.perturbation.calibration import finite_width
from semipriv.papers.bbd24.perturbation.perturb import mixture, nearest, on_ball


@dataclass(frozen=True, eq=False)
class PublicValues(ABC):
    """A class on public points Z (m, d), of which equal ones count as often as they are there.

    Private samples are clipped before: points of the domain, responses in [-1, 1].
    """

    functions: Regressors
    points: Points

    def __len__(self) -> int:
        return len(self.points)

    @property
    @abstractmethod
    def gaussian_width(self) -> float:
        """A bound on E sup w, w(f) = m^(-1/2) sum_i xi_i f(Z_i) for standard normal xi: public, rounded up."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the arrays from which this is restored."""

    @abstractmethod
    def perturbed(
        self, sample: RegressionSample, loss: Loss, eta: float, draws: int, generator: np.random.Generator
    ) -> Regressor:
        """Return the mean of the minimisers of sum_D loss + eta w^j over the draws j: steps 1 to 3 of algorithm 2."""

    @abstractmethod
    def nearest(self, target: Floats) -> tuple[Regressor, int]:
        """Return the nearest function of the class to a target (m,), and the calls of the oracle that took."""

    @abstractmethod
    def mixture(self, target: Floats) -> tuple[Regressor, int]:
        """Return the nearest mean of functions of the class to a target (m,), and the calls of the oracle."""


@dataclass(frozen=True, eq=False)
class BallValues(PublicValues):
    """Linear functions of features phi (m, p) of the public points, ||w|| <= 1.

    spectrum: of phi^T phi / m.  spread: K_Z, infinite if that is singular.
    """

    spectrum: Spectrum
    spread: float

    @cached_property
    def features(self) -> Floats:
        """Features of the public points, (m, p)."""
        return _features(self.functions, self.points)

    @property
    def gaussian_width(self) -> float:
        """1: sup w is the length of m^(-1/2) sum_i xi_i phi(Z_i), whose mean square is the mean of ||phi(Z_i)||^2."""
        return 1.0

    def arrays(self) -> Arrays:
        """Return points, eigenvalues, eigenvectors and spread."""
        return {
            "points": self.points,
            "eigenvalues": self.spectrum.values,
            "eigenvectors": self.spectrum.vectors,
            "spread": np.array([self.spread]),
        }

    def perturbed(
        self, sample: RegressionSample, loss: Loss, eta: float, draws: int, generator: np.random.Generator
    ) -> Regressor:
        """Return the mean of minimisers with squared losses: one eigendecomposition for all draws."""
        assert loss.power == 2, "checked by who calls"
        x = _features(self.functions, sample.points)
        moment = sample.responses @ x / 4
        mean = mean_on_ball(Spectrum.of(x.T @ x / 4), moment, root(self.features.T), eta, draws, generator)
        return Regressor.single(self.functions, mean)

    def regularised(self, sample: RegressionSample, loss: Loss, eta: float, gap: float) -> Regressor:
        """Return the minimiser of sum_D loss + eta ||f||_m^2: step 1 of algorithm 3.

        gap: the objective of the result exceeds its minimum by at most that much, for absolute losses; squared ones are
        minimised in closed form.
        """
        x = _features(self.functions, sample.points)
        if loss.power == 1:
            return Regressor.single(self.functions, least_absolute(x, sample.responses, self.spectrum, eta, gap))
        v = self.spectrum.vectors
        matrix = x.T @ x / 4 + eta * (v * self.spectrum.values) @ v.T
        return Regressor.single(self.functions, minimisers(Spectrum.of(matrix), sample.responses @ x / 4))

    def nearest(self, target: Floats) -> tuple[Regressor, int]:
        """Return the shortest of the nearest functions; one call."""
        return Regressor.single(self.functions, on_ball(self.spectrum, self.features, target)), 1

    def mixture(self, target: Floats) -> tuple[Regressor, int]:
        """Return the same: the class is convex."""
        return self.nearest(target)


@dataclass(frozen=True, eq=False)
class TableValues(PublicValues):
    """Finitely many functions by their values on the public points."""

    @cached_property
    def parameters(self) -> Floats:
        """Parameters of all functions, (N, p)."""
        listed = self.functions.listed()
        assert listed is not None, "checked by the stage"
        return listed

    @cached_property
    def values(self) -> Floats:
        """Values (N, m) at the public points."""
        return self.functions.values(self.parameters, self.points)

    @cached_property
    def gaussian_width(self) -> float:
        """sqrt(2 ln N) for N functions that differ on the public points, rounded up."""
        return finite_width(len(np.unique(self.values, axis=0)))

    def arrays(self) -> Arrays:
        """Return the points: the class knows its table."""
        return {"points": self.points}

    def perturbed(
        self, sample: RegressionSample, loss: Loss, eta: float, draws: int, generator: np.random.Generator
    ) -> Regressor:
        """Return the mean of minimisers: how often each function is one."""
        values = self.functions.values(self.parameters, sample.points)
        losses = loss.of(values, sample.responses).sum(axis=1)
        return self._mean(chosen(losses, root(self.values), eta, draws, generator))

    def nearest(self, target: Floats) -> tuple[Regressor, int]:
        """Return the first of the nearest functions; one call."""
        return Regressor.single(self.functions, self.parameters[nearest(self.values, target)]), 1

    def mixture(self, target: Floats) -> tuple[Regressor, int]:
        """Return the nearest mixture by Frank-Wolfe, from the target alone."""
        weights, calls = mixture(self.values, target)
        return self._mean(weights), calls

    def _mean(self, weights: Floats) -> Regressor:
        kept = weights > 0
        return Regressor(self.functions, self.parameters[kept], weights[kept])


def _features(functions: Regressors, points: Points) -> Floats:
    features = functions.features(points)
    assert features is not None, "checked by the stage"
    return features
