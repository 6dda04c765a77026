"""The exponential mechanism (McSherry and Talwar 2007)."""

import numpy as np

from semipriv.core.fields import value
from semipriv.core.randomness import Randomness, Secure, as_randomness
from semipriv.core.types import Floats, Indices, Integers
from semipriv.mechanisms.sampling.choice import choose_each, choose_pool
from semipriv.mechanisms.selection.base import Candidates, SelectionMechanism, T, within
from semipriv.privacy.events import BoundedRange

__all__ = ["ExponentialMechanism"]


@value
class ExponentialMechanism(SelectionMechanism):
    """Select index i with probability proportional to exp(epsilon * scores[i] / (2 * sensitivity)).

    Pure epsilon-DP for every neighbour relation under which that sensitivity holds.

    Source:
        McSherry and Talwar 2007; ABM19 algorithm 1; BNS15 proposition A.1.

    Examples:
        >>> np.exp(ExponentialMechanism(1.0).log_probabilities([0, -1, -2])).round(5)
        array([0.50648, 0.3072 , 0.18632])
    """

    @property
    def event(self) -> BoundedRange:
        """Log-ratios in an interval of length epsilon: each exponent moves by at most epsilon / 2, up or down, and the
        normaliser is common to all (Durfee and Rogers 2019).
        """
        return BoundedRange(self.epsilon)

    def pool_log_probabilities(self, gaps: Integers, counts: Integers) -> Floats:
        """Return -rate * gap - ln sum_q counts_q exp(-rate * gap_q).

        What SciPy's logsumexp computes, which takes ten times as long for a few pools.
        """
        weights = -self._float_rate * gaps
        largest = weights == 0
        others = np.sum(counts * np.exp(np.where(largest, -np.inf, weights)))
        best = float(counts[largest].sum())
        return np.asarray(weights - (np.log1p(others / best) + np.log(best)), dtype=np.float64)

    def exact_pool(self, gaps: Integers, counts: Integers, randomness: Secure) -> int:
        """Draw pool p with probability proportional to counts_p exp(-rate * gap_p)."""
        return choose_pool(gaps, counts, self.rate, randomness)

    def sample_each(self, scores: Integers, randomness: Randomness) -> Indices:
        """Draw an index for each row of scores, of all rows at once: O(g k), a few microseconds a row.

        Args:
            scores: (g, k) int64, k >= 1.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            Indices (g,).
        """
        as_randomness(randomness)
        inside = within(scores)
        return choose_each(inside.max(axis=1, keepdims=True) - inside, self.rate, randomness)

    def select(self, candidates: Candidates[T], randomness: Randomness) -> T:
        """Let the candidates draw: those that are too many to list need no histogram."""
        return candidates.draw(self.rate, as_randomness(randomness))
