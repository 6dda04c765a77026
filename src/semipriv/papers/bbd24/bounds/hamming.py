"""Closed forms of RRSPM (BBD24, algorithm 4) on all labelings of m public points, with one private record.

The record (x, y) has f_h(x) = 1[h in A] for the labeling h of the public points.  D has y = 0, so that all of A errs,
D' has y = 1, so that all others err.  RRSPM returns the h of the least <xi, h> + mistakes.  Without the record that is
h* = 1[xi < 0], and another labeling costs the sum of |xi_i| over the bits that differ; h* is uniform and independent of
the sizes |xi_i|.  So A wins on D iff h* is in A and no labeling outside of A costs less than 1 more, and on D' iff some
labeling in A does.

Code: A is the Hamming code, m = 2^k - 1.  Each labeling outside has one codeword at distance 1, (m - 1)/2 at distance 2
on disjoint pairs of other bits, and at most C(m, r)/m at distance r.  Parity: A holds the labelings with an even sum.
All labelings of A have equal chances by symmetry, and so have all others.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from semipriv.core import checks
from semipriv.core.types import Floats


@dataclass(frozen=True)
class Weights:
    """Distribution of one weight xi_i, symmetric about 0 with a scale > 0.

    inside: P[|xi| < 1].  pair: P[|xi| + |xi'| < 1].  density: the largest density of |xi|.
    """

    scale: float
    inside: float
    pair: float
    density: float


class NormalWeights(Weights):
    """N(0, s^2): |xi| + |xi'| < 1 is a square of half-side 1 / sqrt 2."""

    def __init__(self, scale: float) -> None:
        s = checks.positive("scale", scale)
        super().__init__(s, math.erf(1 / (s * math.sqrt(2))), math.erf(1 / (2 * s)) ** 2, math.sqrt(2 / math.pi) / s)


class LaplaceWeights(Weights):
    """Lap(b): |xi| is exponential, and |xi| + |xi'| is gamma, P[it is < 1] = 1 - exp(-1 / b) (1 + 1 / b)."""

    def __init__(self, scale: float) -> None:
        b = checks.positive("scale", scale)
        super().__init__(b, -math.expm1(-1 / b), float(scipy.special.gammainc(2.0, 1 / b)), 1 / b)


@dataclass(frozen=True)
class Chances:
    """Bounds of the chances that a labeling in A wins: ``on`` the data set D that errs on A, exact, ``off`` on D'.

    labelings: the share of labelings that are in A.
    """

    on: float
    off_low: float
    off_high: float
    labelings: float

    def violation(self, epsilon: float) -> float:
        """Return a lower bound of the least delta at epsilon: P'(A) - e^epsilon P(A), or the others on D."""
        forth = self.off_low - _grown(self.on, epsilon)
        back = (1 - self.on) - _grown(1 - self.off_low, epsilon)
        return max(0.0, forth, back)

    def delta(self, epsilon: float) -> float:
        """Return an upper bound of the least delta at epsilon, over all sets of labelings and both directions.

        All labelings of A have one likelihood ratio, and all others too; A is less likely on D.
        """
        forth = self.off_high - _grown(self.on, epsilon)
        back = (1 - self.on) - _grown(1 - self.off_high, epsilon)
        return max(0.0, forth, back)

    def losses(self) -> tuple[float, float]:
        """Return bounds of the largest |log ratio| of the chances of one labeling; infinite where a chance is 0."""
        low, high = (
            max(_log_ratio(off, self.on), _log_ratio(1 - self.on, 1 - off)) for off in (self.off_low, self.off_high)
        )
        return low, high


def hamming(points: int, weights: Weights) -> Chances:
    """Return the chances for the Hamming code on m = 2^k - 1 points.

    P(A) = P[|xi| > 1]^m / (m + 1).  On D', flips of one and of two bits give the lower bound
    1/(m + 1) + m/(m + 1) (1 - P[|xi| > 1] P[|xi| + |xi'| > 1]^((m - 1)/2)).  Codewords at distance r > 2 add at most
    C(m, r)/m (largest density)^r / r! each.  Raises ValueError for other m.

    >>> chances = hamming(15, NormalWeights(math.sqrt(15 * math.log(1e5))))
    >>> round(chances.on, 4), round(chances.off_low, 4), round(chances.violation(1.0), 4)
    (0.0244, 0.1307, 0.0642)
    """
    m = checks.size("points", points)
    if m & (m + 1):
        raise ValueError(f"points = {points!r}: must be 2^k - 1")
    share = 1 / (m + 1)
    on = share * math.exp(_log_none(weights.inside, m))
    kept = _log_none(weights.inside, 1) + _log_none(weights.pair, (m - 1) // 2)
    low = share - (1 - share) * math.expm1(kept)
    return Chances(on, low, min(1.0, low + (1 - share) * _farther(m, weights.density) / m), share)


def parity(points: int, weights: Weights) -> Chances:
    """Return the chances for the labelings with an even sum: P(A) = P[|xi| > 1]^m / 2, P'(A) = 1 - P(A).

    >>> on_laplace = parity(7, LaplaceWeights(14.0))
    >>> low, high = on_laplace.losses()
    >>> low == high, round(high, 4), round(math.log(2 * math.exp(1 / 2) - 1), 4)
    (True, 0.8318, 0.8318)
    """
    none = math.exp(_log_none(weights.inside, checks.size("points", points))) / 2
    return Chances(none, 1 - none, 1 - none, 0.5)


def paper_scale(points: int, epsilon: float, delta: float, constant: float) -> float:
    """Return C sqrt(m ln(1 / delta)) / epsilon, the scale of theorem 4 with normal weights."""
    checks.positive("constant", constant)
    m, share = checks.size("points", points), checks.between("delta", delta, 0, 1)
    return constant * math.sqrt(m * math.log(1 / share)) / checks.positive("epsilon", epsilon)


def _log_none(chance: float, times: int) -> float:
    """Return times ln(1 - chance), where a chance that rounds to 1 counts as 1."""
    return times * math.log1p(-chance) if chance < 1 else -math.inf if times else 0.0


def _grown(chance: float, epsilon: float) -> float:
    """Return e^epsilon chance; 1 stands for what exceeds the float range, as nothing is left of a chance then."""
    if epsilon < 700:
        return math.exp(epsilon) * chance
    return math.exp(min(0.0, epsilon + math.log(chance))) if chance > 0 else 0.0


def _log_ratio(numerator: float, denominator: float) -> float:
    return math.log(numerator / denominator) if denominator > 0 else math.inf


def _farther(m: int, density: float) -> float:
    """Return the sum of C(m, r) density^r / r! over 3 <= r <= m, rounded up; its terms fall by more than r^2 / c."""
    if (m > 2000 and m * density > 1e6) or density > 1e100:
        return math.inf
    r = np.arange(3, min(m, 2000) + 1, dtype=float)
    logs: Floats = (
        scipy.special.gammaln(m + 1)
        - scipy.special.gammaln(m - r + 1)
        - 2 * scipy.special.gammaln(r + 1)
        + r * math.log(density)
    )
    return float(np.exp(np.minimum(logs, 700.0)).sum()) * (1 + 1e-6)
