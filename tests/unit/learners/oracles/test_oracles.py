"""Oracles: exact ones find the least dichotomy, heuristics say what they are, certified ones do as exact ones.

Answers of HiGHS are kept only if they are proved least, and all else goes to the exact search.
"""

import itertools
import math

import numpy as np
import pytest
import scipy

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.learners.oracles import highs
from semipriv.learners.oracles._projected import Projected
from semipriv.learners.oracles.base import Counted, Oracle, oracle
from semipriv.learners.oracles.exact import Exact
from semipriv.learners.oracles.highs import HiGHS, certified
from semipriv.learners.oracles.linear_svm import LinearSVM

NAMES = registry.names("oracles")
EXACT = [name for name in NAMES if oracle(name).exact]
HEURISTIC = [name for name in NAMES if not oracle(name).exact]


def cost(actual, labels, weights) -> float:
    return math.fsum(weights[actual != (labels == 1)])


def test_which_oracles_are_exact() -> None:
    assert EXACT == ["certified", "exact"]
    assert HEURISTIC == ["highs", "linear_svm", "logistic"]


@pytest.mark.parametrize("name", [*EXACT, "highs"])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_exact_oracles_find_the_least_of_all_dichotomies(name: str, d: int) -> None:
    """Against the list of a cover; integer points, repeated, and weights of both signs."""
    rng, h = np.random.default_rng(d), Halfspaces(d)
    for trial in range(12):
        x = rng.integers(0, 4, (9, d)).astype(float) if trial % 2 else rng.normal(size=(9, d))
        y, w = rng.integers(0, 2, 9).astype(np.int8), rng.normal(size=9)
        labels_found = oracle(name).labels(h, x, y, w)
        every = h.predict(h.cover(x).listed().parameters, x)
        assert cost(labels_found, y, w) == pytest.approx(min(cost(row, y, w) for row in every), abs=1e-12)


def test_far_points_leave_no_pattern_out() -> None:
    """Halfplanes that no floating-point parameters attain take part: what may win depends on public points alone."""
    h, public = Halfspaces(2), np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    far = np.array([[-1e308, 1e-308]])
    points = np.concatenate([public, far])
    attained = {tuple(row) for row in h.predict(h.cover(points).listed().parameters, points)}
    assert len(attained) < 14, "the example is none: all patterns of four points in general position are attained"
    for pattern in itertools.product((0, 1), repeat=3):
        labels = np.array([*pattern, 1], np.int8)
        labels_found = Exact().labels(h, np.concatenate([public, far]), labels, np.array([9.0, 9.0, 9.0, 1.0]))
        assert labels_found[:3].tolist() == [bool(label) for label in pattern]


@pytest.mark.parametrize("name", HEURISTIC)
def test_heuristics_flip_labels_of_negative_weights(name: str) -> None:
    rng, h = np.random.default_rng(4), Halfspaces(2)
    x, w = rng.normal(size=(40, 2)), rng.normal(size=40)
    y = (x[:, 0] > 0).astype(np.int8)
    signed = np.where(w < 0, 1 - y, y)
    labels_found = oracle(name).labels(h, x, y, w)
    assert np.array_equal(labels_found, oracle(name).labels(h, x, signed, np.abs(w)))
    assert np.array_equal(oracle(name).labels(h, 50 * x, y, np.ones(40)), y == 1), "separable points are separated"
    assert oracle(name).labels(h, x, np.ones(40, np.int8), np.ones(40)).all()
    assert not oracle(name).labels(h, x, np.ones(40, np.int8), -np.ones(40)).any()


@pytest.mark.parametrize("name", [*HEURISTIC, "certified"])
def test_halfspaces_alone(name: str) -> None:
    with pytest.raises(ValueError, match=r"oracle: \w+ finds halfspaces, the class is Thresholds"):
        oracle(name).check(Thresholds())


class Wrong(LinearSVM):
    """It flips what it finds, and is asked again in vain."""

    def labels(self, *given):
        return ~super().labels(*given)


def test_a_certificate_is_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong answer is never certified: the search that follows has the same weights."""
    rng, h = np.random.default_rng(5), Halfspaces(2)
    x = rng.normal(size=(30, 2))
    y = (x[:, 0] > 0).astype(np.int8)
    cases = [(y, np.ones(30)), (1 - y, -np.ones(30)), (y, rng.normal(size=30))]
    for broken in (False, True):
        if broken:
            monkeypatch.setattr("semipriv.learners.oracles.certified.LinearSVM", Wrong)
        for labels, weights in cases:
            expected = cost(Exact().labels(h, x, labels, weights), labels, weights)
            assert cost(oracle("certified").labels(h, x, labels, weights), labels, weights) == expected


def test_calls_are_counted_and_timed() -> None:
    counted = Counted(Exact())
    assert isinstance(counted, Oracle)
    problem = Projected(Thresholds(), np.array([[1.0], [2.0]]), np.array([[1.5]]), np.array([1], np.int8), counted)
    problem.minimum(np.zeros(2), 1.0)
    assert (counted.calls, counted.exact) == (1, True)
    assert counted.seconds > 0
    counted.check(Thresholds())


def test_projected_mistakes_are_those_of_the_best_hypothesis_with_the_pattern() -> None:
    rng, h = np.random.default_rng(6), Intervals()
    public, x = np.array([[1.0], [2.0], [3.0]]), rng.random((9, 1)) * 4
    y = rng.integers(0, 2, 9).astype(np.int8)
    patterns, mistakes = Projected(h, public, x, y, Exact()).listed()
    every = h.cover(np.concatenate([public, x])).listed().parameters
    own, wrong = h.predict(every, public), h.mistakes(every, x, y)
    assert len(patterns) == 7
    for pattern, mistake in zip(patterns, mistakes, strict=True):
        assert mistake == wrong[np.all(own == pattern, axis=1)].min()


@pytest.mark.parametrize("name", ["linear_svm", "logistic"])
def test_a_heuristic_is_no_minimiser(name: str) -> None:
    """Random labels, weights of both signs: RRSPM is not private with it."""
    rng, h = np.random.default_rng(8), Halfspaces(2)
    x, y, w = rng.normal(size=(12, 2)), rng.integers(0, 2, (20, 12), np.int8), rng.standard_normal((20, 12))
    costs = [
        [cost(instance.labels(h, x, *row), *row) for row in zip(y, w, strict=True)]
        for instance in (oracle(name), Exact())
    ]
    assert np.max(np.subtract(*costs)) > 1e-6


# ---------------------------------------------------------------------------------------------------- HiGHS
def drawn(rng: np.random.Generator, n: int, d: int, largest: int = 6):
    return rng.normal(size=(n, d)), rng.integers(0, 2, n).astype(np.int8), rng.integers(-largest, largest + 1.0, n)


@pytest.mark.parametrize(("d", "n"), [(3, 12), (4, 11), (5, 11)])
def test_certified_answers_are_least(d: int, n: int) -> None:
    """Against the combinatorial search, weights of both signs, small and as large as integer noise with ties."""
    rng = np.random.default_rng(d)
    for largest in (3, 40, 10**6):
        x, y, w = drawn(rng, n, d, largest)
        certified_answer = certified(x, y, w.astype(float))
        assert certified_answer is not None
        assert cost(certified_answer, y, w) == cost(Exact().labels(Halfspaces(d), x, y, w), y, w)


def test_points_in_degenerate_position() -> None:
    """On a grid the program admits labels that are none: what is kept is least, what is not goes to the search."""
    rng, h = np.random.default_rng(7), Halfspaces(3)
    for trial in range(8):
        x = rng.integers(0, 2 + trial % 2, (10, 3)).astype(float)
        y, w = rng.integers(0, 2, 10).astype(np.int8), rng.integers(-3, 4, 10).astype(float)
        least = cost(Exact().labels(h, x, y, w), y, w)
        certified_answer = certified(x, y, w)
        assert certified_answer is None or cost(certified_answer, y, w) == least
        assert cost(HiGHS().labels(h, x, y, w), y, w) == least


def test_labels_of_no_halfspace_are_refused() -> None:
    """Two ends of a segment against its middle: the slack of the program lets them pass, integers do not."""
    x = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]])
    y, w = np.array([1, 0, 1, 0, 0], np.int8), np.ones(5)
    assert certified(x, y, w) is None
    assert cost(HiGHS().labels(Halfspaces(3), x, y, w), y, w) == 1


def test_points_of_very_unequal_scale() -> None:
    rng = np.random.default_rng(9)
    x, y, w = drawn(rng, 10, 3)
    scaled = x * np.array([1e-200, 1.0, 1e200])
    assert cost(HiGHS().labels(Halfspaces(3), scaled, y, w), y, w) == cost(Exact().labels(Halfspaces(3), x, y, w), y, w)


def test_a_bound_that_leaves_room_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an answer that is one worse than the least, with its true bound, and of no answer, nothing is kept."""
    rng, program = np.random.default_rng(11), highs.program
    x, y, w = drawn(rng, 10, 3)
    least = cost(Exact().labels(Halfspaces(3), x, y, w), y, w)
    solution = program(x / np.abs(x).max(), np.where(y == 1, -w, w))

    def other(change: dict[str, object]):
        return lambda *given: scipy.optimize.OptimizeResult({**program(*given), **change})

    changes = (
        {"mip_dual_bound": solution.mip_dual_bound - 1},
        {"mip_dual_bound": solution.mip_dual_bound - 0.5},
        {"x": None},
        {"mip_dual_bound": None},
        {"x": np.ones_like(solution.x)},
    )
    for change in changes:
        monkeypatch.setattr(highs, "program", other(change))
        assert certified(x, y, w) is None
        assert cost(HiGHS().labels(Halfspaces(3), x, y, w), y, w) == least
    monkeypatch.setattr(highs, "program", program)
    assert certified(x, y, w) is not None


def test_what_is_left_to_the_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that are no integers or too large, the plane, one point: HiGHS is not asked."""
    monkeypatch.setattr(highs, "program", None)
    rng = np.random.default_rng(12)
    x, y, w = drawn(rng, 9, 3)
    for points, weights in ((x, w + 0.5), (x, w * 1e8), (x[:, :2], w), (np.ones((9, 3)), w)):
        assert certified(points, y, weights) is None
        h = Halfspaces(points.shape[1])
        assert cost(HiGHS().labels(h, points, y, weights), y, weights) == pytest.approx(
            cost(Exact().labels(h, points, y, weights), y, weights)
        )
