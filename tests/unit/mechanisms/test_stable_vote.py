"""Stable votes: the exact distribution over all votes of few parts, the threshold, and a vote without it."""

import math
from collections import Counter

import pytest

from semipriv.audit.exact import exact_delta
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.stable_vote import StableVote
from semipriv.privacy.output_distribution import LogProbabilities

VOTES = ("a", "b", None)


def distribution(data, epsilon: float, delta: float, threshold: int) -> LogProbabilities:
    """P[winner] = P[noise >= threshold - lead]."""
    counts = Counter(own for own in data if own is not None).most_common(2)
    lead = counts[0][1] - (counts[1][1] if len(counts) > 1 else 0) if counts else 0
    if not lead:
        return {None: 0.0}
    chance = float(StableVote(epsilon, delta).noise.log_cumulative([lead - threshold])[0])
    return {counts[0][0]: chance, None: math.log1p(-math.exp(chance))}


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.05), (0.3, 0.2), (3.0, 1e-3)])
def test_all_votes_of_six_parts(epsilon: float, delta: float) -> None:
    """Within delta; with a threshold of t instead of 2 + t it is not."""
    slots = [list(VOTES)] * 6
    own = StableVote(epsilon, delta).tail
    assert exact_delta(lambda data: distribution(data, epsilon, delta, 2 + own), slots, epsilon) <= delta
    assert exact_delta(lambda data: distribution(data, epsilon, delta, own), slots, epsilon) > delta


@pytest.mark.parametrize("randomness", [Simulation(1), Secure()])
def test_draws(randomness) -> None:
    mechanism, votes = StableVote(1.0, 0.2), ["a"] * 5 + ["b", None]
    chance = math.exp(distribution(votes, 1.0, 0.2, 2 + mechanism.tail)["a"])
    won = sum(mechanism.winner(votes, randomness) == "a" for _ in range(500))
    assert abs(won - 500 * chance) < 5.5 * math.sqrt(500 * chance * (1 - chance))
    assert mechanism.winner(["a", "b"] * 50, randomness) is None
    assert mechanism.winner([None] * 5, randomness) is None


def test_the_tail_is_the_least() -> None:
    for epsilon in (0.1, 1.0, 7.0):
        for delta in (0.4, 1e-3, 1e-9):
            mechanism = StableVote(epsilon, delta)
            below = [float(mechanism.noise.log_cumulative([-mechanism.tail + k])[0]) for k in (0, 1)]
            assert below[0] <= math.log(delta)
            assert below[1] > math.log(delta) or mechanism.tail == 1
