"""Permute-and-flip (McKenna and Sheldon 2020), never worse than the exponential mechanism."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from semipriv.mechanisms.base import FloatVector, Scores, SelectionMechanism

__all__ = ["PermuteAndFlip"]


@cache
def _legendre(order: int) -> tuple[FloatVector, FloatVector]:
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return (nodes + 1) / 2, weights / 2


@dataclass(frozen=True)
class PermuteAndFlip(SelectionMechanism):
    """Visit the indices in random order; accept i with probability q_i = exp(-epsilon (max - scores[i]) / (2 sensitivity)).

    The first accepted index is the output.  Pure epsilon-DP.  Giving each index a uniform arrival time t,

        P[i] = q_i * integral_0^1 prod_{j != i} (1 - t q_j) dt,

    which is integrated on geometrically growing panels by Gauss-Legendre rules, to about 1e-13 relative error.

    >>> np.exp(PermuteAndFlip(1.0).log_probabilities([0, -1, -2])).round(5)
    array([0.58717, 0.26608, 0.14675])
    """

    def pool_log_probabilities(self, gaps: Scores, counts: NDArray[np.int64]) -> FloatVector:
        """Ln q + ln integral_0^1 prod_pools (1 - t q_p)^(counts_p - [p is the own pool]) dt."""
        log_q = -self.rate * gaps
        q = np.exp(log_q)
        nodes, weights = self._panels(float(counts @ q))
        log_factor = np.log1p(-nodes[:, None] * q)  # (t, p); nodes are below 1, so every factor is positive
        log_product = log_factor @ counts
        values = np.exp(log_product[:, None] - log_factor)
        return np.asarray(log_q + np.log(weights @ values), dtype=np.float64)

    @staticmethod
    def _panels(total: float) -> tuple[FloatVector, FloatVector]:
        """Nodes and weights on [0, 1], fine near 0 where the integrand decays like exp(-t * total)."""
        count = max(1, int(np.ceil(np.log2(max(total, 1.0)))) + 1)
        edges = np.concatenate([[0.0], 2.0 ** -np.arange(count - 1, -1, -1.0)])
        nodes, weights = _legendre(32)
        width = np.diff(edges)[:, None]
        return (edges[:-1, None] + width * nodes).ravel(), (width * weights).ravel()
