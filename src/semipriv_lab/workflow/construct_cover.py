"""Rule construct_cover: carry out the public stage of every learner, on public data only."""

from pathlib import Path

from semipriv.core import tables
from semipriv.core.progress import track
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.experiments.schemas import PREPARED
from semipriv_lab.workflow.storage import prepared_row, read_public


def construct_cover(experiment: Experiment, public: str | Path, prepared: str | Path) -> None:
    """Write what each public stage makes of each public sample.  Learners with equal public stages share the result."""
    rows = []
    for cell, trial, points, labels in track(read_public(public, experiment), "trials"):
        for stage in dict.fromkeys(learner.public_stage for learner in cell.learners.values()):
            cover = stage.prepare(points, cell.hypothesis_class, labels if stage.needs_labels else None)
            rows.append(prepared_row(cell, trial, stage, cover))
    tables.write(prepared, PREPARED, rows)
