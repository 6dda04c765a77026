"""The relative frequency of an event in trials, with confidence limits."""

import numpy as np

from semipriv.core.statistics import Interval, frequency
from semipriv.core.types import Bools


def share(events: Bools, level: float) -> Interval:
    """Return how often an event occurs, with Clopper-Pearson limits at a two-sided level: (trials,)."""
    return frequency(int(np.count_nonzero(events)), len(events), level)
