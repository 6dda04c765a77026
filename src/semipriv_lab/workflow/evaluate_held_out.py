"""Rule evaluate_held_out: measure releases on the held-out part of a table, which no learner saw, and gather them."""

from collections.abc import Sequence
from pathlib import Path

from semipriv.core.progress import track
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.workflow.storage import Row, output_of, read_releases, read_samples


def evaluate_held_out(experiment: Experiment, releases: Sequence[str | Path], held: Sequence[str | Path]) -> list[Row]:
    """Return the error of every release on the held-out part of its trial.  held: a file for each block."""
    parts = {(cell.index, trial): sample for path in held for cell, trial, sample in read_samples(path, experiment)}
    rows: list[Row] = []
    for row in track(read_releases(releases), "releases"):
        sample = parts[row["cell"], row["trial"]]
        unknown = dict.fromkeys(("best_error", "best_low", "best_high", "excess"))
        for name, measure in experiment.measures.items():
            (error,) = measure.held_out([output_of(row)], sample)
            measured = {"measure": name, "error": error.value, "standard_error": error.standard_error}
            rows.append({**row, **measured, **unknown})
    return rows
