"""Unlabelled entries of private data, read one after the other, and data of which a part is labelled.

A learner may consume more entries than fit in memory.  So they are a value that tells their number, and opens readers;
each reader starts at the first entry, and an entry is made when it is read.

>>> reader = ListedEntries([[1.0], [2.0], [3.0]]).reader()
>>> reader.take(2).tolist(), reader.left
([[1.0], [2.0]], 1)
>>> reader.take(2)
Traceback (most recent call last):
ValueError: unlabelled entries: 2 are needed next, 1 of 3 is left
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import attrs
import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike

from semipriv.core import checks
from semipriv.core.fields import value
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Points, Sample, as_points

CHUNK = 4096
"""Entries of an i.i.d. stream that are drawn together: what is at a place does not depend on how it is read."""


class Reader(ABC):
    """Reads n entries once, in their order."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.place = 0

    @property
    def left(self) -> int:
        """Number of entries that were not read yet."""
        return self.n - self.place

    def take(self, count: int) -> Points:
        """Return the next ``count`` entries, (count, d); raise ValueError if fewer are left, and then read none."""
        start = self._advance(count)
        return self._entries(start, count)

    def thinned(self, count: int, keep: int, generator: np.random.Generator) -> Points:
        """Read the next ``count`` entries, and return ``keep`` of them, (keep, d): a uniform subset, in random order.

        Which ones are kept does not depend on what they are.  Raise ValueError if fewer than ``count`` are left, or if
        ``keep`` exceeds ``count``; then none is read.
        """
        if not 0 <= keep <= count:
            raise ValueError(f"keep = {keep}: must be between 0 and count = {count}")
        start = self._advance(count)
        return self._thinned(start, count, keep, generator)

    def _advance(self, count: int) -> int:
        if not 0 <= count <= self.left:
            left = f"{self.left:,} of {self.n:,} {'is' if self.left == 1 else 'are'} left"
            raise ValueError(f"unlabelled entries: {count:,} are needed next, {left}")
        start, self.place = self.place, self.place + count
        return start

    @abstractmethod
    def _entries(self, start: int, count: int) -> Points:
        """Return the entries from ``start`` on."""

    def _thinned(self, start: int, count: int, keep: int, generator: np.random.Generator) -> Points:
        return self._entries(start, count)[generator.choice(count, keep, replace=False)]


class Entries(ABC):
    """A known number of unlabelled entries."""

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of entries, which is public."""

    @abstractmethod
    def reader(self) -> Reader:
        """Return a reader that starts at the first entry."""


@value(eq=False)
class ListedEntries(Entries):
    """Entries that are there: points (n, d)."""

    points: Points = attrs.field(converter=as_points)

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.points)

    def reader(self) -> Reader:
        """Return a reader of the points."""
        return _ListReader(self.points)


class _ListReader(Reader):
    def __init__(self, points: Points) -> None:
        super().__init__(len(points))
        self.points = points

    def _entries(self, start: int, count: int) -> Points:
        return self.points[start : start + count]


@frozen(eq=False)
class DrawnEntries(Entries):
    """Independent draws of one distribution, made when they are read; n may be far larger than memory.

    draw: (number, generator) -> points (number, d).  stream: names the random streams of the draws.

    A thinned block of independent entries has the distribution of as many fresh ones as are kept, because which ones
    are kept does not depend on what they are.  So only these are drawn.
    """

    n: int = attrs.field()
    draw: Callable[[int, np.random.Generator], Points] = attrs.field()
    stream: Simulation = attrs.field()

    def __attrs_post_init__(self) -> None:
        checks.size("n", self.n, 0)

    def reader(self) -> Reader:
        """Return a reader that draws."""
        return _DrawReader(self)


class _DrawReader(Reader):
    def __init__(self, entries: DrawnEntries) -> None:
        super().__init__(entries.n)
        self.entries = entries

    def _entries(self, start: int, count: int) -> Points:
        if not count:
            return self.entries.draw(0, self.entries.stream.spawn("chunk", 0).generator)
        first, last = start // CHUNK, (start + count - 1) // CHUNK
        chunks = [self._chunk(chunk) for chunk in range(first, last + 1)]
        return np.concatenate(chunks)[start - first * CHUNK :][:count]

    def _chunk(self, chunk: int) -> Points:
        return self.entries.draw(CHUNK, self.entries.stream.spawn("chunk", chunk).generator)

    def _thinned(self, start: int, count: int, keep: int, generator: np.random.Generator) -> Points:
        return self.entries.draw(keep, self.entries.stream.spawn("thinned", start).generator)


@value(eq=False)
class PartlyLabelled:
    """Private data of BNS15: labelled examples first, then unlabelled entries.  Both sizes are public.

    Neighbours differ in one entry, labelled or not: see ``Neighbours.REPLACE_ENTRY``.
    """

    labelled: Sample
    unlabelled: Entries

    @classmethod
    def of(cls, points: ArrayLike, labels: Sequence[int | None]) -> "PartlyLabelled":
        """Return entries that are there: points (n, d), and n labels 0, 1, or None for an unlabelled entry.

        Raise ValueError, with the rows, if an unlabelled entry stands before a labelled one, and for other labels.

        >>> PartlyLabelled.of([[1.0], [2.0], [3.0]], [0, None, 1])
        Traceback (most recent call last):
        ValueError: labels: row 2 is labelled, row 1 is not: labelled entries come first
        """
        x = as_points(points)
        if len(labels) != len(x):
            raise ValueError(f"labels: must be {len(x)}, one for each point, None for none, got {len(labels)}")
        n = sum(label is not None for label in labels)
        if None in labels[:n]:
            first, later = labels.index(None), max(row for row, label in enumerate(labels) if label is not None)
            raise ValueError(f"labels: row {later} is labelled, row {first} is not: labelled entries come first")
        return cls(Sample(x[:n], np.array(labels[:n])), ListedEntries(x[n:]))

    def __len__(self) -> int:
        return len(self.labelled) + self.unlabelled.n
