"""Which tables are measured, and with which part of the budget: a function of public numbers."""

from collections.abc import Sequence
from fractions import Fraction

import attrs

from semipriv.learners.statistics.prepared import Prepared
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.events import Composed, Event, GaussianEvent, Pure, gaussian_scale, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.residuals import Key

__all__ = ["Measure", "Plan", "allocated"]


@attrs.frozen
class Measure:
    """A table that is measured: its columns, its part of the budget, and the noise of a cell if a row had mass 1."""

    table: Key
    part: Fraction
    noise: DiscreteNoise

    @property
    def event(self) -> Event:
        """What the noise does to private rows: a table moves by at most 2 in L1 and sqrt 2 in L2, over a row's mass."""
        if isinstance(self.noise, DiscreteGaussian):
            return Composed([(GaussianEvent(self.noise.sigma), 2)])
        assert isinstance(self.noise, DiscreteLaplace), "noise is one of the two"
        return Pure(2 / Fraction(self.noise.scale))


@attrs.frozen
class Plan:
    """All that will be done to private rows, before one is read.

    measures: the tables.
    """

    measures: tuple[Measure, ...]

    @property
    def event(self) -> Event:
        """One part for each table."""
        return Composed([(one.event, 1) for one in self.measures])


def noise_of(budget: Guarantee, part: Fraction) -> DiscreteNoise:
    """Return the noise of a cell of a table that gets this part of a budget, if a row has mass 1."""
    spent = part * whole(budget)
    return DiscreteGaussian(gaussian_scale(spent / 2)) if budget.delta else DiscreteLaplace(2 / spent)


def allocated(prepared: Prepared, budget: Guarantee, n: int) -> tuple[Measure, ...]:
    """Return the tables that are measured, with their parts, whose sum is at most 1."""
    tables: Sequence[Key] = prepared.tables
    part = Fraction(1, max(len(tables), 1))
    return tuple(Measure(one, part, noise_of(budget, part)) for one in tables)
