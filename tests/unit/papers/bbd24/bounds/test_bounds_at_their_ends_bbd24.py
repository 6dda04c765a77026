"""Bounds of BBD24 where floats round to 0 or 1, or overflow: the limits, and no error."""

import math
from fractions import Fraction

import pytest

from semipriv.papers.bbd24.bounds.hamming import Chances, LaplaceWeights, NormalWeights, Weights, hamming, parity
from semipriv.papers.bbd24.bounds.minimisers import tail
from semipriv.papers.bbd24.bounds.rrspm import paper_public, realizable_public, sizes
from semipriv.papers.bbd24.bounds.stability import (
    near_minimum_tail,
    printed_distance_tail,
    printed_near_minimum_tail,
)


@pytest.mark.parametrize(
    "weights", [kind(s) for kind in (NormalWeights, LaplaceWeights) for s in (1e-300, 0.01)], ids=str
)
@pytest.mark.parametrize("m", [1, 7, 1023])
def test_next_to_no_noise_lets_the_record_decide(m: int, weights: Weights) -> None:
    for chances in (hamming(m, weights), parity(m, weights)):
        assert chances.on < 1e-40
        assert chances.off_low == chances.off_high == pytest.approx(1, abs=1e-12)
        assert chances.losses()[1] > 90
        for epsilon in (1.0, 40.0):
            assert chances.violation(epsilon) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("epsilon", [690.0, 710.0, 1e4])
def test_deltas_of_a_large_epsilon(epsilon: float) -> None:
    for chances in (hamming(7, NormalWeights(5.0)), parity(7, LaplaceWeights(5.0))):
        assert chances.delta(epsilon) == chances.violation(epsilon) == 0
    rare = Chances(math.exp(-705), 0.5, 0.5, 0.25)
    assert rare.delta(epsilon) == pytest.approx(max(0.0, 0.5 - math.exp(min(0.0, epsilon - 705))), abs=1e-9)


def test_tails_of_a_tiny_radius() -> None:
    assert tail(1.0, 1e-200, 1.0, 1.0) == tail(1.0, 1e-9, 1.0, 1.0) == 1
    assert tail(0.0, 1e-200, 1.0, 1.0) == 0 == tail(1.0, 1e200, 1.0, 1.0)
    for power in (2, 4):
        assert printed_distance_tail(1.0, 1e-200, 1.0, 1.0, power) == math.inf
        assert printed_distance_tail(0.0, 1e-200, 1.0, 1.0, power) == 0
    assert near_minimum_tail(1.0, 0.5, 1e-200, 1.0, 1e-200) == math.inf
    assert printed_near_minimum_tail(1.0, 1e-200, 1.0, 1.0, 4) == math.inf


def test_public_points_of_a_tiny_alpha() -> None:
    exact = Fraction(1 + math.log(2))
    assert paper_public(1e-200, 0.5, 1) == math.ceil(exact / Fraction(1e-200) ** 2)
    assert realizable_public(1e-310, 0.5, 1) == math.ceil(exact / Fraction(1e-310))
    assert paper_public(1e-3, 0.5, 1, 0.1) == math.ceil((1 + math.log(2)) / (1e-3 * 0.1) ** 2)


def test_a_large_vc_dimension_still_has_sizes() -> None:
    d = 1000
    least_sizes = sizes(0.5, 0.1, lambda m: 2 ** min(m, d) if m <= d else (4 * m // d) ** d, lambda m: 2.0)
    assert least_sizes.n_public > d
