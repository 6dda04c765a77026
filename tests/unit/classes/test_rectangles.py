"""Rectangles: strips against enumeration, draws against exact distributions, brackets against exact arithmetic."""

import itertools
import math
import tracemalloc
from copy import deepcopy
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.stats import chisquare

from semipriv.classes import _rectangle_rejection, _rectangle_tally
from semipriv.classes._rectangle_rejection import Envelope
from semipriv.classes.base import REPRESENTATIVES, ListedCover
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.core.randomness import Secure, Simulation
from semipriv.core.work import GIB, limits

FALSE_ALARM = 1e-6
PLANE = Rectangles(2)
RATES = [Fraction(0), Fraction(1, 10), Fraction(2), Fraction(10**6), Fraction(2) ** 1000]


def tied(seed: int, m: int = 7, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Public points of a grid, examples on it, half-way and outside."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-2, 11, (n, 2)) / 2
    y = (np.abs(x - 2).max(axis=1) < 1.2) ^ (rng.random(n) < 0.2)
    return rng.integers(0, 5, (m, 2)).astype(float), x, y.astype(int)


def brute_mistakes(listed: ListedCover, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    low, high = listed.parameters[:, None, :2], listed.parameters[:, None, 2:]
    inside = np.all((x >= low) & (x <= high), axis=2)
    return np.count_nonzero(inside != (y == 1), axis=1)


def exact_weights(mistakes: np.ndarray, rate: Fraction) -> np.ndarray:
    """exp(-rate (mistakes - fewest)) with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        scale = Decimal(rate.numerator) / Decimal(rate.denominator)
        return np.array([(-scale * int(k)).exp() for k in mistakes - mistakes.min()], object)


def drawn_p_value(tally, listed: ListedCover, mistakes: np.ndarray, rate: Fraction, randomness, draws: int) -> float:
    place = {tuple(row): i for i, row in enumerate(listed.parameters.tolist())}
    counts = np.zeros(len(listed))
    for _ in range(draws):
        counts[place[tuple(tally.draw(rate, randomness).parameters.tolist())]] += 1
    weights = np.exp(-float(rate) * (mistakes - mistakes.min()))
    expected = draws * weights / weights.sum()
    rare = expected < 10
    observed, expected = (np.append(a[~rare], a[rare].sum()) for a in (counts, expected))
    if expected[-1] < 10:
        assert observed[-1] < 60
        observed, expected = observed[:-1], expected[:-1] * observed[:-1].sum() / expected[:-1].sum()
    return float(chisquare(observed, expected).pvalue)


# ---------------------------------------------------------------------------------------------------- cover
@pytest.mark.parametrize(("dimension", "m"), [(1, 9), (2, 1), (2, 2), (2, 5), (2, 9), (2, 14), (3, 9), (4, 6)])
def test_listing_is_brute_force_over_all_sides(dimension: int, m: int) -> None:
    h = Rectangles(dimension)
    for seed, scale in itertools.product(range(4), (1, 3, 1000)):
        points = np.random.default_rng(seed).integers(0, scale, (m, dimension)).astype(float)
        cover = h.cover(points)
        distinct = cover.points
        met = []
        for x in distinct.T:
            low, high = np.array(list(itertools.combinations_with_replacement(np.unique(x), 2))).T
            met.append((x >= low[:, None]) & (x <= high[:, None]))
        patterns = np.ones((1, len(distinct)), bool)
        for slabs in met:
            patterns = np.unique((patterns[:, None] & slabs).reshape(-1, len(distinct)), axis=0)
        expected = {tuple(row) for row in patterns.tolist()} | {(False,) * len(distinct)}
        realised = [tuple(row) for row in cover.listed().dichotomies().tolist()]
        assert len(realised) == cover.size == len(expected)
        assert set(realised) == expected


def test_size_is_that_of_the_list() -> None:
    rng = np.random.default_rng(1)
    for points in (rng.random((60, 2)), rng.integers(0, 9, (60, 2)).astype(float)):
        cover = PLANE.cover(points)
        assert cover.size == len(cover.listed()) > 1_000


def test_a_line_is_a_cover_of_intervals() -> None:
    points = np.random.default_rng(0).normal(size=9)
    for representative in REPRESENTATIVES:
        ours, theirs = (h.cover(points, representative).listed() for h in (Rectangles(1), Intervals()))
        assert {tuple(row) for row in ours.parameters} == {tuple(row) for row in theirs.parameters}


@pytest.mark.parametrize("dimension", [1, 3, 4])
def test_a_list_beyond_the_limit_is_refused(dimension: int) -> None:
    h, points = Rectangles(dimension), np.random.default_rng(0).random((12, dimension))
    size = h.cover(points).size
    with limits(memory=size * 2 * dimension * 8 / GIB):
        assert h.cover(points).size == size
    with (
        limits(memory=(size * 2 * dimension * 8 - 1) / GIB),
        pytest.raises(ValueError, match=r"GiB \(limit .*\): take fewer public points or features"),
    ):
        h.cover(points)


def test_a_long_line_is_refused_before_it_fills_the_memory() -> None:
    tracemalloc.start()
    with pytest.raises(ValueError, match="take fewer public points"):
        Rectangles(1).cover(np.arange(20_000.0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e7


def test_too_many_to_list() -> None:
    cover = PLANE.cover(np.random.default_rng(0).random((400, 2)))
    assert cover.size > 1e8
    with pytest.raises(ValueError, match=r"1\.\d*e\+08 .* GiB .* tally the cover"):
        cover.listed()


# ---------------------------------------------------------------------------------------------------- tally
@pytest.mark.parametrize("representative", REPRESENTATIVES)
@pytest.mark.parametrize("seed", range(4))
def test_histogram_of_tied_examples(representative: str, seed: int) -> None:
    public, x, y = tied(seed)
    cover = PLANE.cover(public, representative)
    mistakes = brute_mistakes(cover.listed(), x, y)
    values, counts = cover.tally(x, y).histogram()
    expected = np.unique(mistakes, return_counts=True)
    assert (values.tolist(), counts.tolist()) == (expected[0].tolist(), expected[1].tolist())


@pytest.mark.parametrize("rate", [0.0, 0.01, 5.0])
def test_sums_do_not_overflow(rate: float) -> None:
    rng = np.random.default_rng(3)
    x = rng.random((100_000, 2))
    tally = PLANE.cover(rng.random((40, 2))).tally(x, np.all(np.abs(x - 0.5) < 0.3, axis=1))
    values, counts = tally.histogram()
    weights = counts * np.exp(-rate * (values - values[0]))
    assert tally.log_partition(rate) == pytest.approx(math.log(weights.sum()) - rate * values[0], rel=1e-12)
    assert tally.expected_mistakes(rate) == pytest.approx(weights @ values / weights.sum(), rel=1e-12)


def test_members_are_uniform() -> None:
    public, x, y = tied(0)
    cover = PLANE.cover(public)
    listed = cover.listed()
    mistakes = brute_mistakes(listed, x, y)
    tally, stream = cover.tally(x, y), Simulation(5)
    values, counts = np.unique(mistakes, return_counts=True)
    value = int(values[np.argmax(counts)])
    place = {tuple(listed.parameters[i]): 0 for i in np.flatnonzero(mistakes == value)}
    for _ in range(50 * len(place)):
        place[tuple(tally.member(value, stream).parameters)] += 1
    assert chisquare(list(place.values())).pvalue > FALSE_ALARM


# ---------------------------------------------------------------------------------------------------- draws
@pytest.mark.parametrize(
    ("representative", "rate", "randomness"),
    [
        pytest.param(kind, rate, secure if (i + j) % 2 else Simulation(4), id=f"{kind}-{rate}-{(i + j) % 2}")
        for secure in [Secure()]
        for i, kind in enumerate(REPRESENTATIVES)
        for j, rate in enumerate([Fraction(0), Fraction(1, 10), Fraction(1)])
    ],
)
def test_draws_follow_the_distribution(representative: str, rate: Fraction, randomness) -> None:
    public, x, y = tied(1, m=5)
    cover = PLANE.cover(public, representative)
    listed = cover.listed()
    mistakes = brute_mistakes(listed, x, y)
    assert drawn_p_value(cover.tally(x, y), listed, mistakes, rate, randomness, 2_000) > FALSE_ALARM


SPECIAL = {
    "rising": np.outer([0, 1, 1, 3, 4], [1, 1]),
    "falling": np.column_stack([[0, 1, 2, 2, 4], [4, 3, 2, 2, 0]]),
    "flat": np.outer([0, 1, 3, 4], [1, 0]),
    "upright": np.outer([0, 1, 3, 4], [0, 1]),
    "repeated": [[1, 2]] * 3,
    "corners": [[0, 0], [0, 4], [4, 0], [4, 4], [2, 2], [2, 2]],
}


@pytest.mark.parametrize(
    ("public", "randomness"),
    [(public, (Simulation(4), Secure())[i % 2]) for i, public in enumerate(SPECIAL.values())],
    ids=list(SPECIAL),
)
def test_draws_from_special_positions(public, randomness) -> None:
    _, x, y = tied(2)
    cover = PLANE.cover(public)
    listed = cover.listed()
    mistakes = brute_mistakes(listed, x, y)
    assert drawn_p_value(cover.tally(x, y), listed, mistakes, Fraction(1, 10), randomness, 2_000) > FALSE_ALARM


@pytest.mark.parametrize("randomness", [Simulation(4), Secure()], ids=["simulation", "secure"])
def test_without_public_points_the_empty_set_is_drawn(randomness) -> None:
    _, x, y = tied(2)
    tally = PLANE.cover([]).tally(x, y)
    assert [a.tolist() for a in tally.histogram()] == [[y.sum()], [1]]
    for drawn in (tally.draw(Fraction(1), randomness), tally.member(int(y.sum()), randomness)):
        assert not drawn.predict(x).any()


def test_draws_of_integer_rectangles_follow_the_distribution() -> None:
    h, (public, x, y) = DiscreteRectangles(2, 3), tied(3, m=5)
    whole, labels = x[np.all((x >= 0) & (x == np.floor(x)), axis=1)], y[np.all((x >= 0) & (x == np.floor(x)), axis=1)]
    for representative in REPRESENTATIVES:
        cover = h.cover(public, representative)
        listed = cover.listed()
        assert np.all(listed.parameters[1:] == np.floor(listed.parameters[1:]))
        mistakes = brute_mistakes(listed, whole, labels)
        tally = cover.tally(whole, labels)
        assert drawn_p_value(tally, listed, mistakes, Fraction(1, 4), Secure(), 2_000) > FALSE_ALARM


# ---------------------------------------------------------------------------------------------------- rejection
@pytest.fixture
def by_rejection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small covers are drawn from as large ones are, and never in another way; bounds are worked out once a test."""
    envelopes: dict[float, Envelope] = {}
    right = Envelope.of

    def of(below: np.ndarray, up_to: np.ndarray, rate: float, table: np.ndarray) -> Envelope:
        if rate not in envelopes:
            envelopes[rate] = right(below, up_to, rate, table)
        return deepcopy(envelopes[rate])  # a draw puts weights that it met instead of bounds

    monkeypatch.setattr(Envelope, "of", of)
    monkeypatch.setattr(_rectangle_tally, "LARGE", 1)
    monkeypatch.setattr(_rectangle_tally, "CUBES", 0.1)
    monkeypatch.setattr(_rectangle_tally.RectangleTally, "_masses", lambda self, rate: pytest.fail("another way"))


@pytest.mark.parametrize(
    ("rate", "side"), [(Fraction(0), 8), (Fraction(1, 10), 1), (Fraction(1, 10), 2), (Fraction(1), 8)]
)
def test_draws_by_rejection_follow_the_distribution(monkeypatch, by_rejection, rate: Fraction, side: int) -> None:
    """Blocks of one strip, of few, and of most; split until bounds are tight, and hardly."""
    monkeypatch.setattr(_rectangle_rejection, "SIDE", side)
    monkeypatch.setattr(_rectangle_rejection, "LOOSE", 0.1 if rate else 4.0)
    monkeypatch.setattr(_rectangle_rejection, "EFFORT", 0.1)
    public, x, y = tied(1, m=8)
    cover = PLANE.cover(public)
    listed = cover.listed()
    mistakes = brute_mistakes(listed, x, y)
    assert drawn_p_value(cover.tally(x, y), listed, mistakes, rate, Simulation(4), 1_500) > FALSE_ALARM


def test_a_bound_that_is_too_low_is_caught(monkeypatch, by_rejection) -> None:
    """Bands that gain nothing: blocks with better strips than their anchor come too rarely."""
    right = _rectangle_rejection.changes
    monkeypatch.setattr(_rectangle_rejection, "changes", lambda *a: tuple(0 * change for change in right(*a)))
    monkeypatch.setattr(_rectangle_rejection, "SIDE", 2)
    public, x, y = tied(1, m=8)
    cover = PLANE.cover(public)
    listed = cover.listed()
    mistakes = brute_mistakes(listed, x, y)
    assert drawn_p_value(cover.tally(x, y), listed, mistakes, Fraction(1), Simulation(4), 1_500) < FALSE_ALARM


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.7])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold(seed: int, rate: float) -> None:
    """The bound of each strip in its block is at least its weight; each strip is in one block."""
    rng = np.random.default_rng(seed)
    public = rng.random((40, 2)) if seed % 2 else rng.integers(0, 21, (60, 2)).astype(float)
    x = rng.random((500, 2)) * public.max()
    y = (np.abs(x / public.max() - 0.4).max(axis=1) < 0.25) ^ (rng.random(500) < 0.2)
    tally = PLANE.cover(public).tally(x, y.astype(int))
    strips, exact = tally.strips, Fraction(rate)
    masses = tally._masses(exact)[0][1:]
    envelope = _rectangle_rejection.Envelope.of(tally.below, tally.up_to, rate, tally._table(exact)[0])
    place = {tuple(rows): s for s, rows in enumerate(np.column_stack(strips.bounds).tolist())}
    seen = np.zeros(len(strips), int)
    scale = rate * (tally._fewest - tally.ones - envelope.reference)
    for block, (low, high, side) in enumerate(zip(envelope.low, envelope.high, envelope.side, strict=True)):
        lows, highs = envelope.rows[side]
        bounds = lows.bounds[low // side][:, None] + highs.bounds[high // side]
        assert envelope.log_bounds[block] == pytest.approx(envelope.log_sums[block] + np.logaddexp.reduce(bounds, None))
        for (i, j), bound in np.ndenumerate(bounds):
            s = place.get((low + i, high + j))
            if s is not None:
                seen[s] += 1
                assert np.log(masses[s] + 1e-300) - scale <= envelope.log_sums[block] + bound + 1e-9
    assert (seen == 1).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_strip_is_drawn_by_its_weight_whatever_its_bound(seed: int) -> None:
    """Blocks of four rows, whose bounds differ much, and of one, whose weights are far below: most draws try again."""
    rng = np.random.default_rng(seed)
    rows = {}
    for side in (1, 4):
        bounds = rng.uniform(0, 3, (2, 8 // side, side)) * (side > 1)
        totals = np.logaddexp.reduce(bounds, axis=2)
        parts = zip(bounds, totals, strict=True)
        rows[side] = tuple(_rectangle_rejection.Rows(np.zeros(0, int), b, t, np.zeros(0)) for b, t in parts)
    single = [(low, high) for low in range(4, 8) for high in range(low, 8)]
    low, high = np.array([(0, 0), (0, 4), *single]).T
    side = np.array([4, 4] + [1] * len(single))
    log_sums = rng.uniform(-1, 1, len(side)) + 5.0 * (side == 1)
    log_bounds = log_sums.copy()
    weights, below = {}, {1: (1.5, 4.0), 4: (0.0, 1.5)}
    for block, width in enumerate(side):
        ends = [part.bounds[first // width] for part, first in zip(rows[width], (low[block], high[block]), strict=True)]
        bounds = np.add.outer(*ends)
        log_bounds[block] += np.logaddexp.reduce(bounds, None)
        for (i, j), bound in np.ndenumerate(bounds):
            if low[block] + i <= high[block] + j:
                weights[low[block] + i, high[block] + j] = log_sums[block] + bound - rng.uniform(*below[width])
    assert len(weights) == 36
    draws, log_empty = 3_000, 0.0
    counts = dict.fromkeys([*weights, True], 0)
    for _ in range(draws):
        envelope = _rectangle_rejection.Envelope(low, high, side, log_sums.copy(), log_bounds, rows, 0)
        drawn = _rectangle_rejection.drawn_strip(envelope, lambda i, j: weights[i, j], log_empty, 10_000, rng)
        assert drawn is not False
        counts[drawn] += 1
    masses = np.exp([*weights.values(), log_empty])
    assert chisquare(list(counts.values()), draws * masses / masses.sum()).pvalue > FALSE_ALARM


def test_kernels_of_the_bounds() -> None:
    """Sums over all pairs of columns, and largest changes, one pair at a time."""
    rng = np.random.default_rng(0)
    below, up_to = rng.integers(-6, 7, (2, 2, 5, 4))
    low, high, table = np.array([0, 2, 1]), np.array([3, 2, 4]), np.exp(-0.3 * np.arange(60))
    fewest, sums = _rectangle_rejection.anchor_sums(low, high, below, up_to, table)
    pairs = [(i, j) for j in range(4) for i in range(j + 1)]
    for s, (a, b) in enumerate(zip(low, high, strict=True)):
        values = [below[0, b, i] - below[1, a, i] - up_to[0, b, j] + up_to[1, a, j] for i, j in pairs]
        assert fewest[s] == min(values)
        assert sums[s] == pytest.approx(np.exp(-0.3 * (np.array(values) - min(values))).sum())
    anchor = np.array([1, 1, 1, 4, 4])
    most, least = _rectangle_rejection.changes(below[0], up_to[0], anchor)
    for row, a in enumerate(anchor):
        values = [below[0, row, i] - below[0, a, i] - up_to[0, row, j] + up_to[0, a, j] for i, j in pairs]
        assert (most[row], least[row]) == (max(values), -min(values))


def test_draws_follow_the_distribution_where_floats_decide_nothing(monkeypatch) -> None:
    monkeypatch.setattr(_rectangle_tally, "_bound", lambda masses, sizes, columns: masses + sizes)
    public, x, y = tied(1, m=4)
    cover = PLANE.cover(public)
    listed = cover.listed()
    mistakes = brute_mistakes(listed, x, y)
    assert drawn_p_value(cover.tally(x, y), listed, mistakes, Fraction(1, 10), Secure(), 600) > FALSE_ALARM


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_brackets_hold_the_exact_weights(seed: int, rate: Fraction) -> None:
    """Masses of strips and right ends within their errors, shares within their bounds."""
    public, x, y = tied(seed)
    tally = PLANE.cover(public).tally(x, y)
    strips = tally.strips
    every = []
    for s in range(len(strips)):
        columns, limits, left, right = tally._strip(*strips.ends(s))
        every.append([tally.ones + left[: limits[r]] - right[r] for r in range(len(columns))])
    flat = np.concatenate([[tally.ones], *itertools.chain(*every)])
    weights = exact_weights(flat, rate)
    masses, errors = tally._masses(rate)
    assert masses.max() >= 1 - 1e-9
    place = np.concatenate([[0], *(np.full(sum(map(len, strip)), s + 1) for s, strip in enumerate(every))])
    sums = [sum(weights[place == s], Decimal(0)) for s in range(len(masses))]
    total = sum(sums, Decimal(0))
    for s, exact in enumerate(sums):
        assert abs(Decimal(float(masses[s])) - exact) <= Decimal(float(errors[s]))
        assert float(errors[s]) <= 1e-9 * float(masses[s]) + 1e-280
        low, high = tally._share_of_strips(s, rate, 25)
        share = Fraction(sum(sums[: s + 1], Decimal(0)) / total)
        assert low - Fraction(1, 10**24) <= share <= high + Fraction(1, 10**24)
        assert high - low <= Fraction(1, 10**25)
    for s, strip in enumerate(every):
        _, limits, left, right = tally._strip(*strips.ends(s))
        if not limits.any():
            continue
        own = exact_weights(np.concatenate(strip), rate)
        of_end = np.repeat(np.arange(len(strip)), [len(r) for r in strip])
        sums = [sum(own[of_end == r], Decimal(0)) for r in range(len(strip))]
        masses, errors = tally._right_masses(rate, limits, left, right)
        for r, exact in enumerate(sums):
            assert abs(Decimal(float(masses[r])) - exact) <= Decimal(float(errors[r]))
            low, high = tally._share_of_right_ends(r, rate, 25, limits, left, right)
            share = Fraction(sum(sums[: r + 1], Decimal(0)) / sum(sums, Decimal(0)))
            assert low - Fraction(1, 10**24) <= share <= high + Fraction(1, 10**24)


def test_memory_of_a_draw() -> None:
    """1.7e6 rectangles: 54 MB as a list."""
    rng = np.random.default_rng(0)
    cover = PLANE.cover(rng.random((128, 2)))
    x = rng.random((1_000, 2))
    cover.tally(x, x[:, 0] > 0.5).draw(Fraction(1), Secure())
    assert cover.size > 1_500_000
    tracemalloc.start()
    cover.tally(x, x[:, 0] > 0.5).draw(Fraction(1), Secure())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4e6


# ---------------------------------------------------------------------------------------------------- minima
@pytest.mark.parametrize("seed", range(6))
def test_minimise_is_the_best_of_the_cover(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 40
    x = rng.integers(0, (3, 8, 1000)[seed % 3], (n, 2)).astype(float)
    y, w = rng.integers(0, 2, n), rng.laplace(size=n)
    minimum = PLANE.minimise(x, y, w)
    parameters = PLANE.cover(x).listed().parameters
    inside = np.all((x >= parameters[:, None, :2]) & (x <= parameters[:, None, 2:]), axis=2)
    assert minimum.value == pytest.approx(((inside != (y == 1)) @ w).min(), abs=1e-11)


@pytest.mark.parametrize("h", [Rectangles(1), PLANE, DiscreteRectangles(1, 3), DiscreteRectangles(2, 3)], ids=repr)
def test_minimise_is_the_first_of_the_cover(h: Rectangles) -> None:
    """Integer weights, zeros among them, on a grid: many ties."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 12))
        x = rng.integers(0, 5, (n, h.dimension)).astype(float)
        y, w = rng.integers(0, 2, n), rng.integers(-2, 4, n).astype(float)
        parameters = h.cover(x).listed().parameters
        low, high = parameters[:, None, : h.dimension], parameters[:, None, h.dimension :]
        values = (np.all((x >= low) & (x <= high), axis=2) != (y == 1)) @ w
        minimum = h.minimise(x, y, w)
        assert minimum.value == values.min()
        assert minimum.parameters.tolist() == parameters[np.argmin(values)].tolist()


def test_minimise_prefers_the_lowest_row_to_the_leftmost_column() -> None:
    """The point to the left, and the two to the right, one of which is lower: both gain 2, the one between costs 5."""
    x, w = np.array([[0.0, 1], [1, 1], [2, 0], [2, 1]]), np.array([2.0, 5, 1, 1])
    minimum = PLANE.minimise(x, [1, 0, 1, 1], w)
    assert minimum.value == 2
    assert PLANE.predict(minimum.parameters, x)[0].tolist() == [False, False, True, True]


def test_minimise_where_nothing_is_the_best() -> None:
    minimum = PLANE.minimise(np.eye(2), [0, 0], [1.0, 2.0])
    assert minimum.value == 0
    assert not PLANE.predict(minimum.parameters, np.eye(2)).any()


# ---------------------------------------------------------------------------------------------------- discrete
def table(h: DiscreteRectangles) -> tuple[np.ndarray, np.ndarray]:
    """The domain and all concepts on it."""
    domain = np.array(list(itertools.product(range(2**h.bits), repeat=h.dimension)), float)
    sides = list(itertools.combinations_with_replacement(range(2**h.bits), 2))
    corners = np.array([(*zip(*chosen, strict=True),) for chosen in itertools.product(sides, repeat=h.dimension)])
    inside = np.all((domain >= corners[:, None, 0]) & (domain <= corners[:, None, 1]), axis=2)
    return domain, np.concatenate([np.zeros((1, len(domain)), bool), inside])


@pytest.mark.parametrize(("dimension", "bits"), [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1)])
def test_concepts_of_a_whole_domain(dimension: int, bits: int) -> None:
    h = DiscreteRectangles(dimension, bits)
    domain, concepts = table(h)
    assert len(np.unique(concepts, axis=0)) == h.concepts == h.cover(domain).size
    assert h.growth(len(domain)) <= h.concepts


@pytest.mark.parametrize(("dimension", "bits"), [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)])
def test_dimensions_by_exhaustion(dimension: int, bits: int) -> None:
    h = DiscreteRectangles(dimension, bits)
    finite = FiniteClass(table(h)[1].astype(int).tolist())
    assert h.vc_dimension == finite.vc_dimension
    assert h.dual_vc_dimension == finite.dual_vc_dimension
    assert finite.littlestone_dimension == h.littlestone_dimension >= 2 * dimension * (bits - 1)


@cache
def depth(gaps: tuple[int, ...]) -> int:
    """Littlestone dimension of the intervals within gaps of these lengths and the empty set, by all first places.

    After a one with i and j places of its gap beside it, the ends are thresholds of i + 1 and j + 1 places.
    """
    best = 0
    for k, length in enumerate(gaps):
        for i in range((length + 1) // 2):
            j = length - 1 - i
            after_one = (i + 1).bit_length() + (j + 1).bit_length() - 2
            if after_one >= best:
                rest = tuple(sorted(gap for gap in (*gaps[:k], *gaps[k + 1 :], i, j) if gap))
                best = max(best, 1 + min(after_one, depth(rest)))
    return best


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_littlestone_dimension_on_the_line(bits: int) -> None:
    assert DiscreteRectangles(1, bits).littlestone_dimension == depth((2**bits,))
