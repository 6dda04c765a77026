"""Rows of bits in words of 64, so that dichotomies and label vectors are quickly compared."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["first_of_each", "groups", "packed"]


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
