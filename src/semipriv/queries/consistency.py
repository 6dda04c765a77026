"""What methods share that estimate ordered cells by least squares in a tree of noisy counts."""

import math
from abc import abstractmethod
from functools import lru_cache

import numpy as np

from semipriv.core.fields import size, value
from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Integers
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Fitted, Workload
from semipriv.queries.hierarchy import OrderedCells, Tree, isotonic
from semipriv.queries.least_squares import node_counts, run_variances
from semipriv.queries.workloads import Runs


@value
class Consistent(OrderedCells):
    """Noisy counts of all nodes of a tree, least squares, prefixes made nondecreasing.

    Args:
        levels: of the tree below its root, at most ceil log2 K; None: those with the least mean variance of prefixes
            under discrete Laplace noise.
    """

    levels: int | None = size(optional=True, default=None)

    weighs = True

    def tree(self, cells: int) -> Tree:
        """Return the tree with so many levels and as few children of a node as hold all cells."""
        return best_tree(cells) if self.levels is None else shallow(cells, self.levels)

    def fit(
        self, workload: Workload, counts: Integers, budget: Guarantee, randomness: Randomness, units: int = 1
    ) -> Fitted:
        """Measure all nodes, and answer runs by the estimate over n; raises ValueError for other workloads."""
        queries = self._runs(workload)
        n, tree, noise = int(counts.sum()) // units, self.tree(workload.cells), self.noise(workload.cells, budget)
        noise = noise.per(units)
        measured = [noise.add(level, randomness).astype(np.float64) / units for level in node_counts(tree, counts)]
        variance = noise.variance / units**2
        prefixes, variances, cost = self._estimate(tree, measured, variance, n, queries)
        shares = (prefixes[queries.stop] - prefixes[queries.start]) / n
        cost = {"noise": variance**0.5, **cost}
        return Fitted(np.clip(shares, 0.0, 1.0), np.diff(prefixes) / n, cost, np.sqrt(variances) / n)

    @abstractmethod
    def _estimate(
        self, tree: Tree, measured: list[Floats], variance: float, n: int, queries: Runs
    ) -> tuple[Floats, Floats, dict[str, float]]:
        """Return prefixes by ``monotone`` (K + 1,), variances of the queries' counts (M,), and what to tell beside."""


def monotone(cells: Floats, n: int) -> Floats:
    """Return the sums of the first 0, ..., K cells, (K + 1,), as the nearest nondecreasing ones from 0 to n.

    >>> monotone(np.array([3.0, -1.0, 2.0]), 4).tolist()
    [0.0, 2.5, 2.5, 4.0]
    """
    return np.concatenate([[0.0], isotonic(np.cumsum(cells[:-1]), n), [float(n)]])


def shallow(cells: int, levels: int) -> Tree:
    """Return the tree of so many levels, at most ceil log2 K, with the fewest children of a node.

    >>> shallow(1024, 2), shallow(1024, 3), shallow(1024, 99)
    (Tree(branching=32, levels=2), Tree(branching=11, levels=3), Tree(branching=2, levels=10))
    """
    levels = min(levels, max(1, (cells - 1).bit_length()))
    branching = max(2, math.floor(cells ** (1 / levels)) - 1)
    while branching**levels < cells:
        branching += 1
    return Tree(branching, levels)


@lru_cache(maxsize=64)
def best_tree(cells: int) -> Tree:
    """Return the tree over K cells with the least mean variance of prefixes, if nothing is known of the cells.

    The noise of a node has a variance proportional to the square of the number of levels, as Laplace noise has.

    >>> [best_tree(cells).levels for cells in (10, 100, 1_000, 10_000)]
    [1, 2, 3, 4]
    """
    if cells < 2:
        return shallow(cells, 1)
    ends, unknown = np.arange(1, cells), np.full(cells, np.inf)

    def mean_variance(tree: Tree) -> float:
        return float(run_variances(tree, float(tree.levels**2), unknown, np.zeros_like(ends), ends).mean())

    return min((shallow(cells, levels) for levels in range(1, (cells - 1).bit_length() + 1)), key=mean_variance)
