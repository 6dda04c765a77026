"""First round of LabelBoost around thresholds, by counts: bounds on the probability that it chooses a wrong hypothesis.

The distribution has x = 0 with mass 1/2 and label 1, x = 1 with mass ``side`` and label 0, and the rest uniform on many
integers with label 0.  The kept labelled examples are c0, c1 and c of the three kinds; of the unlabelled ones, l are of
the rest.  There is one threshold for each place between points: the right one, which errs nowhere; one that errs on all
of x = 0; and those beyond x = 1, which err on c1 examples and on the k of the rest that are below them.  With g_k
places between two such examples, all but the right one weigh w = e^(-c0/2) + sum over k = 0, ..., c of g_k e^(-(c1 +
k)/2), against 1.
"""

import math

import numpy as np
import scipy

from semipriv.core import checks
from semipriv.core.types import Floats

HALF = 0.5
"""Mass of x = 0."""
CELLS = 64
"""Cells of the distribution of the least example of the rest, each at its lower end."""


def _counts(kept: int, side: float) -> tuple[Floats, ...]:
    """Return probability, c0, c1 and c of all counts of ``kept`` labelled examples."""
    c1, c = (axis.astype(np.float64) for axis in np.mgrid[0 : kept + 1, 0 : kept + 1])
    c0 = kept - c1 - c
    possible = c0 >= 0
    c0, c1, c = c0[possible], c1[possible], c[possible]
    gamma = scipy.special.gammaln
    rest = HALF - side
    logs = gamma(kept + 1) - gamma(c0 + 1) - gamma(c1 + 1) - gamma(c + 1)
    logs += c0 * math.log(HALF) + c1 * math.log(side) + c * math.log(rest)
    return np.exp(logs), c0, c1, c


def most_failing(kept: int, unlabelled: int, side: float, eps0: float = 1.0) -> float:
    """Return an upper bound of the probability that the round chooses a threshold other than the right one.

    kept, unlabelled: kept examples.  The probability is the mean of w / (1 + w), which is concave in w: by Jensen's
    inequality the mean of w given the counts may stand in, with l at its mean and each g_k at 1 + l / (c + 1).
    """
    checks.size("kept", kept)
    checks.size("unlabelled", unlabelled, 0)
    checks.between("side", side, 0, HALF)
    checks.positive("eps0", eps0)
    mass, c0, c1, c = _counts(kept, side)
    gap = 1 + unlabelled * (HALF - side) / (c + 1)
    root = math.exp(-eps0 / 2)
    weight = gap * np.exp(-eps0 * c1 / 2) * (1 - root ** (c + 1)) / (1 - root) + np.exp(-eps0 * c0 / 2)
    return float(mass @ (weight / (1 + weight)))


def least_failing(kept: int, unlabelled: int, side: float, width: float, eps0: float = 1.0) -> float:
    """Return a lower bound of the same, by the places below the first example of the rest alone.

    width: number of integers of the rest.  The first example is at a share u of them, the least of c uniform numbers:
    in each of 64 cells of equal probability the lower end stands in.  Of the unlabelled examples of the rest, and of
    those below u, their mean less six standard deviations is taken, and of these the share that is distinct.
    """
    checks.size("kept", kept)
    checks.between("side", side, 0, HALF)
    checks.between("unlabelled", unlabelled, 36 / (HALF - side), math.inf)  # six deviations
    checks.positive("width", width)
    checks.positive("eps0", eps0)
    mass, _, c1, c = _counts(kept, side)
    rest = HALF - side
    many = float(_fewest(np.float64(unlabelled * rest)))
    distinct = -math.expm1(-many / width) * width / many
    failing = np.zeros_like(mass)
    for cell in range(CELLS):
        below = np.where(c > 0, -np.expm1(math.log1p(-cell / CELLS) / np.maximum(c, 1)), 1.0)
        weight = (1 + distinct * _fewest(many * below)) * np.exp(-eps0 * c1 / 2)
        failing += weight / (1 + weight)
    return float(mass @ failing) / CELLS


def _fewest(mean: Floats | np.float64) -> Floats:
    return np.maximum(mean - 6 * np.sqrt(mean), 0.0)


def whole_class_failing(n: int, log_concepts: float, log_width: float, side: float, epsilon: float = 1.0) -> float:
    """Return the probability that the exponential mechanism over all thresholds chooses one beyond all examples.

    The distribution is uniform on e^log_width integers, below all but a few of the e^log_concepts thresholds; those
    that are beyond all examples err on each label 0, of mass ``side``.  The places between examples are at their means.
    """
    checks.size("n", n)
    checks.between("log_concepts", log_concepts, 0, math.inf, closed="l")
    checks.between("log_width", log_width, 0, math.inf, closed="l")
    checks.between("side", side, 0, 1)
    checks.positive("epsilon", epsilon)
    k = np.arange(n + 1)
    logs = scipy.special.gammaln(n + 1) - scipy.special.gammaln(k + 1) - scipy.special.gammaln(n - k + 1)
    mass = np.exp(logs + k * math.log(side) + (n - k) * math.log1p(-side))
    root = math.exp(-epsilon / 2)
    near = log_width - math.log(n + 1) + math.log((1 + root) / (1 - root))
    return float(mass @ scipy.special.expit(log_concepts - epsilon * k / 2 - near))
