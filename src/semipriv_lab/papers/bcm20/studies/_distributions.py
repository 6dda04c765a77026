"""The fixed distributions of claims on thresholds: L0 has no atom, the others have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core.types import Floats
from semipriv.learners.stages.representative_domain import Domain, domain_of
from semipriv.queries.cells import LineCells


@dataclass(frozen=True)
class AtomsAndUniform:
    """Atoms of given masses at places in [0, 1]; what is left is uniform on [0, 1]."""

    name: str
    places: tuple[float, ...] = ()
    masses: tuple[float, ...] = ()

    @property
    def rest(self) -> float:
        """The mass that is not in atoms."""
        return 1 - sum(self.masses)

    def cdf(self, x: ArrayLike) -> Floats:
        """Return P[. <= x]."""
        at = np.asarray(x, np.float64)
        return np.asarray(self.rest * np.clip(at, 0, 1) + (at[..., None] >= np.array(self.places)) @ self.masses)

    def cdf_left(self, x: ArrayLike) -> Floats:
        """Return P[. < x]."""
        at = np.asarray(x, np.float64)
        return np.asarray(self.rest * np.clip(at, 0, 1) + (at[..., None] > np.array(self.places)) @ self.masses)

    def sample(self, n: int, generator: np.random.Generator) -> Floats:
        """Draw n points, (n, 1)."""
        uniform, which = generator.random(n), generator.random(n)
        atom = np.searchsorted(np.cumsum(self.masses), which, "right")
        places = np.append(np.array(self.places), np.nan)[atom]
        return np.where(np.isnan(places), uniform, places)[:, None]


_HALVES = tuple(2.0**-k for k in range(1, 40))
DISTRIBUTIONS = (
    AtomsAndUniform("L0, no atom"),
    AtomsAndUniform("L1, atom 1/2 at the low end", (0.0,), (0.5,)),
    AtomsAndUniform("L2, atom 1/2 in the middle", (0.5,), (0.5,)),
    AtomsAndUniform("L3, two atoms of .45", (1 / 3, 2 / 3), (0.45, 0.45)),
    AtomsAndUniform("L4, atoms of 2^-k", tuple(k / 40 for k in range(1, 41)), (*_HALVES, _HALVES[-1])),
)


def drawn_domain(
    distribution: AtomsAndUniform, points: int, functions: HypothesisClass, generator: np.random.Generator
) -> Domain:
    """Return the domain of so many public points, with hypotheses at public points: comparisons alone matter."""
    public = distribution.sample(points, generator)
    return domain_of(public, public, functions, "lower")


def pieces(domain: Domain, distribution: AtomsAndUniform, below: float = np.inf) -> Floats:
    """Return the distribution's mass on each cell of a domain on the line, as far as it is <= ``below``, (K,)."""
    cells = domain.cells
    assert isinstance(cells, LineCells), "distributions are on the line"
    up_to = np.minimum(distribution.cdf_left(cells.starts), distribution.cdf(below))
    masses = np.zeros(len(domain.representatives))
    np.add.at(masses, cells.cell, np.diff(np.concatenate([[0.0], up_to, [distribution.cdf(below)]])))
    return masses
