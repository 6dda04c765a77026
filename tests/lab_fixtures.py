"""Runs of the workflow that tests share: conftest.py of each folder that asks for them has these fixtures."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from runs import MICRO, SMOKE, WHOLE, Job, part, planned, shared, snakemake

__all__ = ["finished", "jobs", "micro", "plan", "run_of", "smoke", "undisturbed"]


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Job]]:
    """Function that returns all jobs of the workflow, for more of Snakemake's arguments and a configuration."""

    @cache
    def jobs_of(*arguments: str, config: Path = MICRO) -> list[Job]:
        return planned(tmp_path_factory, *arguments, config=config)

    return jobs_of


@pytest.fixture(scope="session")
def micro(tmp_path_factory: pytest.TempPathFactory, plan: Callable[..., list[Job]]) -> Path:
    """Folder with the jobs of tests/fixtures/micro.yaml, in ``jobs``, and all that they make, in ``run``."""

    def make(folder: Path) -> None:
        (folder / "jobs").write_bytes(pickle.dumps(plan()))
        (folder / "run").mkdir()
        script = "import sys, runs; runs.run_all(*sys.argv[1:])"
        path = os.pathsep.join(sys.path)
        arguments = [sys.executable, "-c", script, str(folder / "jobs"), str(folder / "run")]
        subprocess.run(arguments, check=True, env=os.environ | {"PYTHONPATH": path})

    return shared(tmp_path_factory, "micro", make)


@pytest.fixture(scope="session")
def finished(micro: Path) -> Path:
    """What the jobs of tests/fixtures/micro.yaml make, one after the other in one process, without Snakemake."""
    return micro / "run"


@pytest.fixture(scope="session")
def jobs(micro: Path) -> dict[str, Job]:
    """The jobs that made it, by each of their outputs."""
    return {path: job for job in pickle.loads((micro / "jobs").read_bytes()) for path in job.outputs}


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a finished run of Snakemake: tests/fixtures/whole.yaml on one core."""
    return shared(
        tmp_path_factory, "undisturbed", lambda folder: snakemake(folder, WHOLE, "--cores", "1", "--quiet", "all")
    )


@pytest.fixture(scope="session")
def smoke(plan: Callable[..., list[Job]]) -> list[Job]:
    """All jobs of the smoke run."""
    return plan(config=SMOKE)


@pytest.fixture(scope="session")
def run_of(smoke: list[Job], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Function that returns a folder with the tables that the smoke run makes of an experiment or a study.

    Its figures are drawn from them where they are looked at.
    """

    def make(folder: Path, name: str) -> None:
        for job in part(smoke, name):
            if job.rule != "draw_figures":
                job.run(folder)

    return lambda name: shared(tmp_path_factory, f"smoke_{name}", lambda folder: make(folder, name))
