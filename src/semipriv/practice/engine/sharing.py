"""Units of private rows where persons are protected: what is known of all rows before one of them is summed up.

A person's rows may be in any part, so that the units of a part follow from the names in all of them.  They are read
once, and where a person's rows share units unevenly their contents are read once more.  Memory holds the names, and of
each row the place of its person and its units.

Some persons may be held out: floor(N / k) of N, namely those of the least HMAC of their names by the secret key of the
ledger.  For anyone without the key they are a random draw without replacement, whoever the persons are.  So sizes
follow from N alone, and whoever replaces a person takes that person's place on either side.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.persons import Persons, contents, shares_of, uneven
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Floats, Integers
from semipriv.practice.asking.persons import CellNames
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.schema import Chunk, Records
from semipriv.practice.columns.strict import canonical
from semipriv.practice.engine.reading import of_persons
from semipriv.practice.sums.statistic import Statistic

Units = NDArray[np.int32]


class Sharing:
    """Units of the private rows of a request, which names persons.

    key: public, from which the offsets of persons follow.  secret: returns the key by which persons are held out.
    """

    def __init__(self, request: Request, records: Records, key: str, secret: Callable[[], bytes]) -> None:
        assert request.person is not None, "the request names persons"
        self.request = request
        self.records = records
        self.key = key
        self._secret = secret
        self._units: dict[tuple[int, int | None], Units] = {}

    @cached_property
    def _read(self) -> tuple[Persons, list[int]]:
        """All persons, and where the rows of each part start among all rows."""
        person, starts = self.request.person, [0]
        assert person is not None

        def chunks() -> Iterator[Chunk]:
            for part in self.request.private.parts:
                starts.append(starts[-1])
                for chunk in self.request.private.chunks(part, person.columns):
                    starts[-1] += len(chunk.numbers)
                    yield chunk

        return person.of(chunks()), starts

    @property
    def persons(self) -> Persons:
        """All persons."""
        return self._read[0]

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Numbers of persons who are learned from, and who are held out."""
        request = self.request
        if request.held_out is not None:
            return _split(self.persons.count, request.held_out.every)
        assert request.person is not None
        counted = request.private.persons(request.person.columns)
        return (self.persons.count if counted is None else counted), 0

    @cached_property
    def _held(self) -> Bools:
        """Which persons are held out, (N,)."""
        held = np.zeros(self.persons.count, bool)
        count = self.sizes[1]
        if count:
            secret, names = self._secret(), self.persons.names
            assert isinstance(names, CellNames), "they are those of a table"
            draws = [
                hmac.digest(secret, canonical([self.key, *cells]), hashlib.sha256)
                for cells in names.cells(np.arange(self.persons.count))
            ]
            held[sorted(range(len(draws)), key=draws.__getitem__)[:count]] = True
        return held

    def training(self, place: int, statistic: Statistic) -> Units:
        """Return the units of all rows for a statistic of the candidate at this place; 0 of those held out."""
        if (0, place) not in self._units:
            self._units[0, place] = self._shared(
                statistic.units, ~self._held, lambda points, labels, _: statistic.order(points, labels)
            )
        return self._units[0, place]

    def judging(self) -> Units:
        """Return the units of all rows that judge: one row of each held-out person has a unit."""
        if (1, None) not in self._units:
            self._units[1, None] = self._shared(1, self._held, contents)
        return self._units[1, None]

    def of_part(self, part: int, units: Units) -> Units:
        """Return the units of the rows of a part."""
        start, end = self._read[1][part : part + 2]
        return units[start:end]

    def _shared(self, units: int, chosen: Bools, order: Callable[[Points, Any, Floats], Integers]) -> Units:
        """Return the units of all rows, (n,), where the chosen persons have so many each."""
        persons, rows = self.persons.only(chosen)
        needed = np.zeros(len(self.persons.place), np.int32)
        needed[rows[uneven(persons, units)]] = 1
        by = [np.empty((0, 1), np.int64)]
        if needed.any():
            parts = enumerate(self.request.private.parts)
            rows_of = (
                chunk
                for place, part in parts
                for chunk in of_persons(self.request, self.records, part, self.of_part(place, needed))
            )
            by = [order(points, labels, groups) for points, labels, groups, _ in rows_of]
        shared = np.zeros(len(needed), np.int32)
        shared[rows] = shares_of(persons, np.concatenate(by), units, self.key)
        return shared


def _split(persons: int, every: int) -> tuple[int, int]:
    """Return, of a number of persons, how many are learned from and how many are held out."""
    return persons - persons // every, persons // every
