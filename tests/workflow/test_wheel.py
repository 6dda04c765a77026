"""The package as a wheel, outside of the checkout: it lacks nothing, and says in one line what it cannot do alone."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
import yaml
from flit_core import buildapi
from packaging.requirements import Requirement
from places import ROOT

PACKAGE = ROOT / "src/semipriv"
DEPENDENCIES = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
OTHERS = {"matplotlib", "seaborn", "snakemake", "pytest", "ibis", "duckdb", "psycopg", "pyspark", "sqlglot"}
"""Packages of the extras."""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, as `make wheel` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return folder / buildapi.build_wheel(str(folder))


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    every = {path.relative_to(ROOT / "src").as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    source = {path for path in every if "__pycache__" not in path}
    assert {"semipriv/py.typed", "semipriv/__init__.pyi", "semipriv/audit/properties/check.ini"} <= source
    with zipfile.ZipFile(wheel) as archive:
        packed = {path for path in archive.namelist() if ".dist-info/" not in path}
        (metadata,) = (path for path in archive.namelist() if path.endswith("/METADATA"))
        text = archive.read(metadata).decode()
    assert packed == source
    assert "Requires-Python: >=3.11\n" in text
    needed = {Requirement(line) for line in re.findall(r"^Requires-Dist: (.*)$", text, flags=re.M)}
    assert {requirement.name for requirement in needed if requirement.marker is None} == {
        Requirement(line).name for line in DEPENDENCIES
    }
    extras = set(re.findall(r"^Provides-Extra: (.*)$", text, flags=re.M))
    assert extras == {"figures", "workflow", "check", "database", "spark"}


def closure(lines: Iterable[str]) -> dict[str, Distribution]:
    """Distributions by name that requirements ask for, and those that these ask for."""
    installed: dict[str, Distribution] = {}
    left = [Requirement(line) for line in lines]
    while left:
        asked = left.pop()
        if asked.name in installed or (asked.marker is not None and not asked.marker.evaluate({"extra": ""})):
            continue
        installed[asked.name] = distribution(asked.name)
        left += map(Requirement, installed[asked.name].requires or ())
    return installed


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return what runs a command of a fresh environment, into which the wheel was installed, in a folder elsewhere.

    The environment has links to the wheel's dependencies, and to theirs, in this one, and nothing else.
    """
    home = tmp_path_factory.mktemp("elsewhere")
    venv, bare = home / "venv", {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(venv / "bin/python")]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True, env=bare)
    (site,) = venv.glob("lib/*/site-packages")
    for package in closure(DEPENDENCIES).values():
        for top in {path.parts[0] for path in package.files or ()} - {"..", "__pycache__"}:
            (site / top).symlink_to(Path(str(package.locate_file(top))))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(venv / "bin" / words[0]), *words[1:]]
        return subprocess.run(command, cwd=home, env=bare, capture_output=True, text=True, check=False, timeout=300)

    location = run("python", "-c", "import semipriv; print(semipriv.__file__)").stdout
    assert location.strip() == str(site / "semipriv/__init__.py")
    return run


@pytest.fixture(scope="module")
def home(installed: Run) -> Path:
    """Return the folder in which commands run, with the worked example, and what is wrong without the laboratory."""
    folder = Path(installed("python", "-c", "import os; print(os.getcwd())").stdout.strip())
    request = yaml.safe_load((ROOT / "config/release.yaml").read_text())
    stored = {"database": "duckdb://clinic.duckdb", "table": "clinic"}
    (folder / "example.yaml").write_text(yaml.safe_dump(request))
    (folder / "stored.yaml").write_text(yaml.safe_dump(request | {"private": stored}))
    for name in ("mine/learners", "measuring/measures"):
        (folder / name).mkdir(parents=True)
    (folder / "mine/learners/x.py").write_text(
        "from semipriv.learners.discard_private import DiscardPrivate\n\n\nclass X(DiscardPrivate): ...\n\n\n"
        '__all__ = ["X"]\n'
    )
    return folder


EVERY = """
import importlib, pkgutil, sys
import semipriv
for one in pkgutil.walk_packages(semipriv.__path__, "semipriv.", onerror=lambda name: None):
    if not one.name.endswith("__main__"):
        try:
            importlib.import_module(one.name)
        except ModuleNotFoundError as error:
            print(one.name, error.name)
print(len([name for name in sys.modules if name.startswith("semipriv.")]))
"""


def test_the_library_imports_without_the_packages_of_its_extras(installed: Run) -> None:
    """Those of its modules that draw, read databases or check properties need one, and no other module imports them."""
    done = installed("python", "-c", EVERY)
    *lacking, imported = done.stdout.splitlines()
    assert not done.returncode, done.stderr
    assert int(imported) > 400
    for name, package in map(str.split, lacking):
        assert package in OTHERS
        assert re.match(
            r"semipriv\.(drawing|practice\.databases|audit\.properties)\b|.*\b_?(\w+_)?(figure|marginals)$", name
        ), name


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("claim --list", r"unknown subcommand 'claim' .* in a checkout of semipriv, with semipriv\[workflow\]"),
        ("relase", "unknown subcommand 'relase': did you mean 'release'"),
        ("plan --class intervals --alpha 0.1 --epsilon 1 --picture a.png", r"pictures need .*'semipriv\[figures\]'"),
        ("check mine/learners/x.py", r"property tests need pytest, .*'semipriv\[check\]'"),
        ("release stored.yaml", r".*databases need \w+, .*'semipriv\[database\]'"),
        ("--plugins measuring completion bash", ".*measuring: is not a plug-in folder.* need semipriv_lab.* checkout"),
        ("release config/release.yaml", "config/release.yaml.* cannot be read"),
    ],
)
def test_what_is_missing_is_told_in_one_line(installed: Run, home: Path, words: str, line: str) -> None:
    before = files_of(home)
    done = installed("semipriv", *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"semipriv: {line}.*\n", done.stderr), done.stderr
    assert files_of(home) == before, "nothing was begun"


def files_of(home: Path) -> set[Path]:
    """Files that commands wrote."""
    return {path for name in ("*.png", "ledgers/**/*", "results/**/*") for path in home.glob(name)}


@pytest.mark.exhaustive
def test_the_python_of_the_readme_runs_outside(installed: Run) -> None:
    block = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.S))
    done = installed("python", "-c", f"{block}\nprint(release.certified())")
    assert done.stdout.startswith("Guarantee(epsilon=1.0"), done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("--version", "semipriv 0."),
        ("--help", "write the tables of the worked example"),
        ("plan --class thresholds --alpha 0.1 --epsilon 1 --proven-only", "public"),
        ("budget open budgets/a.jsonl --epsilon 1", "sum of epsilons  1"),
    ],
)
def test_the_command_line_works_outside(installed: Run, words: str, answer: str) -> None:
    done = installed("semipriv", *words.split())
    assert answer in done.stdout, done.stderr


@pytest.mark.exhaustive
def test_a_release_needs_no_checkout(installed: Run, home: Path) -> None:
    """The worked example: its tables, a ledger, the release without a picture, and its check."""
    for words in (
        "example",
        "budget open ledgers/example.jsonl --epsilon 1",
        "release example.yaml",
        "verify results/releases/example",
    ):
        done = installed("semipriv", *words.split())
        assert done.returncode == 0, f"{words}: {done.stderr}"
        if words.startswith("release"):
            assert re.search(r"could not be drawn: pictures need matplotlib.*'semipriv\[figures\]'\n\Z", done.stderr)
    files = {path.name for path in (home / "results/releases/example").iterdir()}
    assert files == {"model.json", "certificate.json", "certificate.html"}


@pytest.mark.exhaustive
def test_a_type_checker_sees_the_installed_face(installed: Run, home: Path, tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text("import semipriv as sp\nreveal_type(sp.SSPP(epsilon=1.0))\nsp.SSSPP\n")
    asked = ["--config-file=", "--cache-dir", tmp_path, "--python-executable", home / "venv/bin/python"]
    command = [sys.executable, "-m", "mypy", *asked, tmp_path / "user.py"]
    bare = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=home, env=bare, capture_output=True, text=True, check=False)
    assert 'Revealed type is "semipriv.papers.abm19.learners.sspp.SSPP"' in done.stdout, done.stdout + done.stderr
    assert 'Module has no attribute "SSSPP"' in done.stdout
