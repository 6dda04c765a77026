"""Which entries are kept: uniform subsets and draws with replacement, exact under both kinds of randomness."""

import numpy as np

from semipriv.core.entries import Reader
from semipriv.core.randomness import Randomness, Simulation
from semipriv.core.samples import Points
from semipriv.core.types import Integers
from semipriv.mechanisms.sampling.choice import below

_CHUNK = 65_536
"""Entries that are read together where only some of them are kept."""


def subset(count: int, keep: int, randomness: Randomness) -> Integers:
    """Return ``keep`` distinct places below ``count``, a uniform subset, (keep,); raise ValueError if keep > count.

    >>> sorted(subset(3, 3, Simulation(1)).tolist())
    [0, 1, 2]
    """
    if not 0 <= keep <= count:
        raise ValueError(f"keep = {keep}: must be between 0 and count = {count}")
    if isinstance(randomness, Simulation):
        return randomness.generator.choice(count, keep, replace=False).astype(np.int64, copy=False)
    moved: dict[int, int] = {}  # a shuffle of all places, carried out for the first ``keep``
    chosen = np.empty(keep, np.int64)
    for i in range(keep):
        place = i + below(count - i, randomness)
        chosen[i] = moved.get(place, place)
        moved[place] = moved.get(i, i)
    return chosen


def thinned(reader: Reader, count: int, keep: int, randomness: Randomness) -> Points:
    """Read the next ``count`` entries and return ``keep`` of them, a uniform subset, (keep, d).

    Raise ValueError if fewer than ``count`` entries are left, or if keep > count; then none is read.  Under ``Secure``
    all entries are read, a part at a time.
    """
    if isinstance(randomness, Simulation):
        return reader.thinned(count, keep, randomness.generator)
    chosen = np.sort(subset(count, keep, randomness))
    if count > reader.left:
        reader.take(count)  # says what is missing
    starts = range(0, count, _CHUNK) if count else [0]
    parts = []
    for start in starts:
        size = min(_CHUNK, count - start)
        inside = chosen[np.searchsorted(chosen, start) : np.searchsorted(chosen, start + size)]
        parts.append(reader.take(size)[inside - start])
    return np.concatenate(parts)
