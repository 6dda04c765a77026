"""What is refused depends on public numbers: how many candidates there are, never how they score."""

import itertools

import numpy as np
import pytest

from semipriv.classes.discrete_thresholds import DiscreteThresholds, ThresholdTally
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.mechanisms.sampling.choice import choose_pool
from semipriv.mechanisms.selection.base import Pools
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip

MOST = 2**62 - 1
both = pytest.mark.parametrize("mechanism", [ExponentialMechanism, PermuteAndFlip])
sources = pytest.mark.parametrize("randomness", [Secure(), Simulation(1)], ids=["secure", "simulation"])


def samples(bits: int) -> list[ThresholdTally]:
    """Tallies with all thresholds in one pool but one, about half of them, or a quarter in the largest pool."""
    h, half = DiscreteThresholds(bits), 2 ** (bits - 1)
    data = [[0], [2**bits - 1], [half], [half, half // 2, half + half // 2]]
    return [h.tally(h.encode(values), [0] * len(values)) for values in data]


def refusal(action) -> str:
    try:
        action()
    except ValueError as error:
        return str(error)
    return ""


@both
@sources
@pytest.mark.parametrize("bits", [62, 63, 959, 960, 961, 962, 999, 1000, 1001, 2_000, 10_000])
def test_every_sample_is_refused_or_none_is(mechanism, randomness: Randomness, bits: int) -> None:
    """Neighbouring samples move candidates from pool to pool; one pool is above the limit, or all are below it."""
    computed_refusals = {
        refusal(lambda tally=tally: mechanism(1.0).select(tally, randomness)) for tally in samples(bits)
    }
    too_many = mechanism is PermuteAndFlip and 2**bits + 1 > 2**960
    assert computed_refusals == {"counts: permute-and-flip takes at most 2^960 candidates" if too_many else ""}


def test_the_distribution_is_refused_with_the_draw() -> None:
    for bits, refused in ((959, False), (960, True), (961, True)):
        for tally in samples(bits):
            values, counts = tally.histogram()
            message = refusal(lambda v=values, c=counts: PermuteAndFlip(1.0).pool_log_probabilities(v - v[0], c))
            assert bool(message) is refused


@sources
@pytest.mark.parametrize(
    "counts", [[2**999, 2**999], [2**1000 - 1, 1], [1, 2**1000 - 1], [2**999, 2**999 + 1], [2**1000, 1]], ids=len
)
def test_pools_are_limited_by_their_sum(randomness: Randomness, counts: list[int]) -> None:
    refused = sum(counts) > 2**1000
    assert bool(refusal(lambda: choose_pool([0, 1], counts, ExponentialMechanism(1.0).rate, randomness))) is refused


@both
@sources
def test_no_score_is_refused_for_its_size(mechanism, randomness: Randomness) -> None:
    """Scores beyond 2^62 - 1 count as the nearest to it, in every type that NumPy gives them."""
    for scores, moved in (
        (np.array([MOST, MOST + 1, -MOST - 1, -(2**63)]), [MOST, MOST, -MOST, -MOST]),
        (np.array([0, 2**64 - 1], np.uint64), [0, MOST]),
        ([2**63, -1], [MOST, -1]),  # floats to NumPy
        ([10**30, 3, -(10**30)], [MOST, 3, -MOST]),  # objects to NumPy
        (np.array([10**30, np.int64(3)], object), [MOST, 3]),
    ):
        assert Pools.of(scores).scores.tolist() == moved
        distribution, same = (mechanism(1e-18).log_probabilities(given) for given in (scores, moved))
        assert distribution.tolist() == same.tolist()
        assert np.exp(distribution).sum() == pytest.approx(1)
        assert 0 <= mechanism(1e-18).sample(scores, randomness) < len(moved)


@pytest.mark.parametrize(("score", "neighbour"), [(MOST, MOST + 1), (-MOST, -MOST - 1), (2**64 - 1, 2**64)])
def test_scores_that_are_moved_are_no_further_apart(score: int, neighbour: int) -> None:
    first, other = (Pools.of([score, 0, given]).scores for given in (score, neighbour))
    assert np.abs(first - other).max() <= abs(score - neighbour)


ENDS = [-(2**63), -MOST - 1, -MOST, 0, MOST, MOST + 1, 2**63 - 1]


def test_pools_of_any_two_scores_are_those_of_integers_of_any_size() -> None:
    """One end far out or both, all equal or not: gaps never overflow."""
    for scores in itertools.product(ENDS, repeat=2):
        moved = [min(max(score, -MOST), MOST) for score in scores]
        pools = Pools.of(np.array(scores))
        assert pools.scores.tolist() == moved
        assert (pools.worst, pools.best, int(pools.tops.max())) == (min(moved), max(moved), max(moved))
        assert pools.gaps.tolist() == sorted({max(moved) - score for score in moved})
        assert pools.counts.sum() == 2
