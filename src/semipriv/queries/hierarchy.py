"""Noisy counts in a tree over ordered cells, and prefix sums made of them."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import scipy

from semipriv.classes.base import HypothesisClass
from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.kernels import njit
from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.privacy.events import Composed, Event
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Fitted, Method, Workload
from semipriv.queries.noise import count_noise, use
from semipriv.queries.workloads import Runs

NOT_RUNS = "needs queries that are runs of ordered cells, as intervals are"


@dataclass(frozen=True)
class Tree:
    """A tree over at least K cells: ``levels`` levels below the root, each node with ``branching`` >= 2 children."""

    branching: int
    levels: int

    def prefixes(self, counts: Integers, noise: DiscreteNoise, randomness: Randomness) -> Integers:
        """Return noisy sums of the first 0, 1, ..., K - 1 counts, and the exact sum of all, (K + 1,).

        The first i cells are, on each level, some first children of one node: so at most (branching - 1) noisy nodes of
        each level add up.  Last children are in no such sum, and are not drawn.
        """
        branching, cells = self.branching, len(counts)
        ends = np.arange(cells)
        padded = np.zeros(branching**self.levels, np.int64)
        padded[:cells] = counts
        total = np.zeros(cells, np.int64)
        for level in range(self.levels):
            width = branching**level
            nodes = padded.reshape(-1, branching, width).sum(axis=2)
            noisy = noise.add(nodes[:, :-1].ravel(), randomness).reshape(len(nodes), branching - 1)
            before = np.zeros_like(nodes)
            before[:, 1:] = np.cumsum(noisy, axis=1)
            total += before[ends // (branching * width), ends // width % branching]
        return np.append(total, counts.sum())


def isotonic(prefixes: Floats, total: int) -> Floats:
    """Return the nearest nondecreasing numbers in [0, total], by least squares: post-processing of prefix counts."""
    if prefixes.size == 0:
        return prefixes
    return np.clip(scipy.optimize.isotonic_regression(prefixes).x, 0.0, total)


@njit(cache=True, interpreted=True)
def _pooled(rows: Floats) -> Floats:
    """Return the nearest nondecreasing numbers of each row (g, k), by pooling adjacent violators."""
    pooled = np.empty_like(rows)
    mean, size = np.empty(rows.shape[1]), np.empty(rows.shape[1], np.int64)
    for g in range(rows.shape[0]):
        blocks = 0
        for i in range(rows.shape[1]):
            mean[blocks], size[blocks] = rows[g, i], 1
            blocks += 1
            while blocks > 1 and mean[blocks - 2] >= mean[blocks - 1]:
                both = size[blocks - 2] + size[blocks - 1]
                mean[blocks - 2] += (mean[blocks - 1] - mean[blocks - 2]) * (size[blocks - 1] / both)
                size[blocks - 2] = both
                blocks -= 1
        place = 0
        for block in range(blocks):
            for _ in range(size[block]):
                pooled[g, place] = mean[block]
                place += 1
    return pooled


def isotonic_rows(prefixes: Floats, totals: Floats) -> Floats:
    """Return what ``isotonic`` does of each row (g, k), in [0, total] of the row: (g,)."""
    return np.clip(_pooled(np.ascontiguousarray(prefixes)), 0.0, totals[:, None])


class OrderedCells(Method):
    """A method that adds noise to the counts of the nodes of a tree over ordered cells, for queries that are runs.

    Replacing a record changes two nodes of a level by 1 each, so 2 L in L1 and L2^2 on L levels.  For delta = 0 the
    noise is discrete Laplace of scale 2 L / epsilon; for delta > 0 discrete Gaussian with 2 L / (2 sigma^2) = rho.
    """

    releasable = True

    alone = 2

    @abstractmethod
    def tree(self, cells: int) -> Tree:
        """Return the tree over so many cells."""

    def noise(self, cells: int, budget: Guarantee) -> DiscreteNoise:
        """Return the noise of a node."""
        return count_noise(2 * self.tree(cells).levels, budget, self.alone)

    def event(self, workload: Workload, budget: Guarantee) -> Event:
        """Return one use of the noise for each node that may change."""
        return Composed([(use(self.noise(workload.cells, budget)), 2 * self.tree(workload.cells).levels)])

    def refusal(self, hypothesis_class: HypothesisClass) -> str | None:
        """Refuse classes of several features: their cells have no order."""
        if hypothesis_class.dimension == 1:
            return None
        return f"{self.short_title}: {NOT_RUNS}; {hypothesis_class!r} has several features"

    def _runs(self, workload: Workload) -> Runs:
        if not isinstance(workload, Runs):
            raise ValueError(f"{self.short_title}: {NOT_RUNS}")
        return workload

    def draws(self, workload: Workload) -> int:
        """Return the most nodes of a tree over the cells, in which each node has two children at least."""
        return 2 * workload.cells

    def check_fit(self, workload: Workload, budget: Guarantee) -> None:
        """Raise ValueError for noise that is too wide, and for queries that are not runs of cells."""
        self.noise(self._runs(workload).cells, budget).check_width()
        super().check_fit(workload, budget)


@value
class Hierarchical(OrderedCells):
    """Noisy counts of the nodes of a tree over ordered cells; a run is the difference of two prefixes.

    Args:
        isotonic: whether prefixes are made nondecreasing, and within 0 and n, before they are used; then the weights of
            the cells are released, too.
    """

    isotonic: bool = checked(checks.boolean, default=False)

    @property
    def weighs(self) -> bool:
        """Whether prefixes are made nondecreasing."""
        return self.isotonic

    def fit(
        self, workload: Workload, counts: Integers, budget: Guarantee, randomness: Randomness, units: int = 1
    ) -> Fitted:
        """Answer runs by differences of noisy prefixes over the total; raises ValueError for other workloads."""
        queries = self._runs(workload)
        total, noise = int(counts.sum()), self.noise(workload.cells, budget).per(units)
        prefixes = self.tree(workload.cells).prefixes(counts, noise, randomness).astype(np.float64)
        weights = None
        if self.isotonic:
            prefixes[1:-1] = isotonic(prefixes[1:-1], total)
            weights = np.diff(prefixes) / total
        shares = (prefixes[queries.stop] - prefixes[queries.start]) / total
        return Fitted(np.clip(shares, 0.0, 1.0), weights, {"noise": noise.variance**0.5 / units})
