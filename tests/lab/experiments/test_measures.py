"""Measures in configurations, and in the tables of an experiment of query release."""

from pathlib import Path

import numpy as np
import pytest
from places import matching
from specified import loaded, run_rules

from semipriv.core import tables
from semipriv_lab.experiments.schemas import RELEASES, SLOPES, SUMMARY, TRIALS
from semipriv_lab.measures.base import Measured
from semipriv_lab.measures.worst_query_error import WorstQueryError
from semipriv_lab.workflow.storage import output_of


def test_experiments_measure_population_errors_by_default() -> None:
    assert list(loaded("excess_vs_public").measures) == ["population_error"]


def test_labels_are_counted_by_transcripts_costs_and_sizes(tmp_path: Path) -> None:
    """Of one experiment: a search, a learner that reads some labels, and one that reads all."""
    experiment = loaded("labels_asked", trials=2)
    frame = tables.read_frame(run_rules(experiment, tmp_path) / "trials", TRIALS)
    frame = frame[frame["measure"] == "labels_asked"]
    errors = {experiment.cells[cell].case: part["error"].tolist() for cell, part in frame.groupby("cell")}
    assert all(0 < asked <= 9 for asked in errors.pop("search"))
    assert {case: asked[0] for case, asked in errors.items()} == {
        **{f"passive_{factor}": 400.0 * factor for factor in (1, 2, 4, 8)},
        **dict.fromkeys((f"active_{factor}" for factor in (1, 2, 4, 8)), 400.0),
    }


class HalvedError(WorstQueryError):
    """A second measure of answers."""

    excess_title = "half of it"

    def population(self, *arguments) -> list[Measured]:
        return [Measured(measured.value / 2, 0.1) for measured in super().population(*arguments)]


def test_query_release_through_the_rules(tmp_path: Path) -> None:
    """Releases from disk measured twice: two rows each; large private samples are recipes."""
    changes = {"sweep": {"n_private": [50, 20_000]}, "slopes": {"x": "n_private", "low": 50, "high": 20_000}}
    experiment = loaded("query_error", trials=3, **changes)
    experiment.__dict__["measures"] = {"worst_query_error": WorstQueryError(), "halved": HalvedError()}
    rows = tables.read_rows(run_rules(experiment, tmp_path) / "trials", TRIALS)
    assert len(rows) == 2 * 8 * 3 * 6
    whole = {key_of(row): row for row in rows if row["measure"] == "worst_query_error"}
    for row in rows:
        assert row["error"] == row["excess"] == whole[key_of(row)]["error"] / (1 + (row["measure"] == "halved"))
        assert row["best_error"] == 0
    for row in [row for path in matching(tmp_path, "*_releases") for row in tables.read_rows(path, RELEASES)]:
        output = output_of(row)
        t = np.linspace(0.001, 0.999, 500)
        share = experiment.cells[row["cell"]].distribution.private_marginal.cdf(t)
        least = np.abs(output.answer(t) - (2 * share - 1)).max()
        worst = whole[row["cell"], row["trial"], row["learner"]]["error"]
        assert least <= worst + 1e-12
        assert worst <= least + 0.1 or "method" in row["learner"], "noise differs between neighbouring thresholds"
    assert tables.read(tmp_path / "trials", TRIALS).num_rows == len(rows)
    summary = tables.read_rows(tmp_path / "summary", SUMMARY)
    assert len(summary) == 2 * 8 * 6
    assert {(row["measure"], row["axis"], row["quantity"]) for row in summary} == {
        ("worst_query_error", "worst error of an answer", "excess"),
        ("halved", "half of it", "excess"),
    }
    assert all(row["bound"] is None for row in summary)
    slopes = tables.read_rows(tmp_path / "slopes", SLOPES)
    noisy = {row["measure"]: row["slope"] for row in slopes if row["name"] == "grid_query_release"}
    assert noisy["halved"] == pytest.approx(noisy["worst_query_error"])


def key_of(row: dict) -> tuple:
    return row["cell"], row["trial"], row["learner"]
