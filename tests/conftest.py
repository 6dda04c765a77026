"""Settings shared by all tests.

Hypothesis without randomness, database or time limit, so that runs repeat exactly.  One thread for compiled kernels, as
in the workflow: tests run side by side already.
"""

from collections.abc import Iterator

import numba
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "semipriv", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("semipriv")
numba.set_num_threads(1)


@pytest.fixture
def all_threads() -> Iterator[None]:
    """As many threads as there are."""
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    yield
    numba.set_num_threads(1)
