"""Composition, zCDP, amplification and Gaussian calibration, against distributions enumerated or integrated apart."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.stats import norm

from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
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
from semipriv.privacy.events import GaussianEvent, Pure, concentrated, guarantee_of, pure_guarantee
from semipriv.privacy.gaussian import classical_gaussian_sigma, gaussian_delta, gaussian_epsilon, gaussian_sigma
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.zcdp import ZeroConcentrated

EXAMPLE, FEATURES, ENTRY, _, LABEL = Neighbours
epsilons = st.floats(0.01, 3)
deltas = st.floats(1e-9, 0.2)


def hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """Smallest delta at this epsilon, in both directions, of two distributions on one finite set."""
    return float(max(np.maximum(0, p - math.exp(epsilon) * q).sum(), np.maximum(0, q - math.exp(epsilon) * p).sum()))


def renyi(p: np.ndarray, q: np.ndarray, order: float) -> float:
    return float(np.log(np.sum(p**order * q ** (1 - order))) / (order - 1))


def leaking_response(epsilon: float, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions on four outcomes: (epsilon, delta)-DP, as far apart as can be."""
    high = (1 - delta) / (1 + math.exp(-epsilon))
    low = 1 - delta - high
    return np.array([delta, high, low, 0.0]), np.array([0.0, low, high, delta])


# ---------------------------------------------------------------------------------------------------- composition
@given(st.lists(st.tuples(epsilons, deltas), min_size=1, max_size=4))
def test_basic_composition_covers_every_product(parameters):
    """Products of the extreme mechanisms, enumerated; with one mechanism, or with delta = 0, it is exact."""
    together = [np.ones(1), np.ones(1)]
    for epsilon, delta in parameters:
        for side, distribution in enumerate(leaking_response(epsilon, delta)):
            together[side] = np.outer(together[side], distribution).ravel()
    total = basic_composition(Guarantee(e, d) for e, d in parameters)
    assert total.epsilon == pytest.approx(sum(e for e, _ in parameters))
    assert hockey_stick(*together, total.epsilon) <= total.delta + 1e-12
    assert hockey_stick(*together, total.epsilon) == pytest.approx(1 - math.prod(1 - d for _, d in parameters))


@given(epsilons, st.one_of(st.just(0.0), deltas), st.integers(1, 5), st.floats(0, 1.2))
def test_optimal_composition_is_randomised_response_enumerated(epsilon, delta, count, share):
    """Also between the epsilons of the published grid."""
    first, second = leaking_response(epsilon, delta)
    together = [np.ones(1), np.ones(1)]
    for _ in range(count):
        together = [np.outer(together[0], first).ravel(), np.outer(together[1], second).ravel()]
    target = share * count * epsilon
    expected = hockey_stick(*together, target)
    assert optimal_delta(Guarantee(epsilon, delta), count, target) == pytest.approx(expected, rel=1e-9, abs=1e-14)


@given(st.integers(0, 10**6), epsilons, st.floats(0, 1))
def test_optimal_composition_covers_adaptive_mechanisms(seed, epsilon, share):
    """The second mechanism, with three outcomes, is chosen by the output of the first."""
    generator = np.random.default_rng(seed)

    def mechanism() -> tuple[np.ndarray, np.ndarray]:
        q = generator.dirichlet(np.ones(3)) + 1e-6
        p = q * np.exp(epsilon * generator.uniform(-1, 1, 3))
        return p / p.sum(), q / q.sum()

    first, second = mechanism(), [mechanism() for _ in range(3)]
    own = max(np.abs(np.log(p / q)).max() for p, q in (first, *second))
    joint = [np.concatenate([first[side][i] * second[i][side] for i in range(3)]) for side in (0, 1)]
    target = share * 2 * own
    assert hockey_stick(*joint, target) <= optimal_delta(Guarantee(own), 2, target) + 1e-12


@given(st.floats(0.001, 1), st.one_of(st.just(0.0), st.floats(1e-12, 1e-8)), st.integers(1, 300), st.floats(1e-9, 0.3))
def test_optimal_composition_is_the_smallest(epsilon, delta, count, slack):
    own = Guarantee(epsilon, delta)
    total = count * delta + slack
    computed_optimal_composition = optimal_composition(own, count, total)
    assert computed_optimal_composition.delta == total
    assert optimal_delta(own, count, computed_optimal_composition.epsilon) <= total
    assert computed_optimal_composition.epsilon <= basic_composition([own] * count).epsilon * (1 + 1e-12)
    assert computed_optimal_composition.epsilon <= advanced_composition([own] * count, slack).epsilon * (1 + 1e-12)
    if computed_optimal_composition.epsilon > 0:
        assert optimal_delta(own, count, computed_optimal_composition.epsilon * (1 - 1e-6)) > total


def test_optimal_composition_at_its_ends():
    assert optimal_composition(Guarantee(0.25), 8, 0.0).epsilon == 2.0
    assert optimal_composition(Guarantee(0.25), 8, 0.9).epsilon == 0
    assert optimal_composition(Guarantee(0.0, 1e-3), 2, 0.01) == Guarantee(0.0, 0.01)
    assert optimal_composition(Guarantee(0.7, 1e-6), 1, 1e-6).epsilon == pytest.approx(0.7, rel=1e-9)


def test_advanced_composition_beats_the_sum_where_there_are_many():
    own = Guarantee(0.01, 1e-9)
    assert advanced_composition([own] * 10_000, 1e-6).epsilon < basic_composition([own] * 10_000).epsilon / 15
    assert advanced_composition([own] * 2, 1e-6).epsilon > basic_composition([own] * 2).epsilon


def test_group_privacy_at_its_ends():
    assert group_privacy(Guarantee(0.0, 0.1), 3) == (0.0, pytest.approx(0.3))
    assert group_privacy(Guarantee(1000.0, 1e-9), 5) == (5000.0, 1.0)


def test_parallel_composition_is_exact_on_disjoint_slots():
    """Two randomised responses, one of each bit: all neighbours of two bits, enumerated."""
    parts = [(0.7, 0.01), (1.2, 0.002)]
    distribution = {
        bits: np.outer(*(leaking_response(*part)[bit] for part, bit in zip(parts, bits, strict=True))).ravel()
        for bits in itertools.product((0, 1), repeat=2)
    }
    actual = parallel_composition([Guarantee(*part) for part in parts], [range(0, 1), range(1, 2)])
    assert actual == Guarantee(1.2, 0.01)
    pairs = [(s, t) for s in distribution for t in distribution if sum(a != b for a, b in zip(s, t, strict=True)) == 1]
    assert len(pairs) == 8
    assert max(hockey_stick(distribution[s], distribution[t], actual.epsilon) for s, t in pairs) <= actual.delta
    assert max(hockey_stick(distribution[s], distribution[t], actual.epsilon - 0.01) for s, t in pairs) > 0.002
    assert hockey_stick(distribution[0, 0], distribution[1, 1], actual.epsilon) > actual.delta


def test_parts_may_be_empty_and_huge():
    parts = [range(0, 10**12), range(5, 5), range(10**12, 10**15)]
    assert parallel_composition([Guarantee(1.0), Guarantee(0.0), Guarantee(0.5, 1e-3)], parts) == Guarantee(1.0, 1e-3)


# ---------------------------------------------------------------------------------------------------- neighbours
@pytest.mark.parametrize(
    "compose",
    [
        lambda a, b: basic_composition([Guarantee(1.0, neighbours=a), Guarantee(1.0, neighbours=b)]),
        lambda a, b: parallel_composition(
            [Guarantee(1.0, neighbours=a), Guarantee(1.0, neighbours=b)], [range(2), range(2, 3)]
        ),
        lambda a, b: ZeroConcentrated(1.0, a) + ZeroConcentrated(1.0, b),
    ],
)
@pytest.mark.parametrize(("a", "b"), list(itertools.product(Neighbours, repeat=2)))
def test_neighbours_do_not_mix(compose, a, b):
    if a is b:
        assert compose(a, b).neighbours is a
    else:
        with pytest.raises(ValueError, match=f"neighbours differ: {a.value} and {b.value} do not compose"):
            compose(a, b)


@pytest.mark.parametrize("relation", list(Neighbours))
def test_every_rule_keeps_the_neighbours(relation):
    own = Guarantee(0.5, 1e-6, relation)
    collected = [
        advanced_composition([own] * 3, 1e-6),
        optimal_composition(own, 3, 1e-5),
        ZeroConcentrated.from_pure(Guarantee(0.5, 0.0, relation)),
        ZeroConcentrated.of_exponential_mechanism(0.5, relation),
        ZeroConcentrated.of_gaussian(1.0, 1.0, relation).repeated(3),
        ZeroConcentrated.of_gaussian(1.0, 1.0, relation).guarantee(1e-6),
        ZeroConcentrated.within(own),
        guarantee_of(GaussianEvent(10.0), own),
        guarantee_of(Pure(0.25), own),
        guarantee_of(Pure(0.25), Guarantee(0.5, 0.0, relation)),
        pure_guarantee(Pure(0.25), relation),
        concentrated(Pure(0.25), relation),
    ]
    if relation not in (FEATURES, LABEL):
        collected += [
            without_replacement(own, 0.1),
            without_replacement_bns15(own, 0.1),
            with_replacement(own, 3, 4),
            with_replacement_by_position(own, 3, 4),
            with_replacement_closed_form(own, 3, 4),
            with_replacement_bns15(own),
        ]
    assert {value.neighbours for value in collected} == {relation}


# ---------------------------------------------------------------------------------------------------- zCDP
ORDERS = (1 + 1e-4, 1.5, 2, 3, 7, 30)


@given(epsilons)
def test_pure_privacy_implies_half_its_square(epsilon):
    p, q = leaking_response(epsilon, 0.0)
    p, q = p[1:3], q[1:3]
    rho = ZeroConcentrated.from_pure(Guarantee(epsilon)).rho
    assert rho == pytest.approx(epsilon**2 / 2)
    assert all(renyi(p, q, order) <= rho * order * (1 + 1e-9) + 1e-12 for order in ORDERS)


@given(st.lists(st.tuples(st.integers(-9, 0), st.integers(-1, 1)), min_size=2, max_size=8), st.floats(0.05, 4))
def test_the_exponential_mechanism_keeps_an_eighth_of_its_square(scores, epsilon):
    """Exact Renyi divergences of random neighbours; scores move by at most their sensitivity, either way."""
    before = np.array([score for score, _ in scores])
    after = before + np.array([step for _, step in scores])
    p, q = (np.exp(ExponentialMechanism(epsilon).log_probabilities(s)) for s in (before, after))
    rho = ZeroConcentrated.of_exponential_mechanism(epsilon, EXAMPLE).rho
    assert all(renyi(p, q, order) <= rho * order * (1 + 1e-9) + 1e-12 for order in ORDERS)


def test_an_eighth_is_needed_for_the_exponential_mechanism_and_not_enough_for_permute_and_flip():
    """Scores (0, 0) against (1, -1) at epsilon = 0.01, orders near 1."""
    epsilon, scores = 0.01, ([0, 0], [1, -1])
    bound = ZeroConcentrated.of_exponential_mechanism(epsilon, EXAMPLE).rho
    p, q = (np.exp(ExponentialMechanism(epsilon).log_probabilities(s)) for s in scores)
    assert renyi(p, q, 2) / 2 == pytest.approx(bound, rel=1e-3)
    p, q = (np.exp(PermuteAndFlip(epsilon).log_probabilities(s)) for s in scores)
    np.testing.assert_allclose(q, [1 - math.exp(-epsilon) / 2, math.exp(-epsilon) / 2], rtol=1e-12)
    assert np.ptp(np.log(q / p)) > 1.9 * epsilon
    assert renyi(p, q, 2) / 2 > 3.9 * bound
    assert renyi(p, q, 2) / 2 <= ZeroConcentrated.from_pure(Guarantee(epsilon)).rho


@pytest.mark.parametrize(("sigma", "sensitivity"), [(1.0, 1.0), (3.0, 0.5), (0.7, 2.0)])
@pytest.mark.parametrize("order", [1.5, 2.0, 5.0])
def test_gaussian_noise_has_its_renyi_divergence(sigma, sensitivity, order):
    def integrand(x: float) -> float:
        return math.exp(order * norm.logpdf(x, sensitivity, sigma) + (1 - order) * norm.logpdf(x, 0, sigma))

    centre = order * sensitivity  # of the integrand, itself normal
    integral = quad(integrand, centre - 12 * sigma, centre + 12 * sigma, epsabs=0, epsrel=1e-11)[0]
    rho = ZeroConcentrated.of_gaussian(sigma, sensitivity, EXAMPLE).rho
    assert math.log(integral) / (order - 1) == pytest.approx(rho * order, rel=1e-9)


@given(st.floats(-6, 2), st.floats(-12, -0.01), st.floats(0, 30))
def test_tight_conversion_is_the_minimum_over_orders(log_rho, log_delta, epsilon):
    """Brute force over a fine grid of orders, which can only be larger."""
    bound, delta = ZeroConcentrated(10**log_rho), 10**log_delta
    x = np.geomspace(1e-6, 1e8, 100_001)  # order - 1
    grid = (1 + x) * bound.rho - np.log1p(1 / x) - np.log((1 + x) * delta) / x
    assert bound.guarantee(delta).epsilon == pytest.approx(max(0, grid.min()), rel=1e-5, abs=1e-9)
    assert bound.guarantee(delta).epsilon <= bound.guarantee(delta, tight=False).epsilon
    log_grid = x * ((1 + x) * bound.rho - epsilon) - np.log(x) - (1 + x) * np.log1p(1 / x)
    actual_delta = bound.delta(epsilon)
    if actual_delta > 1e-300:
        assert math.log(actual_delta) == pytest.approx(min(0, log_grid.min()), rel=1e-5, abs=1e-5)
    else:
        assert log_grid.min() < -690
        assert actual_delta > 0


@settings(max_examples=15)
@given(st.floats(0.1, 20), st.floats(-12, -1))
def test_conversions_cover_gaussian_noise(sigma, log_delta):
    """The exact profile lies below the tight bound, and not far below."""
    bound, delta = ZeroConcentrated.of_gaussian(sigma, 1.0, EXAMPLE), 10**log_delta
    tight = bound.guarantee(delta).epsilon
    assert gaussian_delta(sigma, tight) <= delta
    assert gaussian_epsilon(sigma, delta) <= tight <= bound.guarantee(delta, tight=False).epsilon


def test_a_rho_of_zero_is_perfect_privacy():
    for delta in (1e-9, 0.5):
        assert ZeroConcentrated(0.0).guarantee(delta) == Guarantee(0.0, delta)
    assert ZeroConcentrated(0.0).delta(0.0) == 0


def test_orders_of_magnitude():
    assert ZeroConcentrated(1e5).guarantee(0.5).epsilon == pytest.approx(1e5, rel=0.01)
    assert ZeroConcentrated(1e5).delta(1.0) == pytest.approx(1.0)
    assert 0 <= ZeroConcentrated(1e-300).guarantee(1e-9).epsilon < 1e-100
    assert ZeroConcentrated(1e-3).delta(100.0) == 5e-324


# ---------------------------------------------------------------------------------------------------- amplification
@st.composite
def mechanisms(draw, size: int):
    """A random distribution for each multiset of ``size`` bits, by its number of ones: rows of (size + 1, 3)."""
    weights = [[draw(st.floats(0.05, 1)) for _ in range(3)] for _ in range(size + 1)]
    distributions = np.array(weights)
    return distributions / distributions.sum(axis=1, keepdims=True)


def own_delta(distributions: np.ndarray, epsilon: float) -> float:
    return max(hockey_stick(p, q, epsilon) for p, q in itertools.pairwise(distributions))


def sampled(total: int, samples: list[tuple[int, ...]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of all neighbours of bits, the chances of each number of ones at equally likely tuples of positions."""
    size = len(samples[0])
    chances = [
        np.bincount([sum(i < positives for i in positions) for positions in samples], minlength=size + 1) / len(samples)
        for positives in range(total + 1)
    ]
    return list(itertools.pairwise(chances))


@pytest.mark.parametrize(("kept", "total"), [(1, 2), (1, 4), (2, 3), (2, 5), (3, 4)])
def test_subsampling_enumerated(kept, total):
    """All subsets and all neighbours of bits, random mechanisms, at epsilons where they have a delta."""
    neighbours = sampled(total, list(itertools.combinations(range(total), kept)))

    @given(mechanisms(kept), st.floats(0, 2))
    def distribution(distributions, epsilon):
        own = Guarantee(epsilon, own_delta(distributions, epsilon))
        computed_without_replacement = without_replacement(own, kept / total)
        for p, q in neighbours:
            assert (
                hockey_stick(p @ distributions, q @ distributions, computed_without_replacement.epsilon)
                <= computed_without_replacement.delta + 1e-12
            )

    distribution()


@given(st.floats(1e-4, 2), st.one_of(st.just(0.0), deltas), st.integers(1, 4), st.integers(4, 7))
def test_subsampling_is_tight(epsilon, delta, kept, total):
    """Attained by a response that asks whether a marked example is in the sample."""
    outside, inside = leaking_response(epsilon, delta)
    subsets = list(itertools.combinations(range(total), kept))
    share = sum(0 in subset for subset in subsets) / len(subsets)
    computed_without_replacement = without_replacement(Guarantee(epsilon, delta), kept / total)
    p = share * inside + (1 - share) * outside
    assert hockey_stick(p, outside, computed_without_replacement.epsilon) == pytest.approx(
        computed_without_replacement.delta, rel=1e-9, abs=1e-14
    )
    assert hockey_stick(p, outside, computed_without_replacement.epsilon * 0.99) > computed_without_replacement.delta


def test_order_must_be_forgotten():
    """Output 1 with probability ~ e^(-distance to the pair (1, 0)): private, but it reads the order of its input."""
    response = {pair: math.exp(-(pair[0] != 1) - (pair[1] != 0)) / 2 for pair in itertools.product((0, 1), repeat=2)}
    subsets = list(itertools.combinations(range(3), 2))
    shuffled = list(itertools.permutations(range(3), 2))

    def loss(samples: list[tuple[int, ...]]) -> float:
        first, second = (sum(response[d[i], d[j]] for i, j in samples) for d in ((1, 0, 1), (0, 0, 1)))
        return math.log(first / second)

    bound = without_replacement(Guarantee(1.0), 2 / 3).epsilon
    assert loss(subsets) > bound + 0.05
    assert loss(shuffled) <= bound


def averaged(epsilon: float, delta: float, draws: int, total: int) -> tuple[float, float]:
    """Group privacy against the run without a copy, there and back, averaged over the binomial number of copies."""
    mass, factors, addends = copies(epsilon, delta, draws, total)
    factor = (mass @ factors) / (mass @ (1 / factors))
    return math.log(factor), float(mass @ addends + factor * (mass @ (addends / factors)))


def copies(epsilon: float, delta: float, draws: int, total: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each number of copies k: its probability, e^(k epsilon), and the delta of k replacements."""
    k = range(draws + 1)
    mass = np.array([math.comb(draws, i) * (1 / total) ** i * (1 - 1 / total) ** (draws - i) for i in k])
    addends = np.array([sum(math.exp(j * epsilon) for j in range(i)) for i in k]) * delta
    return mass, np.exp(epsilon * np.arange(draws + 1)), addends


def worst_difference(factor: float, epsilon: float, delta: float, draws: int, total: int) -> float:
    """Largest P[event | S] - factor P[event | S'] that group privacy allows: a linear program in x_k, y_k and p."""
    mass, factors, addends = copies(epsilon, delta, draws, total)
    identity, zero = np.eye(draws + 1), np.zeros((draws + 1, draws + 1))
    column = np.ones((draws + 1, 1))
    constraints = np.block(
        [
            [identity, -np.diag(factors), 0 * column],  # x_k <= e^(k epsilon) y_k + w_k delta
            [identity, zero, -factors[:, None]],  # x_k <= e^(k epsilon) p + w_k delta
            [zero, -np.diag(factors), column],  # p <= e^(k epsilon) y_k + w_k delta
        ]
    )
    limits = [(0, None)] * (2 * draws + 2) + [(0, 1)]
    objective = np.concatenate([-mass, factor * mass, [0]])
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    return -float(linprog(objective, constraints, np.tile(addends, 3), bounds=limits, options=tight).fun)


@pytest.mark.parametrize(("draws", "total"), [(1, 1), (1, 3), (2, 2), (3, 3), (4, 4), (4, 2)])
@pytest.mark.parametrize("amplify", [with_replacement, with_replacement_closed_form, with_replacement_by_position])
def test_resampling_enumerated(amplify, draws, total):
    """All total^draws draws and all neighbours of bits; of each of six shapes and three ways 30 distributions."""
    neighbours = sampled(total, list(itertools.product(range(total), repeat=draws)))

    @given(mechanisms(draws), st.floats(0, 1))
    def distribution(distributions, share):
        epsilon = share * max(np.abs(np.log(p / q)).max() for p, q in itertools.pairwise(distributions))
        delta = own_delta(distributions, epsilon)
        assume(averaged(epsilon, delta, draws, total)[1] < 0.99)
        computed_amplify = amplify(Guarantee(epsilon, delta), draws, total)
        for p, q in neighbours:
            assert (
                hockey_stick(p @ distributions, q @ distributions, computed_amplify.epsilon)
                <= computed_amplify.delta + 1e-12
            )

    settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])(distribution)()


@given(st.floats(0.05, 2), st.floats(1e-4, 1e-3), st.integers(1, 8), st.integers(1, 8))
def test_resampling_is_the_best_that_group_privacy_allows(epsilon, delta, draws, total):
    assume(averaged(epsilon, delta, draws, total)[1] < 0.9)
    computed_with_replacement = with_replacement(Guarantee(epsilon, delta), draws, total)
    assert worst_difference(math.exp(computed_with_replacement.epsilon), epsilon, delta, draws, total) == pytest.approx(
        computed_with_replacement.delta, rel=1e-6
    )
    assert (
        worst_difference(math.exp(computed_with_replacement.epsilon) * 0.99, epsilon, delta, draws, total)
        > computed_with_replacement.delta
    )


@given(st.floats(1e-9, 20), st.floats(1e-60, 1e-50), st.integers(1, 10**9), st.integers(1, 10**9))
def test_resampling_is_never_above_its_closed_form(epsilon, delta, draws, total):
    assume(draws / total * math.expm1(epsilon) < 50)
    own = Guarantee(epsilon, delta)
    computed_with_replacement, closed = (
        with_replacement(own, draws, total),
        with_replacement_closed_form(own, draws, total),
    )
    assert 0 < computed_with_replacement.epsilon <= closed.epsilon * (1 + 1e-12)
    assert delta * draws / total * 0.999 <= computed_with_replacement.delta <= closed.delta * (1 + 1e-9)


@given(st.floats(1e-6, 20), st.floats(1e-60, 1e-50), st.integers(1, 10**9))
def test_one_draw_is_a_subset_of_one(epsilon, delta, total):
    drawn, kept = (
        with_replacement(Guarantee(epsilon, delta), 1, total),
        without_replacement(Guarantee(epsilon, delta), 1 / total),
    )
    assert drawn.epsilon == pytest.approx(kept.epsilon, rel=1e-9, abs=2e-14)
    assert drawn.delta == pytest.approx(kept.delta, rel=1e-6)


@given(st.floats(1e-9, 1), st.floats(0, 1e-6), st.integers(1, 10**6), st.floats(1e-4, 1))
def test_forms_of_bns15_are_never_smaller(epsilon, delta, total, rate):
    own = Guarantee(epsilon, delta)
    stated, ours = with_replacement_bns15(own), with_replacement(own, total, total)
    assert ours.epsilon <= stated.epsilon
    assert ours.delta <= stated.delta
    assert ours.epsilon >= own.epsilon
    if rate * (3 + math.exp(epsilon)) < 1:
        stated, ours = without_replacement_bns15(own, rate), without_replacement(own, rate)
        assert ours.epsilon <= stated.epsilon
        assert ours.delta <= stated.delta


@given(st.floats(1e-3, 3), st.integers(1, 6), st.integers(1, 6))
def test_position_by_position_is_attained(epsilon, draws, total):
    """By an answer of probability c e^(k epsilon) on k copies: enumerated, all draws."""
    actual_epsilon = with_replacement_by_position(Guarantee(epsilon), draws, total).epsilon
    samples = itertools.product(range(total), repeat=draws)
    scale = 1e-9 * math.exp(-draws * epsilon)
    says = sum(scale * math.exp(epsilon * sample.count(0)) for sample in samples) / total**draws
    assert math.log(says / scale) == pytest.approx(actual_epsilon, rel=1e-9)
    assert actual_epsilon <= with_replacement(Guarantee(epsilon), draws, total).epsilon * (1 + 1e-15)


def test_a_list_resampled_by_position_needs_no_shuffle():
    """All answers to lists of two bits that are private in each place, though not of the multiset."""
    response = {pair: math.exp(-(pair[0] != 1) - (pair[1] != 0)) / 2 for pair in itertools.product((0, 1), repeat=2)}
    for total in (2, 3):
        bound = with_replacement_by_position(Guarantee(1.0), 2, total).epsilon
        for first, second in itertools.pairwise(
            [(0,) * (total - positives) + (1,) * positives for positives in range(total + 1)]
        ):
            totals = [sum(response[d[i], d[j]] for i in range(total) for j in range(total)) for d in (first, second)]
            assert abs(math.log(totals[0] / totals[1])) <= bound


def test_constants_of_bns15():
    """Lemma 4.6: the steps of LabelBoost at epsilon = 1, with the keep ratios 300 and 100."""
    resampled = with_replacement_bns15(Guarantee(1.0, 1e-9, ENTRY))
    final = without_replacement_bns15(resampled, 1 / 300)
    assert final.epsilon == pytest.approx(247 / 300)
    assert final.delta == pytest.approx(4 * 2467 / 300 * 1e-9)
    one_round = without_replacement_bns15(Guarantee(4.0, 446e-9, ENTRY), 1 / 100)
    assert one_round.epsilon == pytest.approx((3 + math.exp(4)) / 100)
    assert without_replacement_bns15(resampled, 1 / 247).epsilon == pytest.approx(1)
    limit = with_replacement_closed_form(Guarantee(1.0, 1e-9), 10**9, 10**9)
    assert (round(limit.epsilon, 4), round(limit.delta * 1e9, 3)) == (2.3504, 5.523)
    by_position = [with_replacement_by_position(Guarantee(1.0), n, n).epsilon for n in (1, 2, 3, 4)]
    assert [round(epsilon, 4) for epsilon in by_position] == [1, 1.2402, 1.3585, 1.4295]
    assert without_replacement(
        with_replacement_closed_form(Guarantee(1.0), 10**6, 10**6), 1 / 6
    ).epsilon == pytest.approx(0.948, abs=1e-3)


def test_rates_at_their_ends():
    own = Guarantee(2.0, 1e-6)
    assert without_replacement(own, 1) == own
    assert without_replacement(own, 1e-12).epsilon == pytest.approx(1e-12 * math.expm1(2.0), rel=1e-12)
    assert without_replacement(Guarantee(1e4), 0.5).epsilon == pytest.approx(1e4 - math.log(2))
    assert with_replacement(Guarantee(1e4), 2, 5).epsilon > 1e4
    assert with_replacement(Guarantee(0.0, 0.01), 3, 4).delta == pytest.approx(0.01 * 3 / 4)
    assert with_replacement_closed_form(Guarantee(0.0, 0.01), 3, 4).delta == pytest.approx(2 * 0.01 * 3 / 4)
    below, above = (without_replacement(Guarantee(e), 0.3).epsilon for e in (math.nextafter(1, 0), 1.0))
    assert below == pytest.approx(above, rel=1e-14)


# ---------------------------------------------------------------------------------------------------- Gaussian noise
def integrated_delta(sigma: float, epsilon: float, sensitivity: float) -> float:
    """Integral of max(0, p - e^epsilon q) for p = N(sensitivity, sigma^2), q = N(0, sigma^2)."""
    root = sensitivity / 2 + epsilon * sigma**2 / sensitivity  # densities cross once

    def integrand(x: float) -> float:
        p = norm.logpdf(x, sensitivity, sigma)
        return math.exp(p) * -math.expm1(epsilon + norm.logpdf(x, 0, sigma) - p)

    knots = np.linspace(root, max(root, sensitivity) + 12 * sigma, 9)
    return sum(quad(integrand, a, b, epsabs=0, epsrel=1e-11)[0] for a, b in itertools.pairwise(knots))


@pytest.mark.parametrize("sigma", [0.05, 0.3, 1.0, 4.0, 200.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("sensitivity", [1.0, 0.2])
def test_gaussian_profile_is_the_integral(sigma, epsilon, sensitivity):
    expected = integrated_delta(sigma, epsilon, sensitivity)
    assert gaussian_delta(sigma, epsilon, sensitivity) == pytest.approx(expected, rel=1e-8, abs=1e-300)


@given(st.floats(-3, 3), st.floats(0, 30), st.floats(0.1, 10))
def test_gaussian_profile_is_monotone_and_scales(log_sigma, epsilon, scale):
    sigma = 10**log_sigma
    own = gaussian_delta(sigma, epsilon)
    assert 0 <= own <= 1
    assert gaussian_delta(sigma * 1.001, epsilon) <= own * (1 + 1e-11)
    assert gaussian_delta(sigma, epsilon + 0.001) <= own * (1 + 1e-11)
    assert gaussian_delta(sigma * scale, epsilon, scale) == pytest.approx(own, rel=1e-10, abs=1e-300)


@settings(max_examples=30)
@given(st.one_of(st.just(0.0), st.floats(1e-6, 100)), st.floats(-250, -0.05), st.floats(1e-3, 1e3))
def test_smallest_sigma(epsilon, log_delta, sensitivity):
    delta = 10**log_delta
    sigma = gaussian_sigma(epsilon, delta, sensitivity)
    assert gaussian_delta(sigma, epsilon, sensitivity) <= delta
    assert gaussian_delta(sigma * (1 - 1e-10), epsilon, sensitivity) > delta


@settings(max_examples=12)  # that no smaller float will do is shown in test_rounds_up
@given(st.floats(0.05, 30), st.floats(-15, -0.1))
@example(0.05, -15)
@example(0.05, -0.1)
@example(30.0, -15)
@example(30.0, -0.1)
def test_smallest_epsilon(sigma, log_delta):
    delta = 10**log_delta
    epsilon = gaussian_epsilon(sigma, delta)
    assert gaussian_delta(sigma, epsilon) <= delta
    if epsilon > 0:
        assert gaussian_delta(sigma, epsilon * (1 - 1e-6)) > delta
        assert gaussian_sigma(epsilon, delta) == pytest.approx(sigma, rel=1e-8)


@given(st.floats(0.01, 1), st.floats(-12, -0.01), st.floats(1e-3, 1e3))
def test_classical_noise_is_private_for_small_epsilon(epsilon, log_delta, sensitivity):
    delta = 10**log_delta
    sigma = classical_gaussian_sigma(epsilon, delta, sensitivity)
    assert gaussian_delta(sigma, epsilon, sensitivity) <= delta


def test_classical_noise_is_not_private_for_large_epsilon():
    """Why it stops at 1: the same formula at epsilon = 30."""
    assert gaussian_delta(math.sqrt(2 * math.log(1.25e5)) / 30, 30.0) > 1e-5


def test_extreme_numbers_stay_numbers():
    assert gaussian_delta(1e-300, 1.0, 1e300) == 1
    assert gaussian_delta(1e300, 0.0, 1e-300) == 5e-324
    assert gaussian_delta(1e-3, 1e4) == pytest.approx(1.0)
    assert gaussian_delta(1.0, 1e300) == 5e-324
    assert gaussian_sigma(0.0, 1e-300) == pytest.approx(1e300 / math.sqrt(2 * math.pi), rel=1e-11)
