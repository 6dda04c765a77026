"""Rows by their weights, such that the marginals of the rows are those of the weights: a function of these alone."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.types import Floats, Indices
from semipriv.learners.outputs._drawing import systematic

__all__ = ["swapped"]

_PASSES, _WORK = 30, 5 * 10**8
"""Passes over the rows, and rows times marginals times passes, at most."""
_PARTS = 2**20
"""Weights of cells are multiples of its inverse, so that sums are exact, on any machine."""


_KEPT: dict[tuple[bytes, int], Indices] = {}
"""The last places, by a digest of what they follow from and their number."""


def swapped(weights: Floats, index: NDArray[np.int32], cells: int, size: int) -> Indices:
    """Return the places (size,) of rows whose marginals are near those of the weights, in no order.

    index: (s, T), the cell of each row in each marginal, of ``cells`` in all.  ``systematic`` rows come first, each
    there within one time its share; but each cell holds many rows, and what they are rounded by adds up.  Then each row
    in turn is replaced by one that is proposed by the weights, if the sum over cells of (rows - size share)^2 becomes
    smaller.  Nothing private is read, and nothing is drawn: proposals are numbers hashed from the pass.

    The last places are kept, and cannot be written to: the checks of one release ask for them a dozen times.
    """
    digest = hashlib.blake2b(str((weights.dtype, index.dtype, index.shape, cells)).encode())
    for array in (weights, index):
        digest.update(np.ascontiguousarray(array).data)
    key = digest.digest(), size
    kept = _KEPT.get(key)
    if kept is None:
        kept = _places(weights, index, cells, size)
        kept.flags.writeable = False
        _KEPT.clear()
        _KEPT[key] = kept
    return kept


def _places(weights: Floats, index: NDArray[np.int32], cells: int, size: int) -> Indices:
    order = np.argsort(_numbers("order", size), kind="stable")
    systematically = systematic(weights, size)
    away = _PARTS * _sums(index, np.bincount(systematically, minlength=len(weights)), np.zeros(cells, np.int64))
    away -= np.rint(_PARTS * size * _sums(index, weights, np.zeros(cells))).astype(np.int64)
    places, reached = systematically[order], np.cumsum(weights)
    del order, systematically
    last = int(np.flatnonzero(weights)[-1])
    for k in range(min(_PASSES, _WORK // max(1, size * index.shape[1]))):
        uniform = _numbers(f"pass {k}", size) * 2.0**-64 * reached[-1]
        proposed = np.minimum(np.searchsorted(reached, uniform, "right"), last)
        if not _swap(places, proposed, index, away, _PARTS):
            break
    return places


def _numbers(name: str, size: int) -> NDArray[np.uint64]:
    """Return 64-bit numbers (size,) that follow from the name."""
    return np.frombuffer(hashlib.shake_256(name.encode()).digest(8 * size), "<u8").astype(np.uint64, copy=False)


@njit(cache=True)
def _sums(index, numbers, sums):  # type: ignore[no-untyped-def]
    """Add the number of each row to its cell in each marginal, row after row; return the sums (cells,)."""
    for i in range(len(index)):
        for t in range(index.shape[1]):
            sums[index[i, t]] += numbers[i]
    return sums


@njit(cache=True)
def _swap(places, proposed, index, away, part):  # type: ignore[no-untyped-def]
    """Replace rows by proposed ones where |away|^2 falls by it, cells counted in parts; return how many."""
    swaps = 0
    for i in range(len(places)):
        old, new = places[i], proposed[i]
        change = 0
        for t in range(index.shape[1]):
            out, into = index[old, t], index[new, t]
            if out != into:
                change += part + away[into] - away[out]  # |away - part e_out + part e_into|^2 - |away|^2, over 2 part
        if change < 0:
            for t in range(index.shape[1]):
                away[index[old, t]] -= part
                away[index[new, t]] += part
            places[i] = new
            swaps += 1
    return swaps
