"""Rules private_select and measure_without_privacy: the second stage of the learners, on private samples."""

from pathlib import Path

from semipriv import tables
from semipriv.classes.base import Cover
from semipriv.experiments.config import Experiment
from semipriv.learners.base import Protection
from semipriv.progress import track
from semipriv.rules.schemas import RELEASES
from semipriv.rules.storage import read_prepared, read_private


def select(
    experiment: Experiment, protection: Protection, prepared: str | Path, private: str | Path, releases: str | Path
) -> None:
    """Write the hypothesis that each learner of the given protection chooses in each cell and trial."""
    stages = read_prepared(prepared, experiment)
    rows, trials = [], len({(cell, trial) for cell, trial, _ in stages})
    for cell, trial, sample in track(read_private(private, experiment), "trials", trials):
        stream = experiment.stream(cell, trial)
        covers: dict[str, Cover] = {}
        for label, learner in cell.learners.items():
            if learner.protection is not protection:
                continue
            preparation = ",".join(learner.preparation)
            if preparation not in covers:
                covers[preparation] = stages[cell.index, trial, preparation].load(learner)
            release = learner.release(covers[preparation], sample.points, sample.labels, stream.spawn("learner", label))
            guarantee = release.guarantee
            rows.append(
                {
                    "cell": cell.index,
                    "trial": trial,
                    "learner": label,
                    "hypothesis": release.hypothesis.parameters,
                    "epsilon": None if guarantee is None else guarantee.epsilon,
                    "delta": None if guarantee is None else guarantee.delta,
                    "neighbours": None if guarantee is None else guarantee.neighbours.value,
                    "cover_size": int(release.cost["cover_size"]),
                }
            )
    tables.write(releases, RELEASES, rows)
