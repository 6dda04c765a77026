"""Single halfspaces: half-lines inside a line, or the hull itself."""

from functools import cached_property

import numpy as np

from semipriv.core.types import Integers
from semipriv.papers.bmn20.regions.intersections import Intersections

__all__ = ["Rays"]


class Rays(Intersections):
    """Families with J = 1, on the line or on a point: mistakes in O((n + t) log t)."""

    @cached_property
    def _mistakes(self) -> Integers:
        """Mistakes of each distinct halfspace."""
        base = self.sample.base
        if not self.family.hyperplanes.shape[0]:
            return np.full(self.family.distinct, base + self.sample.weights.sum())
        ends = -self.family.hyperplanes[:, 1]  # rows in lowest terms: (1, -end)
        order = np.argsort(ends, kind="stable")
        place, known = self.sample.places[:, 0], ends[order]
        before = np.searchsorted(known, place)  # ends below each place
        upto = before + (known[np.minimum(before, len(known) - 1)] == place)
        below, above = np.empty_like(ends), np.empty_like(ends)
        below[order] = np.cumsum(self._sums(before))[:-1]
        above[order] = np.cumsum(self._sums(upto)[::-1])[::-1][1:]
        upper, lower = base + above, base + below
        return np.stack([upper, lower], axis=1).ravel()

    def _sums(self, cells: Integers) -> Integers:
        """Return the weight of the places in each of the cells 0 to t; floats add these integers exactly."""
        sums = np.bincount(cells, self.sample.weights, len(self.family.hyperplanes) + 1)
        return sums.astype(np.int64)

    @cached_property
    def counts(self) -> Integers:
        """Number of indices with each number of mistakes."""
        counts = np.zeros(self.sample.total + 1, np.int64)
        np.add.at(counts, self._mistakes, self.multiplicities())
        return counts

    def find(self, mistakes: int, rank: int) -> tuple[int, ...]:
        """Return the halfspace with that rank, in the order of the list."""
        members = np.flatnonzero(self._mistakes == mistakes)
        passed = np.cumsum(self.multiplicities()[members])
        return (int(members[np.searchsorted(passed, rank, side="right")]),)
