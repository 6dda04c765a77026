"""Algorithm 3, exact in distribution: slopes in closed form, and linear functions on a ball by counts.

Slopes: F = {x -> w x : |w| <= 1}, every x is 1, the absolute loss |f - y| / 2, responses 1 or -1; public points are 1.
Ball: linear functions of norm 1, the squared loss (f - y)^2 / 4, responses 1 or -1 with mean <w*, x>, points on a fixed
finite support in the unit ball.  Samples enter by how often each point occurs, with which response.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import scipy

from semipriv.core.binomial import binomial_distribution
from semipriv.core.types import Floats
from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.papers.bbd24.perturbation.calibration import rho_regularised
from semipriv_lab.papers.bbd24.studies._cells import SLOPES_LIPSCHITZ, slope


# ---------------------------------------------------------------------------------------------------- slopes
@dataclass(frozen=True)
class Slopes:
    """Algorithm 3 on slopes: n records, each response -1 with chance ``flip``, and output noise of a scale.

    noise: standard deviation of normal noise, or scale of Laplace noise, that the output w gets before it is clipped.
    The excess loss of w is (1 - w) (1/2 - flip).
    """

    n: int
    eta: float
    flip: float
    noise: float = 0.0
    kind: Literal["normal", "laplace"] = "normal"

    @property
    def largest(self) -> float:
        """The largest excess loss of all functions, that of w = -1."""
        return 1 - 2 * self.flip

    @cached_property
    def _fits(self) -> tuple[Floats, Floats]:
        if self.flip == 0:
            return np.array([slope(float(self.n), self.eta)]), np.ones(1)
        positives, logs = binomial_distribution(self.n, 1 - self.flip)
        return np.asarray(slope((2 * positives - self.n).astype(np.int64), self.eta)), np.exp(logs)

    def chance_above(self, excess: float) -> float:
        """Return P[excess loss of the output > excess], to about 1e-14."""
        highest = 1 - excess / (0.5 - self.flip)
        fits, masses = self._fits
        if highest <= -1:
            return 0.0
        if self.noise == 0:
            return float(masses[fits < highest].sum())
        away = (highest - fits) / self.noise
        if self.kind == "normal":
            return float(masses @ scipy.special.ndtr(away))
        half = np.exp(-np.abs(away)) / 2
        return float(masses @ np.where(away > 0, 1 - half, half))

    def quantile(self, beta: float) -> float:
        """Return the 1 - beta quantile of the excess loss, by bisection."""
        low, high = 0.0, self.largest
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.chance_above(middle) > beta else (low, middle)
        return high


def slopes_noise(eta: float, unit: float) -> float:
    """Return the noise of the output: unit times the stability; unit: noise for a distance of 1.

    Normal noise gamma = sqrt(m) rho unit on m equal points averages to rho unit.  Laplace noise is for one point.
    """
    return unit * rho_regularised(eta, SLOPES_LIPSCHITZ, 1.0)


# ---------------------------------------------------------------------------------------------------- ball
SUPPORT = 1000
SLOPE = 0.8
"""Norm of w*, which points along the first axis."""


@dataclass(frozen=True, eq=False)
class BallDistribution:
    """Public points: uniform on a support (k, p) in the unit ball; private masses (k,), at most 1 / (k sigma) each."""

    support: Floats
    masses: Floats

    @property
    def target(self) -> Floats:
        """w*."""
        return np.eye(self.support.shape[1])[0] * SLOPE

    @property
    def spread(self) -> float:
        """The largest ratio of |<w, x>| to ||w||_mu, over w and x of the unit ball, mu the public distribution."""
        x = self.support
        return 1 / math.sqrt(float(np.linalg.eigvalsh(x.T @ x / len(x))[0]))

    @property
    def largest(self) -> float:
        """No excess loss of a function of norm 1 is above this."""
        return (1 + SLOPE) ** 2 * float(np.linalg.eigvalsh(self._second)[-1]) / 4

    @cached_property
    def _second(self) -> Floats:
        return (self.support.T * self.masses) @ self.support

    def excess(self, w: Floats) -> float:
        """Return E <w - w*, x>^2 / 4."""
        away = w - self.target
        return float(away @ self._second @ away) / 4


def uniform_ball(shape: tuple[int, ...], generator: np.random.Generator) -> Floats:
    """Return points drawn uniformly from the unit ball; the last axis holds their coordinates."""
    points = generator.standard_normal(shape)
    radii = generator.random((*shape[:-1], 1)) ** (1 / shape[-1])
    return np.asarray(points * radii / np.linalg.norm(points, axis=-1, keepdims=True))


def ball_distribution(p: int, shift: str, sigma: float, generator: np.random.Generator) -> BallDistribution:
    """Return the distribution on a random support: 'none', 'region' (the share sigma of largest x_1) or 'tilt'."""
    points = uniform_ball((SUPPORT, p), generator)
    first = points[:, 0]
    weights = np.ones(SUPPORT)
    if shift == "region":
        weights = (first >= np.sort(first)[-round(sigma * SUPPORT)]).astype(float)
    elif shift == "tilt":
        weights = np.exp(_tilt(first, sigma) * (first - first.max()))
    return BallDistribution(points, weights / weights.sum())


def _tilt(first: Floats, sigma: float) -> float:
    """Return theta with a largest density ratio of 1 / sigma, by bisection."""
    low, high = 0.0, 1000.0
    for _ in range(100):
        middle = (low + high) / 2
        largest = 1 / float(np.exp(middle * (first - first.max())).mean())
        low, high = (middle, high) if largest < 1 / sigma else (low, middle)
    return low


def ball_excesses(
    distribution: BallDistribution, n: int, m: int, eta: float, unit: float, trials: int, generator: np.random.Generator
) -> Floats:
    """Return the excess loss of algorithm 3 in independent trials, (trials,): n records, m public points.

    unit: noise for a distance of 1, normal.  The fit to noisy predictions Z w + gamma xi depends on Z^T xi alone, which
    is normal with covariance Z^T Z.
    """
    x, k = distribution.support, len(distribution.support)
    excesses = np.empty(trials)
    for i in range(trials):
        seen = generator.multinomial(n, distribution.masses)
        positives = generator.binomial(seen, (1 + x @ distribution.target) / 2)
        public = generator.multinomial(m, np.full(k, 1 / k))
        gram = Spectrum.of((x.T * public) @ x / m)
        root = gram.vectors * np.sqrt(gram.values)
        system = (x.T * seen) @ x / 4 + eta * root @ root.T
        fit = minimisers(Spectrum.of(system), (2 * positives - seen) @ x / 4)
        rho = min(1 / math.sqrt(eta), 1 / (math.sqrt(gram.values[0]) * eta))  # of ``rho_regularised``, not rounded up
        noisy = root @ (root.T @ fit + rho * unit * generator.standard_normal(len(fit)))
        excesses[i] = distribution.excess(minimisers(gram, noisy))
    return excesses
