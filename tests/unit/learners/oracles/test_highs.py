"""HiGHS as an oracle: its answers are kept only if they are proved least, and all else goes to the exact search."""

import math

import numpy as np
import pytest
import scipy

from semipriv.classes.halfspaces import Halfspaces
from semipriv.learners.oracles import highs
from semipriv.learners.oracles.exact import Exact
from semipriv.learners.oracles.highs import HiGHS, certified


def cost(found, labels, weights) -> float:
    return math.fsum(weights[found != (labels == 1)])


def drawn(rng: np.random.Generator, n: int, d: int, largest: int = 6):
    return rng.normal(size=(n, d)), rng.integers(0, 2, n).astype(np.int8), rng.integers(-largest, largest + 1.0, n)


@pytest.mark.parametrize(("d", "n"), [(3, 12), (4, 11), (5, 11)])
def test_certified_answers_are_least(d: int, n: int) -> None:
    """Against the combinatorial search, weights of both signs, small and as large as integer noise with ties."""
    rng = np.random.default_rng(d)
    for largest in (3, 40, 10**6):
        x, y, w = drawn(rng, n, d, largest)
        found = certified(x, y, w.astype(float))
        assert found is not None
        assert cost(found, y, w) == cost(Exact().labels(Halfspaces(d), x, y, w), y, w)


def test_points_in_degenerate_position() -> None:
    """On a grid the program admits labels that are none: what is kept is least, what is not goes to the search."""
    rng, h = np.random.default_rng(7), Halfspaces(3)
    for trial in range(8):
        x = rng.integers(0, 2 + trial % 2, (10, 3)).astype(float)
        y, w = rng.integers(0, 2, 10).astype(np.int8), rng.integers(-3, 4, 10).astype(float)
        least = cost(Exact().labels(h, x, y, w), y, w)
        found = certified(x, y, w)
        assert found is None or cost(found, y, w) == least
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
