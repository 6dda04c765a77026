"""Rows of bits in words of 64, so that dichotomies and label vectors are quickly compared."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["first_of_each", "groups", "packed", "places"]


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return rows of bits (k, n) packed into words, (k, ceil(n / 64))."""
    packed = np.packbits(bits, axis=1)
    padded = np.zeros((len(bits), max(1, -(-bits.shape[1] // 64)) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def groups(words: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return a stable order in which equal rows follow one another, and the start of each group of equal rows."""
    order = np.lexsort(words.T)
    ordered = words[order]
    new = np.ones(len(order), bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    return order, np.flatnonzero(new)


def first_of_each(words: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the index of the first of each set of equal rows, increasing.

    >>> first_of_each(packed(np.array([[1, 0], [0, 0], [1, 0], [0, 1]], bool)))
    array([0, 1, 3])
    """
    order, starts = groups(words)
    return np.sort(order[starts])


def places(words: NDArray[np.uint64], table: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return for each row of words (n, w) the place of the equal row among the distinct rows (k, w), or -1: (n,).

    Rows are looked up by hashes of 64 bits, that tell the rows of the table apart, and then compared exactly.

    >>> rows = packed(np.array([[1, 0], [0, 0], [1, 1]], bool))
    >>> places(rows, rows[:2])
    array([ 0,  1, -1])
    """
    if not len(table):
        return np.full(len(words), -1)
    factors, known = _telling(table)
    order = np.argsort(known)
    found = np.searchsorted(known[order], _hashed(words, factors))
    place = order[np.minimum(found, len(order) - 1)]
    return np.where(np.all(table[place] == words, axis=1), place, -1)


def _hashed(words: NDArray[np.uint64], factors: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return sum_j words_j factors_j modulo 2^64, (n,)."""
    total = np.zeros(len(words), np.uint64)
    for column, factor in zip(words.T, factors, strict=True):
        total += column * factor
    return total


def _telling(table: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return odd factors (w,) whose hashes of the distinct rows differ, and these hashes (k,)."""
    for seed in range(100):
        numbers = np.random.default_rng(seed).integers(2**63, size=table.shape[1], dtype=np.uint64)
        factors: NDArray[np.uint64] = np.asarray(2 * numbers + np.uint64(1))
        hashes = _hashed(table, factors)
        if len(np.unique(hashes)) == len(hashes):
            return factors, hashes
    raise ValueError("table: has equal rows")
