"""The exact study of active learning: closed forms against simulations of the algorithms themselves."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.bounds import active as sizes
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.bns15.studies import active


@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_search_tree_is_a_binary_search(n: int) -> None:
    low, high = sizes.search_tree(n)
    for rank in range(n + 1):
        asked, first, last = [], 0, n
        while first < last:
            middle = (first + last) // 2
            asked.append(middle)
            first, last = (middle + 1, last) if middle < rank else (first, middle)
        assert first == rank
        assert sorted(asked) == np.flatnonzero((low <= rank) & (rank <= high)).tolist()


def test_search_probabilities_by_running_the_search() -> None:
    """100 points, a threshold in the lowest tenth."""
    generator = np.random.default_rng(4)
    n, share, runs = 100, 0.1, 3_000
    of_b, of_all = [], []
    for _ in range(runs):
        points, target = generator.random(n), share * generator.random()
        data = tuple((float(x), int(x < target)) for x in points)
        asked = active.searching(data, n)  # type: ignore[arg-type]
        inside = np.flatnonzero(points < share)
        if inside.size:
            of_b.append(len(set(asked) & set(inside.tolist())) / inside.size)
            of_all.append(len(asked) / n)
    b, a = sizes.search_probabilities(n, share)
    assert np.mean(of_all) == pytest.approx(a, rel=0.01)
    assert np.mean(of_b) == pytest.approx(b, rel=0.05)


def test_ratios_of_the_specification() -> None:
    for inverse, ratio in ((9, 1.121), (36, 3.856), (144, 12.90)):
        b, a = sizes.search_probabilities(20_000, 8 / inverse)
        assert b / a == pytest.approx(ratio, abs=0.002)


def test_the_middle_of_the_gap_by_simulation() -> None:
    """Target in the middle: the error of the middle of the gap around it."""
    points = np.random.default_rng(3).random((40_000, 9)) - 0.5
    left, right = np.where(points < 0, points, -0.5).max(axis=1), np.where(points > 0, points, 0.5).min(axis=1)
    wrong = np.mean(np.abs(left + right) / 2 > 0.05)
    assert wrong == pytest.approx(0.9**9, abs=0.012)
    assert sizes.passive_labels(0.05, 0.9**9 + 1e-9) == 9
    assert sizes.passive_labels(0.05, 0.9**9 - 1e-9) == 10


@pytest.mark.parametrize("epsilon", [0.0, 1.5])
def test_labels_of_a_learner_that_prefers_b_by_simulation(epsilon: float) -> None:
    """Targets in B, [0, 8 alpha]; the middle of the gap is off by more than alpha in at most beta of the runs."""
    alpha, beta, n, runs = 0.01, 0.25, 4_000, 2_000
    generator = np.random.default_rng(6)
    mean = math.log(2 / beta) / (2 * alpha)  # p e^epsilon n
    points, target = generator.random((runs, n)), 8 * alpha * generator.random((runs, 1))
    inside = points < 8 * alpha
    asked = generator.random((runs, n)) < mean / n * np.where(inside, 1, math.exp(-epsilon))
    assert asked.sum(axis=1).mean() == pytest.approx(sizes.tilted_labels(alpha, beta, epsilon), rel=0.02)
    left = np.where(asked & (points < target), points, 0).max(axis=1)
    right = np.where(asked & (points >= target), points, 1).min(axis=1)
    middle = (left + np.minimum(right, 8 * alpha)) / 2
    assert np.mean(np.abs(middle - target[:, 0]) > alpha) <= beta


def test_thresholds_that_one_labeling_serves() -> None:
    """By all labelings of sixteen points, which may be wrong on one of them."""
    targets = np.arange(16) < np.arange(1, 9)[:, None]
    every = (np.arange(2**16)[:, None] >> np.arange(16) & 1).astype(bool)
    near = sum((every != target).sum(axis=1) <= 1 for target in targets)
    assert active.served(16, Fraction(1, 16)) == Fraction(int(near.max()), 8) == Fraction(3, 8)


def test_labels_that_a_private_transcript_needs() -> None:
    """Epsilon and n delta together."""
    both = math.exp(-1) * (11 / 36) / 0.9 - 0.2 - 0.2 * math.exp(-0.5)
    assert sizes.labels_lower_bound(0.1, 0.25, 0.5, 0.2) == pytest.approx(both)


@pytest.mark.parametrize(("n", "error"), [(400, 1e-4), (20, 0.005)])
def test_numbers_of_points_in_b_by_simulation(n: int, error: float) -> None:
    values = np.random.default_rng(1).binomial(n, 0.8, 200_000)
    outside = np.mean((values < 0.7 * n) | (values > 0.9 * n))
    assert outside == pytest.approx(sizes.count_outside(n, 0.1), abs=error)


def test_distribution_of_subsampling_written_out() -> None:
    """Three records: each pair, the label to its smaller index; or to either."""
    data = ((0, 1), (1, 0), (1, 1))
    smallest = active.subsampling_distribution(1.0, "smallest", data)
    expected = 0.0
    for i, j in combinations(range(3), 2):
        (x, y), (z, _) = data[i], data[j]
        scores = {f: math.exp(0.5 * (f[x] == y)) for f in ((0, 0), (0, 1), (1, 0), (1, 1))}
        chance_of_one = (math.e if z == 1 else 1) / (1 + math.e)
        expected += scores[0, 1] / sum(scores.values()) * chance_of_one / 3
    assert math.exp(smallest[(0, 1), 1]) == pytest.approx(expected)
    order = (
        active.subsampling_distribution(1.0, "random", data),
        active.subsampling_distribution(1.0, "random", data[::-1]),
    )
    assert order[0][(0, 1), 1] == pytest.approx(order[1][(0, 1), 1])


def test_a_random_pool_needs_fewer_labels_than_the_bound_without_its_last_term() -> None:
    pools = active.random_pool(Run(Simulation(1), 1.0)).measurements
    assert [(row.measured.value, row.verdict) for row in pools] == [(8, None), (11, "refuted"), (15, "refuted")]


def test_a_learner_that_prefers_places_of_b_is_no_passive_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that asks for more labels than it says asks for more of B."""
    assert active.passive_ratio() == pytest.approx(1)
    monkeypatch.setattr(active, "passive", lambda data, m: list(range(m + 1)))
    assert active.passive_ratio() == pytest.approx(4 / 3)
