"""Rows of bits in words of 64, so that dichotomies and label vectors are quickly compared."""

import numpy as np

from semipriv.core.types import Bools, Indices, Words

__all__ = ["first_of_each", "groups", "packed", "places"]


def packed(bits: Bools) -> Words:
    """Return rows of bits (k, n) packed into words, (k, ceil(n / 64))."""
    rows, columns = bits.shape
    padded = np.zeros((rows, max(1, -(-columns // 64)) * 64), np.bool_)
    padded[:, :columns] = bits  # in the order of rows: a transposed array is packed five times as slowly
    return np.packbits(padded).reshape(rows, padded.shape[1] // 8).view(np.uint64)


def groups(words: Words) -> tuple[Indices, Indices]:
    """Return a stable order in which equal rows follow one another, and the start of each group of equal rows."""
    order = np.lexsort(words.T)
    ordered = words[order]
    new = np.ones(len(order), bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    return order, np.flatnonzero(new)


def first_of_each(words: Words) -> Indices:
    """Return the index of the first of each set of equal rows, increasing.

    Rows are sorted by hashes of 64 bits, and compared; by themselves should two hashes coincide.

    >>> first_of_each(packed(np.array([[1, 0], [0, 0], [1, 0], [0, 1]], bool)))
    array([0, 1, 3])
    """
    _, first, group = np.unique(_hashed(words, 0), return_index=True, return_inverse=True)
    of = first[group]
    if all(np.array_equal(column[of], column) for column in words.T):
        return np.sort(first)
    order, starts = groups(words)
    return np.sort(order[starts])


def places(words: Words, table: Words) -> Indices:
    """Return for each row of words (n, w) the place of the equal row among the distinct rows (k, w), or -1: (n,).

    Rows are looked up by hashes of 64 bits, that tell the rows of the table apart, and then compared exactly.

    >>> rows = packed(np.array([[1, 0], [0, 0], [1, 1]], bool))
    >>> places(rows, rows[:2])
    array([ 0,  1, -1])
    """
    if not len(table):
        return np.full(len(words), -1)
    known, seed = _telling(table)
    order = np.argsort(known, kind="stable")
    ranks = np.searchsorted(known[order], _hashed(words, seed))
    place = order[np.minimum(ranks, len(order) - 1)]
    return np.where(np.all(table[place] == words, axis=1), place, -1)


def _hashed(words: Words, seed: int) -> Words:
    """Return a hash of each row (n, w), (n,): splitmix64 of each word added to the hash of those before."""
    total = np.full(len(words), seed, np.uint64)
    for column in words.T:
        total = total * np.uint64(0x9E3779B97F4A7C15) + column + np.uint64(0x632BE59BD9B4E019)
        total = (total ^ (total >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        total = (total ^ (total >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        total ^= total >> np.uint64(31)
    return total


def _telling(table: Words) -> tuple[Words, int]:
    """Return hashes (k,) that tell the distinct rows apart, and their seed."""
    for seed in range(100):
        hashes = _hashed(table, seed)
        if len(np.unique(hashes)) == len(hashes):
            return hashes, seed
    raise ValueError("table: has equal rows")
