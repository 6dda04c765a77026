"""The benchmark of one column in small, and how the one of synthetic tables counts errors and runs other programs."""

from pathlib import Path

import numpy as np
import one_dimension
import pandas as pd
import pytest
import rival_tables

from semipriv.core.randomness import Simulation


def test_the_benchmark_runs_in_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(one_dimension, "SIZES", (1_000,))
    monkeypatch.setattr(one_dimension, "BIASES", (0.0, 1.0))
    summary = one_dimension.summarised(one_dimension.runs(1))
    assert len(summary) == 2 * (len(one_dimension.METHODS) + 6)
    errors = summary[["prefixes", "ranges", "cells", "quantiles"]]
    assert np.isfinite(errors).all(axis=None)
    assert (errors > 0).all(axis=None)
    for name in one_dimension.BLIND:
        assert summary[summary["method"] == name]["prefixes"].nunique() == 1, "it does not see the bias of public rows"
    reading = [name for name, method in one_dimension.METHODS.items() if method.reads_public]
    assert not set(reading) & set(one_dimension.BLIND)
    assert set(one_dimension.METHODS) - set(reading) <= set(one_dimension.BLIND)


def test_prefixes_by_a_cover_are_constant_between_public_points() -> None:
    """Without noise to speak of they are exact at the ends of public cells, and do not move in between."""
    public = np.zeros(one_dimension.CELLS, np.int64)
    public[[99, 499]] = 3
    counts = np.full(one_dimension.CELLS, 1_000)
    by_cover = one_dimension.by_cover(counts, public, Simulation(1))
    assert by_cover[[0, -1]].tolist() == [0.0, 1.0]
    assert len(set(by_cover[:100])) == len(set(by_cover[100:500])) == len(set(by_cover[500:-1])) == 1
    assert by_cover[[100, 500]] == pytest.approx([100 / 1024, 500 / 1024], abs=0.02)


def test_errors_of_marginals_by_hand() -> None:
    """Two columns: shares (1/2, 0, 0, 1/2) beside (1/4 each): L1 distance 1."""
    written, truth = np.array([[0, 0], [1, 1]]), np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert rival_tables.marginal_error(written, truth, (2, 2), 2) == 1.0
    assert rival_tables.marginal_error(truth, truth, (2, 2), 2) == 0.0


def test_other_libraries_are_stopped_and_their_errors_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program that never ends is stopped by its processor time; one that fails tells its last line."""
    monkeypatch.setattr(rival_tables, "LIMIT", 1)
    for text, message in (("while True: pass", "stopped after 1 s"), ("raise ValueError('no rows')", "no rows")):
        (tmp_path / "python").write_text(f'#!/bin/sh\nexec python3 -c "{text}"\n')
        (tmp_path / "python").chmod(0o755)
        monkeypatch.setattr(rival_tables, "PYTHON", tmp_path / "python")
        rows, seconds, note = rival_tables.rival(tmp_path / "rows.npz", "privbayes", 1.0, 1)
        assert rows is None
        assert message in note
        assert seconds >= (message.startswith("stopped") and 0.9)


def test_figures_are_drawn(tmp_path: Path) -> None:
    lines = []
    for kind, method, epsilon in [("good", rival_tables.ALONE, None), ("half", rival_tables.ALONE, None)] + [
        (known, method, epsilon)
        for known in (*rival_tables.DRAWN, None)
        for method in (rival_tables.OURS if known else (rival_tables.TREE, *rival_tables.RIVALS.values()))
        for epsilon in rival_tables.EPSILONS
    ]:
        numbers = {"private": 10, "public": 2, "two_way": 0.1, "three_way": 0.2}
        lines.append({"table": "made up", "kind": kind, "method": method, "epsilon": epsilon} | numbers)
    rival_tables.draw(pd.DataFrame(lines), tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
