"""What a plug-in folder brings goes through the workflow: a paper's claim into the ledger, figures are drawn."""

from pathlib import Path

import pytest
import yaml
from runs import snakemake
from strangers import paper_written, written

from semipriv.core import tables
from semipriv_lab.ledger.table import CLAIMS


def test_a_paper_from_outside_is_measured_and_drawn(tmp_path: Path) -> None:
    paper_written(tmp_path)
    config = tmp_path / "run.yaml"
    settings = {"plugins": ["mine"], "experiments": [], "claims": ["WAR65"], "effort": 0.25}
    config.write_text(yaml.safe_dump(settings))
    snakemake(tmp_path, "--cores", "2", config=config)
    *_, row = tables.read_rows(tmp_path / "results/claims.parquet", CLAIMS)
    assert (row["claim"], row["paper"], row["verdict"]) == ("WAR65-E1", "WAR65", "holds")
    assert (tmp_path / "results/figures/share.pdf").stat().st_size > 1000
    assert "WAR65: Randomized Response" in (tmp_path / "results/claims.html").read_text()


@pytest.mark.exhaustive
def test_the_experiment_of_the_page_on_adding_runs(tmp_path: Path) -> None:
    written(tmp_path)
    snakemake(tmp_path, "--cores", "1", config=tmp_path / "run.yaml")
    assert (tmp_path / "results/figures/which_feature__excess.pdf").exists()
