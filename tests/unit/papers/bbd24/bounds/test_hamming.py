"""Closed forms on all labelings: against brute force over all of them, and a corner that is known."""

import math

import numpy as np
import pytest

from semipriv.papers.bbd24.bounds.hamming import (
    Chances,
    LaplaceWeights,
    NormalWeights,
    Weights,
    hamming,
    parity,
)

WEIGHTS = [NormalWeights(1.5), NormalWeights(6.0), LaplaceWeights(1.0), LaplaceWeights(5.0)]
DRAWS = 40_000


def drawn(code: str, m: int, weights: Weights) -> tuple[float, float]:
    """Shares of draws in which the code wins, on D and on D', by the least over all labelings."""
    labelings = (np.arange(2**m)[:, None] >> np.arange(m)) & 1
    syndrome = np.bitwise_xor.reduce(labelings * np.arange(1, m + 1), axis=1)
    member = syndrome == 0 if code == "hamming" else labelings.sum(axis=1) % 2 == 0
    rng = np.random.default_rng(m)
    draw = rng.normal if isinstance(weights, NormalWeights) else rng.laplace
    cost = draw(0, weights.scale, (DRAWS, m)) @ labelings.T
    best, others = cost[:, member].min(axis=1), cost[:, ~member].min(axis=1)
    return float(np.mean(best + 1 < others)), float(np.mean(best < others + 1))


def agree(share: float, low: float, high: float) -> bool:
    return low - (error := 4 * math.sqrt(high / DRAWS)) <= share <= high + error


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
@pytest.mark.parametrize("m", [3, 7])
def test_chances_are_those_of_all_labelings(m: int, weights: Weights) -> None:
    for code, form in (("hamming", hamming), ("parity", parity)):
        chances_by_form = form(m, weights)
        on, off = drawn(code, m, weights)
        assert agree(on, chances_by_form.on, chances_by_form.on)
        assert agree(off, chances_by_form.off_low, chances_by_form.off_high)
        assert agree(off, chances_by_form.off_low, chances_by_form.off_low) or code == "hamming", (
            "one flip changes a parity"
        )


def test_deltas_are_over_all_sets_of_labelings_and_both_directions() -> None:
    chances = Chances(on=0.1, off_low=0.4, off_high=0.5, labelings=0.25)
    for low, high, epsilon in ((0.4 - 0.1 * math.e, 0.5 - 0.1 * math.e, 1.0), (0.3, 0.4, 0.0)):
        assert chances.violation(epsilon) == pytest.approx(low)
        assert chances.delta(epsilon) == pytest.approx(high)
    assert chances.losses() == pytest.approx((math.log(4), math.log(5)))
    near = Chances(on=0.1, off_low=0.9, off_high=0.9, labelings=0.25)
    assert near.delta(2.1) == pytest.approx(0.9 - 0.1 * math.exp(2.1)), "others win on D: .9 against .1"
    assert near.violation(2.1) == near.delta(2.1)
    assert near.losses() == pytest.approx((math.log(9), math.log(9)))
    rare = Chances(on=0.6, off_low=0.95, off_high=0.95, labelings=0.5)
    assert rare.delta(1.0) == pytest.approx(0.4 - 0.05 * math.e) == pytest.approx(rare.violation(1.0)), (
        "on D', the others have the largest ratio"
    )


def test_chances_at_the_ends() -> None:
    assert hamming(2**24 - 1, NormalWeights(0.5)).off_high == 1.0
    for m in (1, 127):
        assert parity(m, LaplaceWeights(2 * m)).losses()[1] == pytest.approx(math.log(2 * math.exp(0.5) - 1), abs=1e-12)
