"""Tables of installed packages: one row a person, a missing package is one line, public rows of another population."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml

from semipriv.core.randomness import Simulation
from semipriv.core.samples import MixedSample, StatusModel
from semipriv.distributions.designs.separate import Separate
from semipriv.settings.reading import ConfigError
from semipriv_lab.experiments.catalogue import BUNDLED
from semipriv_lab.experiments.config import Experiment
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.workflow.split_table import read_group
from semipriv_lab.workflow.write_table import write_table

HEADER = (
    "zper,year,site,coins,idp,black,income,xage,female,educdec,num,mhi,disea,physlm,xghindx,hlthg,hlthf,hlthp,"
    "drugdol,suppdol,mdvis"
)
YEARS = """
12,2,2,95,0,0,5000,19,1,,3,70,10,0,80,0,1,0,2.5,0,5
12,1,2,95,0,0,5000,17,1,,3,70,10,0,80,0,0,0,7.5,0,1
11,3,6,0,1,1,9000,40,0,8,2,60,20,1,50,0,0,1,0,3,3
13,1,1,25,0,0,100,18,0,16,1,90,0,0,90,1,0,0,586,0,2
"""
TABLE = {
    "kind": "table",
    "table": {"name": "randhie", "features": ["xage"], "label": "unwell", "public": "child", "ranges": [[0, 65]]},
    "class": {"name": "intervals"},
    "n_public": 5,
    "n_private": 20,
    "trials": 2,
    "learners": [{"name": "sspp", "epsilon": 1}],
}
RUN = {"seed": 1, "results": "results", "experiments": ["trial"], "claims": []}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A made-up package with a panel of three people."""
    path = tmp_path / "statsmodels/datasets/randhie/src/randhie.csv"
    path.parent.mkdir(parents=True)
    path.write_text(HEADER + YEARS)
    (tmp_path / "statsmodels/__init__.py").write_text("raise ImportError('is only read')")
    monkeypatch.delitem(sys.modules, "statsmodels", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return path


def load(folder: Path, changes: dict[str, Any]) -> Experiment:
    (folder / "trial.yaml").write_text(yaml.safe_dump({**TABLE, **changes}))
    return load_run(RUN, folder).experiments["trial"]


def test_a_row_is_the_earliest_year_of_a_person(package: Path, tmp_path: Path) -> None:
    write_table("randhie", tmp_path / "t.parquet")
    table = pq.read_table(tmp_path / "t.parquet").to_pandas()
    assert [*table] == [*BUNDLED["randhie"].features, *BUNDLED["randhie"].labels]
    assert table["xage"].tolist() == [40, 17, 18], "by person: 11, 12 in year 1, 13"
    assert table["educdec"].tolist() == [8, 12, 16]
    assert table["drugdol"].tolist() == [0, 7.5, 586]
    assert table["many_visits"].tolist() == [1, 0, 0]
    assert table["few_visits"].tolist() == [0, 1, 0]
    assert table["unwell"].tolist() == [1, 0, 1]
    assert table["child"].tolist() == [0, 1, 0]
    assert table[["site_1", "site_2", "site_5"]].to_numpy().tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]


@pytest.mark.skipif(find_spec("statsmodels") is None, reason="statsmodels is not installed")
def test_the_catalogue_tells_rows_and_groups(tmp_path: Path) -> None:
    write_table("randhie", tmp_path / "t.parquet")
    table = pq.read_table(tmp_path / "t.parquet").to_pandas()
    assert len(table) == BUNDLED["randhie"].rows
    assert {name: table[name].sum() for name in BUNDLED["randhie"].groups} == BUNDLED["randhie"].groups
    assert round(float(table["many_visits"].mean()), 3) == 0.380
    about = str(pq.read_schema(tmp_path / "t.parquet").metadata)
    assert "public domain" in about
    assert "not for a family" in about


def test_a_package_that_is_missing_or_old_is_one_line(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package.unlink()
    with pytest.raises(FileNotFoundError, match=r"^package 'statsmodels' has no datasets/randhie/src/randhie\.csv"):
        write_table("randhie", tmp_path / "t.parquet")
    monkeypatch.setattr("semipriv_lab.experiments.catalogue.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"^package 'statsmodels' is not installed.*$") as error:
        write_table("randhie", tmp_path / "t.parquet")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "t.parquet").exists()


def test_public_rows_come_from_their_group_and_the_others_do_not() -> None:
    group = np.arange(40) % 3 == 0
    sample = MixedSample(np.arange(80.0).reshape(40, 2), group.astype(np.int8), group, StatusModel.ANY)
    seen = set()
    for seed in range(5):
        parts = Separate(5, 20).split(sample, [(0.0, 10.0), (5.0, 9.0)], Simulation(seed), group)
        assert group[parts.public].all()
        assert not group[[*parts.private, *parts.held]].any()
        assert [len(part) for part in (parts.public, parts.private, parts.held)] == [5, 20, 6]
        assert len({*parts.public, *parts.private, *parts.held}) == 31
        assert (parts.centre.tolist(), parts.scale.tolist()) == ([0.0, 5.0], [10.0, 4.0]), "ranges, no row"
        seen.add(tuple(parts.private))
    assert len(seen) == 5
    assert Separate(5, 20).held_out(40, 14) == 6


def test_a_group_is_checked_before_any_work(tmp_path: Path) -> None:
    assert load(tmp_path, {}).cells[0].held_out == 5912 - 2601 - 20
    with pytest.raises(ConfigError, match=r"n_public = 2602: must be at most 2601, the rows of the public group"):
        load(tmp_path, {"n_public": 2602})
    with pytest.raises(ConfigError, match=r"n_private = 3311: must leave rows of the table's 3311 rows outside the"):
        load(tmp_path, {"n_private": 3311})
    with pytest.raises(ConfigError, match=r"unknown column of a group 'unwell' \(allowed: child\)"):
        load(tmp_path, {"table": {**TABLE["table"], "public": "unwell"}})
    mixed = {**TABLE, "n": 30, "table": {**TABLE["table"], "privacy": "label_determined"}}
    mixed = {key: value for key, value in mixed.items() if key not in ("n_public", "n_private")}
    (tmp_path / "trial.yaml").write_text(yaml.safe_dump(mixed))
    with pytest.raises(ConfigError, match=r"table\.public = 'child': does not suit mixed samples"):
        load_run(RUN, tmp_path)


def test_a_group_of_another_size_than_the_catalogue_says_is_refused(package: Path, tmp_path: Path) -> None:
    write_table("randhie", tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet, column 'child': is 1 in 1 rows, must be in 2601"):
        read_group(tmp_path / "t.parquet", load(tmp_path, {}).cells[0].table)
