"""Data sets on the line as RRSPM sees them: the least mistakes between neighbouring public points.

m public points cut the line into m + 1 cells.  A threshold 1[x >= t] is in cell k if k public points are left of it.
Slot 2 k of a record is cell k, slot 2 k - 1 the k-th public point itself.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, product

Record = tuple[int, int]
"""Slot and label."""
Records = tuple[Record, ...]
"""In the order of the line; so are records in one cell."""
Mistakes = tuple[int, ...]
"""Least mistakes of the thresholds in each cell, less the least of all, on which no choice depends."""


def least_mistakes(records: Records, points: int) -> Mistakes:
    """Return the least mistakes of the thresholds in the m + 1 cells.

    Mistakes are counted from those left of all records on; passing a one adds a mistake, passing a zero takes one.
    """
    least = [0] * (points + 1)
    now, place, passed = 0, 0, 0
    for cell in range(points + 1):
        while passed < len(records) and records[passed][0] < 2 * cell:
            now += 2 * records[passed][1] - 1
            passed += 1
        least[cell], place = now, passed
        while place < len(records) and records[place][0] == 2 * cell:
            now += 2 * records[place][1] - 1
            place += 1
            least[cell] = min(least[cell], now)
        passed = place
    return tuple(q - min(least) for q in least)


@cache
def neighbours(points: int, records: int, cells: bool = True) -> tuple[tuple[Mistakes, Mistakes], ...]:
    """Return all pairs of least mistakes of two data sets that differ in one record, each pair once, in order.

    cells: False for records at public points only.
    """
    slots = range(2 * points + 1) if cells else range(1, 2 * points, 2)
    pairs: set[tuple[Mistakes, Mistakes]] = set()
    for common in data_sets(slots, records - 1):
        every = {least_mistakes(data, points) for record in product(slots, (0, 1)) for data in inserted(common, record)}
        pairs |= set(combinations(sorted(every), 2))
    return tuple(sorted(pairs))


def data_sets(slots: range, records: int) -> Iterator[Records]:
    """Yield all data sets of so many records."""
    for places in combinations_with_replacement(slots, records):
        for labels in product((0, 1), repeat=records):
            yield tuple(zip(places, labels, strict=True))


def inserted(common: Records, record: Record) -> Iterator[Records]:
    """Yield the data sets with one more record, at all places among the records of its slot."""
    first = sum(slot < record[0] for slot, _ in common)
    last = sum(slot <= record[0] for slot, _ in common)
    for place in range(first, last + 1):
        yield (*common[:place], record, *common[place:])
