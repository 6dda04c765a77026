"""Teaching sets of finite classes (BBD24): points whose labels tell one labeling from all others.

With v = -2 on the ones and +2 on the zeros of a teaching set of h, and 0 elsewhere, <v, h' - h> >= 2 for all h' != h.
So the noise of RRSPM needs to shift on those points only.
"""

import numpy as np

from semipriv.core import checks
from semipriv.core.types import Bools, Floats


def teaching_set(patterns: Bools, row: int) -> list[int]:
    """Return points that tell one labeling from all others, none of which can be left out, in order.

    patterns: (k, m), all different.  The point is added that tells most of the labelings left, the first of several,
    until none is left; then points that became superfluous are taken away, in order of their coming.

    >>> thresholds = np.tri(4, 3, -1, dtype=bool)[:, ::-1]
    >>> [teaching_set(thresholds, row) for row in range(4)]
    [[2], [1, 2], [0, 1], [0]]
    """
    checks.size("row", row, 0)
    differs = np.delete(patterns != patterns[row], row, axis=0)
    chosen: list[int] = []
    while (left := differs[~differs[:, chosen].any(axis=1)]).size:
        chosen.append(int(left.sum(axis=0).argmax()))
    for point in list(chosen):
        fewer = [other for other in chosen if other != point]
        if differs[:, fewer].any(axis=1).all():
            chosen = fewer
    return sorted(chosen)


def shift(pattern: Bools, points: list[int]) -> Floats:
    """Return v: -2 at the points that the labeling takes for 1, +2 at those it takes for 0, and 0 elsewhere.

    >>> shift(np.array([True, False, True]), [1, 2])
    array([ 0.,  2., -2.])
    """
    v = np.zeros(len(pattern))
    v[points] = np.where(pattern[points], -2.0, 2.0)
    return v


def least_gain(patterns: Bools, row: int, v: Floats) -> float:
    """Return the least <v, h' - h> over the other labelings h' of (k, m) patterns; infinite if there is none."""
    checks.size("row", row, 0)
    gains = (patterns.astype(float) - patterns[row]) @ v
    return float(np.delete(gains, row).min(initial=np.inf))
