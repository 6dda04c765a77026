"""What accounting refuses, and in which words."""

import re
from fractions import Fraction
from functools import partial
from math import inf, log, nan

import refused

from semipriv.core.randomness import Source
from semipriv.privacy.amplification import (
    with_replacement,
    with_replacement_bns15,
    with_replacement_by_position,
    with_replacement_closed_form,
    without_replacement,
    without_replacement_bns15,
)
from semipriv.privacy.composition import (
    advanced_composition,
    basic_composition,
    group_privacy,
    optimal_composition,
    optimal_delta,
    parallel_composition,
)
from semipriv.privacy.events import (
    Account,
    Approximate,
    Composed,
    Concentrated,
    GaussianEvent,
    Parallel,
    Pure,
    concentrated,
    guarantee_of,
    pure_guarantee,
    restored,
)
from semipriv.privacy.gaussian import classical_gaussian_sigma, gaussian_delta, gaussian_epsilon, gaussian_sigma
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv.privacy.output_distribution import OutputDistribution
from semipriv.privacy.slots import DataSets
from semipriv.privacy.zcdp import ZeroConcentrated

EXAMPLE, FEATURES, ENTRY, *_ = Neighbours
ONE, SMALL = Guarantee(1), Guarantee(0.7, 1e-6)
NOISY = (GaussianEvent(1.0), Composed([(Pure(1.0), 1), (GaussianEvent(1.0), 1)]))
MAY_FAIL = Composed([(Pure(0.5), 1), (Approximate(0.25, 1e-7), 2)])
RECORDS = [("x", 0), ("x", 1)]

REFUSED = {
    "guarantee": [
        (lambda: Guarantee(-0.1), "epsilon = -0.1: must be >= 0"),
        (lambda: Guarantee(inf), "epsilon = inf: must be finite"),
        (lambda: Guarantee(nan), "epsilon = nan: must be finite"),
        (lambda: Guarantee("low"), "epsilon = 'low': is text, must be a number"),
        (lambda: Guarantee(1.0, 1.0), r"delta = 1.0: must be in \[0, 1\)"),
        (lambda: Guarantee(1.0, -1e-12), r"delta = -1e-12: must be in \[0, 1\)"),
        (lambda: Guarantee(1.0, nan), "delta = nan: must be finite"),
        (lambda: Guarantee(1, Fraction(10**30 - 1, 10**30)), "delta = .*must be in"),
        (lambda: Guarantee(1.0, neighbours="add_one"), "'add_one' is not a valid Neighbours"),
    ],
    "certificate": [
        (
            lambda: Release("h", ONE, Source.SIMULATION).certified(),
            "release: drawn by a Simulation, whoever knows its seed draws it again",
        ),
        *(
            (Release("h", None, source).certified, "release: has no guarantee, it is a baseline without privacy")
            for source in Source
        ),
    ],
    "slots": [
        *(
            (partial(data_sets.slots, neighbours, ordered=True), "needs n >= 1 slots")
            for data_sets in (DataSets(RECORDS, 0), DataSets([], 2))
            for neighbours in Neighbours
        ),
        *(
            (
                partial(DataSets(RECORDS, 2, "xyz", 1).slots, neighbours, ordered=True),
                f"n_unlabelled = 1: {neighbours.value} has labelled examples only",
            )
            for neighbours in (EXAMPLE, FEATURES)
        ),
    ],
    "distribution": [
        (partial(OutputDistribution, given), words)
        for given, words in (
            ({"a": nan, "b": log(1e-9)}, "outcome 'a' has log-probability nan: must be a number <= 0 or -inf"),
            ({"a": -1.0, ("b", 2): inf}, r"outcome \('b', 2\) has log-probability inf"),
            ({"a": 1e-6, "b": -20.0}, "outcome 'a' has log-probability 1e-06: must be a number <= 0"),
            ({"a": log(0.5), "b": log(0.4)}, "2 possible outcomes add up to 0.9: must be 1 within 1e-12"),
            ({"a": log(0.5), "b": log(0.6)}, "2 possible outcomes add up to 1.1"),
            ({"a": -inf}, "0 possible outcomes add up to 0.0"),
            ({}, "0 possible outcomes add up to 0.0"),
            ([("a", log(0.5)), ("a", log(0.6))], "1 possible outcomes add up to 1.1"),
        )
    ],
    "composition": [
        (lambda: basic_composition([]), "nothing to compose"),
        (lambda: basic_composition([Guarantee(1, 0.6)] * 2), r"delta = 1.2: must be in \[0, 1\)"),
        (lambda: advanced_composition([], 0.1), "nothing to compose"),
        (lambda: advanced_composition([ONE, Guarantee(501)], 0.1), "epsilon = 501.0: must be <= 500"),
        (lambda: advanced_composition([ONE], 0), r"slack = 0: must be in \(0, 1\)"),
        (lambda: optimal_delta(ONE, 2, -1), r"epsilon = -1: must be in \[0, inf\)"),
        (lambda: optimal_delta(ONE, 2.5, 1), "count = 2.5: must be an integer"),
        (lambda: optimal_composition(ONE, 2, 1.0), r"delta = 1.0: must be in \[0, 1\)"),
        (lambda: optimal_composition(SMALL, 3, 1e-6), r"delta = 1e-06: must be >= 1 - \(1 - 1e-06\)\^3 = "),
        (lambda: group_privacy(ONE, 0), "size = 0: must be >= 1"),
    ],
    "parts": [
        (lambda: parallel_composition([], []), "nothing to compose"),
        (lambda: parallel_composition([ONE], []), "1 guarantees for 0 parts"),
        (lambda: parallel_composition([ONE], [range(0, 9, 2)]), r"parts: range\(0, 9, 2\) must be a range"),
        (lambda: parallel_composition([ONE], [[1, 2]]), r"parts: \[1, 2\] must be a range"),
        (lambda: parallel_composition([ONE], [range(-1, 2)]), r"range\(-1, 2\) must be .* indices >= 0"),
        *(
            (
                partial(parallel_composition, [ONE] * 3, parts),
                r"parts: range\(0, 5\) and range\(4, 9\) share index 4",
            )
            for parts in ([range(5), range(9, 12), range(4, 9)], [range(4, 9), range(5), range(9, 12)])
        ),
    ],
    "zCDP": [
        (lambda: ZeroConcentrated(-1), r"rho = -1: must be in \[0, inf\)"),
        (lambda: ZeroConcentrated(nan), "rho = nan: must be finite"),
        (lambda: ZeroConcentrated(1, "near"), "'near' is not a valid Neighbours"),
        (lambda: ZeroConcentrated(1).repeated(0), "count = 0: must be >= 1"),
        (lambda: ZeroConcentrated(1).guarantee(0), r"delta = 0: must be in \(0, 1\)"),
        (lambda: ZeroConcentrated(1).delta(-0.5), r"epsilon = -0.5: must be in \[0, inf\)"),
        (lambda: ZeroConcentrated.from_pure(Guarantee(1, 1e-9)), "delta = 1e-09: must be 0"),
        (lambda: ZeroConcentrated.of_exponential_mechanism(ONE, EXAMPLE), "epsilon = Guarantee.*: must be a number"),
        (lambda: ZeroConcentrated.of_exponential_mechanism(0, EXAMPLE), "epsilon = 0: must be > 0"),
        (lambda: ZeroConcentrated.of_exponential_mechanism(1.0), "neighbours", TypeError),
        (lambda: ZeroConcentrated.of_gaussian(0, 1, EXAMPLE), "sigma = 0: must be > 0"),
        (lambda: ZeroConcentrated.of_gaussian(1, -1, EXAMPLE), "sensitivity = -1: must be > 0"),
        (lambda: ZeroConcentrated.of_gaussian(1.0, 1.0), "neighbours", TypeError),
        (lambda: ZeroConcentrated.of_gaussian(1.0), "neighbours", TypeError),
        (lambda: ZeroConcentrated.within(ONE), r"delta = 0.0: must be in \(0, 1\)"),
        (lambda: ZeroConcentrated.within(Guarantee(0, 0.1)), "epsilon = 0.0: must be > 0"),
    ],
    "amplification": [
        (lambda: without_replacement(ONE, 0), r"rate = 0: must be in \(0, 1\]"),
        (lambda: without_replacement(ONE, 1.01), r"rate = 1.01: must be in \(0, 1\]"),
        (lambda: without_replacement_bns15(ONE, 0.2), r"rate = 0.2: must be <= 1 / \(3 \+ e\^1.0\)"),
        (lambda: without_replacement_bns15(Guarantee(1e4), 1e-9), r"must be <= 1 / \(3 \+ e\^10000.0\)"),
        (lambda: with_replacement(ONE, 0, 1), "draws = 0: must be >= 1"),
        (lambda: with_replacement(ONE, 1, 0), "total = 0: must be >= 1"),
        (lambda: with_replacement(Guarantee(1e4, 1e-9), 2, 2), r"delta = 1e-09: grows by e\^.* to 1 or more"),
        (lambda: with_replacement_bns15(Guarantee(1.1)), "epsilon = 1.1: must be <= 1"),
        *(
            (
                partial(amplify, Guarantee(0.5, 0.0, FEATURES)),
                "neighbours = replace_private_features: sampling amplifies only for",
            )
            for amplify in (
                partial(without_replacement, rate=0.1),
                partial(without_replacement_bns15, rate=0.1),
                partial(with_replacement, draws=2, total=3),
                partial(with_replacement_by_position, draws=2, total=3),
                partial(with_replacement_closed_form, draws=2, total=3),
                with_replacement_bns15,
            )
        ),
    ],
    "Gaussian noise": [
        (lambda: gaussian_delta(0, 1), "sigma = 0: must be > 0"),
        (lambda: gaussian_delta(1, -1), r"epsilon = -1: must be in \[0, inf\)"),
        (lambda: gaussian_delta(1, 1, inf), "sensitivity = inf: must be finite"),
        (lambda: gaussian_sigma(1, 0), r"delta = 0: must be in \(0, 1\)"),
        (lambda: gaussian_sigma(-1, 0.1), r"epsilon = -1: must be in \[0, inf\)"),
        (lambda: gaussian_sigma(0.0, 1e-320), "sigma would exceed the float range"),
        (lambda: gaussian_epsilon(1, 1), r"delta = 1: must be in \(0, 1\)"),
        (lambda: gaussian_epsilon(1e-200, 0.5, 1e200), "epsilon would exceed the float range"),
        (lambda: classical_gaussian_sigma(0, 0.1), r"epsilon = 0: must be in \(0, 1\]"),
        (lambda: classical_gaussian_sigma(1.5, 1e-5), r"epsilon = 1.5: must be in \(0, 1\]"),
    ],
    "events": [
        *(
            (
                partial(GaussianEvent, sigma),
                re.escape(f"sigma = {sigma!r}: ") + "must be between 1e-154 and 1e.161 times the sensitivity",
            )
            for sigma in (1e300, 1e-300, 5e-324)
        ),
        (lambda: GaussianEvent(1.0, 1e200), "times the sensitivity, 1e.200"),
        *((partial(GaussianEvent, sigma), f"sigma = {sigma}: must be") for sigma in (inf, nan, -1, 0)),
        (lambda: Pure(0), "epsilon = 0: must be > 0"),
        (lambda: Concentrated(0), "rho = 0"),
        (lambda: Approximate(-1, 0.1), "epsilon = -1"),
        (lambda: Approximate(1, 0), "delta = 0"),
        (lambda: Composed([(Pure(1), 0)]), "multiplicity = 0: must be >= 1"),
        (lambda: Composed([(1.0, 1)]), "1.0: must be an event"),
        (lambda: Parallel([]), "at least one event"),
        (lambda: restored({"event": "Laplace"}), "event = 'Laplace': must be one of"),
    ],
    "accounts": [
        *((partial(pure_guarantee, event), "Gaussian noise has no pure guarantee") for event in NOISY),
        *((partial(Account(ONE).pay, event), "pays for no Gaussian noise") for event in NOISY),
        *(
            (partial(use, MAY_FAIL), "a part fails with probability 2e-07")
            for use in (pure_guarantee, concentrated, Account(Guarantee(9.0)).pay, Account(Guarantee(9.0, 1e-6)).pay)
        ),
        (lambda: guarantee_of(MAY_FAIL, Guarantee(1.0, 1e-7)), "must be >= 2e-07, the chance of failing"),
        (
            lambda: guarantee_of(Composed([(Approximate(1.0, 1e-6), 1), (GaussianEvent(9), 1)]), Guarantee(2.0, 1e-6)),
            "the event fails with all of it",
        ),
    ],
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
