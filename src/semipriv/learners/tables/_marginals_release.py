"""What both releases of tables share: rows that are fitted to noisy marginals, from a table or from its counts."""

from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol, TypeVar

from semipriv.core.randomness import Randomness, as_randomness
from semipriv.core.types import Integers
from semipriv.privacy.events import Account, Event, budget_event
from semipriv.privacy.guarantee import Guarantee, Output, Release
from semipriv.queries.marginals import Workload


class HasWorkload(Protocol):
    """What a public stage makes of public rows: a workload of marginals, and more."""

    @property
    def workload(self) -> Workload:
        """The marginals that are asked for."""


class HasEvent(Protocol):
    """The mechanisms of a release, worked out from public numbers."""

    @property
    def event(self) -> Event:
        """What is done to the private rows."""


S = TypeVar("S", bound=HasWorkload)
M = TypeVar("M", bound=HasEvent)
R = TypeVar("R", bound=Output)


class MarginalsRelease(ABC, Generic[S, M, R]):
    """Measures marginals of a private table with noise, and fits rows to them.

    S: what ``prepare`` returns.  M: the mechanisms of a release.  R: the rows that are released.
    """

    support: type[S]
    releasable = True

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private row."""

    @property
    @abstractmethod
    def alone(self) -> int:
        """By how much a marginal moves in squared L2 if all that is done is to add Gaussian noise; else 0."""

    @property
    def event(self) -> Event:
        """What a release does to the private rows, whatever the workload: it pays for all from one account."""
        return budget_event(self.guarantee, self.alone)

    @abstractmethod
    def _drawable(self, prepared: S, n_private: int, units: int) -> M:
        """Return the mechanisms of a release; raise ValueError if they cannot be drawn, by public numbers alone."""

    @abstractmethod
    def _draw(self, prepared: S, plan: M, counts: Integers, n: int, randomness: Randomness, units: int) -> Release[R]:
        """Release from the counts of all cells by mechanisms that are paid for."""

    def release(self, prepared: S, table: Any, randomness: Randomness) -> Release[R]:
        """Measure marginals of the private table, and fit rows to them.

        Args:
            prepared: what ``prepare`` returned.
            table: private rows, of the schema's columns.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            Weighted rows, with their guarantee and cost.

        Raises:
            ValueError: for what ``prepare`` did not return, a table that is not of the schema, and no private row:
                answers are shares of them.
        """
        if not isinstance(prepared, self.support):
            raise ValueError(f"prepared: is {type(prepared).__name__}, must be what `prepare` returns")
        randomness = as_randomness(randomness)
        codes = prepared.workload.schema.codes(table, "private table")
        plan = self._paid(prepared, len(codes), 1)
        return self._draw(prepared, plan, prepared.workload.counts(codes), len(codes), randomness, 1)

    def release_counts(
        self, prepared: S, counts: Integers, n: int, randomness: Randomness, units: int = 1
    ) -> Release[R]:
        """Release private rows of which the cells of all marginals are counted; counts of parts add up.

        Args:
            prepared: what ``prepare`` returned.
            counts: private rows in each cell of all marginals, one after the other.
            n: number of private rows, >= 1; of persons, if units of persons are counted.
            randomness: Secure() for a release, Simulation(seed) for a simulation.
            units: of a person (``core.persons``); 1: rows are counted.

        Returns:
            Weighted rows, with their guarantee and cost.
        """
        plan = self._paid(prepared, n, units)
        return self._draw(prepared, plan, counts, n, as_randomness(randomness), units)

    def check_release(self, prepared: S, n_private: int = 1, units: int = 1) -> None:
        """Check that a release can be drawn, whatever the private rows are: public numbers decide.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private rows, or of persons.
            units: of a person; 1: rows are counted.

        Raises:
            ValueError: for noise that is too wide or not within the budget, and for no private row.
        """
        self._paid(prepared, n_private, units)

    def _paid(self, prepared: S, n_private: int, units: int) -> M:
        if not n_private:
            raise ValueError("private table: has no row, answers are shares of its rows")
        plan = self._drawable(prepared, n_private, units)
        Account(self.guarantee, self.alone).pay(plan.event)
        return plan
