"""What ``semipriv check`` holds experiments and studies to: an experiment is built wholly, a study is run in small."""

import os
from pathlib import Path

from semipriv.core import overlay
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.ledger.studies import ROOM, studies
from semipriv_lab.workflow.measure_study import measure

EFFORT = 0.05
"""Factor on the trials of a study."""
_BROKEN = (Verdict.VIOLATED, Verdict.REFUTED)


def held(given: str | Path) -> tuple[bool, str]:
    """Return whether a file holds, and what was found in a line; raise ValueError for what is wrong with it."""
    file = Path(given).absolute()
    if not file.is_file():
        raise ValueError(f"{given}: there is no such file")
    return _experiment(file) if file.suffix == ".yaml" else _study(file)


def _experiment(file: Path) -> tuple[bool, str]:
    """Build every class, distribution and learner of every cell."""
    laid = any(file.parent == folder / overlay.EXPERIMENTS for folder in overlay.folders())
    settings = {"seed": 1, "results": "results", "experiments": [file.stem], "claims": []}
    run = load_run(settings, Path(os.devnull) if laid else file.parent)
    cells = len(run.experiments[file.stem].cells)
    return True, f"all of its {cells} cells can be built; `semipriv check` runs none of them"


def _study(file: Path) -> tuple[bool, str]:
    """Measure the claims of a study with few trials."""
    folder = file.parents[3]
    if file.parent.name != ROOM or file.parents[2].name != overlay.PAPERS:
        raise ValueError(f"{file}: a study is papers/PAPER/{ROOM}/NAME.py, below a plug-in folder")
    if folder in overlay.folders() or overlay.is_inside(file):
        return _measured(file)
    with overlay.laid(folder):
        return _measured(file)


def _measured(file: Path) -> tuple[bool, str]:
    study = next(
        (study for study in studies().values() if (study.paper, study.name) == (file.parents[1].name, file.stem)), None
    )
    if study is None:
        raise ValueError(f"{file}: is no study: the studies.csv of a paper lists it")
    findings = measure(study.id, study.claims, Simulation(1), EFFORT)
    verdicts = ", ".join(f"{claim} {finding.verdict.value}" for claim, finding in findings.items())
    return not any(finding.verdict in _BROKEN for finding in findings.values()), f"measured with few trials: {verdicts}"
