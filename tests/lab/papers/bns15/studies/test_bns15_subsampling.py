"""Algorithm 4 with a random labelled part: the programmes find what is known by hand, and broken variants."""

import math

import pytest

from semipriv.papers.bns15.bounds.active import sharp_size
from semipriv_lab.papers.bns15.studies.subsampling import largest_delta, loss_factor, neighbours, weights


def test_all_records_are_read_equally_often() -> None:
    distribution = weights(3, 1, 7, entry=2, rule="random", record=-1)
    assert sum(distribution.values()) == pytest.approx(1)
    chances = [
        sum(distribution[pair] for pair in distribution if record in pair[0]) for record in (-1, 0, 1, 3, 4, 5, 6)
    ]
    assert chances == pytest.approx([1 / 7] * 7)
    smallest = weights(3, 1, 7, entry=2, rule="smallest", record=-1)
    assert sum(smallest[pair] for pair in smallest if 0 in pair[0]) == pytest.approx(3 / 7)


def test_neighbours_differ_in_one_record() -> None:
    pair = frozenset({0}), frozenset({3, -1})
    computed_neighbours = neighbours(pair, 5)
    assert len(set(computed_neighbours)) == len(computed_neighbours) == 3 * 3
    assert all(len((a | b) - (pair[0] | pair[1])) == 1 and len(a) == 1 for a, b in computed_neighbours)


@pytest.mark.parametrize(("n", "m", "t"), [(2, 1, 9), (3, 2, 7)])
def test_a_base_learner_that_publishes_its_input_spends_all(n: int, m: int, t: int) -> None:
    """With chance delta it publishes the record that differs; below the exact epsilon no delta is enough."""
    exact = math.log1p(n / t * math.expm1(1.0))
    for epsilon in (exact, exact + 0.3, 5.0):
        assert largest_delta(n, m, t, 1.0, epsilon, 0, "random") == pytest.approx(1)
    assert largest_delta(n, m, t, 1.0, exact - 0.02, 0, "random") == math.inf


def test_the_sharp_size_is_the_least() -> None:
    t = sharp_size(1000, 0.2, 1.0)
    assert loss_factor(t, 1000, 1.0) <= math.exp(0.2) < loss_factor(t - 1, 1000, 1.0)
