"""What the test through Slurm runs has one of each kind: this needs no Slurm, so nothing new is forgotten."""

import re
from collections.abc import Callable
from pathlib import Path

from places import ROOT, matching
from runs import SLURM, Job

from semipriv.distributions.designs._inference import designs
from semipriv_lab.cli._workflow import configured
from semipriv_lab.experiments.catalogue import BUNDLED
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.experiments.papers import titles
from semipriv_lab.ledger.studies import studies, studies_for

RUN = load_run(configured([ROOT / "config/config.yaml", SLURM]), ROOT / "config/experiments", check=False)
STUDIES = [studies()[name] for name in studies_for(RUN.claims)]


def test_every_rule_is_run(plan: Callable[..., list[Job]]) -> None:
    """Those of releases by the release there; that it takes each of them: test_release.py."""
    named = {path.stem: re.findall(r"^rule (\w+):", path.read_text(), flags=re.M) for path in rule_files()}
    (others,) = (names for stem, names in named.items() if stem == "release")
    expected = {name for names in named.values() for name in names} - {*others} | {"draw_figures"}
    jobs = plan(config=SLURM)
    assert {job.rule for job in jobs} == expected
    figures = {figure for job in jobs if job.rule == "draw_figures" for figure in job.params["figures"]}
    for name in (*RUN.experiments, *(study.figure for study in STUDIES)):
        assert any(figure.split("__")[0] == name for figure in figures), name


def rule_files() -> list[Path]:
    return [ROOT / "Snakefile", *matching(ROOT, "workflow/rules/*.smk")]


def test_every_design_and_every_bundled_table_is_there() -> None:
    cells = [cell for experiment in RUN.experiments.values() for cell in experiment.cells]
    assert {type(cell.design) for cell in cells} == {*designs()}
    tables = {cell.table.name for name, e in RUN.experiments.items() if e.kind == "table" for cell in e.cells}
    assert tables == {*BUNDLED}
    assert {e.kind for e in RUN.experiments.values()} == {"simulation", "table"}
    assert any(e.number_of_blocks > 1 for e in RUN.experiments.values())


def test_every_paper_and_kind_of_learning_is_there() -> None:
    assert {study.paper.upper() for study in STUDIES} == {*titles()}
    for kind in ("simulation", "table"):
        assert {"expected_loss", "population_error"} <= measures(kind), "regression and classification"
    assert "worst_query_error" in measures("simulation"), "query release"


def measures(kind: str) -> set[str]:
    return {name for e in RUN.experiments.values() if e.kind == kind for name in e.measures}
