"""The distribution of LabelBoostProcedure, and a learner that reveals as much about one entry as relabelling allows.

Thresholds of 0, ..., 9 and many copies of (4, 1) and of (8, 0); one data set has (2, 0) besides, its neighbour (6, 1).
The new labels 0 at 4 and at 8 are rare, but (1 + sqrt e)^2 times as likely in the first data set.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from semipriv.classes.finite_class import FiniteClass
from semipriv.core.types import Bools, Floats
from semipriv.mechanisms.selection.exponential import ExponentialMechanism

Example = tuple[int, int]
Labelled = tuple[Example, ...]
Unlabelled = tuple[int, ...]


def thresholds(points: int) -> FiniteClass:
    """Return all thresholds 1[x < j] of 0, ..., points - 1."""
    return FiniteClass(np.tri(points + 1, points, -1, dtype=int).tolist())


@dataclass(frozen=True)
class Drawn:
    """What the procedure may draw: the distinct points, their labelings (k, points), and the chance of each (k,)."""

    points: tuple[int, ...]
    labelings: Bools
    chances: Floats


@cache
def drawn(functions: FiniteClass, labelled: Labelled, unlabelled: Unlabelled, eps0: float) -> Drawn:
    """Return the distribution of algorithm 2 on a data set, with the exponential mechanism's parameter eps0."""
    points = tuple(sorted({x for x, _ in labelled} | set(unlabelled)))
    cover = functions.cover(np.array(points, float)[:, None]).listed()
    places, labels = zip(*labelled, strict=True)
    mistakes = cover.mistakes(np.array(places, float)[:, None], np.array(labels))
    chances = np.exp(ExponentialMechanism(eps0).log_probabilities(-mistakes))
    return Drawn(points, functions.predict(cover.parameters, np.array(points, float)[:, None]), chances)


EXTRA: tuple[Example, Example] = ((2, 0), (6, 1))
"""The entry in which both data sets differ."""
FILLER: Example = (9, 0)
"""An entry that is there besides, as often as all others, to be thinned."""


def family(copies: int, extra: Example) -> Labelled:
    """Return so many copies of (4, 1) and of (8, 0), and one more entry."""
    return ((4, 1),) * copies + ((8, 0),) * copies + (extra,)


def fits(point: int, label: bool) -> bool:
    """Return whether a new label fits: 0 at 4 and at 8, any at 2 and at the filler's, none at 6."""
    return point in (EXTRA[0][0], FILLER[0]) or (point in (4, 8) and not label)


def answer(labelled: Labelled, eps0: float = 1.0) -> float:
    """Return E[e^-(entries that do not fit)] on the new labels of a data set.

    A learner that says 1 with c times e^-(entries that do not fit) is 1-DP in these; c small: the other answer tells
    nothing.
    """
    distribution = drawn(thresholds(10), labelled, (), eps0)
    wrong = np.zeros(len(distribution.chances))
    for point, _ in labelled:
        labels = distribution.labelings[:, distribution.points.index(point)]
        wrong += [not fits(point, label) for label in labels.tolist()]
    return float(distribution.chances @ np.exp(-wrong))


def loss_of_family(copies: int, eps0: float = 1.0) -> float:
    """Return the privacy loss of that learner between both data sets, all of which is relabelled."""
    first, second = (answer(family(copies, extra), eps0) for extra in EXTRA)
    return math.log(first / second)


def told_of_half(copies: int) -> float:
    """Return the same if half of all entries, fillers among them, are kept at random before they are relabelled."""
    first, second = (_of_half(copies, extra) for extra in EXTRA)
    return math.log(first / second)


def _of_half(copies: int, extra: Example) -> float:
    """Return the mean answer, by how many entries of each kind are kept."""
    kept = 2 * copies + 1
    mean = 0.0
    for positives in range(copies + 1):
        for zeros in range(copies + 1):
            for own in (0, 1):
                fillers = kept - positives - zeros - own
                ways = math.comb(copies, positives) * math.comb(copies, zeros) * math.comb(kept, fillers)
                data = ((4, 1),) * positives + ((8, 0),) * zeros + (extra,) * own + (FILLER,) * fillers
                mean += ways / math.comb(2 * kept, kept) * answer(data)
    return mean
