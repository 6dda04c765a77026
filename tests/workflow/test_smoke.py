"""Every experiment of the smoke run and its figures, its jobs done one after the other in a test's process.

Studies and their figures are looked at in ``tests/lab/papers/test_gates.py``.  That Snakemake itself makes the whole
smoke run is an exhaustive test.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from drawn import check_drawing
from places import ROOT
from runs import SMOKE, Job, contents, part, snakemake

from semipriv.core import tables
from semipriv.settings.reading import read_settings
from semipriv_lab.cli._workflow import configured
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.experiments.schemas import SUMMARY
from semipriv_lab.figures.catalogue import drawings
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.studies import studies, studies_for
from semipriv_lab.ledger.table import CLAIMS

RESULTS = Path("results/smoke")
EXPERIMENTS = read_settings(ROOT / "config/config.yaml")["experiments"]
STUDIES = list(studies())
RUN = load_run(configured([ROOT / "config/config.yaml", SMOKE]), ROOT / "config/experiments", check=False)
DRAWINGS = {
    name: drawing for name, drawing in drawings(RUN, studies_for(RUN.claims)).items() if drawing.experiment is not None
}


def test_every_job_belongs_to_an_experiment_or_a_study_or_to_the_end_of_the_run(smoke: list[Job]) -> None:
    parts = {path for name in (*EXPERIMENTS, *STUDIES) for job in part(smoke, name) for path in job.outputs}
    assert {job.rule for job in smoke if not {*job.outputs} & parts} == {"ledger", "summary", "runtimes", "all"}
    assert {path for job in smoke if {*job.outputs} & parts for path in job.outputs} == parts


def check_means(results: Path, experiment: str) -> None:
    rows = tables.read_rows(results / experiment / "summary.parquet", SUMMARY)
    assert rows
    assert all(row["low"] <= row["mean"] <= row["high"] for row in rows)
    for row in rows:
        if row["bound"] is not None:
            assert row["mean"] < row["bound"], "a mean above a bound that holds with probability 0.95"


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_experiment(run_of: Callable[[str], Path], experiment: str) -> None:
    results = run_of(experiment) / RESULTS
    check_means(results, experiment)
    assert len(list((results / experiment / "blocks").iterdir())) == 2


@pytest.mark.parametrize("figure", DRAWINGS)
def test_figures_show_their_tables(run_of: Callable[[str], Path], figure: str) -> None:
    """Curve by curve and cell by cell: a new figure needs a module of its name in tests/figure_cases."""
    check_drawing(DRAWINGS[figure], run_of(DRAWINGS[figure].experiment.name))


@pytest.mark.exhaustive
def test_smoke_run_of_snakemake(tmp_path: Path, run_of: Callable[[str], Path]) -> None:
    """All of it; tables of experiments to the same bytes."""
    snakemake(tmp_path, "--cores", "2", "--quiet", "all", config=SMOKE)
    results = tmp_path / RESULTS
    for name in EXPERIMENTS:
        for path, data in contents(run_of(name), "*.parquet").items():
            assert (tmp_path / path).read_bytes() == data, path
    for study in studies().values():
        rows = tables.read_rows(results / "claims" / f"{study.id}.rows.parquet", CLAIMS)
        assert {row["claim"] for row in rows} == {*study.claims}
    drawn = {path.name for path in (results / "figures").iterdir()}
    assert drawn == {f"{stem}.{end}" for stem in drawings(RUN, studies_for(RUN.claims)) for end in ("pdf", "png")}
    verdicts = tables.read_rows(results / "claims.parquet", CLAIMS)
    assert [row["claim"] for row in verdicts] == list(claims())
    assert {row["claim"] for row in verdicts if row["experiment"]} == {c for s in studies().values() for c in s.claims}
    text = (results / "summary.txt").read_text()
    assert len(re.findall(r"excess_vs_shift +\w+ +epsilon 1 +in sigma +-?\d\.\d{3} \[", text)) == 3
    again = snakemake(tmp_path, "--cores", "2", config=SMOKE)
    assert "Nothing to be done" in again.stdout + again.stderr
