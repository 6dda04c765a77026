"""``semipriv new`` writes a file of each kind that ``semipriv check`` passes as it stands."""

import subprocess
import sys
from pathlib import Path

import pytest

from semipriv.cli import main
from semipriv.cli._templates import FILES
from semipriv.cli.new import write

ONE = {"learner": ("--property", "built again"), "class": ("--property", "each dichotomy once")}
"""A property for each kind that has many: all of them are checked by `make test-exhaustive`."""
TOGETHER = [tuple(ONE), tuple(kind for kind in FILES if kind not in ONE)]
"""Kinds that are checked by one process."""


@pytest.mark.parametrize(
    ("kinds", "properties"),
    [
        (TOGETHER[0], tuple(word for words in ONE.values() for word in words)),
        (TOGETHER[1], ()),
        *(pytest.param((kind,), (), marks=pytest.mark.exhaustive) for kind in ONE),
    ],
)
def test_what_is_new_passes_as_it_stands(kinds: tuple[str, ...], properties: tuple[str, ...], tmp_path: Path) -> None:
    """In a process of its own, as property tests list plug-ins when they are imported."""
    paths = [str(write(kind, f"my_own_{kind}", tmp_path / "mine")[-1]) for kind in kinds]
    done = subprocess.run(
        [sys.executable, "-m", "semipriv", "check", *paths, *properties],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(path in done.stdout for path in paths)


def test_a_broken_study_and_a_broken_experiment_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study, experiment = (write(kind, "broken", tmp_path / "mine")[-1] for kind in ("study", "experiment"))
    study.write_text(study.read_text().replace("1 + math.exp(-epsilon)", "1 + math.exp(-epsilon - 1)"))
    assert main(["check", str(study)]) == 1
    assert "BROKEN: measured with few trials: BROKEN-E1 violated" in capsys.readouterr().out
    experiment.write_text(experiment.read_text().replace("sspp", "sssp"))
    assert main(["check", str(experiment)]) == 2
    assert "sspp" in capsys.readouterr().err


def test_names_and_files_that_are_there_are_refused(tmp_path: Path) -> None:
    for name in ("My", "1st", "a-b", "a__b", "../a", ""):
        with pytest.raises(ValueError, match="must be small letters"):
            write("class", name, tmp_path)
    write("class", "mine", tmp_path)
    with pytest.raises(ValueError, match="is there already"):
        write("class", "mine", tmp_path)
    assert [path.name for path in tmp_path.rglob("*.py")] == ["mine.py"]
