"""Settings and fixtures shared by all tests.

Hypothesis without randomness, database or time limit, so that runs repeat exactly.  The kernels and the one thread of
the workflow: tests run side by side already, and what a job computes must be the same here.
"""

# ruff: noqa: E402  (kernels are pinned before NumPy is imported)
from semipriv.core import machine

machine.pin(one_core=False)  # of numba's threads see below

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path

import numba
import papers_here
import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings
from runs import MICRO, SMOKE, WHOLE, Job, part, planned, shared, snakemake

import semipriv_lab  # noqa: F401  (its rooms are found from here on)

settings.register_profile(
    "semipriv", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("semipriv")
numba.set_num_threads(1)
papers_here.skip_absent_papers()


FIRST = ("tests/workflow", "tests/rules")
"""Folders whose tests take longest: a worker that has one of them last would be waited for."""


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no doctests in tests: there are none, and each module would be gone through for them."""
    found = yield
    return [collector for collector in found if not isinstance(collector, DoctestModule)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort tests: those that take long before the many that do not."""
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what was imported and collected: it stays, and forks need not copy it."""
    gc.freeze()


@pytest.fixture
def all_threads() -> Iterator[None]:
    """As many threads as there are."""
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    yield
    numba.set_num_threads(1)


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
def made(smoke: list[Job], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Function that returns a folder with the tables that the smoke run makes of an experiment or a study.

    Its figures are drawn from them where they are looked at.
    """

    def make(folder: Path, name: str) -> None:
        for job in part(smoke, name):
            if job.rule != "draw_figures":
                job.run(folder)

    return lambda name: shared(tmp_path_factory, f"smoke_{name}", lambda folder: make(folder, name))
