"""Rule generate_data: draw public and private samples of a block."""

from pathlib import Path

from semipriv import tables
from semipriv.experiments.config import Experiment
from semipriv.progress import track
from semipriv.rules.schemas import SAMPLES
from semipriv.rules.storage import recipe_row, sample_row


def generate_data(experiment: Experiment, block: int, public: str | Path, private: str | Path) -> None:
    """Write one public and one private sample for each cell and trial of the block.

    Private samples of more than ``experiment.materialise`` examples are written as a recipe.  A mixed sample is drawn
    at once and split by status; its parts are always written out.
    """
    public_rows, private_rows = [], []
    for cell, trial in track(list(experiment.units(block)), "trials"):
        stream = experiment.stream(cell, trial)
        if cell.mixed:
            mixed = cell.distribution.mixed_sample(cell.n, stream.spawn("mixed"))
            public_rows.append(sample_row(cell, trial, mixed.public_examples))
            private_rows.append(sample_row(cell, trial, mixed.private_examples))
            continue
        sample = cell.distribution.public_sample(cell.n_public, stream.spawn("public"))
        public_rows.append(sample_row(cell, trial, sample))
        own = stream.spawn("private")
        if cell.n_private > experiment.materialise:
            private_rows.append(recipe_row(cell, trial, cell.n_private, own))
        else:
            private_rows.append(sample_row(cell, trial, cell.distribution.private_sample(cell.n_private, own)))
    tables.write(public, SAMPLES, public_rows)
    tables.write(private, SAMPLES, private_rows)
