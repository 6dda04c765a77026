"""What every distribution of responses offers: a linear mean, noise, and expected losses."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import checks, fields
from semipriv.core.losses import Loss
from semipriv.core.samples import Points, Responses
from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal

ROUNDING = 1e-9
"""How far a norm may exceed its limit by rounding."""


def _in_ball(name: str, given: Sequence[float]) -> tuple[float, ...]:
    numbers = tuple(checks.real(name, number) for number in checks.listing(name, list(given)))
    norm = float(np.linalg.norm(numbers))
    if norm > 1 + ROUNDING:
        raise ValueError(f"{name}: have norm {norm:.6g}, must be at most 1")
    return numbers


@fields.value
class Response(ABC):
    """Distribution of a response y in [-1, 1] given a point x with mean <weights, x>.

    Args:
        weights: one for each feature, of norm at most 1: the mean is a function of ``LinearBall``.
    """

    weights: Sequence[float] = fields.checked(_in_ball)

    @property
    def target(self) -> Floats:
        """The weights, (d,)."""
        return np.asarray(self.weights, np.float64)

    def mean(self, points: Points) -> Floats:
        """Return E[y | x]: (n, d) -> (n,)."""
        return np.asarray(points @ self.target)

    def check(self, marginal: Marginal) -> None:
        """Raise ValueError unless there is a weight for each feature, and every response is in [-1, 1]."""
        if len(self.weights) != marginal.dimension:
            raise ValueError(
                f"response.weights: must be {marginal.dimension}, one for each feature, got {len(self.weights)}"
            )
        largest = float(np.linalg.norm(self.target)) * marginal.radius + self.noise
        if largest > 1 + ROUNDING:
            what = f"norm of the weights times {marginal.radius:.6g}, the largest norm of a point, + {self.noise:g}"
            raise ValueError(f"response: can reach {largest:.6g}, must be in [-1, 1] ({what})")

    @property
    def noise(self) -> float:
        """The most by which a response can exceed its mean in ``check``; 0 where it is in [-1, 1] by itself."""
        return 0.0

    @abstractmethod
    def sample(self, points: Points, generator: np.random.Generator) -> Responses:
        """Draw a response for each point: (n, d) -> (n,)."""

    @abstractmethod
    def variance(self, points: Points) -> Floats:
        """Return Var[y | x]: (n, d) -> (n,)."""

    @abstractmethod
    def mean_variance(self, second: Floats) -> float:
        """Return E Var[y | x] for points with second moments E[x x^T] (d, d)."""

    @abstractmethod
    def absolute(self, predictions: Floats, points: Points) -> Floats:
        """Return E[|f - y| | x]: predictions (k, n), points (n, d) -> (k, n)."""

    def losses(self, loss: Loss, predictions: ArrayLike, points: Points) -> Floats:
        """Return E[l(f, y) | x]: predictions (k, n), points (n, d) -> (k, n)."""
        f = np.asarray(predictions, np.float64)
        if loss.power == 1:
            return self.absolute(f, points) / 2
        return np.asarray(((f - self.mean(points)) ** 2 + self.variance(points)) / 4)

    def linear_losses(self, loss: Loss, weights: Floats, second: Floats) -> Floats | None:
        """Return E l(<w, x>, y) for rows w of weights (k, d) as (k,); None if there is no closed form.

        Squared loss: ((w - w*)^T S (w - w*) + E Var[y | x]) / 4 with w* the target and S = second = E[x x^T].
        """
        if loss.power == 1:
            return self._linear_absolute(weights, second)
        away = weights - self.target
        return np.asarray((np.einsum("ki,ij,kj->k", away, second, away) + self.mean_variance(second)) / 4)

    def best_loss(self, loss: Loss, second: Floats) -> float | None:
        """Return min E l(<w, x>, y) over ||w|| <= 1; None if it is not known.  Squared loss: that of the target."""
        if loss.power == 1:
            return self._best_absolute(second)
        return self.mean_variance(second) / 4

    def _linear_absolute(self, weights: Floats, second: Floats) -> Floats | None:
        return None

    def _best_absolute(self, second: Floats) -> float | None:
        return None
