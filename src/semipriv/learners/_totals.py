"""Private examples that are read through sums alone: one pass over the rows for each sum, in chunks of any size."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Generic

import numpy as np

from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points
from semipriv.core.types import Floats, Integers
from semipriv.core.work import check_work
from semipriv.learners.base import Learner
from semipriv.learners.stages.base import P
from semipriv.mechanisms.gaussian_integers import GaussianIntegers
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.privacy.guarantee import Release

Summand = Callable[[Points, Any], Integers]
"""Points (n, d), labels or responses (n,) to a sum of integers over these rows, to which each adds by itself alone."""


Chunk = tuple[Points, Any, Integers | None]
"""Points (n, d), labels or responses (n,), and units of persons (n,), None if each row counts once."""


def weighted(summand: Summand, points: Points, labels: Any, units: Integers | None) -> Integers:
    """Return the sum over rows of the units of a row times what it adds, exactly.

    Rows of equal units are summed up at once, so that every summand of plain rows will do.

    >>> weighted(lambda x, y: y.sum(keepdims=True), np.zeros((3, 1)), np.array([1, 0, 1]), np.array([5, 7, 5]))
    array([10])
    """
    if units is None:
        return summand(points, labels)
    narrow = len(units) and units.max() < 2**16  # numbers of 16 bits are sorted in a tenth of the time
    order = np.argsort(units.astype(np.uint16) if narrow else units, kind="stable")
    ordered = units[order]
    total = 0 * summand(points[:0], labels[:0])
    for rows in np.split(order, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1):
        if len(rows) and (value := int(units[rows[0]])):
            total = total + value * summand(points[rows], labels[rows])
    return total


@dataclass(frozen=True, eq=False)
class Examples:
    """Private examples whose rows nobody holds.

    count: public number of rows; of persons, if rows have units of persons.  chunks: all rows in order, at least one
    chunk, at each call.  units: of a person (``core.persons``); 1: each row counts once.
    """

    count: int
    chunks: Callable[[], Iterable[Chunk]]
    units: int = 1

    def total(self, summand: Summand) -> Integers:
        """Return the sum over all rows, in units; that of integers does not depend on the chunks."""
        return reduce(add, (weighted(summand, *chunk) for chunk in self.chunks()))

    def noisy(self, noise: NoisyIntegers | GaussianIntegers, summand: Summand, randomness: Randomness) -> Floats:
        """Return the sum over all rows with noise, a unit as the share of a person that it is.

        Replacing a person moves the sum in units by so many times as much as replacing a row moves a sum of rows.
        """
        return np.asarray(noise.per(self.units).release(self.total(summand), randomness) / self.units)


class Totalling(Learner[P], Generic[P]):
    """A learner whose release needs sums over private rows one after the other, each chosen after the noise of others.

    So a table that no memory holds can be released: it is read once for each sum.
    """

    def release(self, prepared: P, points: Any, labels: Any, randomness: Randomness) -> Release[Any]:
        """Release from examples that are there as a whole."""
        x, y = self.functions(prepared).labelled(points, labels)
        return self.release_totals(prepared, Examples(len(x), lambda: [(x, y, None)]), randomness)

    def check_release(self, prepared: P, n_private: int) -> None:
        """Check that the sums over so many examples are made within the limits.

        Raises:
            WorkError: if they are not.
        """
        super().check_release(prepared, n_private)
        cost = self.draw_cost(prepared, n_private)
        if cost is not None:
            what = f"sums over {n_private:,} private rows of {self.functions(prepared).dimension:,} features"
            check_work(what, cost, "take fewer columns", begins=False)

    @abstractmethod
    def functions(self, prepared: P) -> Any:
        """Return the functions from which one is released.

        Args:
            prepared: what ``prepare`` returned.

        Returns:
            The functions.
        """

    @abstractmethod
    def release_totals(self, prepared: P, examples: Examples, randomness: Randomness) -> Release[Any]:
        """Release from sums over the private examples.

        Args:
            prepared: what ``prepare`` returned.
            examples: the private examples.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            The hypothesis, or what else is learned, with its guarantee.
        """
