"""Rule generate_data: draw public and private samples of a block."""

from pathlib import Path

from semipriv.core import tables
from semipriv.core.progress import track
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.experiments.schemas import SAMPLES
from semipriv_lab.workflow.storage import private_row, sample_row


def generate_data(experiment: Experiment, block: int, public: str | Path, private: str | Path) -> None:
    """Write one public and one private sample for each cell and trial of the block.  The cell's design draws them.

    A private sample of fixed size is written as a recipe if it has more than ``experiment.materialise`` examples.
    Unlabelled entries are always a recipe: they are drawn where they are read.
    """
    public_rows, private_rows = [], []
    for cell, trial in track(list(experiment.units(block)), "trials"):
        stream = experiment.stream(cell, trial)
        public_part, private_part = cell.design.draw(cell.distribution, stream, experiment.materialise)
        public_rows.append(sample_row(cell, trial, public_part))
        private_rows.append(private_row(cell, trial, private_part))
    tables.write(public, SAMPLES, public_rows)
    tables.write(private, SAMPLES, private_rows)
