"""What every way of counting intersections offers: how many make each number of mistakes, and which is the r-th."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.core.types import Bools, Integers
from semipriv.papers.bmn20.regions.family import Family

__all__ = ["Intersections", "Weighted"]


@dataclass(frozen=True, eq=False)
class Weighted:
    """Places (n, k) of the examples in the hull and their weights (n,): 1 for ones, -1 for zeros.

    A region R makes base + sum_{z in R} weight(z) mistakes.  base: the number of zeros, in the hull or not.  total:
    the number of all examples.
    """

    places: Integers
    weights: Integers
    base: int
    total: int


@dataclass(frozen=True, eq=False)
class Intersections(ABC):
    """All sets of 1 to J indices of a family's list, with the mistakes of the intersections of their halfspaces.

    Different sets of indices may have the same distinct halfspaces, and so the same region; each set counts.
    """

    family: Family
    sample: Weighted

    @cached_property
    @abstractmethod
    def counts(self) -> Integers:
        """Number of sets with 0, 1, ..., total mistakes, (total + 1,)."""

    @abstractmethod
    def find(self, mistakes: int, rank: int) -> tuple[int, ...]:
        """Return the distinct halfspaces of one set with that many mistakes; ``rank`` such sets come before it."""

    def inside(self) -> Bools:
        """Return which places each distinct halfspace holds: (2 t, n), or (2 t + 1, n) if the hull is one of them."""
        w = self.family.hyperplanes
        value = w[:, :-1] @ self.sample.places.T + w[:, -1:]
        both = np.stack([value >= 0, value <= 0], axis=1).reshape(2 * len(w), len(self.sample.places))
        return np.concatenate([both, np.ones((int(self.family.whole > 0), both.shape[1]), bool)])

    def multiplicities(self) -> Integers:
        """Return how often each distinct halfspace stands in the list."""
        both = np.repeat(self.family.multiplicity, 2)
        return np.append(both, self.family.whole) if self.family.whole else both
