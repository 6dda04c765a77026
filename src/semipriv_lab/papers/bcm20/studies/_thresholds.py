"""A_PAP on thresholds of a known distribution: cells with their masses, and exact errors over all thresholds."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.classes.thresholds import Thresholds
from semipriv.core.fields import value
from semipriv.core.types import Floats, Integers
from semipriv.distributions.marginals.base import Marginal
from semipriv.learners.stages.representative_domain import Domain, domain_of
from semipriv.queries.base import Workload
from semipriv.queries.cells import LineCells
from semipriv_lab.measures._ranges import ranges

CLASS = Thresholds("le")


@value
class Atoms(Marginal):
    """Atoms at increasing places in [0, 1]; what their masses leave is uniform on [0, 1]."""

    places: tuple[float, ...] = ()
    masses: tuple[float, ...] = ()

    @property
    def _rest(self) -> float:
        return 1 - sum(self.masses)

    def _below(self, x: Floats, side: Callable[[Floats, Floats], Floats]) -> Floats:
        atoms = np.array(self.places)
        inside = side(x[..., None], atoms) @ np.array(self.masses)
        return np.asarray(self._rest * np.clip(x, 0.0, 1.0) + inside)

    def cdf(self, x: ArrayLike) -> Floats:
        """Return P[X <= x]."""
        return self._below(np.asarray(x, float), np.greater_equal)

    def cdf_left(self, x: ArrayLike) -> Floats:
        """Return P[X < x]."""
        return self._below(np.asarray(x, float), np.greater)

    def quantile(self, u: ArrayLike) -> Floats:
        """Return the inverse of the cdf; a stretch as long as its mass is mapped to each atom."""
        level = np.asarray(u, float)
        mass = np.concatenate([[0.0], np.cumsum(self.masses)])
        passed = np.searchsorted(self.cdf(np.array(self.places)), level, "left")  # atoms that lie below
        ends = np.concatenate([[0.0], self.places, [1.0]])
        uniform = (level - mass[passed]) / max(self._rest, np.finfo(float).tiny)
        return np.clip(uniform, ends[passed], ends[passed + 1])


FREE = "L0, no atom"
LOW, MIDDLE = "L1, atom 1/2 at the low end", "L2, atom 1/2 in the middle"
DISTRIBUTIONS = {
    FREE: Atoms(),
    LOW: Atoms((0.0,), (0.5,)),
    MIDDLE: Atoms((0.5,), (0.5,)),
    "L3, two atoms .45": Atoms((1 / 3, 2 / 3), (0.45, 0.45)),
    "L4, atoms 2^-k": Atoms(tuple(k / 64 for k in range(1, 53)), (*(2.0**-k for k in range(1, 52)), 2.0**-51)),
}
"""Distributions fixed beforehand.  Errors have one distribution under all atomless ones, of which L0 is one."""


@dataclass(frozen=True, eq=False)
class Known:
    """What public points made, and the distribution of each part of it.

    masses: (K,) of the cells.  low, high: (M,), the range of P[h = 1] over the hypotheses h that get each answer.
    """

    domain: Domain
    masses: Floats
    low: Floats
    high: Floats

    @property
    def workload(self) -> Workload:
        """The cover's queries."""
        return self.domain.workload

    @property
    def exact(self) -> Floats:
        """The cover's queries, answered exactly, (M,)."""
        return self.workload.sums(self.masses)

    @property
    def public_means(self) -> Floats:
        """The same by the public points, (M,)."""
        return self.workload.sums(self.domain.public / self.domain.public.sum())

    @property
    def gap(self) -> float:
        """Largest difference of hypotheses that get one answer, as a mass: for thresholds, the largest gap."""
        return float((self.high - self.low).max())

    def error(self, answers: Floats) -> float:
        """Return the largest error over the whole class, for labels -1 and 1."""
        return 2 * float(np.maximum(answers - self.low, self.high - answers).max())

    def cover_error(self, answers: Floats) -> float:
        """Return the largest error over the cover, for labels -1 and 1."""
        return 2 * float(np.abs(answers - self.exact).max())

    def counts(self, n: int, generator: np.random.Generator) -> Integers:
        """Draw the cells of n independent records."""
        return generator.multinomial(n, self.masses).astype(np.int64)


def known(distribution: Marginal, m: int, generator: np.random.Generator, functions: HypothesisClass = CLASS) -> Known:
    """Draw m public points and make the representative domain of their cover, as A_PAP does.

    The hypothesis of a cell is its lower end, a public point: the choice whose error does not depend on where the
    distribution puts its mass between public points.
    """
    points = distribution.sample(m, generator)
    domain = domain_of(points, points, functions, "lower")
    cells = domain.cells
    assert isinstance(cells, LineCells), "a class of the line with exact ends has pieces"
    masses = np.zeros(domain.workload.cells)
    np.add.at(masses, cells.cell, np.diff(distribution.cdf_left(cells.starts), prepend=0.0, append=1.0))
    masses = np.maximum(masses, 0.0)
    low, high = ranges(functions, domain.cover.parameters, domain.cover.points[:, 0], distribution)
    return Known(domain, masses / masses.sum(), low, high)
