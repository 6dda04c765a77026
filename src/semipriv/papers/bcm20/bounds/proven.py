"""BCM20 lemma 7 and theorem 10 with constants that are proved: PMW's parameters, and numbers of records.

The planner and the ledger use the same functions.  docs/findings.md has the proof, BCM20, "PMW with constants".
"""

import math
from dataclasses import dataclass

from semipriv.core import checks
from semipriv.papers.bcm20.bounds._ends import not_tiny
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.pmw import PMW

__all__ = ["Accurate", "pap", "pmw"]

SHARES = (1 / 2, 1 / 5, 1 / 10, 1 / 20, 1 / 50, 1 / 100)
"""Shares of the error that are tried for how far the data are from the population.

With 1/10 the records are no more than lemma 7 prints, for epsilon <= 1 and delta <= 1/4.
"""
MISSED = 1 / 8
"""Share of the failure probability for that."""


@dataclass(frozen=True)
class Accurate:
    """A method of query release, and how many records make it accurate."""

    method: PMW
    records: int


def pmw(error: float, failure: float, cells: int, queries: int, budget: Guarantee) -> Accurate:
    """Return PMW, and a number of records from which on its recorded answers are within an error of the population.

    Records are independent, of any distribution.  With probability 1 - failure no recorded answer to one of M queries
    on K cells is off by more than ``error``, in shares; in the scale of labels -1 and 1 that is twice as much.  For a
    share k of it, PMW aims at (1 - k) error, and n >= ln(16 M / failure) / (2 (k error)^2) records are within k error
    of the population, by Hoeffding's inequality.

    Args:
        error: in (0, 1), in shares.
        failure: beta, in (0, 1).
        cells: K or more.
        queries: M or more.
        budget: of the release.

    Source:
        BCM20 lemma 7, with constants of ours.

    >>> found = pmw(0.025, 0.05, 356, 356, Guarantee(1.0, 1e-6))
    >>> found.method.accuracy, found.records
    (0.02375, 9050064)
    """
    for name, value in (("error", error), ("failure", failure)):
        checks.between(name, value, 0, 1)
        not_tiny(name, value)
    checks.size("cells", cells)
    checks.size("queries", queries)
    noise, logarithm = failure * (1 - MISSED), math.log(2 * queries) - math.log(failure * MISSED)

    def accurate(share: float) -> Accurate:
        method = PMW(error * (1 - share), noise)
        sampled = math.ceil(logarithm / (2 * (error * share) ** 2))
        return Accurate(method, max(method.records(cells, queries, budget), sampled))

    return min(map(accurate, SHARES), key=lambda candidate: candidate.records)


def pap(alpha: float, beta: float, cells: int, queries: int, budget: Guarantee) -> Accurate:
    """Return PMW and the records of theorem 10: error alpha / 2 on labels -1 and 1, failure beta / 2, on the cover.

    With an alpha/4-cover, whose part is alpha / 2, the error over the whole class is within alpha.

    Source:
        BCM20 theorem 10, with constants of ours.
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        checks.between(name, value, 0, 1)
        not_tiny(name, value / 4)
    return pmw(alpha / 4, beta / 2, cells, queries, budget)
