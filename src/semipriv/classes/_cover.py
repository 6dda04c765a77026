"""Covers, one hypothesis for each dichotomy of public points, and tallies, their mistakes on labelled examples."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy
from numpy.typing import ArrayLike

from semipriv.classes._hypothesis import Hypothesis, Predictions, Predictors
from semipriv.core.arrays import Arrays
from semipriv.core.estimates import bounded
from semipriv.core.functions import Parameters
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points
from semipriv.core.types import Floats, Integers
from semipriv.core.work import NOTHING, Cost, check_work, count
from semipriv.mechanisms.sampling.choice import below, choose_pool

DOMAIN = "the representative domain has up to {} points"
"""What ``check_listing`` says of the rows of a representative domain."""


HYPOTHESES = "the cover has up to {} hypotheses"
"""What ``check_listing`` says of the rows of a cover."""


def check_listing(
    rows: int, width: int, instead: str, what: str = HYPOTHESES, cost: Cost = NOTHING, *, begins: bool = True
) -> None:
    """Raise WorkError, a ValueError, if rows x width numbers take more memory than is allowed, or longer.

    instead: what the message advises.  what: what it says of the rows; {} stands for their number.  cost: what it takes
    to list them, besides these numbers.  begins: whether they are listed at once.
    """
    cost += Cost(0.0, 8.0 * bounded(rows) * width)
    check_work(f"{what.format(count(rows))} to list", cost, instead, begins=begins)


class Tally(ABC):
    """The number of mistakes of every hypothesis of a cover on one labelled sample.  The cover need not be listed.

    Replacing an example of the sample changes each number of mistakes by at most 1.
    """

    @abstractmethod
    def histogram(self) -> tuple[Integers, Integers]:
        """Count the hypotheses by their numbers of mistakes.

        Returns:
            The numbers of mistakes that occur, increasing, and how often each occurs: (p,), (p,) int64.
        """

    @abstractmethod
    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw uniformly from the hypotheses with a number of mistakes.

        Args:
            mistakes: the number.
            randomness: Secure() or Simulation(seed).

        Returns:
            One of these hypotheses.

        Raises:
            ValueError: if there is none.
        """

    def draw(self, rate: Fraction, randomness: Randomness) -> Hypothesis:
        """Draw a hypothesis with probability proportional to exp(-rate mistakes), exactly if randomness is Secure.

        Args:
            rate: exponent of one mistake, >= 0; a fraction, which is kept exactly.
            randomness: Secure() or Simulation(seed).

        Returns:
            The hypothesis.
        """
        mistakes, counts = self.histogram()
        pool = choose_pool(mistakes - mistakes[0], counts, rate, randomness)
        return self.member(int(mistakes[pool]), randomness)

    def log_partition(self, rate: float) -> float:
        """Return the natural logarithm of sum_h exp(-rate mistakes(h)).

        Args:
            rate: exponent of one mistake, >= 0.

        Returns:
            The logarithm.
        """
        mistakes, counts = self.histogram()
        return float(scipy.special.logsumexp(-rate * mistakes, b=counts))

    def expected_mistakes(self, rate: float) -> float:
        """Return the mean number of mistakes under probabilities proportional to exp(-rate mistakes).

        Args:
            rate: exponent of one mistake, >= 0.

        Returns:
            The mean, between the fewest and the most mistakes.
        """
        mistakes, counts = self.histogram()
        weights = counts * np.exp(-rate * (mistakes - mistakes[0]))
        return float(weights @ mistakes / weights.sum())


@dataclass(frozen=True, eq=False)
class Cover(ABC):
    """One hypothesis for each dichotomy of the distinct public points.

    A cover lists its hypotheses (``ListedCover``), or stores the points alone if it is large.  Then ``listed`` makes
    the list if memory allows, and ``tally`` counts and draws without a list.

    Args:
        functions: the set to which the hypotheses belong, the class itself unless the learner is improper.
        points: (m, d) distinct public points, sorted.

    Source:
        ABM19 algorithm 1, steps 1 to 5.
    """

    functions: Predictors
    points: Points

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of dichotomies, exact for every size."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the arrays from which the cover is restored.

        Returns:
            Arrays by name, ``points`` (m, d) among them.
        """

    def __len__(self) -> int:
        return self.size

    @abstractmethod
    def listed(self) -> "ListedCover":
        """Return a list of the same hypotheses in a fixed order.

        Returns:
            A cover with its parameters (k, p).

        Raises:
            ValueError: if it would take more memory than is allowed.
        """

    def listed_mistakes(self, points: ArrayLike, labels: ArrayLike) -> tuple["ListedCover", Integers]:
        """List the hypotheses and the mistakes that ``tally`` counts, (k,) int64.

        Args:
            points: (n, d).
            labels: (n,) in {0, 1}.

        Returns:
            The list, and the mistakes (k,) in its order.
        """
        listed = self.listed()
        return listed, listed.mistakes(points, labels)

    @abstractmethod
    def tally(self, points: ArrayLike, labels: ArrayLike) -> Tally:
        """Count the mistakes of every hypothesis on labelled examples.

        Args:
            points: (n, d).
            labels: (n,) in {0, 1}.

        Returns:
            The numbers of mistakes, which draw hypotheses.
        """

    def tally_cost(self, n: int) -> Cost | None:
        """Return what it takes to tally so many examples and to draw, about.

        Args:
            n: number of examples.

        Returns:
            Seconds on one core, and memory; None if it is not known.
        """
        return None

    def breaks(self) -> "tuple[Floats, ...] | None":
        """Return increasing numbers on each axis, such that no label changes between them.

        In [b_i, b_{i + 1}) on each axis all points are alike.  Such a cover has ``tally_counts``, too: mistakes are
        known by the numbers of ones and zeros in each cell, which add up over parts of a sample.

        Returns:
            An array of breaks for each axis; None if there are none.
        """
        return None


@dataclass(frozen=True, eq=False)
class ListedCover(Cover):
    """A cover with a list of its hypotheses.

    parameters: (k, p), one row for each dichotomy, in a fixed order.  The order depends on the public points alone.
    """

    parameters: Parameters

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.parameters)

    def __getitem__(self, index: int) -> Hypothesis:
        return Hypothesis(self.functions, self.parameters[index])

    def arrays(self) -> Arrays:
        """Return points (m, d) and parameters (k, p)."""
        return {"points": self.points, "parameters": self.parameters}

    def listed(self) -> "ListedCover":
        """Return itself."""
        return self

    def dichotomies(self) -> Predictions:
        """Return the dichotomies of the public points, (k, m) bool."""
        return self.functions.predict(self.parameters, self.points)

    def mistakes(self, points: ArrayLike, labels: ArrayLike) -> Integers:
        """Return the number of mistakes of each hypothesis on labelled examples: (n, d), (n,) -> (k,) int64."""
        return self.functions.mistakes(self.parameters, *self.functions.labelled(points, labels))

    def tally_cost(self, n: int) -> Cost:
        """Return what the functions say of so many hypotheses and examples."""
        return self.functions.mistakes_cost(self.size, n)

    def tally(self, points: ArrayLike, labels: ArrayLike) -> "ListedTally":
        """Return the list of mistakes."""
        return ListedTally(self, self.mistakes(points, labels))


@dataclass(frozen=True, eq=False)
class ListedTally(Tally):
    """Mistakes (k,) of the hypotheses of a listed cover."""

    cover: ListedCover
    mistakes: Integers

    def histogram(self) -> tuple[Integers, Integers]:
        """Return the distinct numbers of mistakes and how many hypotheses have each: both (p,), by counting."""
        counts = np.bincount(self.mistakes)
        values = np.flatnonzero(counts)
        return values, counts[values]

    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw uniformly from the hypotheses with that many mistakes; raise ValueError if there is none."""
        members = np.flatnonzero(self.mistakes == mistakes)
        if not members.size:
            raise ValueError(f"mistakes = {mistakes}: no hypothesis makes that many")
        return self.cover[int(members[below(members.size, randomness)])]
