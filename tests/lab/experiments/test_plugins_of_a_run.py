"""Plug-in folders that the configuration of a run names."""

from pathlib import Path

import pytest
from runs import jobs_of
from strangers import twin, written

from semipriv.core import overlay, registry, rooms
from semipriv.settings.reading import ConfigError
from semipriv_lab.experiments.loading import load_run


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The plug-in folder of docs/adding.md, not laid."""
    monkeypatch.setenv(overlay.VARIABLE, "")
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    return tmp_path / "mine"


def test_a_change_of_a_plugin_makes_its_jobs_stale_and_no_others(mine: Path) -> None:
    """Of a run whose configuration names the folder, from another working folder."""
    text = f"seed: 1\nplugins: [{mine}]\nexperiments: [which_feature, excess_grid]\nclaims: []\ntrials: 1\n"
    config = mine.parent / "run.yaml"
    config.write_text(text)

    def planned() -> dict[tuple[str, ...], tuple[str, str | None, str]]:
        jobs = [job for job in jobs_of(config=config) if job.script]
        return {
            job.outputs: (job.rule, dict(job.snakemake.wildcards.items()).get("experiment"), job.params.get("code"))
            for job in jobs
        }

    before = planned()
    twin(mine, "learners/from_above.py", "unused")
    path = mine / "learners/from_above.py"
    path.write_text(path.read_text() + "# a change\n")
    after = planned()
    stale = {after[outputs][:2] for outputs in after if after[outputs] != before[outputs]}
    rules = ("construct_cover", "private_select", "evaluate")
    assert stale == {(rule, "which_feature") for rule in rules}


def test_a_wrong_run_key_is_told(mine: Path) -> None:
    def load(plugins: object) -> None:
        settings = {"seed": 1, "results": "r", "experiments": [], "claims": [], "plugins": plugins}
        load_run(settings, mine.parent)

    with pytest.raises(ConfigError, match=r"config: /.*/nowhere: is not a folder"):
        load(["nowhere"])
    with pytest.raises(ConfigError, match="plugins = 'mine': must be a list"):
        load("mine")
    load(["mine"])


def test_no_room_of_the_laboratory_is_empty() -> None:
    """Nor of the library, whose rooms it has, too."""
    every = {room.name for room in rooms.every()} - {"figures", "studies", "twins"}  # these are of single papers
    assert {"measures", "figures/plots"} < every
    assert [room for room in every if not registry.names(room)] == []
