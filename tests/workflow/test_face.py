"""The face of the package: what ``semipriv.NAME`` loads, what type checkers see of it, and its version."""

import ast
import pickle
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from places import ROOT

import semipriv
from semipriv.cli import main
from semipriv.core import registry, rooms

STUB = Path(semipriv.__file__).with_suffix(".pyi")
FACE = {
    alias.asname: f"semipriv.{node.module}"
    for node in ast.parse(STUB.read_text()).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
"""The module of each name, as the stub says."""


def modules_after(code: str) -> set[str]:
    """Return the modules of the package that a new interpreter has loaded after some code."""
    script = f"{code}\nimport sys\nprint(*(m for m in sys.modules if m.startswith('semipriv')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("name", FACE)
def test_every_name_is_what_its_module_defines(name: str) -> None:
    exported = getattr(import_module(FACE[name]), name)
    assert getattr(semipriv, name) is exported
    assert pickle.loads(pickle.dumps(exported)) is exported


def test_the_names_are_those_of_the_stub() -> None:
    assert len(FACE) > 80
    assert sorted(FACE) == semipriv.__all__ == sorted(dir(semipriv))
    starred: dict[str, object] = {}
    exec("from semipriv import *", starred)
    assert starred.keys() >= FACE.keys()


@pytest.mark.parametrize("room", [room.name for room in rooms.every() if room.face])
def test_what_users_construct_has_a_name(room: str) -> None:
    plugins = registry.names(room)
    assert plugins
    for plugin in plugins:
        module, kind = registry.module(room, plugin), registry.load(room, plugin).__name__
        line = f"from {module.removeprefix('semipriv')} import {kind} as {kind}"
        assert FACE.get(kind) == module, f"add to src/semipriv/__init__.pyi: {line}"


@pytest.mark.parametrize("name", ["SSPP", "LinearRules", "Guarantee"])
def test_a_name_loads_its_own_modules_alone(name: str) -> None:
    loaded = modules_after(f"import semipriv; semipriv.{name}")
    assert loaded == modules_after(f"from {FACE[name]} import {name}")
    assert len(loaded) <= 60


def test_the_package_and_a_misspelt_name_load_nothing() -> None:
    wrong = "try:\n    semipriv.SSSPP\nexcept AttributeError as error:\n    assert 'SSSPP' in str(error)"
    assert modules_after(f"import semipriv\n{wrong}\nelse:\n    raise SystemExit(1)") == {"semipriv"}
    code = "import sys, semipriv; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_python_proposes_the_name_that_was_meant() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import semipriv; semipriv.SSSPP"], capture_output=True, text=True, check=False
    )
    assert "Did you mean: 'SSPP'?" in done.stderr


def test_a_type_checker_sees_the_face(tmp_path: Path) -> None:
    assert STUB.with_name("py.typed").exists()
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
    versions = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) \(\d{4}-\d\d-\d\d\)", heading) for heading in released]
    assert all(versions), released
    numbers = [tuple(map(int, version.groups())) for version in versions]
    assert numbers == sorted(set(numbers), reverse=True)
    newest = released[0].split()[0] if released else re.search(r"^The next version is (\S+), the first", text, re.M)[1]
    assert newest == semipriv.__version__
    assert set(re.findall(r"^### (.*)$", text, flags=re.M)) <= KINDS
