"""Tiny algorithms and the distributions of their outputs, for exact claims on sampling and relabelling.

An algorithm maps a data set, a tuple of records, to the probabilities of its outputs, (k,).
"""

import math
from collections.abc import Callable, Hashable, Sequence
from itertools import combinations, permutations, product

import numpy as np

from semipriv.audit.exact import exact_delta, exact_privacy_loss
from semipriv.core.types import Floats
from semipriv.privacy.output_distribution import OutputDistribution

Data = tuple[Hashable, ...]
Algorithm = Callable[[Data], Floats]


def response(epsilon: float, values: int = 2) -> Algorithm:
    """Return randomised response on the first record, one of 0, ..., values - 1: its value, or any other, equally."""

    def distribution(data: Data) -> Floats:
        weights = np.ones(values)
        weights[_value(data[0])] = math.exp(epsilon)
        return weights / weights.sum()

    return distribution


def counting(epsilon: float, values: int = 2) -> Algorithm:
    """Return the exponential mechanism for the most frequent value: P(v) proportional to exp(epsilon count(v) / 2)."""

    def distribution(data: Data) -> Floats:
        counts = np.bincount([_value(record) for record in data], minlength=values)
        weights = np.exp(epsilon / 2 * counts)
        return np.asarray(weights / weights.sum())

    return distribution


def leaking(delta: float, values: int = 2) -> Algorithm:
    """Return an algorithm that publishes a random record with probability delta, and nothing else: (0, delta)-DP.

    Its outputs are the values, then nothing.  Replacing one of n records moves delta / n of probability.
    """

    def distribution(data: Data) -> Floats:
        counts = np.bincount([_value(record) for record in data], minlength=values)
        return np.append(delta * counts / len(data), 1 - delta)

    return distribution


def growing(epsilon: float, scale: float) -> Algorithm:
    """Return an algorithm that says 1 with probability scale exp(epsilon number of ones), at most 1/2: epsilon-DP.

    For scale -> 0 the other output reveals nothing, and the ratios of the first are as large as epsilon allows.
    """

    def distribution(data: Data) -> Floats:
        mass = scale * math.exp(epsilon * sum(_value(record) for record in data))
        return np.array([mass, 1 - mass])

    return distribution


def in_order(epsilon: float, scale: float) -> Algorithm:
    """Return an algorithm on two bits that looks at their order: 1 with probability scale exp(epsilon (x_1 - x_2))."""

    def distribution(data: Data) -> Floats:
        mass = scale * math.exp(epsilon * (_value(data[0]) - _value(data[1])))
        return np.array([mass, 1 - mass])

    return distribution


def _value(record: Hashable) -> int:
    assert isinstance(record, int)
    return record


# ---------------------------------------------------------------------------------------------------- sampling
def subsampled(algorithm: Algorithm, n: int, *, shuffled: bool = True) -> Algorithm:
    """Return the algorithm on a uniform n-subset of the records, in random order, or in the order of the data."""

    def distribution(data: Data) -> Floats:
        chosen = permutations(data, n) if shuffled else combinations(data, n)
        return _by_outcome([algorithm(sample) for sample in chosen]).mean(axis=1)

    return distribution


def resampled(algorithm: Algorithm, first: float = 1.0) -> Algorithm:
    """Return the algorithm on as many independent draws, with replacement, as there are n records.

    Each draw is uniform; ``first`` times as often the first record, if it is not 1.
    """

    def distribution(data: Data) -> Floats:
        n = len(data)
        share = np.full(n, (1 - first / n) / max(n - 1, 1))
        share[0] = first / n
        places = list(product(range(n), repeat=n))
        chances = share[np.array(places)].prod(axis=1)
        outcomes = _by_outcome([algorithm(tuple(data[i] for i in drawn)) for drawn in places])
        return np.asarray((outcomes * chances).sum(axis=1) / chances.sum())

    return distribution


def _by_outcome(distributions: Sequence[Floats]) -> Floats:
    """Return distributions (N, k) as rows (k, N), along which NumPy adds in pairs: thousands of terms lose no digit."""
    return np.ascontiguousarray(np.transpose(distributions))


# ---------------------------------------------------------------------------------------------------- audits
def loss(algorithm: Algorithm, values: int, n: int, *, exchangeable: bool = True) -> float:
    """Return the largest log-ratio over all data sets of n values, all neighbours and all outputs."""
    return exact_privacy_loss(_distribution(algorithm), [range(values)] * n, exchangeable=exchangeable).loss


def delta_at(algorithm: Algorithm, values: int, n: int, epsilon: float) -> float:
    """Return the least delta at epsilon, over all data sets of n values and all neighbours."""
    return exact_delta(_distribution(algorithm), [range(values)] * n, epsilon, exchangeable=True)


def _distribution(algorithm: Algorithm) -> Callable[[Data], OutputDistribution]:
    def distribution(data: Data) -> OutputDistribution:
        with np.errstate(divide="ignore"):
            return OutputDistribution(enumerate(np.log(algorithm(data))))

    return distribution
