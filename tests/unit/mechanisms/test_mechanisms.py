"""Exact output distributions of the selection mechanisms: against definitions, and against their privacy guarantee."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from semipriv.core import registry
from semipriv.core.fields import value
from semipriv.core.randomness import Simulation
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip

SELECTION = [
    t
    for t in (registry.load("mechanisms/selection", n) for n in registry.names("mechanisms/selection"))
    if issubclass(t, SelectionMechanism)
]
every_mechanism = pytest.mark.parametrize("mechanism", SELECTION)

HALVING = 2 * math.log(2)
"""The epsilon at which one unit of score halves the weight: distributions are rational."""

SCORES = st.lists(st.integers(-30, 30), min_size=1, max_size=12)


# ---------------------------------------------------------------------------------------------------- definitions
@given(SCORES, st.floats(1e-3, 20), st.floats(0.1, 10))
def test_exponential_is_softmax(scores, epsilon, sensitivity):
    weights = [math.exp(epsilon * (s - max(scores)) / (2 * sensitivity)) for s in scores]
    expected = np.array(weights) / math.fsum(weights)
    distribution = np.exp(ExponentialMechanism(epsilon, sensitivity).log_probabilities(scores))
    np.testing.assert_allclose(distribution, expected, rtol=1e-12)


def permute_and_flip(q: list[Fraction]) -> list[Fraction]:
    """The process itself: each order of visits, each step accepted with its probability."""
    distribution = [Fraction(0)] * len(q)
    for order in itertools.permutations(range(len(q))):
        reach = Fraction(1, math.factorial(len(q)))
        for i in order:
            distribution[i] += reach * q[i]
            reach *= 1 - q[i]
        assert reach == 0
    return distribution


@pytest.mark.parametrize(
    "scores", [[3], [0, 0], [0, -1, -2], [5, 5, 5, 5], [0, -3, -3, 0, -1], [2, 1, 0, -1, -2, -30], [7, 7, 6, 6, 6, 0]]
)
def test_permute_and_flip_is_the_process(scores):
    q = [Fraction(1, 2 ** (max(scores) - s)) for s in scores]
    expected = [math.log(p) for p in permute_and_flip(q)]
    distribution = PermuteAndFlip(HALVING).log_probabilities(scores)
    np.testing.assert_allclose(distribution, expected, rtol=0, atol=2e-14 * (1 + max(scores) - min(scores)))


def test_permute_and_flip_by_exact_integration():
    """P[i] = q_i integral_0^1 prod_{j != i} (1 - t q_j) dt, as polynomials with rational coefficients, k = 40."""
    scores = [0, 0, *(-int(g) for g in np.random.default_rng(0).integers(0, 12, 38))]
    q = [Fraction(1, 2 ** (-s)) for s in scores]
    distribution = PermuteAndFlip(HALVING).log_probabilities(scores)
    for i in (0, 5, scores.index(min(scores))):
        polynomial = [Fraction(1)]
        for j in range(len(q)):
            if j != i:
                pairs = zip([*polynomial, Fraction(0)], [Fraction(0), *polynomial], strict=True)
                polynomial = [a - q[j] * b for a, b in pairs]
        exact = q[i] * sum(c / (power + 1) for power, c in enumerate(polynomial))
        assert distribution[i] == pytest.approx(math.log(exact), abs=1e-12)


def one_of_the_active(log_q: np.ndarray, i: int) -> float:
    """Ln P[i] when each index is active with probability q_j and a uniform active one is chosen: the same distribution.

    With uniform arrival times, i is first iff it is accepted and arrives before the other accepted ones.  Positive
    terms only: the number of other active indices is Poisson-binomial.
    """
    count = np.ones(1)
    for other in np.exp(np.delete(log_q, i)):
        count = np.append(count * (1 - other), 0.0) + np.append(0.0, count * other)
    return float(log_q[i] + np.log(np.sum(count / (1 + np.arange(len(count))))))


@pytest.mark.parametrize("epsilon", [0.002, 0.05, 1.0, 8.0])
def test_permute_and_flip_with_many_different_scores(epsilon):
    scores = -np.random.default_rng(1).integers(0, 900, 1200)
    scores[:3] = [0, -1, -450]
    log_q = -epsilon / 2 * (scores.max() - scores)
    distribution = PermuteAndFlip(epsilon).log_probabilities(scores)
    for i in range(3):
        assert distribution[i] == pytest.approx(one_of_the_active(log_q, i), abs=1e-11)


@pytest.mark.parametrize(("ties", "gap", "others"), [(1, 1, 100_000), (50, 3, 99_950), (3, 40, 99_997), (99_999, 1, 1)])
def test_permute_and_flip_with_1e5_scores_in_two_pools(ties, gap, others):
    """Of the others Bin(n, q) are active, so a best index has probability E[1 / (ties + Bin(n, q))]."""
    scores = np.repeat([0, -gap], [ties, others])
    distribution = PermuteAndFlip(1.0).log_probabilities(scores)
    active = np.arange(others + 1)
    best = float(np.sum(binom.pmf(active, others, math.exp(-gap / 2)) / (ties + active)))
    assert distribution[0] == pytest.approx(math.log(best), abs=1e-10)
    assert np.exp(distribution[-1]) * others == pytest.approx(1 - ties * best, rel=1e-8, abs=1e-12)


# ---------------------------------------------------------------------------------------------------- symmetries
LARGE = [
    np.zeros(100_000, int),
    -np.arange(100_000),
    -np.random.default_rng(2).integers(0, 50, 100_000),
    np.array([0, -(10**6), -(10**15), -(2**62 - 1)]),
    np.array([2**61, -(2**61), 0]),
    np.array([2**62 - 1, -(2**62 - 1)]),
]


@every_mechanism
@pytest.mark.parametrize("scores", LARGE, ids=range(len(LARGE)))
@pytest.mark.parametrize("epsilon", [1e-4, 1.0, 50.0])
def test_probabilities_sum_to_one(mechanism, scores, epsilon):
    distribution = mechanism(epsilon).log_probabilities(scores)
    assert distribution.shape == scores.shape
    assert np.all(np.isfinite(distribution))
    assert math.fsum(np.exp(distribution)) == pytest.approx(1, abs=1e-11)


@every_mechanism
@given(scores=SCORES, epsilon=st.floats(1e-3, 20), shift=st.integers(-(10**9), 10**9), scale=st.integers(1, 1000))
def test_symmetries(mechanism, scores, epsilon, shift, scale):
    """Only score differences in units of the sensitivity count; better is likelier, equal equally likely."""
    distribution = mechanism(epsilon).log_probabilities(scores)
    s = np.array(scores)
    np.testing.assert_allclose(mechanism(epsilon).log_probabilities(s + shift), distribution, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        mechanism(epsilon, scale).log_probabilities(s * scale), distribution, rtol=1e-11, atol=1e-11
    )
    np.testing.assert_allclose(mechanism(epsilon).log_probabilities(s[::-1]), distribution[::-1], rtol=0, atol=1e-12)
    order = np.argsort(s, kind="stable")
    assert np.all(np.diff(distribution[order]) >= -1e-12)
    assert np.all((np.diff(distribution[order]) == 0) == (np.diff(s[order]) == 0))


@given(SCORES, st.floats(1e-3, 20))
def test_permute_and_flip_is_never_worse(scores, epsilon):
    """Expected score at least that of the exponential mechanism (McKenna and Sheldon 2020, theorem 2)."""
    s = np.array(scores)
    better = np.exp(PermuteAndFlip(epsilon).log_probabilities(s)) @ s
    assert better >= np.exp(ExponentialMechanism(epsilon).log_probabilities(s)) @ s - 1e-10


# ---------------------------------------------------------------------------------------------------- privacy
def neighbours(rng: np.random.Generator):
    """Scores and those of a neighbour: replacing one example moves each count of mistakes by -1, 0 or 1."""
    for _ in range(300):
        scores = -rng.integers(0, rng.integers(1, 12), rng.integers(1, 9))
        yield scores, scores + rng.integers(-1, 2, scores.size)
    for k in (2, 3, 8, 200):
        for top in (0, -1, -5, -60):  # the worst pairs: one score falls while all others rise, and the reverse
            scores = np.append(top, np.zeros(k - 1, int))
            step = np.append(-1, np.ones(k - 1, int))
            yield scores, scores + step
            yield scores, scores - step


def loss(mechanism: SelectionMechanism) -> float:
    """Largest privacy loss |ln P[i] - ln P'[i]| over the pairs of neighbours."""
    rng = np.random.default_rng(3)
    distributions = ((mechanism.log_probabilities(a), mechanism.log_probabilities(b)) for a, b in neighbours(rng))
    return max(float(np.max(np.abs(p - q))) for p, q in distributions)


@every_mechanism
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 5.0])
def test_half_a_unit_of_epsilon_per_unit_of_score(mechanism, epsilon):
    """Pure epsilon-DP, and nearly attained: a rate that is any smaller than needed would lie well below."""
    attained = loss(mechanism(epsilon))
    assert 0.9 * epsilon < attained <= epsilon * (1 + 1e-9)


@every_mechanism
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 5.0])
def test_a_rate_without_the_two_is_caught(mechanism, epsilon):
    @value
    class Broken(mechanism):
        @property
        def rate(self) -> float:
            return self.epsilon / self.sensitivity

    assert loss(Broken(epsilon)) > 1.5 * epsilon


# ---------------------------------------------------------------------------------------------------- face
@every_mechanism
def test_a_single_draw_is_an_int(mechanism):
    index = mechanism(1.0).sample([0, -1, 4], Simulation(1))
    assert type(index) is int
    assert 0 <= index < 3
    several = mechanism(1.0).sample([0, -1, 4], Simulation(1), size=5)
    assert several.shape == (5,)
    assert np.issubdtype(several.dtype, np.integer)
    assert mechanism(1.0).sample([0, -1, 4], Simulation(1), size=0).shape == (0,)
    assert mechanism(1.0).sample([-7], Simulation(1)) == 0


@every_mechanism
def test_a_stream_repeats_and_goes_on(mechanism):
    scores = -np.arange(100)
    first, again = Simulation(5, ("x",)), Simulation(5, ("x",))
    a, b = mechanism(0.1).sample(scores, first, size=50), mechanism(0.1).sample(scores, first, size=50)
    assert a.tolist() == mechanism(0.1).sample(scores, again, size=50).tolist()
    assert a.tolist() != b.tolist()
