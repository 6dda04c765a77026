"""What exact draws refuse, and in which words."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import refused

from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.sampling.bernoulli import bernoulli, bernoulli_exponential
from semipriv.mechanisms.sampling.choice import below, choose, choose_pool
from semipriv.mechanisms.sampling.weights import exponential_sum, exponential_sum_absolute

SOURCES = (Secure(), Simulation(0))


def never() -> object:
    raise AssertionError("asked for exact masses")


REFUSED = {
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
def test_refused(row: refused.Row) -> None:
    refused.check(row)
