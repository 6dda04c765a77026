"""What query release is made of: a workload of queries over cells, and a method that answers all of its queries.

A query is a function h to {0, 1}; its answer on n records is their share with h = 1.  Points that all queries label
alike form a cell (BCM20 definition 2), so counts of records by cell hold all that the answers need.  Answers here are
in the scale of shares, 01; in the scale of BCM20, labels -1 and 1, they are 2 answer - 1 and errors double.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core import checks
from semipriv.core.randomness import Randomness
from semipriv.core.types import Bools, Floats, Integers
from semipriv.core.work import Cost, check_work
from semipriv.privacy.events import Account, Event
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.noise import draw_cost

Numbers = TypeVar("Numbers", Floats, Integers)


def typed_as(weights: Numbers, sums: Floats) -> Numbers:
    """Return sums of weights, worked out in floats, in the weights' type: exact for integers below 2^53."""
    return np.asarray(sums if weights.dtype.kind == "f" else np.rint(sums).astype(weights.dtype))


class Workload(ABC):
    """M queries over K cells: which cells each query labels 1.  It depends on public data only."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of queries M."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """Number of cells K."""

    @abstractmethod
    def sums(self, weights: Numbers) -> Numbers:
        """Return the sum of weights (K,) over the cells of each query, (M,): exactly for integers."""

    def sums_of(self, weights: Numbers) -> Callable[[int, int], Numbers]:
        """Return a function that gives ``sums(weights)[start:stop]``, bit for bit: for who needs but some of them."""
        every = self.sums(weights)
        return lambda start, stop: every[start:stop]

    @abstractmethod
    def row(self, query: int) -> Bools:
        """Return whether the query is 1 on each cell, (K,)."""

    def matrix(self) -> Bools:
        """Return all rows, (M, K)."""
        return np.array([self.row(query) for query in range(self.size)]).reshape(self.size, self.cells)


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a method released: answers (M,) in the scale of shares, and weights (K,) of the cells if it fits them.

    cost: named numbers, that depend on nothing private but what was released.  deviations: (M,), a standard deviation
    of each answer, as a share, if the method knows one; its docstring says under which distribution.
    """

    answers: Floats
    weights: Floats | None = None
    cost: Mapping[str, float] = field(default_factory=dict)
    deviations: Floats | None = None


class Method(ABC):
    """A mechanism that answers all queries of a workload on counts of private records by cell.

    A frozen value of its parameters.  The budget is the guarantee that it spends, for replacing one record: then two
    counts change, one by -1 and one by 1, and a sum of counts by at most 1.  Or it is for replacing one person, whose
    records share W units: then counts of units change by at most 2 W in L1, sqrt(2) W in L2, and a sum by at most W.
    """

    releasable: bool
    """Whether all that it draws has an exact sampler, so that ``Secure`` works."""

    @property
    @abstractmethod
    def short_title(self) -> str:
        """The method's name in figures."""

    def check(self, budget: Guarantee) -> None:
        """Raise ValueError if the method cannot spend this budget: epsilon = 0; for some methods, delta = 0."""
        checks.positive("epsilon", budget.epsilon)

    def refusal(self, hypothesis_class: HypothesisClass) -> str | None:
        """Return why the method cannot answer the queries of the class, whatever the public points; None if it can."""
        return None

    @abstractmethod
    def event(self, workload: Workload, budget: Guarantee) -> Event:
        """Return what ``fit`` does to the private records, at most; its cost is within the budget."""

    @property
    def weighs(self) -> bool:
        """Whether ``fit`` finds weights of the cells."""
        return False

    alone: int = 0
    """How many counts one record changes at least, if the method does nothing but add Gaussian noise at a delta > 0.

    0 if it does anything else.  Then the budget is ``whole(budget, alone)``, by the exact account of Gaussian noise."""

    reads_public: bool = False
    """Whether public points by cell make a difference."""

    def beside(self, public: Integers) -> "Method":
        """Return the method that knows public points by cell (K,); itself if it has no use for them."""
        return self

    def check_fit(self, workload: Workload, budget: Guarantee) -> None:
        """Raise ValueError if ``fit`` cannot answer the queries within the budget, whatever the counts.

        Public numbers alone decide: what this lets pass, ``fit`` answers.
        """
        Account(budget, self.alone).pay(self.event(workload, budget))
        number = self.draws(workload)
        if number is not None:
            instead = "take fewer public points, or a method that draws less noise, as mwem does"
            check_work(f"{number:,} draws of noise", draw_cost(number, budget), instead, begins=False)

    def note(self, workload: Workload, budget: Guarantee, n: int) -> str | None:
        """Return what whoever asks for a release should know, if n records are too few for it to tell of them.

        Public numbers alone decide.  None if there is nothing to say.
        """
        return None

    def draws(self, workload: Workload) -> int | None:
        """Return how many draws of noise ``fit`` takes, if they are what takes its time; None if others do."""
        return None

    def draw_cost(self, workload: Workload, budget: Guarantee) -> Cost | None:
        """Return what exact draws (``Secure``) of the noise take, about; None if nobody can tell."""
        number = self.draws(workload)
        return None if number is None else draw_cost(number, budget)

    @abstractmethod
    def fit(
        self, workload: Workload, counts: Integers, budget: Guarantee, randomness: Randomness, units: int = 1
    ) -> Fitted:
        """Answer all queries on counts (K,) int64, whose sum is public: n >= 1 records, or W units of each of n people.

        The result is a function of the workload, n, W and draws of mechanisms that together spend the budget.  units:
        W, of a person (``core.persons``); 1: records are counted.  Replacing a person moves counts by W times as much
        as replacing a record does, so noise and the sensitivity of scores are W times as large.
        """
