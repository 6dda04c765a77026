"""PMW with less noise than it pays for, and its exact distribution on two cells: too slow for a registered control."""

from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf
from semipriv.core.fields import checked, value
from semipriv.core.rounding import rational
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv.queries.base import Workload
from semipriv.queries.methods.pmw import PMW, Plan
from semipriv.queries.workloads import Listed
from semipriv_lab.papers.bcm20.controls.mwem import counted
from semipriv_lab.papers.bcm20.controls.transcripts import measured_by_pmw

EPSILON = 10.0
ACCURACY = 0.99
FAILURE = 0.9
METHOD = PMW(ACCURACY, failure=FAILURE, scales="book")
"""Three updates at most, of which two queries can use two."""
PROVEN = PMW(ACCURACY, failure=FAILURE)
"""The constants of the proof: two updates at most, which two queries can use up."""
CELLS = Listed(np.eye(2, dtype=bool))
"""Each of two cells."""


@dataclass(frozen=True)
class _Altered(Plan):
    """A plan that claims what it does, and draws noise of comparisons that is multiplied."""

    share: Fraction = Fraction(1)

    @property
    def noises(self) -> tuple[DiscreteLaplace, DiscreteLaplace, DiscreteLaplace]:
        lot, comparison, numeric = super().noises
        return lot, DiscreteLaplace(Fraction(comparison.scale) * self.share), numeric


@value
class Quieter(PMW):
    """PMW whose comparisons have less noise than it pays for, by the factor ``share``."""

    share: float | Fraction = checked(rational, default=Fraction(1))

    def plan(self, cells: int, queries: int, budget: Guarantee) -> Plan:
        """Return the plan with other noise of comparisons."""
        honest = super().plan(cells, queries, budget)
        return _Altered(
            **{attribute.name: getattr(honest, attribute.name) for attribute in fields(honest)},
            share=Fraction(self.share),
        )


def distribution(workload: Workload, share: Fraction = Fraction(1), method: PMW = METHOD) -> DistributionOf:
    """Return the distribution of the transcript by data set, worked out once for all orders of the records.

    share: factor of the noise of comparisons.
    """

    @cache
    def known(data: DataSet) -> LogProbabilities:
        counts = counted(data, workload.cells)
        return dict(measured_by_pmw(method, workload, counts, Guarantee(EPSILON), share))

    return lambda data: known(tuple(sorted(data)))


def quieter(share: Fraction) -> Quieter:
    """Return the method with less noise in comparisons."""
    return Quieter(METHOD.accuracy, METHOD.failure, scales=METHOD.scales, share=share)
