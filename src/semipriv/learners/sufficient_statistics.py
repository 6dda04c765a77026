"""Private least squares without public data: Gaussian noise on X^T X and X^T y."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressor
from semipriv.classes.regressors.linear_ball import TOLERANCE
from semipriv.core import fields
from semipriv.core.fields import positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.rounding import Bracket
from semipriv.core.types import Floats
from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.learners._linear import LinearLearner, as_output, clipped
from semipriv.learners.stages.nothing import NothingPrepared
from semipriv.mechanisms.noise.gaussian import Gaussian
from semipriv.privacy.gaussian import gaussian_sigma
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["SufficientStatistics"]

SENSITIVITY = (Bracket.of(Fraction(9, 2)).sqrt() * (1 + 2 * Fraction(TOLERANCE)) ** 2).up
"""3 / sqrt(2) for points of norm 1, rounded up for those that rounding leaves a little longer."""


@value
class SufficientStatistics(LinearLearner):
    """Gaussian noise on the sums of x x^T and x y, then least squares over the unit ball.  No public data.

    Points are shortened to norm 1 and responses clipped to [-1, 1], record by record.  The upper triangle of x x^T, off
    the diagonal times sqrt(2), and x y together move by at most 3 / sqrt(2) in L2 if one record is replaced: for unit
    vectors with <x, x'> = c and y = -y' = 1 the square is 2 - 2 c^2 + 2 + 2 c <= 9/2.  Noise by the analytic Gaussian
    mechanism.  What follows is computed from the noisy sums alone: eigenvalues below ``floor`` are raised to it.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: in (0, 1).
        floor: least eigenvalue of the noisy sum, in units of the noise's standard deviation, >= 0.
    """

    hue: ClassVar[str] = "green"

    epsilon: float = positive()
    delta: float = fields.between(0, 1)
    floor: float = fields.between(0, math.inf, closed="l", default=1.0)
    releasable: ClassVar[bool] = False
    """Gaussian noise on real numbers has no exact sampler."""

    @classmethod
    def examples(cls) -> "tuple[SufficientStatistics, ...]":
        """Return one with the default floor, and one without a floor."""
        return cls(1.0, 1e-5), cls(0.5, 1e-3, 0.0)

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private example."""
        return Guarantee(self.epsilon, self.delta)

    role = Role.NO_PUBLIC
    short_title = "sufficient statistics"

    @property
    def sigma(self) -> float:
        """Standard deviation of the noise on each coordinate, rounded up."""
        return _sigma(self.epsilon, self.delta)

    def release(
        self, prepared: NothingPrepared, points: ArrayLike, responses: ArrayLike, randomness: Randomness
    ) -> Release[Regressor]:
        """Return the minimiser of the noisy objective; ``Secure`` is refused, as real noise is for simulation."""
        d = prepared.hypothesis_class.dimension
        sample = clipped(prepared.hypothesis_class, points, responses)
        x, y = sample.points, sample.responses
        noise = Gaussian(self.sigma).sample(randomness, d * (d + 1) // 2 + d)
        gram = x.T @ x + _symmetric(noise[d:], d)
        values, vectors = np.linalg.eigh(gram)
        raised = Spectrum(np.maximum(values, self.floor * self.sigma), vectors)
        weights = minimisers(raised, x.T @ y + noise[:d])
        return Release(as_output(prepared, weights), self.guarantee, randomness.source, {"noise": self.sigma})


@lru_cache(maxsize=64)
def _sigma(epsilon: float, delta: float) -> float:
    return gaussian_sigma(epsilon, delta, SENSITIVITY)


def _symmetric(triangle: Floats, d: int) -> Floats:
    """Return the symmetric matrix (d, d) of an upper triangle whose entries off the diagonal stand times sqrt(2)."""
    matrix = np.zeros((d, d))
    matrix[np.triu_indices(d)] = triangle
    matrix = (matrix + matrix.T) / math.sqrt(2)
    np.fill_diagonal(matrix, matrix.diagonal() / math.sqrt(2))
    return matrix
