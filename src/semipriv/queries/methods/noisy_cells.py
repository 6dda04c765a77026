"""Independent noise on the count of each cell: a noisy histogram."""

import numpy as np

from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.types import Integers
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.privacy.events import Composed, Event
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Fitted, Method, Workload
from semipriv.queries.noise import count_noise, use

__all__ = ["NoisyCells"]


@value
class NoisyCells(Method):
    """Noise on the counts of all K cells; queries are answered by sums of noisy counts.

    Replacing a record changes two counts by 1 each.  For delta = 0 the noise is discrete Laplace of scale 2 / epsilon;
    for delta > 0 discrete Gaussian with 2 / (2 sigma^2) = rho.  A sum over q cells has noise of sqrt(q) sigma, however
    many queries there are: little where cells are few.
    """

    releasable = True

    alone = 2

    short_title = "noise on cells"

    def noise(self, budget: Guarantee) -> DiscreteNoise:
        """Return the noise of a cell."""
        return count_noise(2, budget, self.alone)

    def event(self, workload: Workload, budget: Guarantee) -> Event:
        """Return one use of the noise for each of the two cells that change."""
        return Composed([(use(self.noise(budget)), 2)])

    def check_fit(self, workload: Workload, budget: Guarantee) -> None:
        """Raise ValueError for noise that is too wide."""
        self.noise(budget).check_width()
        super().check_fit(workload, budget)

    def draws(self, workload: Workload) -> int:
        """Return the number of cells."""
        return workload.cells

    def fit(
        self, workload: Workload, counts: Integers, budget: Guarantee, randomness: Randomness, units: int = 1
    ) -> Fitted:
        """Release sums of noisy counts over their total, within [0, 1]."""
        total, noise = int(counts.sum()), self.noise(budget).per(units)
        noisy = noise.add(counts, randomness)
        answers = np.clip(workload.sums(noisy) / total, 0.0, 1.0)
        return Fitted(answers, cost={"noise": noise.variance**0.5 / units})
