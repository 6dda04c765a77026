"""What mechanisms and exact draws refuse, and in which words."""

import math
import re
from fractions import Fraction
from functools import partial

import numpy as np
import refused

from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noise.gaussian import Gaussian
from semipriv.mechanisms.noise.laplace import Laplace
from semipriv.mechanisms.sampling.bernoulli import bernoulli, bernoulli_exponential
from semipriv.mechanisms.sampling.choice import below, choose, choose_pool
from semipriv.mechanisms.sampling.weights import exponential_sum, exponential_sum_absolute
from semipriv.mechanisms.selection.base import Pools
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.mechanisms.sparse_vector import SparseVector

SELECTION = (ExponentialMechanism, PermuteAndFlip)
DISCRETE = (DiscreteLaplace, DiscreteGaussian)
SOURCES = (Simulation(0), Secure())
NOT_POSITIVE = [
    (0, "must be > 0"),
    (-1.5, "must be > 0"),
    (Fraction(-1, 3), "must be > 0"),
    (math.nan, "must be finite"),
    (math.inf, "must be finite"),
    (True, "must be a number"),
    (None, "must be a number"),
    (1j, "must be a number"),
    ("wide", "is text, must be a number"),
    (10**400, "is too large for a float"),
]
NOT_SCORES = [
    ([0.0, 1.0], "must be integers, got float64"),
    ([True, False], "must be integers, got bool"),
    ([], r"must have shape \(k,\) with k >= 1, got \(0,\)"),
    ([[0, 1]], r"must have shape \(k,\) with k >= 1, got \(1, 2\)"),
    (3, r"must have shape \(k,\) with k >= 1, got \(\)"),
    ([2**64, 0.5], "must be integers, got object"),
]
NOT_INTEGERS = [
    (0.5, r"values = 0\.5: must be an integer"),
    ([0, math.nan], r"values\[1\] = nan: must be an integer"),
    ([0.0, 1.0, math.inf], r"values\[2\] = inf: must be an integer"),
    ([[0, 1], [2, 2.5]], r"values\[1\]\[1\] = 2\.5: must be an integer"),
    ([True, False], "values: must be integers, got bool"),
]
NOT_ONE_INTEGER = (1.0, math.nan, True, np.False_, "1", None, Fraction(2))
OF_SPARSE_VECTOR = [
    ("epsilon", "must be > 0", (0, -1.0)),
    ("epsilon", "must be finite", (math.nan, math.inf)),
    ("epsilon", "must be a number", (True,)),
    ("threshold", "must be an integer", (1.5, math.nan, True, np.True_, "3", None)),
    ("cutoff", "must be >= 1", (0,)),
    ("cutoff", "must be an integer", (1.5,)),
    ("cutoff", "must be a number", (True,)),
    ("cutoff", "must be finite", (math.nan,)),
    ("sensitivity", "must be >= 1", (0, -2)),
    ("sensitivity", "must be an integer", (0.5,)),
    ("sensitivity", "must be finite", (math.nan,)),
    ("sensitivity", "must be a number", (True,)),
    ("threshold_share", r"must be in \(0, 1\)", (0, 1.0)),
    ("threshold_share", "must be finite", (math.nan,)),
    ("monotone", "must be True or False", (1, None)),
]


def not_positive(name: str, value: object, words: str) -> str:
    """The whole message; it repeats no integer of hundreds of digits."""
    return rf"^{name}( = {re.escape(repr(value))})?: {words}$"


def verdicts(answers: list[object], randomness: Simulation | Secure) -> list[bool]:
    return list(SparseVector(1.0, threshold=10**9).verdicts(answers, randomness))


def never() -> object:
    raise AssertionError("asked for exact masses")


REFUSED = {
    "parameters of selection": [
        (partial(kind, **{"epsilon": 1.0, name: value}), not_positive(name, value, words))
        for kind in SELECTION
        for name in ("epsilon", "sensitivity")
        for value, words in NOT_POSITIVE
    ],
    "scores": [
        (call, f"^scores: {words}")
        for kind in SELECTION
        for scores, words in NOT_SCORES
        for call in (
            partial(kind(1.0).log_probabilities, scores),
            partial(kind(1.0).sample, scores, Simulation(0)),
        )
    ],
    "members": [
        (
            partial(Pools.of([5, 3, 2]).member, mistakes, Secure()),
            f"mistakes = {mistakes}: no score is at that distance from the best",
        )
        for mistakes in (1, 4, -1)
    ],
    "scales of noise": [
        (partial(kind, value), not_positive(name, value, words))
        for kinds, name in (((DiscreteLaplace, Laplace), "scale"), ((DiscreteGaussian, Gaussian), "sigma"))
        for kind in kinds
        for value, words in NOT_POSITIVE
    ],
    "sensitivities": [
        (partial(cost, value), not_positive("sensitivity", value, words))
        for cost in (DiscreteLaplace(1.0).epsilon, Laplace(1.0).epsilon, DiscreteGaussian(1.0).rho, Gaussian(1.0).rho)
        for value, words in NOT_POSITIVE
    ],
    "continuous noise under Secure": [
        (
            partial(kind(1.0).sample, Secure(), size),
            f"randomness: {kind.__name__} noise is for simulation only.*a secure release uses {instead} on integers",
        )
        for kind, instead in ((Laplace, "DiscreteLaplace"), (Gaussian, "DiscreteGaussian"))
        for size in (None, 3)
    ],
    "simulated draws": [
        (
            partial(kind(2.0**56 * 1.0001).sample, Simulation(5)),
            r"too wide for 64-bit integers, its scale must be <= 2\^56",
        )
        for kind in DISCRETE
    ],
    "numbers of draws": [
        (partial(kind(1.0).sample, randomness, size), f"size = {size}: {words}")
        for kind in DISCRETE
        for randomness in SOURCES
        for size, words in ((-1, "must be >= 0"), (1.5, "must be an integer"), (True, "must be a number"))
    ],
    "values of a distribution": [
        (partial(distribution, values), words)
        for distribution in (
            DiscreteLaplace(1).log_probability,
            DiscreteLaplace(1).log_cumulative,
            DiscreteGaussian(1).log_probability,
        )
        for values, words in NOT_INTEGERS
    ],
    "parameters of sparse vector": [
        (partial(SparseVector, **{"epsilon": 1.0, "threshold": 0, name: value}), f"^{name} = .*{words}")
        for name, words, values in OF_SPARSE_VECTOR
        for value in values
    ],
    "answers of sparse vector": [
        (call, r"answers\[1\] = .*must be an integer")
        for answer in NOT_ONE_INTEGER
        for call in (
            partial(SparseVector(1.0, threshold=10**9).log_probabilities, [0, answer]),
            *(partial(verdicts, [0, answer], randomness) for randomness in SOURCES),
        )
    ],
    "long distributions of sparse vector": [
        (
            lambda: SparseVector(1.0, threshold=0).log_probabilities([0] * 21),
            "answers: the distribution is listed for at most 20, got 21",
        ),
        (
            lambda: SparseVector(1.0, threshold=0).log_probabilities([10**9]),
            r"answers: the distribution is a sum over 10000\d+ values of noise, at most 1000000",
        ),
        (
            lambda: SparseVector(1e-6, threshold=0).log_probabilities([0]),
            r"answers: the distribution is a sum over \d+ values of noise, at most 1000000",
        ),
    ],
    "coins": [
        *(
            (partial(bernoulli, probability, Secure()), rf"probability = {probability}: must be in \[0, 1\]")
            for probability in (Fraction(-1, 10**30), 1 + Fraction(1, 10**30), -1, 2)
        ),
        (lambda: bernoulli_exponential(Fraction(-1, 3), Secure()), "exponent = -1/3: must be >= 0"),
        *(
            (partial(coin, value, Secure()), f"{name} = {value!r}: must be a rational number")
            for coin, name in ((bernoulli, "probability"), (bernoulli_exponential, "exponent"))
            for value in (0.5, math.nan, "1/2", None)
        ),
    ],
    "sums": [
        *(
            (partial(function, gaps, counts, Fraction(rate), 10), words)
            for function in (exponential_sum, exponential_sum_absolute)
            for gaps, counts, rate, words in (
                ([], [], 1, "gaps, counts: must be as many, at least one; got 0 and 0"),
                ([1, 2], [1], 1, "gaps, counts: must be as many, at least one; got 2 and 1"),
                ([1, -2], [1, 1], 1, r"gaps\[1\] = -2: must be >= 0"),
                ([1, 2], [-1, 1], 1, r"counts\[0\] = -1: must be >= 0"),
                ([1.0], [1], 1, "gaps: must be integers"),
                ([1], np.array([0.5]), 1, "counts: must be integers"),
                ([1], [1], -1, "rate = -1: must be >= 0"),
            )
        ),
        (lambda: exponential_sum([10**18], [1], Fraction(1), 10), r"rate \* min\(gaps\) = 1e\+18: must be <= 1e7"),
    ],
    "integers below": [
        row
        for source in SOURCES
        for row in (
            (partial(below, 0, source), "bound = 0: must be >= 1"),
            (partial(below, -3, source), "bound = -3: must be >= 1"),
            (partial(below, 2.0, source), "float", TypeError),
        )
    ],
    "masses": [
        *(
            (partial(choose, masses, errors, never, source), words)
            for source in SOURCES
            for masses, errors, words in (
                ([], [], r"masses, errors: must have shape \(k,\) with k >= 1, got \(0,\) and \(0,\)"),
                ([1.0, 2.0], [0.0], r"got \(2,\) and \(1,\)"),
                ([1.0, -2.0], [0.0, 0.0], "masses, errors: must be finite and >= 0"),
                ([1.0, math.nan], [0.0, 0.0], "masses, errors: must be finite and >= 0"),
                ([1.0, 2.0], [0.0, math.inf], "masses, errors: must be finite and >= 0"),
                ([1.0, 2.0], [0.0, -1.0], "masses, errors: must be finite and >= 0"),
            )
        ),
        (lambda: choose([0.0, 0.0], [1.0, 1.0], never, Simulation(0)), "masses: are all 0"),
    ],
    "pools": [
        (partial(choose_pool, gaps, counts, Fraction(rate), source), words)
        for source in SOURCES
        for gaps, counts, rate, words in (
            ([], [], 1, "counts: must hold one that is > 0"),
            ([1, 2], [0, 0], 1, "counts: must hold one that is > 0"),
            ([1, 2], [3, -1], 1, r"counts: must be >= 0, and at most 2\^1000 together"),
            ([1, 2], [2, 2**1000 - 1], 1, r"counts: must be >= 0, and at most 2\^1000 together"),
            ([1, 2], [3, 1.5], 1, "counts: must be integers"),
            ([1, 2], np.array([3.0, 1.0]), 1, "counts: must be integers, got float64"),
            ([1.5, 2.0], [1, 1], 1, "gaps: must be integers of 64 bits, got float64"),
            (np.array([2**64 - 1, 1], np.uint64), [1, 1], 1, "gaps: must be integers of 64 bits, got uint64"),
            ([-(2**62), 2**62], [1, 1], 1, r"gaps: must be within 2\^63 of each other"),
            ([1, 2], [1], 1, r"gaps, counts: must have one shape \(p,\), got \(2,\) and \(1,\)"),
            ([1], [1], -1, "rate = -1: must be >= 0"),
        )
    ],
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
