"""Rounds in iterated logarithms are those of the exact integers where both exist, and numbers keep their order."""

import math
from itertools import pairwise

import pytest

from semipriv.papers.bns15.label_boost.growth import Tower, growth, tower
from semipriv.papers.bns15.label_boost.schedule import PAPER, schedule


@pytest.mark.parametrize("exponent", [10, 50, 200, 280])
@pytest.mark.parametrize("accuracy", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("vc", [1, 20])
def test_same_rounds_as_in_integers(exponent: int, accuracy: float, vc: int) -> None:
    start = math.ceil(96_000 / accuracy * vc * math.log(2240 / accuracy**2))
    exact = schedule(PAPER, start, 10**exponent, accuracy, accuracy, vc).rounds
    growing_rounds = growth(PAPER, start, Tower.of(10**exponent), accuracy, accuracy, vc)
    assert len(growing_rounds) == len(exact)
    for own, other in zip(growing_rounds, exact, strict=True):
        assert own.labelled.ln().top == pytest.approx(math.log(other.labelled), rel=1e-9)
        assert own.read.ln().top == pytest.approx(math.log(other.read), rel=1e-9)


def test_numbers_are_sorted() -> None:
    rising = [tower(h) for h in range(9)]
    assert all(first < other for first, other in pairwise(rising))
    assert [number.log_star() for number in rising] == list(range(9))
    assert Tower.of(1e300).times(1e10) == Tower(1, math.log(1e300) + math.log(1e10))
    assert Tower.of(1e300).times(1e10).times(1e-10).top == pytest.approx(1e300, rel=1e-11)


def test_shares() -> None:
    assert Tower.of(3.0).over(Tower.of(12.0)) == pytest.approx(0.25)
    assert Tower(1, 800.0).over(Tower(1, 801.0)) == pytest.approx(1 / math.e)
    assert tower(6).over(tower(7)) == 0
    assert tower(7).over(tower(7)) == 1


def test_without_end_a_round_adds_an_exponential() -> None:
    sizes = [growing_round.labelled for growing_round in growth(PAPER, 5_247_892, None, 0.2, 0.2, 1, 6)]
    assert all(size.log_star() > i for i, size in enumerate(sizes, start=1))
    assert sizes[2].ln().top == pytest.approx(0.005 * sizes[1].top / 200, rel=1e-9)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_a_whole_block_is_the_last_round(count: int) -> None:
    last = growth(PAPER, 5_247_892, None, 0.2, 0.2, 1, count)[-1].labelled
    n = Tower(last.height, 2 * last.top)
    growing_rounds = growth(PAPER, 5_247_892, n, 0.2, 0.2, 1)
    assert len(growing_rounds) == count
    assert growing_rounds[-1].read == n.times(PAPER.r * PAPER.r0)
