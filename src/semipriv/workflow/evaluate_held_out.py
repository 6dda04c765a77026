"""Rule evaluate_held_out: compute errors of releases on the held-out part of a table, which no learner saw."""

from collections.abc import Sequence
from pathlib import Path

from semipriv.core import tables
from semipriv.core.progress import track
from semipriv.experiments.config import Experiment
from semipriv.experiments.schemas import EVALUATIONS
from semipriv.workflow.storage import output_of, read_releases, read_samples


def evaluate_held_out(
    experiment: Experiment, releases: Sequence[str | Path], held: str | Path, evaluations: str | Path
) -> None:
    """Write the error of every release on the held-out part of its trial."""
    parts = {(cell.index, trial): (cell, sample) for cell, trial, sample in read_samples(held, experiment)}
    rows = []
    for row in track(read_releases(releases), "releases"):
        _, sample = parts[row["cell"], row["trial"]]
        unknown = dict.fromkeys(("best_error", "best_low", "best_high", "excess"))
        for name, measure in experiment.measures.items():
            (error,) = measure.held_out([output_of(row)], sample)
            measured = {"measure": name, "error": error.value, "standard_error": error.standard_error}
            rows.append({**row, **measured, **unknown})
    tables.write(evaluations, EVALUATIONS, rows)
