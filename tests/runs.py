"""Tools for tests that run Snakemake as a user does, in a folder of its own, or its jobs in this process."""

import atexit
import contextlib
import fcntl
import json
import os
import pickle
import re
import runpy
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from snakemake.iocontainers import Namedlist, Snakemake

FIXTURES = Path(__file__).parent / "fixtures"
MICRO = FIXTURES / "micro.yaml"
SMOKE = ROOT / "config/smoke.yaml"
SLURM = FIXTURES / "slurm.yaml"
WHOLE = str(FIXTURES / "whole.yaml")
TIMEOUT = 1800
"""Seconds that a run may take."""


def options(folder: Path, *arguments: str, config: Path = MICRO, root: Path = ROOT) -> list[str]:
    """Return Snakemake's arguments to work on the workflow with ``folder`` as its working directory."""
    start = ["--snakefile", str(root / "Snakefile"), "--directory", str(folder)]
    return [*start, "--configfile", str(root / "config" / "config.yaml"), str(config), *arguments]


def command(folder: Path, *arguments: str, config: Path = MICRO, root: Path = ROOT) -> list[str]:
    """Return the command that does so in a process of its own."""
    return [sys.executable, "-m", "snakemake", *options(folder, *arguments, config=config, root=root)]


def environment() -> dict[str, str]:
    """Return the environment without Snakemake's own variables."""
    return {key: value for key, value in os.environ.items() if not key.startswith("SNAKEMAKE")}


class Starter:
    """The process of ``starter.py``.  It ends with the test process.

    variables: of its environment, beside those of this process.
    """

    def __init__(self, **variables: str) -> None:
        script = [sys.executable, str(Path(__file__).with_name("starter.py"))]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(script, stdin=pipe, stdout=pipe, text=True, env=environment() | variables)
        atexit.register(self._process.communicate)

    def run(self, arguments: Sequence[str], jobs: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Do what a command line of Snakemake says; with ``jobs``, only write the jobs of the workflow there."""
        with tempfile.TemporaryDirectory() as folder:
            output, error = Path(folder, "output"), Path(folder, "error")
            task = {"arguments": arguments, "output": str(output), "error": str(error), "jobs": jobs and str(jobs)}
            print(json.dumps(task), file=self._process.stdin, flush=True)
            ready, _, _ = select.select([self._process.stdout], [], [], TIMEOUT)
            assert ready, f"still at work: {error.read_text()}"
            code = int(self._process.stdout.readline())
            return subprocess.CompletedProcess(arguments, code, output.read_text(), error.read_text())


starter = cache(Starter)


def checked(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    """Return a run that ended well.  Raise AssertionError, with the output, for another."""
    assert done.returncode == 0, f"{' '.join(done.args)} failed:\n{done.stdout}\n{done.stderr}"
    return done


def snakemake(
    folder: Path,
    *arguments: str,
    config: Path = MICRO,
    root: Path = ROOT,
    check: bool = True,
    inside: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake on the workflow with ``folder`` as its working directory.

    inside: words before the command: a program that runs it, with its arguments.  Raise AssertionError, with
    the output, if the run fails and ``check`` is true.
    """
    if inside:
        whole = [*inside, *command(folder, *arguments, config=config, root=root)]
        done = subprocess.run(whole, capture_output=True, text=True, env=environment(), timeout=TIMEOUT, check=False)
    else:
        done = starter().run(options(folder, *arguments, config=config, root=root))
    return checked(done) if check else done


@dataclass(frozen=True)
class Job:
    """A job of the workflow as Snakemake knows it.

    rule: its name; those that draw the batches of figures have one name, see ``family``.
    script: file that does its work, None for the rule that only collects.  snakemake: the object that the script gets.
    priority: of jobs that can start, that with the highest starts first.  sources: files and modules from which
    ``fingerprint`` computed its parameter ``code``.
    """

    rule: str
    script: str | None
    snakemake: Any
    priority: float = 0
    sources: tuple[Path | str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(self.snakemake.input)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(self.snakemake.output)

    @property
    def params(self) -> dict[str, Any]:
        return dict(self.snakemake.params.items())

    def singly(self) -> "list[Job]":
        """For a batch of figures a job for each of them, with its inputs, outputs and parameters alone; else itself."""
        return [self.only(figure) for figure in self.params["figures"]] if self.rule == "draw_figures" else [self]

    def only(self, figure: str) -> "Job":
        """The part of a batch that draws one figure."""
        given = self.snakemake
        files = [
            named({name: value for name, value in every.items() if name.rpartition(".")[0] == figure})
            for every in (given.input, given.output)
        ]
        captions = dict(zip(self.params["figures"], self.params["captions"], strict=True))
        own = {"figures": {figure: self.params["figures"][figure]}, "captions": [captions[figure]]}
        params = Namedlist(fromdict=self.params | own)
        rest = (given.wildcards, given.threads, given.resources, given.log, given.config, given.rule, None)
        return replace(self, snakemake=Snakemake(*files, params, *rest))

    def is_like(self, other: "Job") -> bool:
        """Return whether two jobs must do the same, if their inputs are the same."""
        return (self.script, self.inputs, self.params) == (other.script, other.inputs, other.params)

    def run(self, folder: Path) -> None:
        """Do its work in this process, in a folder that holds its inputs, as Snakemake would have it done there."""
        for path in (*self.outputs, *self.snakemake.log):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with contextlib.chdir(folder):
            runpy.run_path(self.script, init_globals={"snakemake": self.snakemake}, run_name="__main__")
        missing = [path for path in self.outputs if not (folder / path).exists()]
        assert not missing, f"{self.rule} did not make {missing}"


def named(files: dict[str, str | Sequence[str]]) -> Namedlist:
    """Return files, or lists of them, as Snakemake gives them to scripts."""
    parts = Namedlist()
    for name, paths in files.items():
        start = len(parts)
        parts.extend([paths] if isinstance(paths, str) else paths)
        parts._set_name(name, start, None if isinstance(paths, str) else len(parts))
    return parts


def family(rule: str) -> str:
    """Name of a rule: of those that draw a batch of figures each, what their names begin with."""
    return re.sub(r"^(draw_figures)_\w+$", r"\1", rule)


def jobs_of(*arguments: str, config: Path = MICRO, root: Path = ROOT, **variables: str) -> list[Job]:
    """Return all jobs of the workflow, each after those that it needs, from Snakemake, which runs none of them.

    variables: of the environment in which it is planned.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "jobs")
        checked(starter(**variables).run(options(Path(folder), *arguments, config=config, root=root), jobs=file))
        return [Job(family(rule), *parts) for rule, *parts in pickle.loads(file.read_bytes())]


def run_all(jobs: str, folder: str) -> None:
    """Run pickled jobs, one after the other, in a folder."""
    for job in pickle.loads(Path(jobs).read_bytes()):
        if job.script is not None:
            job.run(Path(folder))


def part(jobs: list[Job], name: str) -> list[Job]:
    """What belongs to an experiment or a study: its jobs, its figures, and what these need."""
    needed: set[str] = set()
    belonging = []
    for job in reversed([single for group in jobs for single in group.singly()]):
        of, figures = dict(job.snakemake.wildcards.items()), job.params.get("figures", {})
        own = name in (of.get("experiment"), of.get("study"), *(figure.split("__")[0] for figure in figures))
        if own or needed & {*job.outputs} or any(f"/claims/{name}." in path for path in job.inputs if figures):
            belonging.append(job)
            needed.update(job.inputs)
    return belonging[::-1]


def place(folder: Path, source: Path, paths: Sequence[str]) -> None:
    """Copy files from one working directory to another."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / path, folder / path)


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that all workers of a test session share; the first that asks for it makes what is in it."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, done = base / name, base / f"{name}.done"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def planned(factory: pytest.TempPathFactory, *arguments: str, config: Path = MICRO) -> list[Job]:
    """Return what ``jobs_of`` does, of the workflow as it is; it is planned once for all workers of a test session."""
    name = "-".join(["jobs", config.stem, *(Path(argument).stem for argument in arguments)])

    def make(folder: Path) -> None:
        (folder / "jobs").write_bytes(pickle.dumps(jobs_of(*arguments, config=config)))

    return pickle.loads((shared(factory, name, make) / "jobs").read_bytes())


def contents(folder: Path, *patterns: str) -> dict[str, bytes]:
    """Return the bytes of the files below a folder that match a pattern, by relative path."""
    files = {path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()}
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(files)}
