"""Slots of neighbours: the data sets that an exact audit enumerates for a neighbour relation.

A slot is a position of a data set, together with the records that it may hold.  Two data sets are neighbours if they
differ in the record of one slot.  So a list of slots tells how many records there are, what is public about each
position (all records of its slot have it in common), and which record may replace which.
"""

import itertools
from collections.abc import Hashable, Iterable
from typing import Any

import attrs

from semipriv.privacy.guarantee import Neighbours

Record = Any
"""Whatever a position of a data set holds; hashable."""
Example = tuple[Hashable, int]
"""A labelled example: (point, label)."""
_PUBLIC = {Neighbours.REPLACE_PRIVATE_FEATURES: 1, Neighbours.REPLACE_LABEL: 0}
"""The part of an example that is public, and so the same in neighbours."""
NO_SLOTS = "slots: a data set needs n >= 1 slots that may hold a record each"


def _as_tuple(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(values)


@attrs.frozen
class Slots:
    """``count`` >= 1 positions of a data set that may hold the same records.

    Raises ValueError if there is no position, or no record.
    """

    records: tuple[Record, ...] = attrs.field(converter=_as_tuple)
    count: int = 1

    def __attrs_post_init__(self) -> None:
        if self.count < 1 or not self.records:
            raise ValueError(NO_SLOTS)


SlotList = tuple[Slots, ...]
"""The slots of a data set, in the order of its positions."""


@attrs.frozen
class DataSets:
    """The data sets over a tiny domain that an exact audit may visit: sizes and possible records.

    labelled: the records that a labelled entry may be, (point, label) pairs; n_labelled: how many entries are labelled,
    they come first.  unlabelled: the records that an unlabelled entry may be, of any hashable kind; n_unlabelled: how
    many there are.
    """

    labelled: tuple[Example, ...] = attrs.field(converter=_as_tuple)
    n_labelled: int
    unlabelled: tuple[Record, ...] = attrs.field(default=(), converter=_as_tuple)
    n_unlabelled: int = 0

    def slots(self, neighbours: Neighbours, *, ordered: bool) -> list[SlotList]:
        """Return the slot lists whose data sets and neighbours are, together, all those of a relation.

        REPLACE_PRIVATE_EXAMPLE: one list, every slot may hold every example.  REPLACE_PRIVATE_FEATURES: one list for
        each way to label the slots; a slot holds examples of its label only.  REPLACE_LABEL: one list for each way to
        give the slots points; a slot holds examples of its point only.  REPLACE_ENTRY: one list, labelled slots
        and then unlabelled ones; a slot holds entries of its kind only.

        ordered: whether the order of the examples may matter.  If not, lists of labels, or of points, that differ in
        their order only are one.

        Raises ValueError for unlabelled entries under a relation that has none, if there is no slot, and if there are
        slots without a record.

        >>> two = DataSets([("x", 0), ("x", 1)], 2)
        >>> [[slot.records for slot in slots] for slots in two.slots(Neighbours.REPLACE_PRIVATE_EXAMPLE, ordered=False)]
        [[(('x', 0), ('x', 1))]]
        >>> len(two.slots(Neighbours.REPLACE_PRIVATE_FEATURES, ordered=False))
        3
        >>> len(two.slots(Neighbours.REPLACE_PRIVATE_FEATURES, ordered=True))
        4
        """
        kinds = [(self.labelled, self.n_labelled), (self.unlabelled, self.n_unlabelled)]
        kinds = [(records, count) for records, count in kinds if count]
        if not kinds or not all(records for records, _ in kinds):
            raise ValueError(NO_SLOTS)
        if neighbours is not Neighbours.REPLACE_ENTRY and self.n_unlabelled:
            raise ValueError(f"n_unlabelled = {self.n_unlabelled!r}: {neighbours.value} has labelled examples only")
        if neighbours in _PUBLIC:
            part = _PUBLIC[neighbours]
            possible = sorted({example[part] for example in self.labelled})  # type: ignore[type-var]
            lists = (
                itertools.product(possible, repeat=self.n_labelled)
                if ordered
                else itertools.combinations_with_replacement(possible, self.n_labelled)
            )
            return [
                tuple(Slots(self._with(part, known), len(list(run))) for known, run in itertools.groupby(positions))
                for positions in lists
            ]
        return [tuple(Slots(records, count) for records, count in kinds)]

    def _with(self, part: int, known: Hashable) -> tuple[Example, ...]:
        return tuple(example for example in self.labelled if example[part] == known)
