"""The benchmark of statistics by group: how errors are counted, and that without noise all methods say the same."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rival_statistics as rival


@pytest.fixture
def real() -> rival.Real:
    """A table of 400 rows."""
    rng = np.random.default_rng(3)
    codes = {"a": rng.integers(0, 3, 400), "b": rng.integers(0, 2, 400)}
    numbers = {"v": rng.integers(0, 9, 400) / 2.0, "w": rng.integers(0, 5, 400) / 1.0}
    return rival.Real(codes | numbers, (3, 2), {"v": (0.0, 4.0), "w": (0.0, 4.0)})


def test_errors_by_hand() -> None:
    """A median of 2 among (1, 2, 2, 5) has ranks 1/4 to 3/4; 3 has 3/4 and 5 has 3/4 to 1: a quarter too high."""
    group = np.array([1.0, 2.0, 2.0, 5.0])
    assert rival.error("median a", [2.0], [group], 1.0) == 0
    assert rival.error("median a", [3.0], [group], 1.0) == rival.error("median a", [5.0], [group], 1.0) == 0.25
    assert rival.error("median a", [1.99, 7.0], [group, np.array([])], 1.0) == 0.25
    assert rival.error("median a", [1.99, 7.0], [group, np.array([])], 1.0, near=0.02) == 0
    assert rival.error("count a", np.array([3.0, 1.0]), np.array([1.0, 1.0]), 9.0) == 1
    assert rival.error("mean a", np.array([3.0, 1.0]), np.array([1.0, np.nan]), 4.0) == 0.5


def test_public_rows_are_not_private_ones(real: rival.Real, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rival, "PUBLIC", 50)
    marked = rival.Real({**real.rows, "w": np.arange(400.0)}, real.sizes, real.ranges)
    private, public, biased = rival.drawn(marked, 300, 0)
    assert not set(private["w"]) & (set(public["w"]) | set(biased["w"]))
    assert biased["v"].mean() > public["v"].mean()


def test_without_noise_all_say_the_same(real: rival.Real, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rival, "PUBLIC", 50)
    private, public, _ = rival.drawn(real, 300, 1)
    truth = rival.exact(real, private)
    answers = list(rival.ours(real, private, public, 1e6, 1).values())
    answers += [rival.equal(real, private, None, 1e6, np.random.default_rng(1))]
    for answer in answers:
        for name, value in answer.items():
            assert rival.error(name, value, truth[name], 1.0, near=0.1) < 0.1, name


def test_figures_are_drawn(tmp_path: Path) -> None:
    numbers = {"table": "RAND", "private": 500, "error": 0.1}
    lines = [
        {"method": method, "kind": kind, "epsilon": epsilon, "statistic": statistic} | numbers
        for method, kind in (*rival.LINES, (rival.ALONE, "public"))
        for epsilon in rival.EPSILONS
        for statistic in rival.PANELS
    ]
    rival.draw(pd.DataFrame(lines), tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
