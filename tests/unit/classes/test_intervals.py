"""Intervals: covers that are never listed, against enumeration; draws against their exact distributions."""

import itertools
import math
import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest, chi2

from semipriv.classes import _interval_tally
from semipriv.classes._by_label import _split
from semipriv.classes._interval_tally import _below, _pairs, _prefix_gaps, _prefix_sums
from semipriv.classes.base import REPRESENTATIVES
from semipriv.classes.intervals import Intervals
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.sampling.choice import choose
from semipriv.mechanisms.sampling.weights import exponential_sum_absolute

FALSE_ALARM = 1e-9
"""Of one test, as it is computed: below 1e-6 in truth."""

every_representative = pytest.mark.parametrize("representative", REPRESENTATIVES)
both_kinds = pytest.mark.parametrize("kind", ["simulation", "secure"])


def randomness(kind, *path):
    return Secure() if kind == "secure" else Simulation(1).spawn(*path)


def hypotheses(public, representative):
    """Empty set and intervals, by the definition of the representatives in plain Python."""
    u = sorted(set(public))
    inf, m = math.inf, len(u)
    gaps = [(a, a / 2 + b / 2, b) for a, b in itertools.pairwise(u)]
    left = [-inf, *(max(middle, math.nextafter(a, inf)) for a, middle, _ in gaps)][:m]
    right = [*(min(middle, math.nextafter(b, -inf)) for _, middle, b in gaps), inf][-m:] if m else []
    if representative == "lower":
        left, right = [-inf, *(math.nextafter(a, inf) for a in u[:-1])][:m], u
    if representative == "upper":
        left, right = u, [*(math.nextafter(b, -inf) for b in u[1:]), inf][-m:] if m else []
    return [(inf, -inf), *((left[i], right[j]) for i in range(m) for j in range(i, m))]


def count_mistakes(ends, x, y):
    return [sum((lo <= a <= hi) != (b == 1) for a, b in zip(x, y, strict=True)) for lo, hi in ends]


def tied(seed, m=6, n=40):
    """Public points and examples on a half-integer grid: on public points, on midpoints and outside, many times."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-3, 17, n) / 2
    return rng.integers(0, 7, m).astype(float), x, ((x > 2) & (x < 5)) ^ (rng.random(n) < 0.25)


def exact_distribution(mistakes, rate):
    """Probabilities proportional to exp(-rate mistakes)."""
    gaps = np.array(mistakes) - min(mistakes)
    weights = np.exp(-float(rate) * gaps)
    return weights / weights.sum()


def chi_square(observed, probabilities):
    """Smaller p-value of Pearson's test of the outcomes expected 20 times and of the exact test of all others together.

    At p = FALSE_ALARM the tails of a cell of mean 20 are heavier than those of chi-square, by less than a factor 1,000.
    """
    draws = observed.sum()
    rare = draws * probabilities < 20
    p_rare = binomtest(int(observed[rare].sum()), int(draws), min(1.0, probabilities[rare].sum())).pvalue
    o, e = (np.append(a[~rare], a[rare].sum()) for a in (observed, draws * probabilities))
    o, e = (o[:-1], e[:-1]) if e[-1] < 20 else (o, e)
    return min(p_rare, chi2.sf(((o - e) ** 2 / e).sum(), len(e) - 1) if len(e) > 1 else 1.0)


def p_value(tally, ends, probabilities, rate, stream, draws):
    """p-value of the drawn parameters."""
    place = {e: i for i, e in enumerate(ends)}
    observed = np.zeros(len(ends))
    for _ in range(draws):
        observed[place[tuple(tally.draw(rate, stream).parameters.tolist())]] += 1
    return chi_square(observed, probabilities)


# ------------------------------------------------------------------------------------------------ cover
@every_representative
def test_list_is_the_definition_of_the_representatives(representative):
    for public in ([], [2.0], [0.0, 1.0, 1.0, 5.0], [1.0, math.nextafter(1, 2), 3.0], [-1e308, 1e308]):
        cover = Intervals().cover(public, representative)
        assert cover.listed().parameters.tolist() == [list(e) for e in hypotheses(public, representative)]
        assert cover.size == len(cover.listed())


def test_size_is_exact_where_listing_is_refused():
    cover = Intervals().cover(np.arange(20_000.0))
    assert cover.size == 200_010_001
    with pytest.raises(ValueError, match=r"2e\+08 hypotheses to list, 2\.98 GiB .* tally the cover"):
        cover.listed()


# ------------------------------------------------------------------------------------------------ tally
@every_representative
@pytest.mark.parametrize("seed", range(6))
def test_histogram_and_members_by_enumeration(representative, seed):
    public, x, y = tied(seed)
    ends = hypotheses(public, representative)
    mistakes = count_mistakes(ends, x, y)
    tally = Intervals().cover(public, representative).tally(x, y)
    values, counts = tally.histogram()
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {v: mistakes.count(v) for v in set(mistakes)}
    assert counts.dtype == np.int64
    stream = Simulation(2).spawn(representative, seed)
    for value in {-1, 2**62, *range(len(x) + 2)} - set(mistakes):
        with pytest.raises(ValueError, match=f"mistakes = {value}: no hypothesis makes that many"):
            tally.member(value, stream)
    for value in set(mistakes):
        members = [e for e, k in zip(ends, mistakes, strict=True) if k == value]
        drawn = [tuple(tally.member(value, stream).parameters.tolist()) for _ in range(40 * len(members))]
        observed = np.array([drawn.count(e) for e in members])
        assert observed.sum() == len(drawn)
        assert chi_square(observed, np.full(len(members), 1 / len(members))) > FALSE_ALARM


def test_examples_beside_ends_fall_on_their_side():
    """One example at a time, on each end and on the floats next to it, tells which intervals hold it."""
    for representative in REPRESENTATIVES:
        public = [0.0, 1.0, 2.5]
        ends = hypotheses(public, representative)
        finite = {e for pair in ends for e in pair if math.isfinite(e)} | set(public)
        beside = [math.nextafter(e, side) for e in finite for side in (-math.inf, math.inf)]
        cover = Intervals().cover(public, representative)
        for a in [*finite, *beside]:
            inside = sum(lo <= a <= hi for lo, hi in ends)
            values, counts = cover.tally([a], [0]).histogram()
            expected = {0: len(ends) - inside, 1: inside}
            assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {k: v for k, v in expected.items() if v}


def test_kernels_and_their_slow_controls():
    rng = np.random.default_rng(3)
    for m, n in ((1, 0), (1, 5), (7, 3), (40, 60)):
        x, labels = rng.integers(0, 9, n) / 2, rng.integers(0, 2, n).astype(np.int8)
        ones, zeros = _split(x, labels)
        assert sorted(ones.tolist()) == sorted(x[labels == 1].tolist())
        assert sorted(zeros.tolist()) == sorted(x[labels == 0].tolist())
        ends = np.sort(np.append(rng.integers(-1, 11, m - 1) / 2, np.inf))
        assert _below(ends, np.sort(x)).tolist() == [sum(a < e for a in x) for e in ends]
        left = np.array([sum(np.where(labels == 1, 1, -1)[x < e]) for e in ends], np.int64)
        right = np.array([sum(np.where(labels == 1, 1, -1)[x <= e]) for e in ends + 1], np.int64)
        start = m // 3
        pairs = [len(ones) + left[i] - right[j] for j in range(start, m) for i in range(j + 1)]
        assert _pairs(left, right, len(ones), start, m, n).tolist() == [pairs.count(k) for k in range(n + 1)]
        gaps = rng.integers(-30, 30, m)
        least = np.minimum.accumulate(gaps)
        steps = gaps - np.append(gaps[:1], least[:-1])
        factors = np.exp(-0.3 * np.abs(steps))
        above = [[int(gaps[i] - least[j]) for i in range(j + 1)] for j in range(m)]
        expected = [math.fsum(math.exp(-0.3 * g) for g in row) for row in above]
        sums, bounds = _prefix_sums(steps, factors, 2.0**-50 * factors)
        assert np.all(np.abs(sums - expected) <= bounds + 2.0**-51 * np.array(expected))
        assert np.all(bounds <= 2.0**-45 * m * sums)
        expected = [math.fsum(g * math.exp(-0.3 * g) for g in row) for row in above]
        np.testing.assert_allclose(_prefix_gaps(steps, factors), expected, rtol=1e-12)


# ------------------------------------------------------------------------------------------------ draws
@pytest.mark.parametrize(
    ("kind", "representative", "rate"),
    [
        (("simulation", "secure")[(i + j) % 2], representative, rate)
        for i, representative in enumerate(REPRESENTATIVES)
        for j, rate in enumerate([Fraction(0), Fraction(1, 7), Fraction(1), Fraction(300)])
    ],
)
def test_draws_have_their_distribution(kind, representative, rate):
    """Repeated public points and ties everywhere."""
    public, x, y = tied(11)
    ends = hypotheses(public, representative)
    tally = Intervals().cover(public, representative).tally(x, y)
    probabilities = exact_distribution(count_mistakes(ends, x, y), rate)
    stream = randomness(kind, representative, str(rate))
    assert p_value(tally, ends, probabilities, rate, stream, 1_500) > FALSE_ALARM


@both_kinds
def test_a_draw_from_few_examples_or_points_has_its_distribution(kind):
    """The empty set alone; one public point; no example; only ones; only zeros."""
    for public, x, y in (([], [1.0], [1]), ([1.0], [1, 1, 0], [1, 1, 0]), ([1.0, 2.0, 3.0], [], [])):
        for labels in (y, np.ones(len(x), int), np.zeros(len(x), int)):
            ends = hypotheses(public, "midpoint")
            tally = Intervals().cover(public).tally(x, labels)
            probabilities = exact_distribution(count_mistakes(ends, x, labels), 1)
            stream = randomness(kind, len(public), int(sum(labels)))
            if len(ends) == 1:
                assert tuple(tally.draw(Fraction(1), stream).parameters) == ends[0]
            else:
                assert p_value(tally, ends, probabilities, Fraction(1), stream, 1_000) > FALSE_ALARM


def test_brackets_of_the_columns_hold_their_probabilities():
    """The exact probability of the empty set and the first i right ends is in each, as narrow as asked."""
    public, x, y = tied(5)
    for rate in (Fraction(0), Fraction(1, 3), Fraction(40)):
        tally = Intervals().cover(public).tally(x, y)
        ends = hypotheses(public, "midpoint")
        probabilities = exact_distribution(count_mistakes(ends, x, y), rate)
        uppers = [-math.inf, *sorted({hi for lo, hi in ends if lo <= hi})]
        for column in range(len(uppers) - 1):
            expected = sum(p for p, (_, hi) in zip(probabilities, ends, strict=True) if hi <= uppers[column])
            for digits in (5, 12, 40):
                low, high = tally._share(column, rate, digits)
                assert 0 <= low <= high <= low + Fraction(1, 10**digits)
                assert low - Fraction(1, 10**12) <= expected <= high + Fraction(1, 10**12)
            outer, inner = tally._share(column, rate, 5), tally._share(column, rate, 40)
            assert outer[0] <= inner[0] <= inner[1] <= outer[1]


def test_masses_are_within_their_errors():
    """Against sums of exponentials in 60 digits, far beyond floats, for steps up and down of all sizes."""
    rng = np.random.default_rng(8)
    x = rng.integers(0, 60, 4_000) / 2
    y = (x > 10) & (x < 20) ^ (rng.random(len(x)) < 0.3)
    tally = Intervals().cover(np.arange(30.0)).tally(x, y)
    for rate in (Fraction(1, 1000), Fraction(1, 3), Fraction(7)):
        columns = tally._columns(rate)
        fewest = int(tally.histogram()[0][0])
        for column in range(31):
            empty = np.bincount([tally.ones], minlength=len(x) + 1)
            counts = tally._counts(column - 1, column) if column else empty
            met = np.flatnonzero(counts)
            pools = met - fewest, counts[met], rate, 60
            low, high = exponential_sum_absolute(*pools)
            mass, error = Fraction(columns.masses[column]), Fraction(columns.errors[column])
            assert abs(mass - low) <= error + (high - low)
            assert columns.errors[column] <= 1e-9 * columns.masses[column] + 1e-290


def test_draws_have_their_distribution_where_floats_never_decide(monkeypatch):
    """Errors as large as the masses send every decision to the exact counts."""
    asked = []

    def undecided(masses, errors, distribution, secure):
        def counted(i, digits):
            asked.append(i)
            return distribution(i, digits)

        return choose(masses, np.full(len(masses), 2 * masses.sum()), counted, secure)

    monkeypatch.setattr(_interval_tally, "choose", undecided)
    public, x, y = tied(11)
    ends = hypotheses(public, "midpoint")
    tally = Intervals().cover(public).tally(x, y)
    for rate in (Fraction(1, 7), Fraction(1)):
        assert (
            p_value(tally, ends, exact_distribution(count_mistakes(ends, x, y), rate), rate, Secure(), 1_000)
            > FALSE_ALARM
        )
    assert len(asked) >= 2_000


def test_draws_of_a_large_cover_have_the_distribution_of_their_mistakes():
    """1.3e5 hypotheses: drawn numbers of mistakes against the histogram, weighted."""
    rng = np.random.default_rng(9)
    x = rng.random(5_000)
    y = (np.abs(x - 0.5) < 0.1) ^ (rng.random(len(x)) < 0.45)
    tally = Intervals().cover(rng.random(500)).tally(x, y)
    values, counts = tally.histogram()
    weights = counts * np.exp(-0.02 * (values - values[0]))
    cumulative = np.cumsum(weights) / weights.sum()
    edges = np.searchsorted(cumulative, np.arange(1, 10) / 10)
    probabilities = np.diff(np.concatenate([[0], cumulative[edges], [1]]))
    for kind in ("simulation", "secure"):
        stream = randomness(kind, "large")
        drawn = np.array([np.count_nonzero(tally.draw(Fraction(1, 50), stream).predict(x) != y) for _ in range(1_500)])
        observed = np.bincount(np.searchsorted(values[edges], drawn), minlength=10)
        assert chi_square(observed, probabilities) > FALSE_ALARM


# ------------------------------------------------------------------------------------------------ sums over the cover
@pytest.mark.parametrize("rate", [0.0, 1e-3, 0.5, 5.0, 1e4])
def test_log_partition_and_expectation_of_many_examples(rate):
    """n = 1e5: exponents to 1e9 neither overflow nor vanish."""
    rng = np.random.default_rng(10)
    x = rng.random(100_000)
    y = (np.abs(x - 0.4) < 0.2) ^ (rng.random(len(x)) < 0.1)
    public = rng.random(60)
    tally = Intervals().cover(public).tally(x, y)
    mistakes = np.array([np.count_nonzero(((x >= lo) & (x <= hi)) != y) for lo, hi in hypotheses(public, "midpoint")])
    gaps = mistakes - mistakes.min()
    weights = np.exp(-rate * gaps)
    assert tally.log_partition(rate) == pytest.approx(math.log(weights.sum()) - rate * mistakes.min(), rel=1e-13)
    excess = float(weights @ gaps / weights.sum())
    assert tally.expected_mistakes(rate) == pytest.approx(mistakes.min() + excess, rel=1e-13)


def test_steps_of_one_direction():
    """All ones and all zeros: prefix sums that only grow, or are scaled down at every step."""
    public = np.arange(50.0)
    ends = hypotheses(public.tolist(), "midpoint")
    for labels in (np.ones(300, int), np.zeros(300, int)):
        x = np.repeat(np.arange(0.0, 50, 0.5), 3)
        mistakes = np.array(count_mistakes(ends, x, labels))
        tally = Intervals().cover(public).tally(x, labels)
        for rate in (0.01, 0.8, 30.0):
            weights = np.exp(-rate * mistakes)
            assert tally.log_partition(rate) == pytest.approx(math.log(weights.sum()), rel=1e-12, abs=1e-12)
            assert tally.expected_mistakes(rate) == pytest.approx(weights @ mistakes / weights.sum(), rel=1e-11)


def test_a_large_cover_is_not_listed():
    """5e7 hypotheses would take 800 MB; the work on them takes what examples and public points take."""
    rng = np.random.default_rng(12)
    x, stream = rng.random(100_000), Simulation(1)
    cover = Intervals().cover(rng.random(10_000))
    tracemalloc.start()
    tally = cover.tally(x, (x > 0.5).astype(int))
    tally.draw(Fraction(1, 2), stream)
    tally.draw(Fraction(1, 2), Secure())
    tally.log_partition(0.5)
    values, counts = tally.histogram()
    tally.member(int(values[0]), stream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert counts.sum() == cover.size == 50_005_001
    assert peak < 2e7


def test_draws_do_not_depend_on_what_was_asked_before():
    public, x, y = tied(4)
    tally = Intervals().cover(public).tally(x, y)
    first = tally.draw(Fraction(1), Simulation(5)).parameters
    tally.histogram()
    tally.expected_mistakes(1.0)
    assert tally.draw(Fraction(1), Simulation(5)).parameters.tolist() == first.tolist()
    assert replace(tally).draw(Fraction(1), Simulation(5)).parameters.tolist() == first.tolist()


# ------------------------------------------------------------------------------------------------ the rest
def test_minimise_is_never_beaten_among_many_tied_points():
    rng = np.random.default_rng(13)
    for trial in range(60):
        x = rng.integers(0, 12, 60).astype(float)
        y, w = rng.integers(0, 2, 60), [rng.laplace(size=60), rng.integers(-2, 3, 60).astype(float)][trial % 2]
        values = [
            math.fsum(w[[(lo <= a <= hi) != (b == 1) for a, b in zip(x, y, strict=True)]])
            for lo, hi in hypotheses(x.tolist(), "midpoint")
        ]
        assert Intervals().minimise(x, y, w).value == pytest.approx(min(values), abs=1e-12)


def test_minimise_prefers_the_first():
    assert Intervals().minimise([1.0, 2.0], [0, 0]).parameters.tolist() == [math.inf, -math.inf]
    assert Intervals().minimise([1.0, 2.0, 3.0, 4.0], [1, 0, 1, 0]).parameters.tolist() == [-math.inf, 1.5]


def label_vectors(theta, points):
    return [tuple(bool(lo <= x <= hi) for lo, hi in theta) for x in points]


def test_representative_domain_by_all_floats_beside_the_ends():
    """Shared, adjacent, infinite ends, single points, empty sets: every float near an end is represented."""
    rng = np.random.default_rng(14)
    next_to = math.nextafter
    some = [[0.0, 1.0], [next_to(1, 2), 2.0], [1.0, 1.0], [next_to(next_to(1, 2), 2), 1.5], [0.0, next_to(0, -1)]]
    families = [some, [[-math.inf, math.inf]], [[math.inf, -math.inf]], [[-math.inf, 0.0]], [[5.0, math.inf]], []]
    families += [[[-1.7976931348623157e308, 1.7976931348623157e308]], [[math.inf, math.inf], [0, 1]]]
    for _ in range(40):
        families.append(rng.integers(-4, 5, (rng.integers(1, 9), 2)).astype(float).tolist())
    for theta in families:
        domain = Intervals().representative_domain(np.array(theta).reshape(-1, 2))
        assert np.isfinite(domain).all()
        assert domain.shape == (len(domain), 1)
        assert np.all(np.diff(domain[:, 0]) > 0)
        vectors = label_vectors(theta, domain[:, 0].tolist())
        assert len(set(vectors)) == len(vectors)
        ends = {e for pair in theta for e in pair if math.isfinite(e)} | {0.5, -1e6, 1e6}
        near = {y for e in ends for y in (e, next_to(e, -math.inf), next_to(e, math.inf)) if math.isfinite(y)}
        assert set(label_vectors(theta, near)) == set(vectors)


def test_representative_domain_of_a_cover_is_linear_in_the_points():
    """All m (m + 1) / 2 intervals of a cover tell 2 m + 1 pieces at most apart; here the outer two are the same."""
    theta = Intervals().cover(np.arange(60.0), "upper").listed().parameters
    domain = Intervals().representative_domain(theta)
    predictions = Intervals().predict(theta, np.concatenate([domain, np.arange(-2, 62, 0.25)[:, None]]))
    assert len(np.unique(predictions, axis=1).T) == len(domain)


@pytest.mark.parametrize(("x", "y"), [([1.0, 1.0], [0, 1]), ([1.0, 2.0, 1.0, 2.0], [0, 0, 1, 1]), ([3.0], [0])])
def test_an_interval_that_gains_nothing_is_empty(x: list[float], y: list[int]) -> None:
    minimised = Intervals().minimise(np.array(x)[:, None], np.array(y))
    assert not Intervals().predict(minimised.parameters[None], np.array(x)[:, None]).any()
    assert minimised.value == sum(y)
