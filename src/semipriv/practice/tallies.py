"""Sums of private records that are all a release needs: exact, and those of parts add up to those of the whole."""

from abc import ABC, abstractmethod
from typing import Any

from semipriv.arrays import Arrays
from semipriv.privacy.guarantee import Release
from semipriv.randomness import Randomness
from semipriv.samples import Labels, Points


class Statistic(ABC):
    """An additive sum over records.  Its limits depend on public numbers only.

    ``release`` has the law of the learner's release on all records at once.
    """

    rows: int
    """Number of records so far."""

    @abstractmethod
    def add(self, points: Points, labels: Labels) -> None:
        """Add records (n, d), (n,)."""

    @abstractmethod
    def merge(self, other: "Statistic") -> None:
        """Add the sums of another one of the same learner and public data, whose rows come after."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the sums, for a private file; ``restored`` inverts this."""

    @abstractmethod
    def release(self, randomness: Randomness) -> Release[Any]:
        """Draw the release."""


def statistic(learner: Any, prepared: Any, n_private: int) -> Statistic:
    """Return an empty statistic of a learner; prepared: what its public stage made.

    n_private: public number of all private rows.  Raise ValueError if so many rows cannot be kept where they must be.
    """
    raise NotImplementedError


def restored(learner: Any, prepared: Any, n_private: int, arrays: Arrays) -> Statistic:
    """Return the statistic with these sums."""
    raise NotImplementedError
