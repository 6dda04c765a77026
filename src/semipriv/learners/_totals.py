"""Private examples that are read through sums alone: one pass over the rows for each sum, in chunks of any size."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Generic

from semipriv.classes.base import Hypothesis
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Integers
from semipriv.learners.base import Learner
from semipriv.learners.stages.base import P
from semipriv.privacy.guarantee import Release

Summand = Callable[[Points, Labels], Integers]
"""Points (n, d) and labels (n,) to a sum of integers over these rows, to which each row adds by itself alone."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Private examples whose rows nobody holds.

    count: their public number.  chunks: all of them in order as points and labels, at least one chunk, at each call.
    """

    count: int
    chunks: Callable[[], Iterable[tuple[Points, Labels]]]

    def total(self, summand: Summand) -> Integers:
        """Return the sum over all rows; that of integers does not depend on the chunks."""
        return reduce(add, (summand(points, labels) for points, labels in self.chunks()))


class Totalling(Learner[P], Generic[P]):
    """A learner whose release needs sums over private rows one after the other, each chosen after the noise of others.

    So a table that no memory holds can be released: it is read once for each sum.
    """

    def release(self, prepared: P, points: Any, labels: Any, randomness: Randomness) -> Release[Hypothesis]:
        """Release from examples that are there as a whole."""
        x, y = self.functions(prepared).labelled(points, labels)
        return self.release_totals(prepared, Examples(len(x), lambda: [(x, y)]), randomness)

    @abstractmethod
    def functions(self, prepared: P) -> Any:
        """Return the functions from which one is released.

        Args:
            prepared: what ``prepare`` returned.

        Returns:
            The functions.
        """

    @abstractmethod
    def release_totals(self, prepared: P, examples: Examples, randomness: Randomness) -> Release[Hypothesis]:
        """Release from sums over the private examples.

        Args:
            prepared: what ``prepare`` returned.
            examples: the private examples.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            The hypothesis with its guarantee.
        """
