"""Draws of OpenDP's samplers, from entropy of the operating system: only their counts can be kept."""

from collections import Counter
from typing import Any

import opendp.prelude as dp

dp.enable_features("contrib")

_BLOCK = 10_000


def _noise(make: Any, distance: Any, scale: float, draws: int) -> Counter[int]:
    """Return how often each integer was drawn."""
    measurement = make(dp.vector_domain(dp.atom_domain(T=int)), distance, scale=scale)
    counts: Counter[int] = Counter()
    for _ in range(draws // _BLOCK):
        counts.update(measurement([0] * _BLOCK))
    return counts


def discrete_laplace(draws: int, scale: float) -> Counter[int]:
    """make_laplace on integers."""
    return _noise(dp.m.make_laplace, dp.l1_distance(T=int), scale, draws)


def discrete_gaussian(draws: int, scale: float) -> Counter[int]:
    """make_gaussian on integers."""
    return _noise(dp.m.make_gaussian, dp.l2_distance(T=float), scale, draws)


def _selection(measure: Any, draws: int, epsilon: float, scores: list[int]) -> Counter[int]:
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    measurement = dp.m.make_noisy_max(*space, measure, scale=2 / epsilon)
    return Counter(measurement(scores) for _ in range(draws))


def exponential_mechanism(draws: int, epsilon: float, scores: list[int]) -> Counter[int]:
    """make_noisy_max with Gumbel noise of scale 2 / epsilon (zero-concentrated divergence)."""
    return _selection(dp.zero_concentrated_divergence(), draws, epsilon, scores)


def permute_and_flip(draws: int, epsilon: float, scores: list[int]) -> Counter[int]:
    """make_noisy_max with exponential noise of scale 2 / epsilon (max divergence)."""
    return _selection(dp.max_divergence(), draws, epsilon, scores)


SCORES = [0, -1, -2, -2, -5, -9]
CASES = {
    discrete_laplace: [(1_000_000, 10 / 3), (1_000_000, 0.4)],
    discrete_gaussian: [(1_000_000, 3.7), (1_000_000, 0.5)],
    exponential_mechanism: [(200_000, 1.0, SCORES)],
    permute_and_flip: [(200_000, 1.0, SCORES)],
}
