"""Uniform points of the integers below 2^b, given that no prefix holds a share far from that of the data: exactly.

Let D be n integers, and Y a tuple of k.  The score u(Y) = [max_j |#{x in D: x < j} - (n / k) #{y in Y: y < j}|],
rounded down, changes by at most 1 if an integer of D is replaced.  Y uniform, G(tau) = P[u(Y) <= tau], tau = 0, ..., n.

u <= tau iff the sorted points y_1 <= ... <= y_k have lo_s <= y_s <= hi_s for all s, with

    lo_s = min {y : #{x <= y} > n s / k - tau - 1},   hi_s = max {y : #{x < y} < n (s - 1) / k + tau + 1}.

The numbers lo_s and hi_s + 1 cut the domain into at most 2 k + 1 cells.  After the cell that ends before v, the number
of points is between #{s : hi_s < v} and #{s : lo_s < v}; within a cell, points are free.  So G(tau) is a sum over the
numbers of points by cell, which a recursion over cells makes in O(k^3) steps, whatever n and b.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.core.kernels import njit
from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Integers, Whole
from semipriv.mechanisms.sampling.choice import below

_CHUNK = 2048
"""Values of tau that are worked together."""
_SMALL = 62
"""Bits of an integer with which 64-bit arithmetic does."""
_REACH = 128
"""Summands 2^-128 times the largest are left out; the bound of the error has room for them."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells for some values of tau, (t, 2 k + 1): where they start and end, and the least and most points up to
    each.

    start, end: places in ``PrefixLayers.marks``.
    """

    start: Integers
    end: Integers
    fewest: Integers
    most: Integers


@dataclass(frozen=True, eq=False)
class PrefixLayers:
    """The distributions of k uniform integers below 2^bits given u <= tau, for all tau.

    values: (g,) distinct integers of the data, increasing, Python integers.  up_to: (g,) how many integers of the data
    are at most each.  size: k >= 1.
    """

    values: Whole
    up_to: Integers
    bits: int
    size: int

    @classmethod
    def of(cls, data: Sequence[int], bits: int, size: int) -> "PrefixLayers":
        """Return the layers of integers (n,), in any order."""
        kind = np.int64 if bits <= _SMALL else object
        values, counts = np.unique(np.array(data, kind), return_counts=True)
        return cls(values.astype(object), np.cumsum(counts).astype(np.int64), bits, size)

    @property
    def n(self) -> int:
        """Number of integers of the data."""
        return int(self.up_to[-1]) if len(self.up_to) else 0

    @cached_property
    def marks(self) -> Whole:
        """Return 0, v_1, v_1 + 1, v_2, v_2 + 1, ..., 2^bits: the places at which cells start and end."""
        inner = np.stack([self.values, self.values + 1], axis=1).reshape(-1)
        return np.concatenate([np.array([0], object), inner, np.array([2**self.bits], object)])

    @cached_property
    def _small(self) -> Integers:
        """The marks as int64, for few bits."""
        return self.marks.astype(np.int64)

    def cells(self, taus: Integers) -> Cells:
        """Return the cells for values of tau, (t,)."""
        n, k = self.n, self.size
        rank = np.arange(1, k + 1)
        least = (n * rank - k * (taus[:, None] + 1)) // k  # up_to must exceed it
        low = np.where(least < 0, 0, 1 + 2 * np.searchsorted(self.up_to, least, side="right"))
        most = -(-(n * (rank - 1) + k * (taus[:, None] + 1)) // k)  # up_to must reach it
        place = np.searchsorted(self.up_to, most, side="left")
        high = np.where(place == len(self.up_to), 2 * len(self.up_to) + 1, 2 + 2 * place)
        cuts = np.sort(np.concatenate([low, high], axis=1), axis=1)
        end = np.concatenate([cuts, np.full((len(taus), 1), 2 * len(self.up_to) + 1)], axis=1)
        start = np.concatenate([np.zeros((len(taus), 1), np.int64), cuts], axis=1)
        # Both grow with the rank: one search for all rows, each in a range of its own.
        row = np.arange(len(taus))[:, None] * (2 * len(self.up_to) + 3)
        ends = end + row
        fewest = np.searchsorted((high + row).reshape(-1), ends, side="right") - k * np.arange(len(taus))[:, None]
        most_of = np.searchsorted((low + row).reshape(-1), ends, side="left") - k * np.arange(len(taus))[:, None]
        return Cells(start, end, fewest, most_of)

    # ------------------------------------------------------------------ in floats
    def log_shares(self, taus: Integers) -> Floats:
        """Return ln G(tau), (t,); each G is off by a share of at most ``relative_error``, and ln is rounded."""
        logs = np.empty(len(taus))
        for first in range(0, len(taus), _CHUNK):
            logs[first : first + _CHUNK] = self._log_shares(taus[first : first + _CHUNK])
        return logs

    @property
    def relative_error(self) -> float:
        """A bound of the relative error of each G: (2 k + 1) (4 k + 8) 2^-53.

        All numbers are >= 0, so that errors of steps add up.  In a cell, p^c / c! has 3 roundings for each factor, a
        product one more, a sum at most k; summands that are left out weigh less than a rounding.
        """
        return (2 * self.size + 1) * (4 * self.size + 8) * 2.0**-53

    def _log_shares(self, taus: Integers) -> Floats:
        cells = self.cells(taus)
        same = np.all((cells.start[1:] == cells.start[:-1]) & (cells.end[1:] == cells.end[:-1]), axis=1)
        new = np.append(True, ~(same & np.all(cells.fewest[1:] == cells.fewest[:-1], axis=1)))
        mantissas, exponents = self._lengths(cells.start[new], cells.end[new])
        halves = 0.5 ** np.arange(_REACH)
        share, power = _shares(mantissas, exponents, cells.fewest[new], cells.most[new], halves, self.size)
        with np.errstate(divide="ignore"):
            logs = np.log(share) + power * math.log(2) + math.lgamma(self.size + 1)
        return np.asarray(np.minimum(logs, 0.0)[np.cumsum(new) - 1])

    def _lengths(self, start: Integers, end: Integers) -> tuple[Floats, Integers]:
        """Return the share of each cell as mantissa 2^exponent, rounded once."""
        if self.bits <= _SMALL:
            mantissas, exponents = np.frexp((self._small[end] - self._small[start]).astype(np.float64))
            return mantissas, exponents.astype(np.int64) - self.bits
        lengths = (self.marks[end] - self.marks[start]).reshape(-1).tolist()
        powers = np.array([length.bit_length() for length in lengths], np.int64)
        mantissas = np.array([length / 2 ** length.bit_length() for length in lengths])
        return mantissas.reshape(start.shape), powers.reshape(start.shape) - self.bits

    # ------------------------------------------------------------------ in integers
    def count(self, tau: int) -> int:
        """Return the number of the 2^(bits k) tuples with u <= tau, exactly."""
        return self._ways(self._listed(tau))[-1][self.size]

    def draw(self, tau: int, randomness: Randomness) -> list[int]:
        """Draw k integers uniformly from the tuples with u <= tau, exactly; they are returned in increasing order."""
        cells = self._listed(tau)
        ways = self._ways(cells)
        left, points = self.size, []
        for i in range(len(cells) - 1, -1, -1):
            start, length, _, _ = cells[i]
            rank = below(ways[i + 1][left], randomness)
            for before in range(left, -1, -1):
                weight = ways[i][before] * math.comb(left, before) * length ** (left - before)
                if rank < weight:
                    break
                rank -= weight
            points += [start + below(length, randomness) for _ in range(left - before)]
            left = before
        return sorted(points)

    def _listed(self, tau: int) -> list[tuple[int, int, int, int]]:
        """Return start, length, fewest and most points of each cell for one tau."""
        cells, marks = self.cells(np.array([tau])), self.marks
        starts, ends = marks[cells.start[0]].tolist(), marks[cells.end[0]].tolist()
        limits = zip(cells.fewest[0].tolist(), cells.most[0].tolist(), strict=True)
        return [(a, b - a, *limit) for a, b, limit in zip(starts, ends, limits, strict=True)]

    def _ways(self, cells: list[tuple[int, int, int, int]]) -> list[list[int]]:
        """Return, before the first cell and after each, the number of tuples of s points so far, s = 0, ..., k."""
        rows = [[1] + [0] * self.size]
        for _, length, fewest, most in cells:
            old, powers = rows[-1], [length**c for c in range(self.size + 1)]
            new = [0] * (self.size + 1)
            for s in range(fewest, most + 1):
                new[s] = sum(old[j] * math.comb(s, j) * powers[s - j] for j in range(s + 1) if old[j])
            rows.append(new)
        return rows


@njit(cache=True)
def _shares(
    mantissas: Floats, exponents: Integers, fewest: Integers, most: Integers, halves: Floats, k: int
) -> tuple[Floats, Integers]:
    """Return sum prod_cells p^c / c! over the numbers c of points by cell, for each row: (t,) floats times 2^(t,).

    halves: 2^0, 2^-1, ...; summands further below the largest are left out.
    """
    rows, cells = mantissas.shape
    share, power = np.zeros(rows), np.zeros(rows, np.int64)
    sums, scale = np.zeros(k + 1), np.zeros(k + 1, np.int64)
    factor, degree = np.zeros(k + 1), np.zeros(k + 1, np.int64)
    for row in range(rows):
        sums[:] = 0.0
        sums[0], scale[0] = 1.0, 0
        first = last = 0  # all others are 0
        for cell in range(cells):
            p, e = mantissas[row, cell], exponents[row, cell]
            low, high = fewest[row, cell], most[row, cell]
            if p > 0:
                factor[0], degree[0] = 1.0, 0
                for c in range(1, high - first + 1):
                    value, shift = math.frexp(factor[c - 1] * p / c)
                    factor[c], degree[c] = value, degree[c - 1] + e + shift
                for s in range(high, max(low, first) - 1, -1):
                    top = min(s, last)
                    best = np.int64(-(2**62))
                    for j in range(first, top + 1):
                        best = max(best, scale[j] + degree[s - j])
                    total = 0.0
                    for j in range(first, top + 1):
                        gap = best - scale[j] - degree[s - j]
                        if gap < halves.size:
                            total += sums[j] * factor[s - j] * halves[gap]
                    value, shift = math.frexp(total)
                    sums[s], scale[s] = value, best + shift
                last = high
            first, last = max(first, low), min(last, high)
            if first > last:
                break
        if first <= last and last == k:
            share[row], power[row] = sums[k], scale[k]
    return share, power
