"""Intervals with a public point on the line, by their ends: least mistakes, and the shift of weights of the proof.

Slots of records are those of ``_line``.  The left end of the pattern (k, j), k < j, lies in gap k, the right end in gap
j; it has the public points k + 1 to j.  Its least mistakes are ones + B_j - A_k, see docs/findings.md.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from semipriv.core.types import Floats, Integers
from semipriv_lab.papers.bbd24.studies._line import Records, data_sets, inserted


def ends(records: Records, points: int) -> Integers:
    """Return the least B and the largest A of each gap, of zeros less ones among records before a cut: (2, m + 1)."""
    least, most = np.zeros(points + 1, np.int64), np.zeros(points + 1, np.int64)
    now, passed = 0, 0
    for gap in range(points + 1):
        while passed < len(records) and records[passed][0] < 2 * gap:
            now += 1 - 2 * records[passed][1]
            passed += 1
        heights, place = [now], passed
        while place < len(records) and records[place][0] == 2 * gap:
            heights.append(heights[-1] + 1 - 2 * records[place][1])
            place += 1
        least[gap], most[gap] = min(heights), max(heights)
    return np.stack([least, most])


def changes(points: int, records: int) -> Iterator[tuple[Integers, Integers]]:
    """Yield how B and A change, (m + 1,) each, in all pairs of neighbours of so many records, each change once."""
    slots, seen = range(2 * points + 1), set()
    for common in data_sets(slots, records - 1):
        every = {ends(data, points).tobytes() for r in product(slots, (0, 1)) for data in inserted(common, r)}
        for first, second in product(every, repeat=2):
            change = np.frombuffer(second, np.int64) - np.frombuffer(first, np.int64)
            seen.add(change.tobytes())
    for key in sorted(seen):
        both = np.frombuffer(key, np.int64).reshape(2, -1)
        yield both[0], both[1]


def shift(b: Integers, a: Integers, k: int, j: int, *, far: bool = True) -> tuple[Floats, float]:
    """Return v (m,) of the proof for the pattern (k, j), and the least of <v, h' - h> less what h' asks for.

    far: False leaves out what intervals far away ask for.
    """
    m = len(b) - 1
    left, right = np.nonzero(np.arange(m + 1)[:, None] < np.arange(m + 1))
    asked = (b[j] - b[right]) + (a[left] - a[k])
    inside = max(0, b[j] - b[1:j].min(initial=b[j])), max(0, a[k + 1 :].max(initial=a[k]) - a[k])
    extra = max(0, int(asked.max()) - sum(inside)) if far else 0
    v = np.zeros(m + 2)  # points 1 to m; the ends stand for none
    v[j] -= inside[0] + extra
    v[k + 1] -= inside[1]
    v[j + 1] += max(0, b[j] - b[j:].min())
    v[k] += max(0, a[: k + 1].max() - a[k])
    v = v[1:-1]
    sums = np.concatenate([[0.0], np.cumsum(v)])
    gains = (sums[right] - sums[left]) - (sums[j] - sums[k])
    return v, float((gains - asked).min())
