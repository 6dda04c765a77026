"""Rule construct_cover: the public stage of every learner, from public data only."""

from pathlib import Path

from semipriv import tables
from semipriv.experiments.config import Experiment
from semipriv.progress import track
from semipriv.rules.schemas import PREPARED, SAMPLES
from semipriv.rules.storage import prepared_row, read_public


def construct_cover(experiment: Experiment, public: str | Path, prepared: str | Path) -> None:
    """Write what the public stages make of each public sample; learners with the same public stage share it."""
    rows, trials = [], tables.read(public, SAMPLES).num_rows
    for cell, trial, points, labels in track(read_public(public, experiment), "trials", trials):
        for stage in dict.fromkeys(learner.public_stage for learner in cell.learners.values()):
            made = stage.prepare(points, cell.hypothesis_class, labels if stage.needs_labels else None)
            rows.append(prepared_row(cell, trial, stage, made))
    tables.write(prepared, PREPARED, rows)
