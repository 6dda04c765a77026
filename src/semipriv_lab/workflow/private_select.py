"""Rules private_select and measure_without_privacy: carry out the private stage of the learners."""

from pathlib import Path

from semipriv.core import tables
from semipriv.core.progress import track
from semipriv.core.samples import RegressionSample
from semipriv.core.sharing import sharing
from semipriv.learners.base import Protection
from semipriv.learners.stages.base import AnyStage, Prepared
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.experiments.schemas import RELEASES
from semipriv_lab.workflow.storage import read_prepared, read_private, release_row


def select(
    experiment: Experiment, protection: Protection, prepared: str | Path, private: str | Path, releases: str | Path
) -> None:
    """Write the release of each learner with the given protection in each cell and trial."""
    stored = read_prepared(prepared)
    rows, trials = [], len({(cell, trial) for cell, trial, _ in stored})
    for cell, trial, sample, unlabelled in track(read_private(private, experiment), "trials", trials):
        stream = experiment.stream(cell, trial)
        values = sample.responses if isinstance(sample, RegressionSample) else sample.labels
        by_stage: dict[AnyStage, Prepared] = {}
        with sharing():
            for label, learner in cell.learners.items():
                if learner.protection is not protection:
                    continue
                stage = learner.public_stage
                if stage not in by_stage:
                    by_stage[stage] = stage.restore(stored[cell.index, trial, repr(stage)], cell.hypothesis_class)
                options = {"unlabelled": unlabelled} if learner.reads_unlabelled else {}
                coins = stream.spawn("learner", label)
                release = learner.release(by_stage[stage], sample.points, values, coins, **options)
                rows.append(release_row(cell, trial, label, release))
    tables.write(releases, RELEASES, rows)
