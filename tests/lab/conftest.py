"""The laboratory's tests: its rooms are found from here on, and runs of the workflow are shared."""

from lab_fixtures import *  # noqa: F403

import semipriv_lab  # noqa: F401
