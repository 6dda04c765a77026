"""The tracing attack on answers to decision stumps (BCM20 theorem 14, after Dwork et al. 2015).

Records are rows of {-1, 1}^p, kept as bool (True for 1).  Their coordinates are independent, with means mu_j drawn
uniformly from [-1, 1].  Answers are means of the p coordinates in the scale of BCM20: 2 a - 1 for a share a.

Someone who knows answers q and a centre c scores a record y by <q - c, y - c>.  Records behind q score higher than
fresh ones, and are flagged above a threshold that few fresh records exceed.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from semipriv.core import checks
from semipriv.core.types import Bools, Floats

_STEPS = 2**16
_BLOCK = 2**22
"""Entries of records that are turned into numbers at once."""


# ---------------------------------------------------------------------------------------------------- populations
@dataclass(frozen=True, eq=False)
class Population:
    """A product distribution on {-1, 1}^p: P[z_j = 1] = share_j / 2^16, exactly.  share: (p,) uint16, >= 1."""

    share: NDArray[np.uint16]

    @classmethod
    def draw(cls, p: int, generator: np.random.Generator) -> "Population":
        """Draw means uniformly from the multiples of 2^-15 inside (-1, 1): E[mu^2] is 1/3 less 2^-15 of it."""
        return cls(generator.integers(1, _STEPS, checks.size("p", p), dtype=np.uint16))

    @property
    def means(self) -> Floats:
        """The means mu, (p,)."""
        return self.share.astype(np.float64) * (2 / _STEPS) - 1

    def records(self, n: int, generator: np.random.Generator) -> Bools:
        """Draw n >= 0 independent records, (n, p)."""
        shape = (checks.size("n", n, minimum=0), len(self.share))
        return np.asarray(generator.integers(0, _STEPS, shape, dtype=np.uint16) < self.share)


def record_means(records: Bools, name: str = "records") -> Floats:
    """Return the means of the coordinates of records (n, p) with entries -1 and 1; raises ValueError for no record.

    >>> record_means(np.array([[True, False], [True, True]]))
    array([1., 0.])
    """
    if not len(records):
        raise ValueError(f"{name}: none given, at least one record is needed")
    return 2 * np.count_nonzero(records, axis=0) / len(records) - 1


def centre(reference: Population | Bools | None) -> Floats:
    """Return the centre of the attack: the means of a known population, or those of R reference records (R, p).

    Raises ValueError for neither: one who knows nothing of the population cannot tell its records from others.
    """
    if reference is None or (not isinstance(reference, Population) and not len(reference)):
        raise ValueError("reference: none given, the attack needs the population or at least one record from it")
    return reference.means if isinstance(reference, Population) else record_means(reference)


# ---------------------------------------------------------------------------------------------------- the attack
def scores(means: ArrayLike, centres: ArrayLike, records: Bools) -> Floats:
    """Return <q - c, y - c> of each record y.

    means, centres: q and c, (p,), or (p, k) for k attacks at once; records: (n, p).  Returns (n,) or (n, k).  Products
    are of 32-bit floats.  Raises ValueError if the lengths differ.
    """
    q, c = np.asarray(means, np.float64), np.asarray(centres, np.float64)
    for name, vector in (("means", q), ("centre", c)):
        if vector.shape[:1] != records.shape[1:]:
            raise ValueError(f"{name}: {len(vector)} coordinates, but the records have {records.shape[1]}")
    direction = q - c
    direction = direction.reshape(len(q), -1)
    shift = np.sum(direction * (1 + c.reshape(len(c), -1)), axis=0)
    twice, step = (2 * direction).astype(np.float32), max(1, _BLOCK // max(1, len(q)))
    products = np.empty((len(records), direction.shape[1]))
    for first in range(0, len(records), step):
        products[first : first + step] = records[first : first + step].astype(np.float32) @ twice
    products -= shift  # y = 2 b - 1 for b in {0, 1}
    return products if max(q.ndim, c.ndim) > 1 else products[:, 0]


def paired_scores(means: ArrayLike, records: Bools, references: Bools) -> Floats:
    """Return <q, y_i - z_i> of each record y_i, with one reference record z_i of its own: the form without a centre.

    It needs p of order n^2 even for exact means: on fresh records its variance is at least 4 p / 15, about.
    """
    if len(references) != len(records):
        raise ValueError(f"reference: {len(references)} records, must be one for each of the {len(records)} scored")
    zero = np.zeros(np.shape(means))
    return scores(means, zero, records) - scores(means, zero, references)


def threshold(fresh: ArrayLike, rate: float) -> Floats:
    """Return the k-th largest score of calibration records, k = floor(rate (n + 1)): a record above it is flagged.

    fresh: (n,), or (n, k) for k attacks at once.  A further fresh record is flagged with probability <= k / (n + 1) <=
    rate, whatever the distribution of the scores, as all n + 1 of them are exchangeable.  Raises ValueError if k would
    be 0.
    """
    rate, outside = checks.between("rate", rate, 0, 1), np.asarray(fresh, np.float64)
    n = len(outside)
    k = math.floor(Fraction(rate) * (n + 1))
    if not k:
        needed = math.ceil(1 / Fraction(rate)) - 1
        raise ValueError(f"rate = {rate!r}: {n} calibration records are too few, needs at least {needed}")
    return np.asarray(np.partition(outside, n - k, axis=0)[n - k])


@dataclass(frozen=True)
class Traced:
    """Shares of records that an attack flags: private and public ones behind the answers, and fresh ones.

    A share is None if there are no such records.
    """

    private: float | None
    public: float | None
    fresh: float | None


def trace(
    means: ArrayLike,
    reference: Population | Bools | None,
    calibration: Bools,
    rate: float,
    *,
    private: Bools,
    public: Bools | None = None,
    fresh: Bools | None = None,
) -> Traced:
    """Attack answers: flag ``scores`` above the ``threshold`` of calibration records at a false-positive rate.

    means: (p,).  calibration: fresh records; those in ``fresh`` must be others, to estimate the rate honestly.
    """
    c = centre(reference)
    above = threshold(scores(means, c, calibration), rate)

    def share(records: Bools | None) -> float | None:
        return None if records is None or not len(records) else float(np.mean(scores(means, c, records) > above))

    return Traced(share(private), share(public), share(fresh))


def membership_advantage(inside: ArrayLike, outside: ArrayLike) -> float:
    """Return the largest true-positive rate less false-positive rate over all thresholds on the scores.

    On samples it is biased upwards, as the threshold is chosen on them.

    >>> membership_advantage([3, 4], [1, 2, 3, 3])
    0.5
    """
    members, others = np.sort(np.asarray(inside, np.float64)), np.sort(np.asarray(outside, np.float64))
    if not len(members) or not len(others):
        raise ValueError("membership advantage: needs scores of records inside and outside")
    cuts = np.concatenate([members, others])
    below, others_below = (np.searchsorted(part, cuts, side="right") / len(part) for part in (members, others))
    return max(0.0, float((others_below - below).max()))


# ---------------------------------------------------------------------------------------------------- predictions
def mean_inside(p: int, n: int) -> float:
    """Return the expected centred score, c = mu, of one of the n records behind q = their mean + independent noise.

    Each coordinate gives E[(1 - mu_j^2)] / n = 2 / (3 n).
    """
    return 2 * p / (3 * n)


def variance_outside(p: int, n: int, noise: float) -> float:
    """Return the variance p (2 noise / 3 + 8 / (15 n)) of a fresh record's centred score; noise: variance of each."""
    return p * (2 * noise / 3 + 8 / (15 * n))


def predicted_rate(p: int, n: int, noise: float, rate: float) -> float:
    """Return the predicted true-positive rate Phi(z - Phi^-1(1 - rate)) with z = mean_inside / sqrt(variance_outside).

    It takes the scores of private records as normal, with the variance of fresh ones.

    >>> round(predicted_rate(1000, 200, 0.0, 0.01), 2)
    0.39
    """
    z = mean_inside(p, n) / math.sqrt(variance_outside(p, n, noise))
    return float(scipy.special.ndtr(z + scipy.special.ndtri(rate)))
