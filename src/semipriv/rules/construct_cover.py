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
        stages = {learner.preparation: learner for learner in cell.learners.values()}
        for preparation, learner in stages.items():
            known = labels if learner.needs_public_labels else None
            cover = learner.prepare(points, cell.hypothesis_class, known)
            rows.append(prepared_row(cell, trial, preparation, cover))
    tables.write(prepared, PREPARED, rows)
