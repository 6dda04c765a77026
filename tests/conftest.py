"""Settings and fixtures shared by all tests.

Hypothesis without randomness, database or time limit, so that runs repeat exactly.  The kernels and the one thread of
the workflow: tests run side by side already, and what a job computes must be the same here.
"""

# ruff: noqa: E402  (kernels are pinned before NumPy is imported)
from semipriv.core import machine

machine.pin(one_core=False)  # of numba's threads see below

import gc
from collections.abc import Generator, Iterator

import numba
import papers_here
import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

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
    outcome = yield
    return [collector for collector in outcome if not isinstance(collector, DoctestModule)]


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
