"""Exact needs: binomial sums against the mechanisms themselves, enumeration and independent inversion."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.point_functions import PointFunctions
from semipriv.classes.thresholds import Thresholds
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.papers.abm19.bounds import need
from semipriv.papers.abm19.learners.sspp import SSPP


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.0])
def test_worse_of_two_is_what_the_mechanisms_do(epsilon: float) -> None:
    for gap in range(-5, 6):
        scores = [0, -gap]
        for mechanism, name in ((ExponentialMechanism, "exponential"), (PermuteAndFlip, "permute_and_flip")):
            exact = math.exp(mechanism(epsilon).log_probabilities(scores)[1])
            assert need.worse_of_two(np.array([gap]), epsilon, name)[0] == pytest.approx(exact, rel=1e-10)
    assert need.worse_of_two(np.array([-2, 0, 2]), epsilon, "minimum").tolist() == [1, 0.5, 0]


def test_failure_two_point_by_enumeration() -> None:
    """All label vectors of a small sample, the constants' probabilities from A_SSPP itself (without public points)."""
    n, gap, epsilon = 6, 0.1, 0.8
    total = 0.0
    for labels in itertools.product((0, 1), repeat=n):
        positives = sum(labels)
        weight = (0.5 + gap) ** positives * (0.5 - gap) ** (n - positives)
        cover = Thresholds().cover([0.0])  # the constants, as far as points at 0 can tell
        distribution = SSPP(epsilon).output_distribution(cover, np.zeros((n, 1)), np.array(labels))
        predictions = Thresholds().predict(distribution.parameters, [[0.0]])[:, 0]
        assert predictions.tolist() == [True, False]
        total += weight * math.exp(distribution.log_probabilities[1])
    assert need.failure_two_point(n, gap, epsilon) == pytest.approx(total, rel=1e-10)


def test_failure_realizable_by_enumeration() -> None:
    n, alpha, epsilon = 5, 0.3, 1.3
    total = sum(
        math.comb(n, b) * alpha**b * (1 - alpha) ** (n - b) / (1 + math.exp(epsilon * b / 2)) for b in range(n + 1)
    )
    assert need.failure_realizable(n, alpha, epsilon) == pytest.approx(total, rel=1e-12)
    closed = 0.5 * (1 - alpha + alpha * math.exp(-epsilon / 2)) ** n
    assert need.failure_realizable(n, alpha, epsilon, "permute_and_flip") == pytest.approx(closed, rel=1e-12)


def test_fixtures() -> None:
    two, first = need.private_points_two_point, need.private_points_realizable
    assert [two(a, 1.0, 0.05) for a in (0.1, 0.05, 0.02, 0.01)] == [282, 1094, 6775, 27062]
    assert [two(a, 0.01, 0.05) for a in (0.4, 0.2, 0.1, 0.05)] == [1480, 2977, 6022, 12322]
    assert [first(a, 10.0, 0.05) for a in (0.2, 0.1, 0.05, 0.02, 0.01)] == [11, 23, 46, 116, 233]
    assert [first(a, 0.1, 0.05) for a in (0.02, 0.01)] == [3010, 6021]
    pair = need.public_points_hidden_pair
    assert [pair(a, 0.05) for a in (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001)] == [17, 35, 72, 183, 366, 734, 3675]
    bits = (2, 4, 8, 16, 32, 64, 128)
    assert [need.private_points_thresholds(b, 1.0, 0.1) for b in bits] == [17, 23, 35, 59, 107, 201, 387]
    assert [need.private_points_thresholds(b, 0.1, 0.1) for b in bits] == [146, 202, 314, 539, 987, 1884, 3676]


@pytest.mark.parametrize("mechanism", need.MECHANISMS[:2])
def test_least_sizes_are_least(mechanism: str) -> None:
    for alpha, epsilon in ((0.1, 1.0), (0.2, 0.05), (0.05, 10.0)):
        n = need.private_points_two_point(alpha, epsilon, 0.05, mechanism)
        failures = [need.failure_two_point(k, alpha / 2 * (1 + 1e-4), epsilon, mechanism) for k in (n - 1, n)]
        assert failures[0] > 0.05 >= failures[1]
        m = need.private_points_realizable(alpha, epsilon, 0.05, mechanism)
        assert need.failure_realizable(m - 1, alpha, epsilon, mechanism) > 0.05
        assert need.failure_realizable(m, alpha, epsilon, mechanism) <= 0.05


def test_failure_falls_with_every_size() -> None:
    """What bisection relies on."""
    for mechanism in need.MECHANISMS[:2]:
        for epsilon in (0.05, 1.0, 10.0):
            two = [need.failure_two_point(n, 0.05, epsilon, mechanism) for n in range(1, 200)]
            failures = [need.failure_realizable(n, 0.1, epsilon, mechanism) for n in range(1, 200)]
            assert np.all(np.diff(two) < 1e-12)
            assert np.all(np.diff(failures) < 1e-12)
    pair = [need.failure_on_pair(n, 5.0, 5.0, 1.0) for n in range(1, 100)]
    points = [need.failure_point_functions(n, 5.0, 1.0) for n in range(1, 100)]
    assert np.all(np.diff(pair) < 0)
    assert np.all(np.diff(points) < 0)


def test_permute_and_flip_never_needs_more() -> None:
    for alpha, epsilon in itertools.product((0.3, 0.1, 0.03), (0.05, 1.0, 10.0)):
        flip, exponential = (
            need.private_points_two_point(alpha, epsilon, 0.05, m) for m in ("permute_and_flip", "exponential")
        )
        assert need.private_points_two_point(alpha, epsilon, 0.05, "minimum") <= flip <= exponential


def test_hidden_pair_by_enumeration() -> None:
    """Every sequence of where m points fall: the left atom, the right one, elsewhere."""
    m, p = 4, Fraction(3, 10)
    distribution = {"left": p / 2, "right": p / 2, "elsewhere": 1 - p}
    both = right = Fraction(0)
    for places in itertools.product(distribution, repeat=m):
        weight = math.prod(distribution[place] for place in places)
        both += weight * ({"left", "right"} <= set(places))
        right += weight * ("right" in places)
    assert need.hidden_pair_failure(m, float(p)) == pytest.approx(float(1 - both), rel=1e-12)
    assert need.hidden_pair_failure(m, float(p), "upper") == pytest.approx(float(1 - right), rel=1e-12)


def test_failure_on_pair_is_that_of_all_thresholds() -> None:
    """The class on 2^3 points listed, its exact distribution averaged over binomial numbers of examples at atoms."""
    bits, n, epsilon = 3, 7, 0.9
    h = DiscreteThresholds(bits, "ge")
    every = h.encode_thresholds(range(2**bits + 1))
    pair = h.encode([3, 4])
    total = 0.0
    for k in range(n + 1):
        y = np.array([0] * k + [1] * (n - k))
        log = ExponentialMechanism(epsilon).log_probabilities(-h.mistakes(every, pair[y], y.astype(np.int8)))
        total += math.comb(n, k) / 2**n * (1 - math.exp(log[4]))
    many = math.log(4)
    assert need.failure_on_pair(n, many, many, epsilon) == pytest.approx(total, rel=1e-10)


def test_failure_of_point_functions_is_that_of_the_class() -> None:
    bits, n, epsilon = 3, 6, 1.1
    h = PointFunctions(1, bits)
    domain = np.arange(2.0**bits)[:, None]
    parameters = h.cover(domain).listed().parameters
    positives = h.predict(parameters, domain)
    functions = parameters[positives.sum(axis=1) == 1]
    target = int(np.flatnonzero(h.predict(functions, [[5.0]])[:, 0])[0])
    total = 0.0
    for k in range(n + 1):
        y = np.array([1] * k + [0] * (n - k))
        x = np.where(y == 1, 5.0, 2.0)[:, None]
        log = ExponentialMechanism(epsilon).log_probabilities(-h.mistakes(functions, x, y.astype(np.int8)))
        total += math.comb(n, k) / 2**n * (1 - math.exp(log[target]))
    assert len(functions) == 2**bits
    assert need.failure_point_functions(n, bits * math.log(2), epsilon) == pytest.approx(total, rel=1e-10)


def test_the_random_representation_does_not_grow_with_the_domain() -> None:
    """Draws with explicit random tables as hash functions, over domains of 2^6 and 2^12 points."""
    generator = np.random.default_rng(5)
    buckets, epsilon, trials = 40, 1.0, 3000
    n = need.private_points_hashed(buckets, epsilon, 0.1)
    exact = 1 / buckets + (1 - 1 / buckets) * need.failure_point_functions(n, math.log(buckets), epsilon)
    assert exact <= 0.1
    for bits in (6, 12):
        missed = 0
        for _ in range(trials):
            table = generator.integers(buckets, size=2**bits)
            target, other = generator.choice(2**bits, 2, replace=False)
            k = generator.binomial(n, 0.5)
            mistakes = np.full(buckets, k)
            mistakes[table[target]] -= k
            mistakes[table[other]] += n - k
            chosen = np.argmax(-epsilon * mistakes / 2 + generator.gumbel(size=buckets))
            missed += table[target] == table[other] or chosen != table[target]
        assert abs(missed / trials - exact) < 4 * math.sqrt(exact * (1 - exact) / trials)


def test_packing_floor_is_below_the_mechanism_and_never_beaten() -> None:
    for bits in (1, 2, 8, 32, 300):
        floor = need.packing_floor(bits, 0.5, 0.1)
        assert floor <= need.private_points_thresholds(bits, 0.5, 0.1)
        inverse = math.exp(0.5 * floor)
        assert bits > 60 or inverse >= (2**bits - 1) * 0.9 * (1 - 1e-12)
