"""Independent noise on the answer of each query."""

import math
from fractions import Fraction

import numpy as np

from semipriv.fields import value
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.zcdp import ZeroConcentrated
from semipriv.queries.base import Counts, Fitted, Method, Workload
from semipriv.randomness import Randomness

__all__ = ["Gaussian"]


@value
class Gaussian(Method):
    """Discrete Gaussian noise on each of the M sums of counts, all in one draw.

    Replacing a record changes each sum by at most 1, so all of them by sqrt(M) in L2.  Noise of scale sigma is
    M / (2 sigma^2)-zCDP, and sigma is the least with that at most the rho within the budget.
    """

    releasable = True

    @property
    def short_title(self) -> str:
        """The name."""
        return "Gaussian noise"

    def check(self, budget: Guarantee) -> None:
        """Raise ValueError for delta = 0."""
        super().check(budget)
        if budget.delta == 0:
            raise ValueError("delta = 0.0: Gaussian noise needs delta > 0")

    def noise(self, queries: int, budget: Guarantee) -> DiscreteGaussian:
        """Return the noise of each sum."""
        rho = ZeroConcentrated.within(budget).rho
        sigma = math.nextafter(math.sqrt(queries / (2 * rho)) * (1 + 1e-12), math.inf)
        while Fraction(sigma) ** 2 * 2 * Fraction(rho) < queries:
            sigma = math.nextafter(sigma, math.inf)
        return DiscreteGaussian(sigma)

    def fit(self, workload: Workload, counts: Counts, budget: Guarantee, randomness: Randomness) -> Fitted:
        """Release noisy sums over n, within [0, 1]."""
        n = int(counts.sum())
        noise = self.noise(workload.size, budget)
        noisy = workload.sums(counts) + noise.sample(randomness, workload.size).astype(np.float64)
        return Fitted(np.clip(noisy / n, 0.0, 1.0), cost={"noise": float(noise.sigma)})
