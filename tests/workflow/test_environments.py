"""Environments: `make` makes its own, and touches no folder that somebody else made."""

import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from places import ROOT
from runs import environment

MAKEFILE = (ROOT / "Makefile").read_text()
FOLDERS = sorted(set(re.findall(r"(\.venv[\w-]*)/\.complete", MAKEFILE)))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The Makefile, where no environment installs anything."""
    folder = tmp_path / "project"
    (folder / "envs").mkdir(parents=True)
    for name in ("Makefile", "envs/make.py"):
        shutil.copy(ROOT / name, folder / name)
    for name in (*re.findall(r"/\.complete: (\S+\.lock)", MAKEFILE), "requirements.lock", "pyproject.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def make(project: Path, folder: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    command = ["make", f"{folder}/.complete", f"PYTHON={python}"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, env=bare())


def of_somebody_else(folder: Path) -> Path:
    """A folder with a file that must stay."""
    folder.mkdir()
    (folder / "thesis.txt").write_text("five years of work")
    return folder


def link(place: Path) -> None:
    place.symlink_to(of_somebody_else(place.parents[1] / "elsewhere"))


def link_to_an_environment_of_ours(place: Path) -> None:
    link(place)
    (place / ".semipriv").touch()


def link_to_nothing(place: Path) -> None:
    place.symlink_to("nowhere")


def file(place: Path) -> None:
    place.write_text("five years of work")


WAYS = {
    link: "is a link to",
    link_to_an_environment_of_ours: "is a link to",
    link_to_nothing: "is a link to nowhere",
    of_somebody_else: "was not made by this Makefile",
    file: "is a file",
}


def contents(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in folder.rglob("*") if path.is_file()}


MADE_BY_ONE_SCRIPT = [
    *((FOLDERS[0], way) for way in WAYS),
    *((folder, of_somebody_else) for folder in FOLDERS[1:]),
]
"""Every way in one folder, and every folder in one way."""


@pytest.mark.parametrize(
    ("folder", "way"),
    MADE_BY_ONE_SCRIPT,
    ids=lambda parameter: parameter if isinstance(parameter, str) else parameter.__name__,
)
def test_what_is_not_ours_is_refused_in_one_line_and_stays(
    project: Path, folder: str, way: Callable[[Path], object]
) -> None:
    way(project / folder)
    before = contents(project.parent)
    done = make(project, folder)
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith(f"{folder}: {WAYS[way]}")
    assert contents(project.parent) == before


def python(folder: Path, before: str) -> str:
    """A Python that does something first."""
    path = folder / "python3"
    then = "del sys.argv[0]; runpy.run_path('envs/make.py', run_name='__main__')"
    script = f"import runpy, signal, sys, venv; {before}; {then}"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{script}" "$@"\n')
    path.chmod(0o755)
    return str(path)


def test_an_interrupted_installation_is_made_again(project: Path, tmp_path: Path) -> None:
    """What is left of it is not in the way; in a checkout whose path has letters of any language."""
    project = project.rename(project.with_name("Jürgen_Ω-1.0,a+b@c=d~"))
    place = project / ".venv-slurm"
    done = make(project, place.name, python(tmp_path, "venv.create = lambda *_, **__: signal.raise_signal(2)"))
    assert done.returncode != 0
    (place / "half").mkdir()
    (place / "half/installed.py").touch()
    (place / "linked").symlink_to(of_somebody_else(tmp_path / "elsewhere"))
    done = make(project, place.name)
    assert done.returncode == 0, done.stderr
    assert not (place / "half").exists()
    assert not (place / "linked").is_symlink()
    assert (tmp_path / "elsewhere/thesis.txt").exists(), "a link inside is removed, not followed"
    command = [str(place / "bin/python"), "-c", "import sys, pip; print(sys.prefix)"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == str(place)
    assert "is up to date" in make(project, place.name).stdout


def test_an_environment_with_the_older_stamp_alone_is_ours(tmp_path: Path) -> None:
    """Those that were made before a folder was stamped as soon as there was one."""
    obstacle = runpy.run_path(str(ROOT / "envs/make.py"))["obstacle"]
    place = of_somebody_else(tmp_path / ".venv")
    assert obstacle(place)
    (place / ".complete").touch()
    assert obstacle(place) is None


def test_a_python_that_is_too_old_is_named(project: Path, tmp_path: Path) -> None:
    """The version is looked at before anything is touched."""
    done = make(project, ".venv", python(tmp_path, "sys.version_info = (3, 9, 2)"))
    assert "semipriv needs Python 3.11 or newer" in done.stderr
    assert "is 3.9.2: make PYTHON=..." in done.stderr
    assert not (project / ".venv").exists()


NAMES = ["a b", "a&b", "it's", "a(b)", "a;b", "a$b", "a#b", "a:b", "a%b", 'a"b', "a*b", "a\tb", "{a}"]
"""Names of folders that not all programs take; the first and the last are tried of a folder above, too."""


@pytest.mark.parametrize(("name", "above"), [*((name, False) for name in NAMES), (NAMES[0], True), (NAMES[-1], True)])
def test_a_checkout_where_it_cannot_work_is_refused_in_one_line(project: Path, name: str, above: bool) -> None:
    """Before anything is installed, or made."""
    place = project.rename(project.with_name(name))
    if above:
        (place / "inner").mkdir()
        for moved in (*("Makefile", "envs", "pyproject.toml"), *(path.name for path in place.glob("*.lock"))):
            (place / moved).rename(place / "inner" / moved)
        place /= "inner"
    before = contents(place)
    for goal in (".venv/.complete", "all", "test"):
        done = subprocess.run(
            ["make", goal, f"PYTHON={sys.executable}"],
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
            env=bare(),
        )
        assert done.returncode != 0
        lines = [line for line in done.stderr.splitlines() if not line.startswith("make")]
        assert len(lines) == 1
        assert "in its path, which not all programs take: move this folder; allowed are letters, digits and" in lines[0]
    assert contents(place) == before


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME"])
def test_a_home_that_cannot_be_written_is_replaced(project: Path, variable: str) -> None:
    """Whatever a recipe starts finds a home that it can write; one that can be written stays."""
    with (project / "Makefile").open("a") as file:
        file.write('\nwhose:\n\t@echo "$$HOME $${XDG_CACHE_HOME-}"\n')
    for given in ("/proc/nowhere", str(project / "home")):
        env = {key: value for key, value in bare().items() if key != "XDG_CACHE_HOME"} | {variable: given}
        done = subprocess.run(["make", "-s", "whose"], cwd=project, capture_output=True, text=True, check=True, env=env)
        kept = f"{env['HOME']} {env.get('XDG_CACHE_HOME', '')}"
        assert done.stdout.rstrip("\n") == (f"{project}/.snakemake/home " if given.startswith("/proc") else kept)
        assert done.stderr == ""


def bare() -> dict[str, str]:
    """The environment without what a make around this one hands on."""
    return {key: value for key, value in environment().items() if key not in ("MAKEFLAGS", "MAKELEVEL")}
