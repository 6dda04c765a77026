"""Intersections of at most three halfspaces: one count of bits for each three planes gives all eight of their sides.

Most places lie on no plane.  Their weight above planes 1 and 2 and below plane 3 is that above 1 and 2 less that above
all three, and so on.  So one of the eight intersections is counted; the others follow from the weights above one plane
and above two.  Few places lie on planes, as the public points do; they belong to both closed sides and are counted
eight times.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.types import Bools, Integers, Words
from semipriv.papers.bmn20.regions.intersections import Intersections
from semipriv.papers.bmn20.regions.lanes import LANES, count_by_lane, lane_of
from semipriv.papers.bmn20.regions.tuples import ones_in, words_by_sign

__all__ = ["Triples"]

_Small = NDArray[np.int32]


class _Data(NamedTuple):
    """What the passes over all sets of three planes read; in words, places of label 0 come first.

    general: (words, t), the places on no plane that are above each plane; of_planes, of_pairs: their weights above each
    plane and above each two; whole: the weight of all.  special: (2, words, t), the places on planes, inside the closed
    upper and lower sides of each.  repeats: (t,), how often each plane stands in the list.
    """

    general: Words
    zero_words: int
    special: Words
    special_zero_words: int
    of_planes: _Small
    of_pairs: _Small
    whole: int
    repeats: Integers


@njit(cache=True)
def _add(word: int, row: Words, sign: int, weights: _Small) -> None:
    """Add sign times the number of bits that a word shares with each of a row of words."""
    for t in range(len(weights)):
        weights[t] += np.int32(sign * np.int64(ones_in(word & row[t])))


@njit(cache=True)
def _above(general: Words, zero_words: int, both: Words, weights: _Small) -> None:
    """Write the weight of the places of ``both`` above each of the last planes; general: (words, t), zeros first."""
    weights[:] = 0
    start = general.shape[1] - len(weights)
    for w in range(len(general)):
        _add(both[w], general[w, start:], -1 if w < zero_words else 1, weights)


@njit(cache=True)
def _above_two(general: Words, zero_words: int) -> _Small:
    """Return the weight of the places above each two planes, (t, t)."""
    planes = general.shape[1]
    result = np.empty((planes, planes), np.int32)
    for t in range(planes):
        _above(general, zero_words, general[:, t].copy(), result[t])
    return result


@njit(cache=True)
def _off_planes(sides: int, of_i: _Small, of_j: _Small, of_planes: _Small, above: _Small, out: _Small) -> None:
    """Write the weights above each last plane and above or below i and j: bits 2 and 1 of sides say below i, below j.

    of_i, of_j: weights above i and each, above j and each; of_planes: above each; above: above i, j and each.
    """
    for t in range(len(out)):
        if sides == 0:
            out[t] = above[t]
        elif sides == 1:
            out[t] = of_i[t] - above[t]
        elif sides == 2:
            out[t] = of_j[t] - above[t]
        else:
            out[t] = of_planes[t] - of_i[t] - of_j[t] + above[t]


@njit(cache=True)
def _sides(i: int, j: int, data: _Data, room: _Small) -> _Small:
    """Return the weights of the eight intersections of planes i, j and each later one, (8, t).

    Bits 4, 2, 1 of the row say below i, below j, below the later one.
    """
    general, special, of_planes, of_pairs, start = data.general, data.special, data.of_planes, data.of_pairs, j + 1
    above = room[8, start:]
    _above(general, data.zero_words, general[:, i] & general[:, j], above)
    first, second, both = np.int64(of_planes[i]), np.int64(of_planes[j]), np.int64(of_pairs[i, j])
    pair = (both, first - both, second - both, data.whole - first - second + both)
    for sides in range(4):
        upper, lower, total = room[2 * sides, start:], room[2 * sides + 1, start:], np.int32(pair[sides])
        _off_planes(sides, of_pairs[i, start:], of_pairs[j, start:], of_planes[start:], above, upper)
        for t in range(len(upper)):
            lower[t] = total - upper[t]
        for w in range(special.shape[1]):
            word = special[sides // 2, w, i] & special[sides % 2, w, j]
            sign = -1 if w < data.special_zero_words else 1
            if word:
                _add(word, special[0, w, start:], sign, upper)
                _add(word, special[1, w, start:], sign, lower)
    return room[:8, start:]


@njit(cache=True, nogil=True)
def _count(first: int, stop: int, data: _Data, base: int, counts: Integers) -> None:
    """Count the sets of three halfspaces of different planes by their mistakes, for the first planes of some lanes.

    counts: (lanes, 8, total + 1), of all lanes; first, stop: the lanes to be counted, without the last.  Each of the
    eight sides has counts of its own, so that increments do not wait for one another.
    """
    repeats, planes = data.repeats, len(data.of_planes)
    room = np.empty((9, planes), np.int32)
    for lane in range(first, stop):
        own = counts[lane]
        for i in range(lane, planes, len(counts)):
            for j in range(i + 1, planes):
                weights = _sides(i, j, data, room)
                times, last = repeats[i] * repeats[j], repeats[j + 1 :]
                for t in range(len(last)):
                    number = times * last[t]
                    for sides in range(8):
                        own[sides, np.uint64(base + weights[sides, t])] += number


@njit(cache=True)
def _find(lane: int, lanes: int, data: _Data, goal: int, rank: int) -> tuple[int, int, int]:
    """Return three halfspaces of different planes, of a lane and of weight ``goal``, with ``rank`` such sets before."""
    repeats, planes = data.repeats, len(data.of_planes)
    room = np.empty((9, planes), np.int32)
    for i in range(lane, planes, lanes):
        for j in range(i + 1, planes):
            weights = _sides(i, j, data, room)
            times, last = repeats[i] * repeats[j], repeats[j + 1 :]
            for sides in range(8):
                values = weights[sides]
                for t in range(len(last)):
                    if values[t] == goal:
                        if rank < times * last[t]:
                            return 2 * i + sides // 4, 2 * j + sides // 2 % 2, 2 * (j + 1 + t) + sides % 2
                        rank -= times * last[t]
    return -1, -1, -1


class Triples(Intersections):
    """Families with J = 3 without the hull as a halfspace: time |G| n / 512 for the bits, and |G| for the counts."""

    @cached_property
    def _data(self) -> _Data:
        weights, w = self.sample.weights, self.family.hyperplanes
        value = w[:, :-1] @ self.sample.places.T + w[:, -1:]
        on = np.any(value == 0, axis=0)
        general, zero_words = _words(value[:, ~on] > 0, weights[~on])
        (upper, special_zero_words), (lower, _) = (
            _words(side, weights[on]) for side in (value[:, on] >= 0, value[:, on] <= 0)
        )
        of_planes = ((value[:, ~on] > 0) @ weights[~on]).astype(np.int32)
        of_pairs, whole = _above_two(general, zero_words), int(weights[~on].sum())
        special = np.stack([upper, lower])
        return _Data(
            general, zero_words, special, special_zero_words, of_planes, of_pairs, whole, self.family.multiplicity
        )

    def _few(self) -> Iterator[tuple[tuple[int, ...], Integers, Integers]]:
        """Yield the sets of one or two planes: (halfspaces but the last; mistakes, numbers: for each last halfspace).

        These are sets of one or two halfspaces, and both sides of a plane with one side of another.
        """
        words, zero_words = _words(self.inside(), self.sample.weights)
        signs = np.where(np.arange(len(words)) < zero_words, -1, 1)
        mu = self.multiplicities()
        twice, thrice = mu * (mu - 1) // 2, mu * (mu - 1) * (mu - 2) // 6

        def mistakes(within: Words) -> Integers:
            """Return the mistakes of the intersections of the places of ``within`` with each halfspace."""
            return self.sample.base + signs @ np.bitwise_count(words & within[:, None]).astype(np.int64)

        yield (), mistakes(~np.zeros(len(words), np.uint64)), mu + twice + thrice
        for i in range(len(mu)):
            numbers = mu[i] * mu + twice[i] * mu + mu[i] * twice
            numbers[: i + 1] = 0
            yield (i,), mistakes(words[:, i]), numbers
        for i in range(0, len(mu), 2):
            numbers = mu[i] * mu[i + 1] * mu
            numbers[i : i + 2] = 0
            yield (i, i + 1), mistakes(words[:, i] & words[:, i + 1]), numbers

    @cached_property
    def _counts(self) -> Integers:
        """Sets of three different planes by lane, (LANES, total + 1)."""
        shape = (8, self.sample.total + 1)
        counts = count_by_lane(_count, self._data, self.sample.base, shape, self.family.visits)
        return np.asarray(counts.sum(axis=1))

    @cached_property
    def counts(self) -> Integers:
        """Number of sets with each number of mistakes."""
        counts = self._counts.sum(axis=0)
        for _, mistakes, numbers in self._few():
            np.add.at(counts, mistakes, numbers)
        return np.asarray(counts)

    def find(self, mistakes: int, rank: int) -> tuple[int, ...]:
        """Return the halfspaces of the set: sets of one or two planes first, then a second pass over its lane."""
        small = int(self.counts[mistakes] - self._counts[:, mistakes].sum())
        for others, mistakes_made, numbers in self._few() if rank < small else ():
            passed = np.cumsum(np.where(mistakes_made == mistakes, numbers, 0))
            if rank < passed[-1]:
                return (*others, int(np.searchsorted(passed, rank, side="right")))
            rank -= int(passed[-1])
        lane, left = lane_of(self._counts[:, mistakes], rank - small)
        return tuple(_find(lane, LANES, self._data, mistakes - self.sample.base, left))


def _words(inside: Bools, weights: Integers) -> tuple[Words, int]:
    """Return rows (t, n) of bits as columns of words (words, t), zeros first, and the number of words of zeros."""
    zeros, ones = words_by_sign(inside, weights)
    return np.ascontiguousarray(np.concatenate([zeros, ones], axis=1).T), zeros.shape[1]
