"""What distributions of whole numbers share."""

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal

MOST_BITS = 50
"""Numbers below 2^50 and their halves are floats: nothing is rounded but probabilities."""
WHY = "larger integers are not exact as floats: take fewer bits; classes of more bits keep it in their last word"


class Whole(Marginal):
    """A distribution of whole numbers x >= 0 below 2^50."""

    @abstractmethod
    def _below(self, k: Floats) -> Floats:
        """Return P[X < k] for numbers k >= 0, whole or infinite."""

    @abstractmethod
    def _near(self, u: Floats) -> Floats:
        """Return a whole number at, or next to, the quantile."""

    def cdf(self, x: ArrayLike) -> Floats:
        """Return P[X <= x] = P[X < floor(x) + 1]."""
        return self._below(np.maximum(np.floor(np.asarray(x, float)) + 1, 0.0))

    def cdf_left(self, x: ArrayLike) -> Floats:
        """Return P[X < x] = P[X < ceil(x)]."""
        return self._below(np.maximum(np.ceil(np.asarray(x, float)), 0.0))

    def quantile(self, u: ArrayLike) -> Floats:
        """Return the least whole x with P[X <= x] >= u."""
        u = np.asarray(u, float)
        x = np.maximum(self._near(u), 0.0)
        x = np.where(self._below(x + 1) < u, x + 1, x)
        return np.where((x > 0) & (self._below(x) >= u), x - 1, x)
