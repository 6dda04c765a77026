"""The error of a release in each of several groups of people, by two numbers with noise for each group.

Every held-out row is in one of G declared groups, and the released hypothesis is wrong or right there.  So a row is in
one of 2 G cells.  What is published is the number of rows in each, plus discrete Laplace noise of scale 2 / epsilon.

Groups are disjoint, but replacing a row does not make them parallel: the row may leave one group for another.  Then the
sizes of groups are private, and two groups move at once.  What holds is this.

*Claim.*  For the replacement of one row, whatever becomes of its group, its features and its label, all 2 G numbers
together are epsilon-DP, however many groups there are.

*Proof.*  Given the hypothesis, which is drawn from other rows, the cell of a row depends on that row alone.  Replacing
it takes 1 from one number and adds 1 to another one, or to the same: the vector v of integers moves by at most 2 in L1.
P[v + K = o] is proportional to exp(-epsilon |o - v|_1 / 2), and |o - v|_1 differs by at most 2 between neighbours.

Where a number is predicted, a row adds its score s of 0, ..., m to one number of its group, and m - s to the other one
(``asking.squared``).  Replacing a row takes m from them in all and adds m, and so moves them by at most 2 m in L1: in
one group by 2 |s - s'|.  The noise has scale 2 m / epsilon, and the proof is the same.

Scale 1 / epsilon would be right for parallel composition where rows are added or removed.  Here it costs 2 epsilon (the
laboratory's ``controls.groups``).
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from semipriv.core import checks
from semipriv.core.fields import checked, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.rounding import rational
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.practice.asking.limits import limits, mean_limits
from semipriv.practice.columns.features import Categories, restored_feature

MOVED = 2
"""What a replaced row moves the numbers by, in L1."""
_SIZE_SHARE = 0.2
"""Share of the level that goes to limits of the size of a group; the rest goes to those of its error."""


@value
class Groups:
    """The column that tells groups, with all of them, the epsilon of their numbers, and what a row scores at most."""

    column: Categories
    epsilon: Fraction = checked(rational)
    most: int = size(default=1)

    @property
    def mechanism(self) -> NoisyIntegers:
        """The mechanism of all numbers at once."""
        return NoisyIntegers(MOVED * self.most, self.epsilon)

    @property
    def names(self) -> tuple[str, ...]:
        """What groups are called."""
        return self.column.values

    def described(self) -> dict[str, Any]:
        """Return values of JSON, exact; ``restored`` inverts this."""
        return {**self.column.description(), "epsilon": str(self.epsilon)}

    @classmethod
    def restored(cls, description: Mapping[str, Any], most: int = 1) -> "Groups":
        """Return the groups with this description, whose rows score so much at most."""
        declared = {key: value for key, value in description.items() if key != "epsilon"}
        column = restored_feature(declared)
        assert isinstance(column, Categories)
        return cls(column, Fraction(description["epsilon"]), most)

    def draw(self, counts: Integers, randomness: Randomness) -> list[list[int]]:
        """Return the numbers of mistakes and of right answers of each group, or the sums of scores, (G, 2), with noise.

        counts: (G, 2), those of the held-out rows.
        """
        whole = [checks.size("count", int(count), 0) for count in np.ravel(counts)]
        noisy = self.mechanism.release(np.array(whole, np.int64), randomness)
        return [[int(noisy[2 * g]), int(noisy[2 * g + 1])] for g in range(len(self.names))]


def counted(groups: Floats, scores: Any, size: int, most: int = 1) -> Integers:
    """Return the mistakes and the right answers of each of ``size`` groups, (size, 2).

    groups: (n,) places.  scores: (n,) bool, true for a mistake; or integers of 0, ..., most, which are summed up beside
    what they lack of ``most``.  Sums are exact up to 2^53.
    """
    places = groups.astype(np.int64)
    wrong = np.bincount(places, np.asarray(scores, np.float64), size).astype(np.int64)
    return np.column_stack([wrong, most * np.bincount(places, minlength=size) - wrong])


@attrs.frozen
class GroupError:
    """What may be published of the error in one group: a function of its two noisy numbers, and of public ones.

    mistakes, right: noisy numbers, or noisy sums of scores and of the differences to the largest score; may be below 0.
    error: the share of mistakes, with negative numbers taken as 0; None if both are 0.  low, high: limits of the error
    on new rows of the group.  fewest, most: limits of its number of held-out rows.
    """

    mistakes: int
    right: int
    error: float | None
    low: float
    high: float
    fewest: int
    most: int


def group_errors(
    noisy: Sequence[Sequence[int]], rows: int, epsilon: Fraction, level: float, candidates: int = 1, score: int = 1
) -> list[GroupError]:
    """Return what the noisy numbers (G, 2) of all groups say, which have ``rows`` held-out rows together.

    All limits of all groups hold at once with probability 1 - level, over the noise and over held-out rows, if these
    are independent draws given their groups.  They hold for all candidates, so that the choice does not flatter.

    mistakes + right is the number N of rows with the noise of both.  So N is between two limits.  Given N the mistakes
    are Bin(N, p): ``limits`` are those of the fewest, and of the most rows.  Each of the four may miss with its share
    of the level, divided by the number of groups and of candidates.

    score: what a row scores at most.  Above 1 the numbers are sums, N score with the noise of both together; the limits
    of the mean score, in units of ``score``, are ``mean_limits``.
    """
    noise = NoisyIntegers(MOVED * score, epsilon).noise
    share = level / (2 * len(noisy) * candidates)
    reach = width_of_two(noise, _SIZE_SHARE * share)
    errors = []
    for mistakes, right in noisy:
        both = mistakes + right
        fewest, most = (min(max(bound, 0), rows) for bound in (-((reach - both) // score), (both + reach) // score))
        rest = (1 - _SIZE_SHARE) * share
        if score == 1:
            low, high = limits(mistakes, fewest, most, noise, rest)
        else:
            low, high = mean_limits(mistakes, fewest, most, score, noise, rest)
        wrong, fine = max(mistakes, 0), max(right, 0)
        error = wrong / (wrong + fine) if wrong + fine else None
        errors.append(GroupError(mistakes, right, error, low, high, fewest, most))
    return errors


def width_of_two(noise: DiscreteLaplace, share: float) -> int:
    """Return the least t >= 0 with P[K + K' > t] <= share for two independent noises.

    >>> width_of_two(DiscreteLaplace(1), 0.005)
    6
    """
    high = 1
    while _tail_of_two(noise, high + 1) > share:
        high *= 2
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _tail_of_two(noise, middle + 1) > share else (low, middle)
    return high


def _tail_of_two(noise: DiscreteLaplace, u: int) -> float:
    """Return P[K + K' >= u], u >= 0, rounded up a little.

    With q = e^(-1 / scale): P[K + K' = k] = ((1 - q) / (1 + q))^2 q^k (k + 1 + 2 q^2 / (1 - q^2)) for k >= 0, summed.
    """
    rate = float(1 / Fraction(noise.scale))
    q, rest = math.exp(-rate), -math.expm1(-rate)
    inside = (u + 1) * rest + q + 2 * q * q / (1 + q)
    return min(1.0, math.exp(-rate * u) * inside / (1 + q) ** 2 * (1 + 1e-9))
