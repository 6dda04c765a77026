"""Intersections of any number of halfspaces, one by one: words of 64 places, AND, and counted bits."""

from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from semipriv.core.kernels import njit
from semipriv.core.types import Bools, Integers, Words
from semipriv.geometry.bits import packed
from semipriv.papers.bmn20.regions.intersections import Intersections

__all__ = ["Tuples", "ones_in", "words_by_sign"]


def words_by_sign(inside: Bools, weights: Integers) -> tuple[Words, Words]:
    """Return rows (s, n) of bits as words: those of the places of negative weight, then those of positive weight.

    A place of weight w or -w stands w times in its row.
    """
    zeros, ones = (packed(np.repeat(inside, np.maximum(sign * weights, 0), axis=1)) for sign in (-1, 1))
    return zeros, ones


@intrinsic  # type: ignore[untyped-decorator]
def ones_in(typing_context: Any, word: Any) -> Any:
    """Return the number of bits of a 64-bit word that are 1, by the processor's instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(cache=True)
def _visit(
    zeros: Words, ones: Words, repeats: Integers, most: int, base: int, counts: Integers, goal: int, rank: int
) -> Integers:
    """Visit all sets of 1 to ``most`` of D halfspaces in the order of a depth-first search.

    zeros, ones: (D, .) words of the places inside with weight -1 and +1.  repeats: (D, most + 1), C(multiplicity, c).
    A set of distinct halfspaces stands for sum over (c_1, ..., c_j), c_i >= 1, sum c_i <= most, of prod_i C(mu_i, c_i)
    sets of indices.  goal < 0: add these numbers to counts[mistakes].  Else return the set with ``goal`` mistakes at
    which ``rank`` of them have been passed, padded with -1.
    """
    count, w0, w1 = len(zeros), zeros.shape[1], ones.shape[1]
    inner = np.full((most + 1, w0 + w1), np.uint64(0xFFFFFFFFFFFFFFFF))
    ways = np.zeros((most + 1, most + 1), np.int64)  # ways[j, s]: of s indices for the first j halfspaces
    ways[0, 0] = 1
    chosen = np.full(most + 1, -1, np.int64)
    depth = 1
    chosen[1] = -1
    while depth > 0:
        chosen[depth] += 1
        i = chosen[depth]
        if i >= count:
            depth -= 1
            continue
        value = np.uint64(base)
        for t in range(w0):
            inner[depth, t] = inner[depth - 1, t] & zeros[i, t]
            value -= ones_in(inner[depth, t])
        for t in range(w1):
            inner[depth, w0 + t] = inner[depth - 1, w0 + t] & ones[i, t]
            value += ones_in(inner[depth, w0 + t])
        number = 0
        for s in range(most + 1):
            ways[depth, s] = 0
            for c in range(1, s + 1):
                ways[depth, s] += ways[depth - 1, s - c] * repeats[i, c]
            number += ways[depth, s]
        v = np.int64(value)
        if goal < 0:
            counts[v] += number
        elif v == goal:
            if rank < number:
                return chosen[1 : depth + 1].copy()
            rank -= number
        if depth < most and i + 1 < count:
            depth += 1
            chosen[depth] = i
    return np.full(1, -1, np.int64)


class Tuples(Intersections):
    """One intersection after the other, for any family: time |G| n / 64, memory of the bits."""

    @cached_property
    def _arguments(self) -> tuple[Words, Words, Integers]:
        zeros, ones = words_by_sign(self.inside(), self.sample.weights)
        most = self.family.most
        repeats = [[comb(int(mu), c) for c in range(most + 1)] for mu in self.multiplicities()]
        return zeros, ones, np.array(repeats, np.int64).reshape(-1, most + 1)

    @cached_property
    def counts(self) -> Integers:
        """Number of sets with each number of mistakes."""
        counts = np.zeros(self.sample.total + 1, np.int64)
        _visit(*self._arguments, self.family.most, self.sample.base, counts, -1, 0)
        return counts

    def find(self, mistakes: int, rank: int) -> tuple[int, ...]:
        """Return the distinct halfspaces of the set, by a second visit."""
        places = _visit(*self._arguments, self.family.most, self.sample.base, np.zeros(0, np.int64), mistakes, rank)
        return tuple(places.tolist())
