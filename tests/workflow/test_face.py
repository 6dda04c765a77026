"""The face of the package as type checkers see it, and its version."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from face import STUB, stub
from runs import ROOT

import semipriv
from semipriv.cli import main


def test_the_stub_is_in_step() -> None:
    assert STUB.read_text() == stub(), "PYTHONPATH=src:tests python tests/face.py"
    assert STUB.with_name("py.typed").exists()


def test_a_type_checker_sees_the_face(tmp_path: Path) -> None:
    user = tmp_path / "user.py"
    user.write_text("import semipriv as sp\nlearner = sp.SSPP(epsilon=1.0)\nreveal_type(learner)\nsp.SSSPP\n")
    mypy = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    done = subprocess.run([*mypy, str(user)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert 'Revealed type is "semipriv.papers.abm19.learners.sspp.SSPP"' in done.stdout, done.stdout + done.stderr
    assert 'Module has no attribute "SSSPP"' in done.stdout


def test_the_version_stands_in_one_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"] == ["version"]
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"semipriv {semipriv.__version__}\n"
    assert f"version: {semipriv.__version__}\n" in (ROOT / "CITATION.cff").read_text()


KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_changelog_is_by_version_and_kind() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    unreleased, *released = re.findall(r"^## (.*)$", text, flags=re.M)
    assert unreleased == "Unreleased"
    found = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) \(\d{4}-\d\d-\d\d\)", heading) for heading in released]
    assert all(found), released
    numbers = [tuple(map(int, version.groups())) for version in found]
    assert numbers == sorted(set(numbers), reverse=True)
    newest = released[0].split()[0] if released else re.search(r"^The next version is (\S+), the first", text, re.M)[1]
    assert newest == semipriv.__version__
    assert set(re.findall(r"^### (.*)$", text, flags=re.M)) <= KINDS
