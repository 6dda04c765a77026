"""No private data at all: uniform weights of the cells."""

import numpy as np

from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.types import Integers
from semipriv.privacy.events import NOTHING, Event
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Fitted, Method, Workload

__all__ = ["Prior"]


@value
class Prior(Method):
    """Every cell weighs 1/K.  It spends nothing, and is what PMW and MWEM start from.

    For prefixes whose cells lie between public points this is their empirical distribution, up to 1/K.
    """

    releasable = True

    short_title = "uniform cells"

    def check(self, budget: Guarantee) -> None:
        """Take any budget, none is spent."""

    def event(self, workload: Workload, budget: Guarantee) -> Event:
        """Return the event of reading nothing."""
        return NOTHING

    weighs = True

    def check_fit(self, workload: Workload, budget: Guarantee) -> None:
        """Let everything pass: nothing is drawn."""

    def fit(
        self, workload: Workload, counts: Integers, budget: Guarantee, randomness: Randomness, units: int = 1
    ) -> Fitted:
        """Answer each query by its share of the cells."""
        weights = np.full(workload.cells, 1 / workload.cells)
        return Fitted(np.clip(workload.sums(weights), 0.0, 1.0), weights)
