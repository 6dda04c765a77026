"""Selection by an oracle: the pattern of public points with the least mistakes plus noise on every point."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from semipriv.core.randomness import Randomness, as_randomness
from semipriv.core.types import Bools, Floats, Indices, Integers
from semipriv.mechanisms.noise.base import Noise
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace

__all__ = ["PerturbedMinimum"]

LISTED = 3
"""Public points up to which the exact distribution is computed."""
EXACT = 2**53
"""Integers below it are floats, and so are their sums."""
FAR = 1000
"""Scales beyond which noise lies with a chance of e^-1000: sums are exact for all that is nearer."""
ROOM = 4
"""Sums that an oracle may make beside that of all weights: one that forces a point weighs it by twice the rest."""
_TAIL = 44.0
"""Noise beyond so many scales has probability below 1e-19, negligible beside that of any likely pattern."""


class Problem(Protocol):
    """Private mistakes q(h) of each pattern h of m public points, behind an oracle."""

    @property
    def size(self) -> int:
        """Number m of public points."""

    @property
    def records(self) -> int:
        """Number of private examples."""

    def minimum(self, weights: Floats, unit: float) -> Bools:
        """Return the pattern (m,) with the least unit q(h) + <weights, h>; weights (m,)."""

    def listed(self) -> tuple[Bools, Integers]:
        """Return all patterns (k, m), sorted, and their mistakes (k,)."""


@dataclass(frozen=True, eq=False, repr=False)
class PerturbedMinimum:
    """The pattern h that minimises q(h) + <xi, h> for independent noise xi on each public point: BBD24 algorithm 4.

    Args:
        noise: None without public points.
        ties: (m,) public integers >= 0 with another sum for each pattern, for integer-valued noise: of equal patterns
            the one with the least sum wins, whatever the data are.  For real noise, which makes no ties, they are zero.
    """

    noise: Noise | None
    ties: tuple[int, ...]

    def __repr__(self) -> str:
        return f"PerturbedMinimum({self.noise!r}, {len(self.ties)} public points)"

    @property
    def unit(self) -> int:
        """What a mistake counts beside the ties: more than all of them together."""
        return 1 + sum(self.ties)

    def pattern(self, problem: Problem, randomness: Randomness) -> Bools:
        """Draw a pattern (m,): one draw of noise, one call of the oracle.

        Raises ValueError for Secure unless the noise is integer-valued, and for integer noise so large that floats do
        not hold its sums: by its scale and public sizes, never by what was drawn.
        """
        self.check(problem.records)
        randomness, weights = as_randomness(randomness), np.zeros(0)
        if self.noise is not None:
            drawn = self.noise.sample(randomness, problem.size)
            weights = (drawn * self.unit + np.array(self.ties)).astype(np.float64)
        return problem.minimum(weights, float(self.unit))

    def check(self, records: int) -> None:
        """Raise ValueError if no pattern can be drawn for so many private examples, whatever they are.

        That is for integer noise so large, or ties so fine, that floats do not hold its sums.
        """
        if isinstance(self.noise, DiscreteLaplace):
            check_sums(Fraction(self.noise.scale), len(self.ties), sum(self.ties), records)

    def output_distribution(self, problem: Problem) -> tuple[Bools, Floats]:
        """Return the patterns that can be drawn (k, m), and their log-probabilities (k,).

        For integer-valued noise on up to LISTED points, by listing all values of all but one of them: ValueError for
        others.
        """
        patterns, mistakes = problem.listed()
        if self.noise is None:
            return patterns, np.zeros(1)
        if problem.size > LISTED or not isinstance(self.noise, DiscreteLaplace):
            raise ValueError(
                f"{self!r}: has no listed distribution, which takes discrete Laplace noise on 1 to {LISTED} points"
            )
        scores = self.unit * (mistakes - mistakes.min()) + patterns @ np.array(self.ties)
        rows = tuple(map(tuple, patterns.tolist()))
        return patterns, np.log(_shares(rows, tuple(scores.tolist()), self.unit, self.noise))


@lru_cache(maxsize=4096)
def _shares(rows: tuple[tuple[bool, ...], ...], totals: tuple[int, ...], unit: int, noise: DiscreteLaplace) -> Floats:
    """Return the probabilities (k,) that a pattern has the least total + unit <xi, pattern>.

    Given all but the last weight, the best pattern with a 0 there and the best with a 1 are left: the second wins
    where the last weight is below the difference of the two.
    """
    patterns, scores = np.array(rows), np.array(totals)
    reach = int(np.ceil(_TAIL * float(noise.scale)))
    values = np.arange(-reach, reach + 1)
    distribution = np.exp(noise.log_probability(values))
    others = patterns.shape[1] - 1
    grid = np.stack(np.meshgrid(*[values] * others), axis=-1).reshape(-1, others) if others else np.zeros((1, 0), int)
    chance = np.ones(len(grid))
    for column in grid.T:
        chance = chance * distribution[column + reach]
    sides = []
    for last in (False, True):
        members = np.flatnonzero(patterns[:, -1] == last)
        sums = scores[members][:, None] + unit * (patterns[members, :-1].astype(np.int64) @ grid.T)
        sides.append((members, np.argmin(sums, axis=0) if members.size else None, sums))
    shares = np.zeros(len(patterns))
    (zeros, i, without), (ones, j, with_one) = sides
    if i is None or j is None:
        return _summed(shares, ones if i is None else zeros, j if i is None else i, chance)
    gap = np.take_along_axis(without, i[None], 0)[0] - np.take_along_axis(with_one, j[None], 0)[0]
    least = -(-gap // unit)  # unit xi >= gap from here on; equal totals do not occur
    _summed(shares, zeros, i, chance * np.exp(noise.log_cumulative(-least)))
    return _summed(shares, ones, j, chance * np.exp(noise.log_cumulative(least - 1)))


def _summed(shares: Floats, members: Indices, place: Any, chance: Floats) -> Floats:
    """Add the chances by pattern, pair by pair, so that the rounding errors stay those of some terms."""
    for i, member in enumerate(members):
        shares[member] += np.sum(chance, where=place == i)
    return shares


def check_sums(scale: Fraction, size: int, ties: int, records: int) -> None:
    """Raise ValueError if floats do not hold the sums of integer weights on so many public points.

    scale: of the weights.  ties: the sum of the integers that order equal patterns.  records: private examples.
    """
    noise, room = size * (FAR * scale + 1), Fraction(EXACT, ROOM * (1 + ties))
    if noise + records >= room:
        most = float((room - records) / size - 1) / FAR
        named = f"scale of the weights = {float(scale):.6g} for {size} public points"
        if most > 0:
            rule = f"must be below {most:.6g}, or sums of integer weights are not exact: take a larger epsilon"
        else:
            rule = "sums of integer weights are not exact, whatever epsilon: take fewer public points"
        raise ValueError(f"{named}: {rule}")


def ruler(m: int) -> list[int]:
    """Return m integers of which no two runs have one sum, about 2 m^2 together (Erdos and Turan 1941).

    With a prime p > m, marks 2 p k + (k^2 mod p) have different differences: one gives l - k and l^2 - k^2 mod p, and
    so both ends.

    >>> ruler(3)
    [11, 13, 10]
    """
    p = m + 1
    while p < 3 or any(p % k == 0 for k in range(2, math.isqrt(p) + 1)):
        p += 1
    marks = [2 * p * k + k * k % p for k in range(m + 1)]
    return [later - mark for mark, later in pairwise(marks)]


def distinct_sums(patterns: Bools) -> Sequence[int]:
    """Return integers (m,) whose sums over the patterns (k, m), all different, differ: a public order of the patterns.

    Ones where patterns differ in their sizes; ones and m at last, which is enough for beginnings and ends; else
    integers drawn from a fixed stream, of more bits until they do, or ``ruler``, which is enough for runs of ones,
    where it is the smaller.

    >>> list(distinct_sums(np.array([[False, False], [False, True], [True, True]])))
    [1, 1]
    """
    m = patterns.shape[1]
    tried, generator = np.ones(m, np.int64), np.random.default_rng(m)
    ends = np.append(tried[1:], m)
    if len(np.unique(patterns @ tried)) < len(patterns) == len(np.unique(patterns @ ends)):
        return tuple(ends.tolist())
    runs = np.array(ruler(m), np.int64)
    for bits in range(2, 60):
        drawn = m << (bits - 1)  # what is tried adds up to so much at most
        if drawn / 2 < runs.sum() <= drawn and len(np.unique(patterns @ runs)) == len(patterns):
            tried = runs
            break
        if len(np.unique(patterns @ tried)) == len(patterns):
            break
        tried = generator.integers(1, 2**bits, m)
    return tuple(tried.tolist())
