"""Slots: their neighbours are those of the relation, by brute force over all data sets."""

import itertools
from collections import Counter

import pytest

from semipriv.privacy.guarantee import Neighbours
from semipriv.privacy.slots import DataSets, Slots

LABELLED = [(point, label) for point in "xy" for label in (0, 1)]
ENTRIES = DataSets(LABELLED, 2, "xyz", 1)
EXAMPLES = DataSets(LABELLED, 3)


def enumerated(slots: tuple[Slots, ...]):
    """All data sets of a slot list, and all ordered pairs that differ in one slot."""
    records = [group.records for group in slots for _ in range(group.count)]
    data = set(itertools.product(*records))
    pairs = {
        (record, (*record[:i], other, *record[i + 1 :]))
        for record in data
        for i in range(len(records))
        for other in records[i]
    }
    return data, {(first, two) for first, two in pairs if first != two}


def related(neighbours: Neighbours, first: tuple, two: tuple) -> bool:
    changed = [(a, b) for a, b in zip(first, two, strict=True) if a != b]
    if neighbours is Neighbours.REPLACE_PRIVATE_FEATURES and any(a[1] != b[1] for a, b in changed):
        return False
    if neighbours is Neighbours.REPLACE_LABEL and any(a[0] != b[0] for a, b in changed):
        return False
    return len(changed) == 1


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_slots_in_order_make_all_data_sets_and_all_neighbours(neighbours: Neighbours) -> None:
    """Each data set once, over all slot lists together."""
    entries = neighbours is Neighbours.REPLACE_ENTRY
    data_sets = ENTRIES if entries else EXAMPLES
    computed_enumerated = [enumerated(slots) for slots in data_sets.slots(neighbours, ordered=True)]
    everything = set(itertools.product(LABELLED, LABELLED, "xyz" if entries else LABELLED))
    assert Counter(itertools.chain.from_iterable(data for data, _ in computed_enumerated)) == dict.fromkeys(
        everything, 1
    )
    pairs = set().union(*(pairs for _, pairs in computed_enumerated))
    kinds = [(type(a), type(b)) for first, two in pairs for a, b in zip(first, two, strict=True)]
    assert all(a is b for a, b in kinds), "an entry is replaced by one of its kind"
    assert pairs == {
        (first, two) for first, two in itertools.product(everything, repeat=2) if related(neighbours, first, two)
    }


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_without_order_each_multiset_of_neighbours_is_there(neighbours: Neighbours) -> None:
    data_sets = ENTRIES if neighbours is Neighbours.REPLACE_ENTRY else EXAMPLES

    def multisets(ordered: bool) -> set:
        lists = data_sets.slots(neighbours, ordered=ordered)
        pairs = itertools.chain.from_iterable(enumerated(slots)[1] for slots in lists)
        return {tuple(tuple(sorted(data, key=repr)) for data in pair) for pair in pairs}

    assert multisets(ordered=False) == multisets(ordered=True)


def test_slots_of_each_relation() -> None:
    assert EXAMPLES.slots(Neighbours.REPLACE_PRIVATE_EXAMPLE, ordered=False) == [(Slots(LABELLED, 3),)]
    assert ENTRIES.slots(Neighbours.REPLACE_ENTRY, ordered=False) == [(Slots(LABELLED, 2), Slots("xyz", 1))]
    zeros, positives = ([("x", y), ("y", y)] for y in (0, 1))
    assert DataSets(LABELLED, 2).slots(Neighbours.REPLACE_PRIVATE_FEATURES, ordered=False) == [
        (Slots(zeros, 2),),
        (Slots(zeros, 1), Slots(positives, 1)),
        (Slots(positives, 2),),
    ]
    assert DataSets([], 0, "xy", 4).slots(Neighbours.REPLACE_ENTRY, ordered=False) == [(Slots("xy", 4),)]
