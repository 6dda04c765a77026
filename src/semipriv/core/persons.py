"""Rows by person: every person has the same number of units, which their rows share.

With W units a person, row j = 0, ..., r - 1 of a person with r rows gets

    w_j = floor(((j + 1) W + s) / r) - floor((j W + s) / r),

an integer next to W / r, where s is an offset of the person in {0, ..., r - 1}.  The sum telescopes: every person has
exactly W units, whatever r is, so N persons have N W, a public number.  W = 1 takes one row of each person; for large W
it is the average of a person's rows.

Rows of a person are put in an order by what is in them, and the offset is a keyed hash of the person's name.  So the
units of a person's rows depend on these rows, the name and the key, and on nothing else of the table: neither on other
persons nor on the order of the file.  Rows with equal contents are exchangeable: their units are the same in sum.
"""

import hashlib
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, overload

import attrs
import numpy as np
from numpy.typing import NDArray

from semipriv.core.types import Bools, Indices, Integers

__all__ = [
    "MOST_UNITS",
    "Names",
    "Persons",
    "contents",
    "names_at",
    "offsets",
    "shares",
    "shares_of",
    "uneven",
    "units_of",
]

MOST_UNITS = 2**16
"""Units of a person at most."""
LEAST_UNITS = 2**4
"""Units of a person at least, where their rows are averaged."""
ROWS = 2**22
"""Units of all persons together, about: what an average loses by whole units is less than of so many rows."""


def units_of(persons: int) -> int:
    """Return W, the units of a person where rows are averaged: a power of two that depends on the public N alone.

    The largest one with N W <= 2^22, between 2^4 and 2^16.

    >>> units_of(10), units_of(5_000), units_of(10**6)
    (65536, 512, 16)
    """
    most = ROWS // max(persons, 1)
    return min(MOST_UNITS, max(LEAST_UNITS, 1 << max(most.bit_length() - 1, 0)))


def offsets(key: str, names: Sequence[str]) -> Integers:
    """Return the offsets of persons, (k,), 0 <= s < 2^28, before each is reduced by the person's number of rows.

    The first seven hexadecimal digits of the MD5 of key, bar and name: what a database computes, too.  No secrecy is
    needed, so none is claimed.
    """
    start = hashlib.md5(f"{key}|".encode(), usedforsecurity=False)
    digests = bytearray()
    for name in names:
        whole = start.copy()
        whole.update(name.encode())
        digests += whole.digest()
    return (np.frombuffer(digests, ">u4")[::4] >> 4).astype(np.int64)


class Names(Sequence[str]):
    """Names of persons that are made when they are asked for, many at once."""

    @abstractmethod
    def at(self, places: Indices) -> list[str]:
        """Return the names of the persons at these places, (k,)."""

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        chosen = np.arange(len(self))[place]
        return self.at(chosen) if isinstance(place, slice) else self.at(np.array([chosen]))[0]


def names_at(names: Sequence[str], places: Indices) -> list[str]:
    """Return the names at these places, (k,)."""
    return names.at(places) if isinstance(names, Names) else [names[place] for place in places.tolist()]


@attrs.frozen(eq=False)
class Persons:
    """The persons of rows.

    place: (n,) of each row, the place of its person.  names: of the persons by place, as texts.
    """

    place: Indices
    names: Sequence[str]

    @property
    def count(self) -> int:
        """N, the number of persons."""
        return len(self.names)

    @cached_property
    def rows(self) -> Integers:
        """Number of rows of each person, (N,)."""
        return np.bincount(self.place, minlength=self.count)

    @classmethod
    def of(cls, names: Iterable[str | None]) -> "Persons":
        """Return the persons of rows by their names; rows without a name are one person together."""
        places: dict[str | None, int] = {}
        place = np.array([places.setdefault(name, len(places)) for name in names], np.intp)
        return cls(place, ["" if name is None else name for name in places])

    def only(self, chosen: Bools) -> "tuple[Persons, Indices]":
        """Return some of the persons with their rows, and the places of these rows among all; chosen: (N,)."""
        if np.all(chosen):
            return self, np.arange(len(self.place))
        (kept,) = np.nonzero(chosen)
        (rows,) = np.nonzero(chosen[self.place])
        return Persons((np.cumsum(chosen) - 1)[self.place[rows]], _Some(self.names, kept)), rows


@attrs.frozen(eq=False)
class _Some(Names):
    """Some of the names."""

    names: Sequence[str]
    kept: Indices

    def __len__(self) -> int:
        return len(self.kept)

    def at(self, places: Indices) -> list[str]:
        return names_at(self.names, self.kept[places])


def shares(persons: Persons, order: Integers, units: int, key: str) -> Integers:
    """Return the units of each row, (n,) int64 >= 0: those of a person add up to ``units``.

    Args:
        persons: of the rows.
        order: (n, k), what rows of a person are ordered by: their contents as integers, column after column.
        units: W >= 1.
        key: text, from which offsets follow.
    """
    places = uneven(persons, units)
    return shares_of(persons, order[places], units, key)


def uneven(persons: Persons, units: int) -> Indices:
    """Return the places of rows whose persons have a number of rows that does not divide ``units``.

    Only of these does the order count.
    """
    return np.flatnonzero((units % np.maximum(persons.rows, 1) != 0)[persons.place])


def shares_of(persons: Persons, order: Integers, units: int, key: str) -> Integers:
    """Return what ``shares`` does; order: (k, ...), of the rows at the places ``uneven`` alone."""
    number = persons.rows
    share = (units // np.maximum(number, 1))[persons.place]
    places = uneven(persons, units)
    if not len(places):
        return share
    place = persons.place[places]
    sorting = _sorted(place, *order.T)
    who = place[sorting]
    starts = np.flatnonzero(np.append(True, who[1:] != who[:-1]))
    heads = who[starts]
    rows = number[heads]  # of each of these persons all are here
    shift = offsets(key, names_at(persons.names, heads)) % rows
    # With g_j = floor((j W + s) / r) the shares are g_{j+1} - g_j, and g_r = W.
    first = np.repeat(shift - starts * units, rows) + np.arange(len(who)) * units
    before = first // np.repeat(rows, rows)
    after = np.append(before[1:], units)
    after[starts[1:] - 1] = units
    share[places[sorting]] = after - before
    return share


def _sorted(*columns: Integers) -> Indices:
    """Return the order of rows by columns (n,), the first one first, and by their places where all are equal.

    Columns that fit in 63 bits beside the place of a row are one number, and numbers are sorted fastest.  Of a column
    that does not fit, ranks do.
    """
    n = len(columns[0])
    order, key, size = np.arange(n), np.zeros(n, np.int64), n
    for column in map(np.ascontiguousarray, reversed(columns)):
        low = int(column.min())
        span = int(column.max()) - low + 1
        if n * span < 2**63:
            values = column - low
        else:
            values, span = _ranks(column), n
        if size * span >= 2**63:
            order, key, size = _by(key, order), np.zeros(n, np.int64), n
        key += values * (size // n)
        size *= span
    return _by(key, order)


def _ranks(column: Integers) -> Integers:
    """Return the number of different values below each one."""
    order = np.argsort(column)
    values = column[order]
    ranks = np.empty(len(column), np.int64)
    ranks[order] = np.cumsum(np.append(False, values[1:] != values[:-1]))
    return ranks


def _by(key: Integers, order: Indices) -> Indices:
    """Return an order of rows sorted by a key >= 0, of which n times as much fits in 63 bits; equal keys stay."""
    n = len(order)
    return order[np.sort(key[order] * n + np.arange(n)) % n]


def contents(*columns: NDArray[Any]) -> Integers:
    """Return a number for each row by what is in it, (n, 1): equal for equal rows, and for hardly any others.

    A hash of 64 bits of the floats or integers (n, d) or (n,) of all columns.
    """
    total = np.zeros(len(columns[0]), np.uint64)
    with np.errstate(over="ignore"):
        for column in columns:
            for values in np.atleast_2d(np.asarray(column, np.float64).T):
                total = _mixed(total ^ (np.ascontiguousarray(values) + 0.0).view(np.uint64))
    return total.view(np.int64)[:, None]


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix 64 bits: an increment, and the finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    z = values + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
