"""What every oracle offers: a weighted empirical risk minimiser, and whether it is exact."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from time import perf_counter

from semipriv.classes.base import HypothesisClass, Predictions
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import registry
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Floats


class Oracle(ABC):
    """Minimises sum_i w_i 1[h(x_i) != y_i] over a class; weights w_i have any sign."""

    @property
    @abstractmethod
    def exact(self) -> bool:
        """Whether its answers are minimisers: without that there is no privacy (BBD24 algorithm 4)."""

    def check(self, hypothesis_class: HypothesisClass) -> None:  # noqa: B027  (most take every class)
        """Raise ValueError for a class that it cannot minimise over."""

    @abstractmethod
    def labels(self, hypothesis_class: HypothesisClass, points: Points, labels: Labels, weights: Floats) -> Predictions:
        """Return the labels of the points under what it found: points (n, d), labels (n,), weights (n,) finite."""


@dataclass
class Counted(Oracle):
    """An oracle that counts its calls, and the seconds that they take.

    Seconds depend on private data, and are no part of a release.
    """

    oracle: Oracle
    calls: int = 0
    seconds: float = 0.0

    @property
    def exact(self) -> bool:
        """As the oracle inside."""
        return self.oracle.exact

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError for a class that the oracle inside cannot minimise over."""
        self.oracle.check(hypothesis_class)

    def labels(self, hypothesis_class: HypothesisClass, points: Points, labels: Labels, weights: Floats) -> Predictions:
        """Ask the oracle inside."""
        start = perf_counter()
        try:
            return self.oracle.labels(hypothesis_class, points, labels, weights)
        finally:
            self.calls += 1
            self.seconds += perf_counter() - start


class OfHalfspaces(Oracle):
    """An oracle for halfspaces alone."""

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the class is halfspaces."""
        if not isinstance(hypothesis_class, Halfspaces):
            raise ValueError(f"oracle: {type(self).__name__} finds halfspaces, the class is {hypothesis_class!r}")


def oracle(name: str) -> Oracle:
    """Return the oracle with that name."""
    instance: Oracle = registry.load("oracles", name)()
    return instance
