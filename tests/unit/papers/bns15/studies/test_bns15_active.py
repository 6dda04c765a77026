"""The exact study of active learning: closed forms against simulations of the algorithms themselves."""

import math
from itertools import combinations

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bns15.bounds import active as sizes
from semipriv.papers.bns15.studies import active


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


def test_search_law_by_running_the_search() -> None:
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
    b, a = sizes.search_law(n, share)
    assert np.mean(of_all) == pytest.approx(a, rel=0.01)
    assert np.mean(of_b) == pytest.approx(b, rel=0.05)


def test_ratios_of_the_specification() -> None:
    for inverse, ratio in ((9, 1.121), (36, 3.856), (144, 12.90)):
        b, a = sizes.search_law(20_000, 8 / inverse)
        assert b / a == pytest.approx(ratio, abs=0.002)


def test_the_middle_of_the_gap_by_simulation() -> None:
    """Target in the middle: the error of the middle of the gap around it."""
    points = np.random.default_rng(3).random((40_000, 9)) - 0.5
    left, right = np.where(points < 0, points, -0.5).max(axis=1), np.where(points > 0, points, 0.5).min(axis=1)
    wrong = np.mean(np.abs(left + right) / 2 > 0.05)
    assert wrong == pytest.approx(0.9**9, abs=0.012)
    assert sizes.passive_labels(0.05, 0.9**9 + 1e-9) == 9
    assert sizes.passive_labels(0.05, 0.9**9 - 1e-9) == 10


def test_sizes() -> None:
    assert sizes.active_size(10, 1.0, 0.0) == 40
    assert sizes.labels_lower_bound(0.1, 0.25, 0.5) == pytest.approx(math.exp(-1) * (11 / 36) / 0.9)
    assert sizes.labels_lower_bound(0.1, 0.25, 0.0, 0.2) == pytest.approx((11 / 36) / 0.9 - 0.4)
    both = math.exp(-1) * (11 / 36) / 0.9 - 0.2 - 0.2 * math.exp(-0.5)  # epsilon and n delta together
    assert sizes.labels_lower_bound(0.1, 0.25, 0.5, 0.2) == pytest.approx(both)
    values = np.random.default_rng(1).binomial(400, 0.8, 200_000)
    assert np.mean((values < 280) | (values > 360)) == pytest.approx(sizes.count_outside(400, 0.1), abs=1e-4)
    few = np.random.default_rng(1).binomial(20, 0.8, 200_000)
    assert np.mean((few < 14) | (few > 18)) == pytest.approx(sizes.count_outside(20, 0.1), abs=0.005)


def test_law_of_subsampling_written_out() -> None:
    """Three records: each pair, the label to its smaller index; or to either."""
    data = ((0, 1), (1, 0), (1, 1))
    smallest = active.subsampling_law(1.0, "smallest", data)
    expected = 0.0
    for i, j in combinations(range(3), 2):
        (x, y), (z, _) = data[i], data[j]
        scores = {f: math.exp(0.5 * (f[x] == y)) for f in ((0, 0), (0, 1), (1, 0), (1, 1))}
        said = (math.e if z == 1 else 1) / (1 + math.e)
        expected += scores[0, 1] / sum(scores.values()) * said / 3
    assert math.exp(smallest[(0, 1), 1]) == pytest.approx(expected)
    order = active.subsampling_law(1.0, "random", data), active.subsampling_law(1.0, "random", data[::-1])
    assert order[0][(0, 1), 1] == pytest.approx(order[1][(0, 1), 1])


def test_findings() -> None:
    found = active.findings(Simulation(1), 1.0)
    verdicts = {claim.removeprefix("BNS15-"): finding.verdict for claim, finding in found.items()}
    assert verdicts == {
        "T5.5": Verdict.HOLDS,
        "T5.6": Verdict.ILLUSTRATION,
        "T5.6-literal": Verdict.REFUTED,
        "CL5.7": Verdict.HOLDS,
        "CL5.7-literal": Verdict.INCONCLUSIVE,
    }
    pools = found["BNS15-T5.6-literal"].measurements
    assert [(row.measured.value, row.verdict) for row in pools] == [(8, None), (11, "refuted"), (15, "refuted")]


def test_a_subsample_that_leaks_more_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A base learner with 1.3 epsilon*: for random labels the exact form has that little room."""
    right = active.subsampling_law
    monkeypatch.setattr(active, "subsampling_law", lambda own, rule, data: right(1.3 * own, rule, data))
    assert active.findings(Simulation(1), 1.0)["BNS15-CL5.7"].verdict is Verdict.VIOLATED


def test_a_learner_that_prefers_places_of_b_is_no_passive_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that asks for more labels than it says asks for more of B."""
    assert active.passive_ratio() == pytest.approx(1)
    monkeypatch.setattr(active, "passive", lambda data, m: list(range(m + 1)))
    assert active.passive_ratio() == pytest.approx(4 / 3)
