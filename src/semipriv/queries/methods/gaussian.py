"""Independent noise on the answer of each query."""

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.randomness import Randomness
from semipriv.core.types import Integers
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.privacy.events import Composed, Event, gaussian_scale, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Fitted, Method, Workload
from semipriv.queries.hierarchy import isotonic
from semipriv.queries.noise import use
from semipriv.queries.workloads import Runs

__all__ = ["Gaussian"]

NOT_PREFIXES = "isotonic: needs queries that are prefixes of ordered cells, as thresholds are"


@value
class Gaussian(Method):
    """Discrete Gaussian noise on each of the M sums of counts, all in one draw.

    Replacing a record changes each sum by at most 1, so all of them by sqrt(M) in L2.  Noise of scale sigma is
    M / (2 sigma^2)-zCDP, and sigma is the least float found with that at most the rho within the budget.

    Args:
        isotonic: whether answers are made nondecreasing from prefix to longer prefix: for queries on the first cells
            only.
    """

    isotonic: bool = checked(checks.boolean, default=False)

    releasable = True

    alone = 1

    short_title = "Gaussian noise"

    def check(self, budget: Guarantee) -> None:
        """Raise ValueError for delta = 0."""
        super().check(budget)
        if budget.delta == 0:
            raise ValueError("delta = 0.0: Gaussian noise needs delta > 0")

    def refusal(self, hypothesis_class: HypothesisClass) -> str | None:
        """Refuse ``isotonic`` for classes of several features."""
        if not self.isotonic or hypothesis_class.dimension == 1:
            return None
        return f"{NOT_PREFIXES}; {hypothesis_class!r} has several features"

    def noise(self, queries: int, budget: Guarantee) -> DiscreteGaussian:
        """Return the noise of each sum."""
        return DiscreteGaussian(gaussian_scale(whole(budget, self.alone) / queries))

    def event(self, workload: Workload, budget: Guarantee) -> Event:
        """Return one use of the noise for each query."""
        return Composed([(use(self.noise(workload.size, budget)), workload.size)])

    def _check_prefixes(self, workload: Workload) -> None:
        if self.isotonic and not (isinstance(workload, Runs) and not workload.start.any()):
            raise ValueError(NOT_PREFIXES)

    def check_fit(self, workload: Workload, budget: Guarantee) -> None:
        """Raise ValueError for noise that is too wide, and where ``isotonic`` makes no sense."""
        self._check_prefixes(workload)
        self.noise(workload.size, budget).check_width()
        super().check_fit(workload, budget)

    def draws(self, workload: Workload) -> int:
        """Return the number of queries."""
        return workload.size

    def fit(
        self, workload: Workload, counts: Integers, budget: Guarantee, randomness: Randomness, units: int = 1
    ) -> Fitted:
        """Release noisy sums over their total, within [0, 1]; raises ValueError where ``isotonic`` makes no sense."""
        self._check_prefixes(workload)
        total, noise = int(counts.sum()), self.noise(workload.size, budget).per(units)
        noisy = noise.add(workload.sums(counts), randomness).astype(np.float64)
        if self.isotonic:
            assert isinstance(workload, Runs)
            order = np.argsort(workload.stop, kind="stable")
            noisy[order] = isotonic(noisy[order], total)
        return Fitted(np.clip(noisy / total, 0.0, 1.0), cost={"noise": float(noise.sigma) / units})
