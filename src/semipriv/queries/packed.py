"""Queries as label vectors packed to bits, for hundreds of queries on up to millions of cells."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.types import Bools, Floats, Indices, Words
from semipriv.queries.base import Numbers, Workload, typed_as

_HEAD = 2_048
"""Cells by which opposite queries are found, about, before all are compared."""
_RARE = 32
"""A query is kept as the complement of another one if at most one cell in so many breaks the rule."""
_BLOCK = 2**23
"""Labels that are unpacked at once."""


@dataclass(frozen=True, eq=False)
class Packed(Workload):
    """Queries given by bits.  Sums take M K / 8 additions; of two opposite queries one is summed.

    bits: (ceil(K / 8), B), bit 7 - i of entry (g, j) is the label of cell 8 g + i by the j-th query that is kept.
    column: (M,), the one that each query has, or whose complement it is: opposite, (M,) bool.  query, cell, label:
    (e,), the labels of opposite queries that are equal and not opposite, as of a point on the line of two halfplanes.
    """

    number: int
    bits: NDArray[np.uint8]
    column: Indices
    opposite: Bools
    query: Indices
    cell: Indices
    label: Bools

    @classmethod
    def of(cls, words: Words, queries: int) -> "Packed":
        """Return the workload in which cell i has the packed label vector words[i] (K, ceil(M / 64))."""
        cells = len(words)
        bits = _by_query(words, queries)
        partner = _partners(words, queries)
        query, cell, label = _exceptions(bits, partner, cells)
        often = np.bincount(query, minlength=queries) * _RARE > cells
        partner = np.where(often, -1, partner)
        rare = ~often[query]
        opposite = partner >= 0
        place = np.cumsum(~opposite) - 1
        column = place[np.where(opposite, partner, np.arange(queries))]
        return cls(
            cells, np.ascontiguousarray(bits[:, ~opposite]), column, opposite, query[rare], cell[rare], label[rare]
        )

    @property
    def size(self) -> int:
        """Number of queries."""
        return len(self.column)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.number

    def sums(self, weights: Numbers) -> Numbers:
        """Return labels times weights, in floats: exact for integers below 2^53.

        >>> work = Packed.of(np.array([[128], [64], [64]], np.uint64), 2)
        >>> work.matrix().tolist(), work.sums(np.array([5, 1, 2])).tolist()
        ([[True, False, False], [False, True, True]], [5, 3])
        """
        padded = np.zeros(8 * len(self.bits))
        padded[: self.cells] = weights
        sums = _sums(self.bits, padded)[self.column]
        sums[self.opposite] = padded.sum() - sums[self.opposite]
        signed = np.where(self.label, padded[self.cell], -padded[self.cell])
        sums += np.bincount(self.query, signed, minlength=self.size)
        return typed_as(weights, sums)

    def row(self, query: int) -> Bools:
        """Return the labels of all cells."""
        labels = np.unpackbits(self.bits[:, self.column[query]], count=self.cells).astype(bool)
        if self.opposite[query]:
            labels = ~labels
            exceptions = slice(*np.searchsorted(self.query, [query, query + 1]))
            labels[self.cell[exceptions]] = self.label[exceptions]
        return labels


def _by_query(words: Words, queries: int) -> NDArray[np.uint8]:
    """Return the bits in groups of 8 cells, (ceil(K / 8), M): 8 x 8 bits are transposed at once (Warren 2012, 7-3)."""
    groups, width = -(-len(words) // 8), 8 * words.shape[1]
    bits = np.empty((groups, queries), np.uint8)
    step = max(1, _BLOCK // (64 * width))
    for start in range(0, groups, step):
        rows = words[8 * start : 8 * (start + step)].view(np.uint8)
        rows = np.pad(rows, ((0, -len(rows) % 8), (0, 0)))
        x = np.ascontiguousarray(rows.reshape(-1, 8, width)[:, ::-1].swapaxes(1, 2)).view("<u8")
        for shift, mask in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0)):
            moved = (x ^ (x >> np.uint64(shift))) & np.uint64(mask)
            x ^= moved ^ (moved << np.uint64(shift))
        turned = x.view(np.uint8)[:, :, ::-1].reshape(len(x), 8 * width)
        bits[start : start + step] = turned[:, :queries]
    return bits


def _partners(words: Words, queries: int) -> Indices:
    """Return for each query an earlier one that is its complement on some cells, -1 if there is none: (M,).

    The cells are those where half of the queries are 1, as all are where each query differs from its opposite.
    """
    (half,) = np.nonzero(2 * np.bitwise_count(words).sum(axis=1, dtype=np.int64) == queries)
    half = half[:: max(1, len(half) // _HEAD)]
    head = _by_query(words[half[: len(half) // 8 * 8]], queries)
    partner = np.full(queries, -1, np.intp)
    kept: dict[bytes, int] = {}
    for j, labels in enumerate(np.ascontiguousarray(head.T)):
        partner[j] = kept.get((~labels).tobytes(), -1) if len(labels) else -1
        if partner[j] < 0:
            kept.setdefault(labels.tobytes(), j)
    return partner


def _exceptions(bits: NDArray[np.uint8], partner: Indices, cells: int) -> tuple[Indices, Indices, Bools]:
    """Return (query, cell, label) wherever a query has the label of its partner, by query: (e,) each."""
    paired = np.flatnonzero(partner >= 0)
    parts = [(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, bool))]
    step = max(1, _BLOCK // (8 * max(1, len(paired))))
    for start in range(0, len(bits), step):
        labels, other = bits[start : start + step, paired], bits[start : start + step, partner[paired]]
        same = ~(labels ^ other)
        group, pair = np.nonzero(same)
        equal = np.unpackbits(same[group, pair][:, None], axis=1)
        entry, bit = np.nonzero(equal)
        cell = 8 * (start + group[entry]) + bit
        label = np.unpackbits(labels[group, pair][:, None], axis=1)[entry, bit] > 0
        real = cell < cells
        parts.append((paired[pair[entry[real]]], cell[real], label[real]))
    query, cell, label = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(query, kind="stable")
    return query[order], cell[order], label[order]


@njit(cache=True)
def _sums(bits: NDArray[np.uint8], weights: Floats) -> Floats:
    """Return the sum of weights (8 G,) over the bits of each column (G, B), by the 256 sums of each 8 weights: (B,)."""
    sums = np.zeros(bits.shape[1])
    table = np.zeros(256)
    for group in range(len(bits)):
        for bit in range(8):
            weight = weights[8 * group + 7 - bit]
            for subset in range(1 << bit):
                table[(1 << bit) + subset] = table[subset] + weight
        for j in range(bits.shape[1]):
            sums[j] += table[bits[group, j]]
    return sums
