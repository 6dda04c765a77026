"""Small label-determined data sets for the combinatorial claims of BMN20, many of them degenerate."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.core.rows import Distinct, distinct_rows
from semipriv.core.types import Integers
from semipriv_lab.papers.bmn20.studies import _oracles as oracles

__all__ = ["EVERY", "POINTS", "DataSet", "subsets_of_a_grid"]

PUBLIC, PRIVATE = 6, 5
"""The most public and private points of a random data set."""


@dataclass(frozen=True, eq=False)
class DataSet:
    """Label-determined data: public points (m, d) have label 0, private ones (n, d) label 1; integers."""

    public: Integers
    private: Integers

    @property
    def dimension(self) -> int:
        """d."""
        return self.public.shape[1]

    @cached_property
    def _distinct(self) -> Distinct:
        return distinct_rows(np.concatenate([self.public, self.private]))

    @property
    def points(self) -> Integers:
        """The distinct points, (p, d)."""
        return self._distinct.rows

    @cached_property
    def negatives(self) -> Integers:
        """Number of public examples at each point, (p,)."""
        return np.bincount(self._distinct.place[: len(self.public)], minlength=len(self.points))

    @cached_property
    def positives(self) -> Integers:
        """Number of private examples at each point, (p,)."""
        return np.bincount(self._distinct.place[len(self.public) :], minlength=len(self.points))

    @cached_property
    def halfspaces(self) -> Integers:
        """The points in each halfspace, as words with a bit for each point: all of them, each once."""
        return oracles.dichotomies(self.points)

    @cached_property
    def mistakes(self) -> Integers:
        """Mistakes of each halfspace."""
        return oracles.mistakes(self.halfspaces, self.negatives, self.positives)

    @property
    def best(self) -> int:
        """Mistakes of the best halfspace."""
        return int(self.mistakes.min())

    def __str__(self) -> str:
        return f"public {self.public.tolist()}, private {self.private.tolist()}"


def _around(radius: int) -> Callable[[np.random.Generator, int], DataSet]:
    def make(rng: np.random.Generator, d: int) -> DataSet:
        m, n = rng.integers(1, PUBLIC + 1), rng.integers(1, PRIVATE + 1)
        return DataSet(*(rng.integers(-radius, radius + 1, (k, d)) for k in (m, n)))

    return make


def _flat(dimension: int, share: float) -> Callable[[np.random.Generator, int], DataSet]:
    """Return a maker of data: public points on a random flat, each private point with probability ``share``, too."""

    def make(rng: np.random.Generator, d: int) -> DataSet:
        m, n = rng.integers(1, PUBLIC + 1), rng.integers(1, PRIVATE + 1)
        origin, directions = rng.integers(-3, 4, d), rng.integers(-3, 4, (dimension, d))
        public, private = (origin + rng.integers(-2, 3, (k, dimension)) @ directions for k in (m, n))
        elsewhere = rng.random(n) >= share
        private[elsewhere] = rng.integers(-4, 5, (elsewhere.sum(), d))
        return DataSet(public, private)

    return make


def _repeated(rng: np.random.Generator, d: int) -> DataSet:
    data = _around(1)(rng, d)
    return DataSet(data.public[[0] * len(data.public)], data.private)


def _few(rng: np.random.Generator, d: int) -> DataSet:
    data = _around(2)(rng, d)
    return DataSet(data.public[: rng.integers(1, d)], data.private)


def _no_public(rng: np.random.Generator, d: int) -> DataSet:
    data = _around(2)(rng, d)
    return DataSet(data.public[:0], data.private)


def _no_private(rng: np.random.Generator, d: int) -> DataSet:
    data = _around(2)(rng, d)
    return DataSet(data.public, data.private[:0])


def _coincident(rng: np.random.Generator, d: int) -> DataSet:
    data = _around(2)(rng, d)
    return DataSet(data.public, data.public[rng.integers(0, len(data.public), len(data.private))])


POINTS: dict[str, tuple[tuple[int, ...], Callable[[np.random.Generator, int], DataSet]]] = {
    "grid of radius 1": ((1, 2, 3), _around(1)),
    "grid of radius 2": ((1, 2, 3), _around(2)),
    "radius 50": ((1, 2, 3), _around(50)),
    "public on a line": ((2, 3), _flat(1, 0.7)),
    "all on a line": ((2, 3), _flat(1, 1.0)),
    "public on a plane": ((3,), _flat(2, 0.7)),
    "all on a plane": ((3,), _flat(2, 1.0)),
    "one repeated public point": ((1, 2, 3), _repeated),
    "fewer than d public points": ((2, 3), _few),
    "no public point": ((1, 2, 3), _no_public),
    "no private point": ((1, 2, 3), _no_private),
    "private at public points": ((1, 2, 3), _coincident),
}
"""Ways to place points, each with the dimensions in which it makes sense and the function that does it."""

EXHAUSTIVE = {1: 6, 2: 3, 3: 2}
"""Side of a grid by dimension.  Each nonempty subset is a public set; every point of the grid has a private example."""
EVERY = "every public set of a grid"


def subsets_of_a_grid(d: int) -> Iterator[DataSet]:
    """Yield every nonempty public set of the grid {0..s-1}^d, with one private example on every point of the grid."""
    grid = np.array(list(itertools.product(range(EXHAUSTIVE[d]), repeat=d)), np.int64)
    for flags in itertools.product((False, True), repeat=len(grid)):
        if any(flags):
            yield DataSet(grid[list(flags)], grid)
