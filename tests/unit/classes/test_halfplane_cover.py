"""Halfplanes of many public points, counted without a list: against the list, and against the listed cover."""

import math
from collections import Counter

import numpy as np
import pytest

import semipriv as sp
from semipriv.classes._halfplane_cover import HalfplaneCover, HalfplaneTally
from semipriv.classes.base import ListedCover, ListedTally, restored_cover
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import estimates
from semipriv.core.randomness import Secure, Simulation
from semipriv.core.work import Cost

KINDS = ("scattered", "heaped", "lattice", "vertical", "on a line", "far away", "of unlike scales", "two", "one")
PLANE = Halfspaces(2)


def points_of(kind: str, coins: np.random.Generator) -> np.ndarray:
    x = coins.normal(size=({"two": 2, "one": 1}.get(kind, 16), 2))
    if kind == "heaped":
        x = np.rint(x)
    elif kind == "lattice":
        x = coins.integers(0, 5, x.shape).astype(float)
    elif kind == "vertical":
        x[:, 0] = np.rint(x[:, 0])
    elif kind == "on a line":
        x = np.outer(np.arange(16), [1.0, -3.0])
    elif kind == "far away":
        x += 1e6
    elif kind == "of unlike scales":
        x *= np.array([1e-90, 1e90])
    return np.unique(x, axis=0)


def hostile(x: np.ndarray, coins: np.random.Generator) -> np.ndarray:
    """Return points at public points, just beside them, on lines through two, half-way, scattered, and extreme."""
    first, other = x[coins.integers(0, len(x), 12)], x[coins.integers(0, len(x), 12)]
    extreme = [[0.0, 0.0], [5e-324, -5e-324], [1e308, 1.7e308], [-1e308, 3.0]]
    near = np.nextafter(first, coins.choice([-np.inf, np.inf], first.shape))
    scattered = coins.normal(x.mean(axis=0), np.ptp(x, axis=0) + 1e-300, (12, 2))
    return np.concatenate([first, near, 2 * first - other, (first + other) / 2, scattered, extreme])


@pytest.mark.parametrize("kind", KINDS)
def test_mistakes_are_those_of_the_list_and_dichotomies_those_of_the_listed_cover(kind: str) -> None:
    coins = np.random.default_rng(len(kind))
    for _ in range(6):
        x = points_of(kind, coins)
        cover, expected = HalfplaneCover(PLANE, x, "midpoint"), PLANE.cover(x).listed()
        listed = cover.listed()
        assert cover.size == len(listed) == len(expected)
        assert Counter(map(bytes, listed.dichotomies())) == Counter(map(bytes, expected.dichotomies()))
        z = hostile(x, coins)
        labels = coins.integers(0, 2, len(z))
        values, counts = cover.tally(z, labels).histogram()
        assert dict(zip(values, counts, strict=True)) == Counter(listed.mistakes(z, labels).tolist())


@pytest.mark.parametrize("offset", [0.0, 0.7, -1e4])
@pytest.mark.parametrize("factor", [0.1, 0.3, 1 / 7])
def test_decimals_have_the_dichotomies_of_the_grid_they_stand_for(factor: float, offset: float) -> None:
    whole = np.unique(np.random.default_rng(5).integers(0, 9, (40, 2)), axis=0).astype(float)
    listed = HalfplaneCover(PLANE, offset + factor * whole, "midpoint").listed()
    expected = PLANE.cover(whole).listed()
    assert Counter(map(bytes, listed.dichotomies())) == Counter(map(bytes, expected.dichotomies()))


class Ranked(Secure):
    """Draws one rank."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def below(self, bound: int) -> int:
        assert self.rank < bound
        return self.rank


def test_each_rank_draws_another_hypothesis_with_that_many_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uniform ranks are uniform members, however many parts there are: each hypothesis has one rank."""
    coins = np.random.default_rng(3)
    x, z, labels = points_of("lattice", coins), coins.normal(2, 2, (9, 2)), coins.integers(0, 2, 9)
    for numbers in (1, 40, 10_000):
        monkeypatch.setattr("semipriv.classes._halfplane_cover._NUMBERS", numbers)
        cover = HalfplaneCover(PLANE, x, "midpoint")
        tally, listed = cover.tally(z, labels), cover.listed()
        mistakes = listed.mistakes(z, labels)
        for value, count in zip(*tally.histogram(), strict=True):
            drawn = [tally.member(int(value), Ranked(rank)).parameters.tobytes() for rank in range(count)]
            assert sorted(drawn) == sorted(row.tobytes() for row in listed.parameters[mistakes == value])
        for none in (-1, len(z) + 1, int(np.setdiff1d(np.arange(len(z) + 2), mistakes)[0])):
            with pytest.raises(ValueError, match="no hypothesis makes that many"):
                tally.member(none, Secure())


def test_many_public_points_are_not_listed_and_a_release_is_drawn_and_restored() -> None:
    coins = np.random.default_rng(1)
    x, z = coins.normal(size=(2_001, 2)), coins.normal(size=(300, 2))
    labels = (z[:, 0] > z[:, 1]).astype(int)
    learner = sp.SSPP(8.0)
    prepared = learner.prepare(x, PLANE)
    assert isinstance(prepared, HalfplaneCover)
    assert isinstance(learner.prepare(x[:100], PLANE), ListedCover)
    assert prepared.size == 2_001 * 2_000 + 2 == PLANE.growth(2_001)
    again = restored_cover(prepared.arrays(), PLANE)
    output, other = (learner.release(entries, z, labels, Simulation(4)).output for entries in (prepared, again))
    assert output.parameters.tolist() == other.parameters.tolist()
    assert np.mean(output.predict(z) != labels) < 0.1


def test_many_examples_are_counted_by_a_list_with_the_same_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A k-d tree of 1e7 examples answers all halfplanes of 1,500 points sooner than 1,500 sweeps over them."""
    rng = np.random.default_rng(4)
    points = np.unique(rng.integers(0, 30, (25, 2)) / 4, axis=0)
    x, y = rng.integers(0, 30, (300, 2)) / 4, rng.integers(0, 2, 300)
    cover = HalfplaneCover(PLANE, points, "midpoint")
    swept = cover.tally(x, y)
    monkeypatch.setattr(HalfplaneCover, "_swept", lambda self, n: Cost(math.inf))
    listed = cover.tally(x, y)
    assert (type(swept), type(listed)) == (HalfplaneTally, ListedTally)
    for ours, others in zip(swept.histogram(), listed.histogram(), strict=True):
        assert np.array_equal(ours, others)


def test_the_sooner_way_is_told() -> None:
    points = np.random.default_rng(5).normal(size=(1_500, 2))
    few, many = (PLANE.cover(points).tally_cost(n) for n in (10**4, 10**8))
    assert few == estimates.halfplanes_counted(1_500, 10**4)
    assert many is not None
    assert many.seconds < estimates.halfplanes_counted(1_500, 10**8).seconds / 3
