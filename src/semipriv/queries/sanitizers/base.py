"""What every sanitizer offers: points that stand for private ones (BNS15 definition A.2), a guarantee, sizes."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.base import HypothesisClass
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points
from semipriv.privacy.guarantee import Guarantee, Neighbours


class Sanitizer(ABC):
    """Releases k points such that the share of each set {x : h(x) != h'(x)}, h and h' of a class, is near its share of
    the private points.  A frozen value of its parameters.

    Those sets are the class of symmetric differences: where two hypotheses agree on all released points, they then
    differ on few private ones.
    """

    theorem: ClassVar[str]
    """What it realises: the theorem of its paper, or what it stands in for."""

    @property
    @abstractmethod
    def short_title(self) -> str:
        """The sanitizer's name in figures."""

    @abstractmethod
    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError if it cannot release points for the class."""

    def guarantee(self, epsilon: float) -> Guarantee:
        """Return what a release spends: (epsilon, 0) for replacing one entry."""
        return Guarantee(epsilon, 0.0, Neighbours.REPLACE_ENTRY)

    @abstractmethod
    def points_wanted(self, hypothesis_class: HypothesisClass, alpha: float) -> int:
        """Return a number k of points with which errors of alpha are reached: it depends on public things alone."""

    @abstractmethod
    def needed(
        self, hypothesis_class: HypothesisClass, size: int, epsilon: float, alpha: float, beta: float
    ) -> int | None:
        """Return from how many private points on each share is off by at most alpha with probability 1 - beta.

        None if nothing is proven here.  Raise ValueError if so few released points cannot do it.
        """

    def check_size(self, hypothesis_class: HypothesisClass, size: int) -> None:  # noqa: B027  (most release any number)
        """Raise ValueError if it cannot release so many points, whatever the private ones are."""

    @abstractmethod
    def sanitize(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float, randomness: Randomness
    ) -> Points:
        """Release ``size`` points, (size, d), for private points (n, d); their number is public.

        Raise ValueError for points outside the domain of the class.
        """


class FiniteSanitizer(Sanitizer):
    """A sanitizer that computes its exact distribution on tiny domains."""

    @abstractmethod
    def output_distribution(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float
    ) -> list[tuple[Points, float]]:
        """Return each possible release, sorted, with the logarithm of its probability.

        Raise ValueError if there are too many to list.
        """


def listed(table: Points, chosen: NDArray[Any]) -> Points:
    """Return points as often as they are chosen: rows (g, d), numbers (g,) -> (k, d)."""
    return np.repeat(table, chosen, axis=0)
