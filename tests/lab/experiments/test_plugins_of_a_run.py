"""Plug-in folders that the configuration of a run names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from runs import jobs_of
from strangers import control, written

from semipriv.core import overlay, registry, rooms
from semipriv.settings.reading import ConfigError
from semipriv_lab.experiments.loading import load_run


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The plug-in folder of docs/adding.md, not laid."""
    monkeypatch.setenv(overlay.VARIABLE, "")
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    return tmp_path / "mine"


def test_a_change_of_a_plugin_makes_its_jobs_stale_and_no_others(plugins: Path) -> None:
    """Of a run whose configuration names the folder, from another working folder."""
    text = f"seed: 1\nplugins: [{plugins}]\nexperiments: [which_feature, excess_grid]\nclaims: []\ntrials: 1\n"
    config = plugins.parent / "run.yaml"
    config.write_text(text)

    def planned() -> dict[tuple[str, ...], tuple[str, str | None, str]]:
        jobs = [job for job in jobs_of(config=config) if job.script]
        return {
            job.outputs: (job.rule, dict(job.snakemake.wildcards.items()).get("experiment"), job.params.get("code"))
            for job in jobs
        }

    before = planned()
    control(plugins, "learners/from_above.py", "unused")
    path = plugins / "learners/from_above.py"
    path.write_text(path.read_text() + "# a change\n")
    after = planned()
    stale = {after[outputs][:2] for outputs in after if after[outputs] != before[outputs]}
    rules = ("construct_cover", "private_select", "evaluate")
    assert stale == {(rule, "which_feature") for rule in rules}


def test_a_wrong_run_key_is_told(plugins: Path) -> None:
    def load(given: object) -> None:
        settings = {"seed": 1, "results": "r", "experiments": [], "claims": [], "plugins": given}
        load_run(settings, plugins.parent)

    with pytest.raises(ConfigError, match=r"config: /.*/nowhere: is not a folder"):
        load(["nowhere"])
    with pytest.raises(ConfigError, match="plugins = 'mine': must be a list"):
        load("mine")
    load(["mine"])


def test_no_room_of_the_laboratory_is_empty() -> None:
    """Nor of the library, whose rooms it has, too."""
    every = {room.name for room in rooms.every()} - {"figures", "studies", "controls"}  # these are of single papers
    assert {"measures", "figures/plots"} < every
    assert [room for room in every if not registry.names(room)] == []


def alone(code: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program that knows the library alone."""
    bare = {key: value for key, value in os.environ.items() if key != overlay.VARIABLE}
    command = [sys.executable, "-c", f"import sys; from semipriv.core import overlay, registry; {code}", *words]
    return subprocess.run(command, env=bare | environment, capture_output=True, text=True, check=False)


def test_rooms_of_the_laboratory_are_told_apart_by_the_library_alone(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv(overlay.VARIABLE, "")
    (tmp_path / "mine/measures").mkdir(parents=True)
    overlay.lay([tmp_path / "mine"])
    last = alone("overlay.lay(sys.argv[1:])", str(tmp_path / "mine")).stderr.splitlines()[-1]
    assert "none of the folders classes, " in last
    assert last.endswith("rooms of the laboratory need semipriv_lab, in a checkout of semipriv")


def test_a_folder_that_a_run_has_laid_is_inherited_by_jobs_that_know_the_library_alone(tmp_path: Path) -> None:
    """As are the steps of a release: the run looked at the folder, and found rooms of the laboratory in it."""
    (tmp_path / "mine/measures").mkdir(parents=True)
    done = alone("print('sspp' in registry.names('learners'))", **{overlay.VARIABLE: str(tmp_path / "mine")})
    assert done.stdout == "True\n", done.stderr
