"""Draws of strips by rejection: the distribution of one try, number by number, whatever was tried before."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from semipriv.audit.properties.entropy import Frozen, distribution_of_numbers
from semipriv.classes import _rectangle_rejection, _rectangle_tally
from semipriv.classes._rectangle_rejection import Envelope, drawn_strip
from semipriv.classes._rectangle_tally import RectangleTally
from semipriv.classes.rectangles import Rectangles
from semipriv.core.randomness import Simulation

DIGITS = 32
CLOSE = 1e-7


def tally_of(seed: int, grid: int, m: int) -> RectangleTally:
    """Public points of a grid with ties, a box as target: anchors are much worse than the best strips."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-2, 2 * grid, (60, 2)) / 2
    y = (np.abs(x - grid / 3).max(axis=1) < grid / 4) ^ (rng.random(60) < 0.1)
    return Rectangles(2).cover(rng.integers(0, grid, (m, 2)).astype(float)).tally(x, y.astype(int))


def tries_of(tally: RectangleTally, rate: Fraction, monkeypatch) -> tuple[Envelope, object, float]:
    """What ``drawn_strip`` is given for a draw."""
    given = []
    monkeypatch.setattr(_rectangle_tally, "drawn_strip", lambda *parts: bool(given.append(parts)))
    tally._by_rejection(rate, Simulation(0))
    envelope, log_weight, log_empty, _, _ = given[0]
    return envelope, cache(log_weight), log_empty


def distribution_of_try(envelope: Envelope, log_weight, log_empty: float, before: tuple[Fraction, ...]) -> dict:
    """Probabilities of the outcomes of the last try, given the numbers of those before, which are rejected."""
    tries = 1 + len(before) // 4

    def draw(numbers: Frozen):
        fresh = replace(envelope, log_sums=envelope.log_sums.copy())
        with np.errstate(divide="ignore"):
            return drawn_strip(fresh, log_weight, log_empty, tries, numbers)

    return distribution_of_numbers(draw, DIGITS, before)


def weights_of(tally: RectangleTally, rate: Fraction) -> dict:
    """Shares of strips, and of the empty set, in the weight of all."""
    masses = tally._masses(rate)[0]
    strips = zip(*(ends.tolist() for ends in tally.strips.bounds), strict=True)
    shares = dict(zip([True, *strips], masses / masses.sum(), strict=True))
    return {outcome: share for outcome, share in shares.items() if share}


@pytest.mark.parametrize(
    ("rate", "side", "loose", "m"),
    [(Fraction(0), 4, 4.0, 6), (Fraction(1, 20), 8, 9.0, 8), (Fraction(1, 2), 4, 0.5, 7)],
)
def test_a_try_accepts_each_strip_in_proportion_to_its_weight(monkeypatch, rate, side, loose, m) -> None:
    """Also the tries after one that was rejected, which may have put a weight instead of a bound."""
    monkeypatch.setattr(_rectangle_rejection, "SIDE", side)
    monkeypatch.setattr(_rectangle_rejection, "LOOSE", loose)
    monkeypatch.setattr(_rectangle_rejection, "EFFORT", 0.1)
    tally = tally_of(m, m, m)
    parts = tries_of(tally, rate, monkeypatch)
    envelope, log_weight, log_empty = parts
    shares = weights_of(tally, rate)
    logs = np.append(envelope.log_bounds, log_empty)
    total = np.exp(logs - logs.max()).sum()
    starts = np.cumsum(np.exp(logs - logs.max())) / total
    single = [b for b in np.flatnonzero(envelope.side == 1) if log_weight(envelope.low[b], envelope.high[b]) < logs[b]]
    tightest = sorted(single, key=lambda b: logs[b])[-1:]
    rejected = [(Fraction(float(starts[b] - np.exp(logs[b] - logs.max()) / total / 2)),) for b in tightest]
    histories = [(), *((*block, Fraction(0), Fraction(0), 1 - Fraction(1, 2**53)) for block in rejected)]
    for before in histories:
        law = distribution_of_try(*parts, before)
        accepted = float(sum(p for outcome, p in law.items() if outcome is not False))
        assert accepted > 0.02
        assert law.keys() - {False} <= shares.keys()
        for outcome, share in shares.items():
            assert float(law.get(outcome, 0)) / accepted == pytest.approx(share, abs=CLOSE)


def test_the_first_try_accepts_with_the_weight_of_all_over_that_of_the_bounds(monkeypatch) -> None:
    tally, rate = tally_of(1, 6, 9), Fraction(1, 4)
    envelope, log_weight, log_empty = tries_of(tally, rate, monkeypatch)
    law = distribution_of_try(envelope, log_weight, log_empty, ())
    log_all = tally.log_partition(float(rate)) + float(rate) * (tally.ones + envelope.reference)
    bounds = np.logaddexp.reduce(np.append(envelope.log_bounds, log_empty))
    assert 1 - float(law[False]) == pytest.approx(math.exp(log_all - bounds), abs=CLOSE)


def test_without_an_accepted_try_another_way_is_taken(monkeypatch) -> None:
    """Tries that all fail decide nothing, be it on the empty set: the draw is that of the other way."""
    tally, rate = tally_of(2, 7, 7), Fraction(1, 2)
    parts = tries_of(tally, rate, monkeypatch)
    rejected = (Fraction(0), Fraction(0), Fraction(0), 1 - Fraction(1, 2**53)) * 3
    assert drawn_strip(*parts, 3, Frozen(rejected)) is False
    monkeypatch.undo()
    monkeypatch.setattr(_rectangle_tally, "LARGE", 1)
    monkeypatch.setattr(_rectangle_tally.RectangleTally, "_by_rejection", lambda self, rate, randomness: False)
    drawn = {tally._rows(rate, Simulation(seed)) for seed in range(40)}
    assert len(drawn) > 3
