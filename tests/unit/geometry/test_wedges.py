"""Lines in the midst of cells: against the dichotomies themselves, and against margins in rationals."""

from fractions import Fraction

import numpy as np
import pytest

from semipriv.classes import halfspaces
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.work import WorkError
from semipriv.geometry.halfplanes import sides, splits
from semipriv.geometry.wedges import lines, turned, unsettled

KINDS = ("scattered", "heaped", "tenths", "on a line", "vertical", "far away", "of unlike scales", "two")


def points_of(kind: str, coins: np.random.Generator, m: int = 14) -> np.ndarray:
    x = coins.normal(size=(m, 2))
    if kind == "heaped":
        x = np.rint(x)
    elif kind == "tenths":
        x = np.round(x, 1)
    elif kind == "on a line":
        x = np.outer(np.arange(m), [1.0, 3.0])
    elif kind == "vertical":
        x[:, 0] = np.round(x[:, 0])
    elif kind == "far away":
        x += 1e6
    elif kind == "of unlike scales":
        x *= np.array([1e-9, 1e9])
    elif kind == "two":
        x = x[:2]
    return np.unique(x, axis=0)


@pytest.mark.parametrize("kind", KINDS)
def test_lines_are_in_the_cells_of_all_pairs_of_neighbours(kind: str) -> None:
    """The pairs are those of ``splits``; a line that is certain has its dichotomy, by exact values, too."""
    coins = np.random.default_rng(len(kind))
    for _ in range(8):
        x = points_of(kind, coins)
        after, beside = turned(x, np.arange(len(x)))
        a, b = np.nonzero((beside > 0) & (beside.T < 0))
        expected = list(splits(x))
        assert np.array_equal(a, np.concatenate([part for part, _, _ in expected]))
        assert np.array_equal(b, np.concatenate([other for _, other, _ in expected]))
        theta, certain = lines(x, a, b, after[a, b], after[b, a])
        assert certain.all() or kind in ("tenths", "of unlike scales")
        inside = sides(x, a, b)
        assert np.array_equal(inside, np.concatenate([part for _, _, part in expected]))
        exact = [[Fraction(u) for u in row] for row in x.tolist()]
        for row, is_inside in zip(theta[certain].tolist(), inside[certain], strict=True):
            w, v, offset = map(Fraction, row)
            assert [w * p + v * q + offset > 0 for p, q in exact] == is_inside.tolist()


@pytest.mark.parametrize("kind", ["scattered", "heaped", "far away"])
def test_lines_stay_as_far_away_as_the_narrower_wedge_says(kind: str) -> None:
    """min(sin s, sin t) |a - b| over the length of the sum of normals, which is 4 at most, in terms of points alone."""
    x = points_of(kind, np.random.default_rng(4))
    after, beside = turned(x, np.arange(len(x)))
    a, b = np.nonzero((beside > 0) & (beside.T < 0))
    theta, _ = lines(x, a, b, after[a, b], after[b, a])
    for p, q, row in zip(a, b, theta, strict=True):
        least = np.inf
        for pivot, towards in ((p, x[q] - x[p]), (q, x[p] - x[q])):
            others = np.delete(x, pivot, axis=0) - x[pivot]
            sine = (towards[0] * others[:, 1] - towards[1] * others[:, 0]) / np.hypot(*towards)
            cosine = others @ towards / np.hypot(*towards)
            turn = np.arctan2(sine, cosine) % np.pi
            turn = turn[(turn > 1e-9) & (turn < np.pi - 1e-9)]
            least = min(least, np.sin(min(turn.min(initial=np.pi / 2), np.pi / 2)))
        distance = np.abs(x @ row[:2] + row[2]).min()
        assert distance >= least * np.hypot(*(x[q] - x[p])) / 4 - 1e-9


@pytest.mark.parametrize("m", [30, 200])
def test_the_cover_of_many_points_has_each_dichotomy_of_the_plane_once(m: int) -> None:
    x = np.random.default_rng(m).normal(size=(m, 2))
    listed = Halfspaces(2).cover(x).listed()
    assert len(listed) == m * (m - 1) + 2
    assert len(np.unique(np.packbits(listed.dichotomies(), axis=1), axis=0)) == len(listed)


@pytest.mark.parametrize("factor", [0.1, 0.3, 1 / 7])
def test_many_decimals_have_the_dichotomies_of_the_grid_they_stand_for(
    factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exactly, they are not on one line; each dichotomy of the grid is found, with a margin, and no other."""
    monkeypatch.setattr(halfspaces, "_SEARCHED", 0)
    whole = np.unique(np.random.default_rng(5).integers(0, 12, (60, 2)), axis=0).astype(np.float64)
    listed, expected = (Halfspaces(2).cover(x).listed() for x in (whole * factor, whole))
    assert {row.tobytes() for row in listed.dichotomies()} == {row.tobytes() for row in expected.dichotomies()}
    distance = listed.parameters[2:, :2] @ (whole * factor).T + listed.parameters[2:, 2:]
    assert np.abs(distance).min() > 1e-6


def test_the_time_of_exact_slopes_is_known_before() -> None:
    """Coordinates that are too far from each other for fast slopes are refused where others are not."""
    coins = np.random.default_rng(2)
    near = coins.random((2_000, 2))
    far = near.copy()
    far[::2] *= 1e200
    for scale in (1.0, 1e200, 1e-200):
        assert unsettled(np.unique(near * scale, axis=0)) == 0
    assert unsettled(np.unique(far, axis=0)) > 0.1
    with pytest.raises(WorkError, match="take fewer public points"):
        Halfspaces(2).cover(far)
