"""Sanitizers: distributions by enumeration, exact shares of layers, draws, sizes, errors."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from semipriv.audit.exact import exact_privacy_loss
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.point_functions import PointFunctions
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.papers.bns15.bounds.strips import prefix_deviation, strips_size
from semipriv.papers.bns15.queries.sanitizers._layer_distribution import LayerDistribution, Table
from semipriv.papers.bns15.queries.sanitizers._layers import PrefixLayers
from semipriv.papers.bns15.queries.sanitizers._quantiles import middle_ranks, noise, quantiles
from semipriv.papers.bns15.queries.sanitizers.net import Net, prefix_scores
from semipriv.papers.bns15.queries.sanitizers.net_exact import NetExact
from semipriv.papers.bns15.queries.sanitizers.strips import Strips
from semipriv.papers.bns15.queries.sanitizers.tree import Tree

LINE = [[0.0], [1.0], [2.0], [3.0]]
CASES = [(2, 3, 3), (3, 3, 5), (2, 4, 7), (3, 4, 6), (3, 2, 9), (1, 5, 4), (2, 3, 0)]
"""Bits, points, entries."""


def tuple_scores(data: list[int], bits: int, size: int) -> np.ndarray:
    """u of every ordered tuple, from its definition."""
    below = np.array([sum(x < j for x in data) for j in range(2**bits + 1)])
    largest_values = []
    for chosen in itertools.product(range(2**bits), repeat=size):
        own = np.array([sum(y < j for y in chosen) for j in range(2**bits + 1)])
        largest_values.append(int(np.abs(size * below - len(data) * own).max()) // size)
    return np.array(largest_values)


def layer_weights(u: np.ndarray, n: int, rate: Fraction) -> list[Fraction]:
    """Weights of tau = 0 to n, to 80 digits: the tuples with u <= tau times x^tau (1 - x), the last one x^n."""
    with localcontext(prec=80):
        x = Fraction((-Decimal(rate.numerator) / rate.denominator).exp())
    return [int(np.sum(u <= tau)) * x**tau * (1 - x if tau < n else 1) for tau in range(n + 1)]


def data_sets(bits: int, n: int) -> list[list[int]]:
    generator = np.random.default_rng(bits + n)
    drawn = [generator.integers(0, 2**bits, n).tolist() for _ in range(4)]
    return [*drawn, [2**bits - 1] * n, [0] * n]


@pytest.mark.parametrize(("bits", "size", "n"), CASES)
def test_shares_of_layers_are_those_of_all_tuples(bits: int, size: int, n: int) -> None:
    for data in data_sets(bits, n):
        u, layers = tuple_scores(data, bits, size), PrefixLayers.of(data, bits, size)
        expected = np.array([np.mean(u <= tau) for tau in range(n + 1)])
        np.testing.assert_allclose(np.exp(layers.log_shares(np.arange(n + 1))), expected, rtol=1e-13)
        assert [layers.count(tau) for tau in range(n + 1)] == [int(np.sum(u <= tau)) for tau in range(n + 1)]


@pytest.mark.parametrize("bits", [62, 63, 400])
def test_shares_of_long_integers(bits: int) -> None:
    """Floats against exact numbers of tuples, below and above what 64 bits hold, and below the smallest float."""
    data = [2**bits - 1] * 7 + [2 ** (bits - 1)] * 9 + [3, 2**20, 2**40]
    layers, taus = PrefixLayers.of(data, bits, 6), np.arange(len(data) + 1)
    counts = [layers.count(int(tau)) for tau in taus]
    assert counts[-1] == 2 ** (6 * bits)
    expected = [math.log(count) - 6 * bits * math.log(2) if count else -math.inf for count in counts]
    np.testing.assert_allclose(layers.log_shares(taus), expected, rtol=1e-12, atol=1e-12)
    assert np.exp(layers.log_shares(taus)).min() < 1e-30


@pytest.mark.parametrize("epsilon", [0.3, 5.0])
@pytest.mark.parametrize(("bits", "size", "n"), [*CASES, (2, 3, 40)])
def test_the_distribution_of_layers(bits: int, size: int, n: int, epsilon: float) -> None:
    """Mass, tails, and exact shares that hold the floats; a table that ends early leaves no layer out."""
    for data in data_sets(bits, n)[::2]:
        u = tuple_scores(data, bits, size)
        distribution, weights = (
            LayerDistribution(PrefixLayers.of(data, bits, size), Fraction(epsilon) / 2),
            np.exp(-epsilon * u / 2),
        )
        assert distribution.log_mass() == pytest.approx(math.log(weights.mean()), abs=1e-12)
        for score in range(n + 2):
            assert distribution.tail(score) == pytest.approx(weights[u >= score].sum() / weights.sum(), abs=1e-14)
        table = distribution.table()
        masses = np.exp(table.logs)
        exact = layer_weights(u, n, Fraction(epsilon) / 2)
        for i, short in itertools.product(range(0, len(masses) - 1, max(1, n // 8)), (False, True)):
            cut = Table(0, table.logs[: i + 2], 0.0) if short else table
            low, high = distribution._share(cut, i, 20)
            assert 0 <= high - low <= Fraction(1, 10**20)
            assert low <= sum(exact[: i + 1]) / sum(exact) <= high
            assert float(low) == pytest.approx(masses[: i + 1].sum() / masses.sum(), rel=1e-12)


def test_layers_beyond_a_table_are_drawn_by_their_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of two layers at a time: what is beyond has its exact weight, and is worked further."""
    data, taus = [0, 0, 3, 3, 3, 1], []
    distribution = LayerDistribution(PrefixLayers.of(data, 2, 2), Fraction(1, 4))
    whole = np.exp(distribution.table().logs)
    full = LayerDistribution.table

    def short(self: LayerDistribution, start: int = 0) -> Table:
        logs = full(self, start).logs
        return Table(start, logs[:2], -0.25 * 2) if len(logs) > 2 else Table(start, logs, -math.inf)

    monkeypatch.setattr(LayerDistribution, "table", short)
    taus = [distribution.draw_layer(Secure()) for _ in range(200)]
    counts = np.bincount(taus, minlength=len(whole))
    possible = whole > 0
    assert not counts[~possible].any()
    assert chisquare(counts[possible], 200 * whole[possible] / whole.sum()).pvalue > 1e-6


@pytest.mark.parametrize("randomness", [Simulation(3), Secure()], ids=["simulation", "secure"])
@pytest.mark.parametrize("sanitizer", [Net(), NetExact(LINE)], ids=["net", "net_exact"])
def test_draws_follow_the_distribution(sanitizer: Net | NetExact, randomness: Randomness) -> None:
    h, points = DiscreteThresholds(2), np.array([[0.0], [3.0], [3.0], [2.0]])
    distribution = {
        tuple(map(tuple, released.tolist())): log for released, log in sanitizer.output_distribution(points, h, 3, 2.0)
    }
    assert math.fsum(map(math.exp, distribution.values())) == pytest.approx(1)
    counts = dict.fromkeys(distribution, 0)
    for _ in range(500):
        counts[tuple(map(tuple, sanitizer.sanitize(points, h, 3, 2.0, randomness).tolist()))] += 1
    assert chisquare(list(counts.values()), 500 * np.exp(list(distribution.values()))).pvalue > 1e-6


@pytest.mark.parametrize("size", [3, 4])
def test_the_distribution_by_enumeration_is_that_of_the_tuples(size: int) -> None:
    """Weights e^(-epsilon u / 2) with u rounded down, where n / k is not whole: to rounding errors, not to a test."""
    data = [0, 3, 3, 2, 1]
    listed = Net().output_distribution(np.array(data, float)[:, None], DiscreteThresholds(2), size, 2.0)
    expected: dict[tuple[int, ...], float] = {}
    scored = zip(itertools.product(range(4), repeat=size), tuple_scores(data, 2, size), strict=True)
    for first, score in scored:
        expected[tuple(sorted(first))] = expected.get(tuple(sorted(first)), 0.0) + math.exp(-score)
    distribution = {tuple(sorted(map(int, points[:, 0]))): math.exp(log) for points, log in listed}
    assert distribution == pytest.approx({key: share / math.fsum(expected.values()) for key, share in expected.items()})


def test_the_two_distributions_are_one_where_scores_are_whole() -> None:
    """All n / k: prefixes as queries of the listed mechanism."""
    counts = np.array([2, 0, 3, 1])
    scores = prefix_scores(counts, 3)
    listed = tuple_scores([0, 0, 2, 2, 2, 3], 2, 3)
    assert sorted(np.unique(scores)) == sorted(np.unique(listed))


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
@pytest.mark.parametrize("h", [DiscreteThresholds(2), DiscreteRectangles(1, 2), PointFunctions(1, 2)], ids=repr)
def test_the_listed_mechanism_is_private_for_any_class(h, epsilon: float) -> None:
    def distribution(data):
        listed = NetExact(LINE).output_distribution(np.array(data)[:, None], h, 2, epsilon)
        return {tuple(points[:, 0]): log for points, log in listed}

    loss = exact_privacy_loss(distribution, [[0.0, 1.0, 2.0, 3.0]] * 3, exchangeable=True).loss
    assert 0.3 * epsilon < loss <= epsilon * (1 + 1e-9)


def test_many_bits_come_back_as_points_of_the_class() -> None:
    h = DiscreteThresholds(200)
    points = h.encode([2**199 + i for i in range(40)])
    sanitized = Net().sanitize(points, h, 4, 20.0, Secure())
    assert sanitized.shape == (4, h.dimension)
    assert all(value.bit_length() <= 200 for value in h.decode(sanitized))
    rectangles = DiscreteRectangles(1, 5)
    assert Net().sanitize(np.array([[3.0], [4.0]]), rectangles, 2, 1.0, Simulation(1)).shape == (2, 1)


def sorted_quantiles(data: list[int], bits: int, size: int, epsilon: Fraction, randomness: Randomness) -> list[int]:
    return quantiles(data, bits, middle_ranks(len(data), size), noise(bits, epsilon), randomness)


def test_the_tree_finds_quantiles_where_noise_is_small() -> None:
    data = sorted([3, 3, 3, 60, 61, 62, 200, 201])
    assert sorted_quantiles(data, 8, 4, Fraction(10**9), Simulation(1)) == [3, 3, 61, 200]
    h = DiscreteThresholds(300)
    sanitized = Tree().sanitize(h.encode([2**299] * 9), h, 3, 1e9, Secure())
    assert h.decode(sanitized) == [2**299] * 3


def test_noise_of_the_tree_and_what_is_drawn_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """(2 b - 1) / epsilon, as a replaced entry changes so much of left halves; one count for all descents."""
    drawn = []

    def sample(self: DiscreteLaplace, randomness: Randomness) -> int:
        drawn.append(self.scale)
        return 0

    monkeypatch.setattr(DiscreteLaplace, "sample", sample)
    assert sorted_quantiles([1, 5, 5, 7], 3, 4, Fraction(1, 2), Simulation(1)) == [1, 5, 5, 7]
    assert drawn == [10] * (1 + 2 + 3)
    drawn.clear()
    Strips().sanitize(np.array([[1.0, 2.0], [6.0, 3.0]]), DiscreteRectangles(2, 3), 2, 0.5, Simulation(1))
    assert set(drawn) == {20, 36}  # each tree has half of epsilon; 3 strips need 2 bits more


def test_left_halves_change_by_as_much_as_is_said() -> None:
    """The number of counts of left halves that a replacement changes, over all pairs of integers of b bits."""
    for bits in (1, 2, 4):
        changed = [
            sum(
                ((first >> level) & 1 == 0) != ((other >> level) & 1 == 0)
                if first >> (level + 1) == other >> (level + 1)
                else ((first >> level) & 1 == 0) + ((other >> level) & 1 == 0)
                for level in range(bits)
            )
            for first, other in itertools.product(range(2**bits), repeat=2)
        ]
        assert max(changed) == 2 * bits - 1


@pytest.mark.parametrize(("bits", "n", "size", "epsilon"), [(1, 2, 2, 1.0), (2, 2, 2, 1.0), (3, 1, 2, 2.0)])
def test_the_tree_is_private_and_just_so(bits: int, n: int, size: int, epsilon: float) -> None:
    h = DiscreteThresholds(bits)

    def distribution(data):
        listed = Tree().output_distribution(h.encode(list(data)), h, size, epsilon)
        return {tuple(h.decode(points)): log for points, log in listed}

    loss = exact_privacy_loss(distribution, [range(2**bits)] * n, exchangeable=True).loss
    assert 0.55 * epsilon < loss <= epsilon * (1 + 1e-9)
    assert loss == pytest.approx(epsilon) or n == 1


@pytest.mark.parametrize(("bits", "n", "epsilon"), [(1, 2, 1.0), (2, 1, 2.0)])
def test_strips_are_private(bits: int, n: int, epsilon: float) -> None:
    h, domain = DiscreteRectangles(2, bits), [*itertools.product(range(2**bits), repeat=2)]

    def distribution(data):
        listed = Strips().output_distribution(np.array(data, float), h, 2, epsilon)
        return {tuple(map(tuple, points.tolist())): log for points, log in listed}

    loss = exact_privacy_loss(distribution, [domain] * n, exchangeable=True).loss
    assert 0.25 * epsilon < loss <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("randomness", [Simulation(3), Secure()], ids=["simulation", "secure"])
@pytest.mark.parametrize("bits", [1, 2])
def test_draws_of_strips_follow_the_distribution(bits: int, randomness: Randomness) -> None:
    h, points = DiscreteRectangles(2, bits), np.array([[0.0, 1.0], [1.0, 1.0], [2.0**bits - 1, 0.0]])
    distribution = {
        tuple(map(tuple, released.tolist())): log for released, log in Strips().output_distribution(points, h, 2, 9.0)
    }
    assert math.fsum(map(math.exp, distribution.values())) == pytest.approx(1)
    counts = dict.fromkeys(distribution, 0)
    for _ in range(500):
        released_points = sorted(map(tuple, Strips().sanitize(points, h, 2, 9.0, randomness).tolist()))
        counts[tuple(released_points)] += 1
    common = [key for key, log in distribution.items() if log > math.log(0.01)]
    expected = np.array([*(500 * math.exp(distribution[key]) for key in common), 0.0])
    expected[-1] = 500 - expected.sum()
    assert (
        chisquare([*(counts[key] for key in common), 500 - sum(counts[key] for key in common)], expected).pvalue > 1e-6
    )


def test_strips_with_atoms_find_shares_of_ranges() -> None:
    """Within the size with a proof all ranges are near; an atom of x in the middle is a strip by itself."""
    h, generator = DiscreteRectangles(2, 8), np.random.default_rng(3)
    n = strips_size(0.5, 0.1, 1.0, 8, 400)
    x = generator.integers(0, 256, (n, 2))
    x[: n // 3, 0], x[n // 4 : n // 2, 1] = 77, 200
    sanitized = Strips().sanitize(x.astype(float), h, 400, 1.0, Simulation(6)).astype(int)
    assert sanitized.shape == (400, 2)
    prefix = [np.zeros((257, 257)) for _ in range(2)]
    for table, points in zip(prefix, (x, sanitized), strict=True):
        shares = np.histogram2d(*points.T, bins=[np.arange(257)] * 2)[0] / len(points)
        table[1:, 1:] = shares.cumsum(0).cumsum(1)
    gap = prefix[0] - prefix[1]
    rows = gap[:, None] - gap[None]  # differences of prefixes of x, then the range over y of all runs of y
    assert (rows.max(axis=2) - rows.min(axis=2)).max() <= 0.25
    assert np.mean(sanitized[:, 0] == 77) == pytest.approx(1 / 3 + 2 / 3 / 256, abs=0.01)


def test_what_a_tree_is_off_by() -> None:
    """The bound holds for drawn noise, and is not far off."""
    scale, bits = 7.0, 5
    draws = np.random.default_rng(1).geometric(1 - math.exp(-1 / scale), (2, 4000, 2**bits - 1))
    counts = draws[0] - draws[1]  # one for each left half: level l has 2^l
    off = np.zeros(len(counts))
    for j in range(2**bits):
        start, total, places = 0, np.zeros(len(counts)), 0
        for level in range(bits):
            half = 2 ** (bits - 1 - level)
            if j & half:
                total, start = total + counts[:, places + start // (2 * half)], start + half
            places += 2**level
        off = np.maximum(off, np.abs(total))
    bound = prefix_deviation(bits, scale, 0.1)
    assert np.mean(off >= bound) <= 0.1
    assert bound < 2 * np.quantile(off, 0.9)
