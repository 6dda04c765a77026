"""Sizes and bounds of BMN20 against independent numbers, enumeration and exact distributions."""

import math
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from scipy.stats import binom

from semipriv.papers.bmn20.bounds import sizes as bmn20


# ---------------------------------------------------------------------------------------------------- sizes
@pytest.mark.parametrize(
    ("d", "m", "full", "facet", "log_size"),
    [
        (1, 1000, (2002, 2003), (2000, 2001), 7.6),
        (2, 60, (3662, 6_706_954), (3540, 6_267_571), 15.7),
        (2, 100, (10102, 51_030_254), (9900, 49_009_951), 17.7),
        (3, 10, (352, 7_269_329), (240, 2_304_201), 14.7),
        (3, 12, (598, 35_641_698), (440, 14_197_701), 16.5),
    ],
)
def test_sizes(d, m, full, facet, log_size):
    assert (bmn20.halfspaces(m, d, "full"), bmn20.hypotheses(m, d, "full")) == full
    assert (bmn20.halfspaces(m, d), bmn20.hypotheses(m, d)) == facet
    assert round(math.log(facet[1]), 1) == log_size


@pytest.mark.parametrize(("d", "m", "full", "facet"), [(2, 150, 2.57e8, 2.50e8), (3, 15, 2.55e8, 1.26e8)])
def test_large_sizes(d, m, full, facet):
    assert bmn20.hypotheses(m, d, "full") == pytest.approx(full, rel=0.005)
    assert bmn20.hypotheses(m, d) == pytest.approx(facet, rel=0.005)


def subsets(items, sizes):
    return list(chain.from_iterable(combinations(items, size) for size in sizes))


@pytest.mark.parametrize("m", range(6))
@pytest.mark.parametrize("d", [1, 2, 3])
def test_sizes_by_listing(d, m):
    """Listing subsets of points, then sets of halfspaces: the counts, and the bound for any position."""
    supports = subsets(range(m), range(d + 1)) if m else []
    family = [(support, side) for support in supports for side in "+-"]
    assert len(family) == bmn20.halfspaces(m, d, "full")
    assert 1 + len(subsets(family, range(1, d + 1))) == bmn20.hypotheses(m, d, "full")
    sizes = [bmn20.hypotheses(m, d, "full")]
    for k in range(min(d, max(m - 1, 0)) + 1):
        family = [(support, side) for support in combinations(range(m), k) for side in "+-"]
        family = family if k else ["the point"] * (m > 0)
        assert len(family) == bmn20.halfspaces(m, d, k=k)
        listed = 1 + len(subsets(family, range(1, max(k, 1) + 1)))
        assert listed == bmn20.hypotheses(m, d, k=k)
        sizes.append(listed)
    assert math.log(max(sizes)) <= bmn20.log_size_bound(m, d)


# ---------------------------------------------------------------------------------------------------- claim 4.5
def test_excess_of_the_draw():
    """Both bounds hold for the exact distribution of random histograms, the worst case comes within a factor of 2."""
    generator = np.random.default_rng(0)
    closest = 0.0
    for _ in range(300):
        mistakes = np.cumsum(generator.integers(1, 4, 12))
        counts = generator.integers(1, 10 ** generator.integers(1, 7), 12)
        epsilon = float(generator.choice([0.1, 0.5, 1, 4]))
        weights = counts * np.exp(-epsilon / 2 * (mistakes - mistakes[0]))
        distribution, gap = weights / weights.sum(), mistakes - mistakes[0]
        log_ratio = math.log(counts.sum() / counts[0])
        assert distribution @ gap <= bmn20.excess_mean(log_ratio, epsilon)
        for beta in (0.5, 0.1, 0.01):
            assert distribution[gap >= bmn20.excess_tail(log_ratio, epsilon, beta)].sum() <= beta
    for size in (10**4, 10**8):  # one best hypothesis and all others at the distance where they weigh as much
        gap = round(2 * math.log(size))
        weight = size * math.exp(-gap / 2)
        closest = max(closest, gap * weight / (1 + weight) / bmn20.excess_mean(math.log(size + 1), 1.0))
    assert 0.4 < closest < 1


@pytest.mark.parametrize(
    ("d", "sizes"),
    [(1, (81, 178, 386)), (2, (243, 551, 1231)), (3, (547, 1241, 2770)), (4, (1005, 2271, 5053))],
)
def test_excess_examples(d, sizes):
    for alpha, n in zip((0.2, 0.1, 0.05), sizes, strict=True):
        assert bmn20.excess_examples(alpha, 0.05, 1.0, d) == n
        needed = [2 / alpha * (math.log(bmn20.hypotheses(size, d)) + math.log(20)) for size in (n, n - 1)]
        assert needed[0] <= n
        assert needed[1] > n - 1


# ---------------------------------------------------------------------------------------------------- compression
@pytest.mark.parametrize(("n", "d"), [(3, 1), (4, 1), (3, 2), (5, 2), (4, 3), (5, 3)])
def test_descriptors_by_listing(n, d):
    """One by one: an affine hull (k + 1 examples, none for k = d), then up to k halfspaces by k examples and a side."""
    total = 0
    for k in range(d + 1):
        hulls = [()] if k == d else list(combinations(range(n), k + 1))
        sides = [(support, side) for support in combinations(range(n), k) for side in "+-"] if k else ["the point"]
        listed = [(hull, chosen) for hull in hulls for chosen in subsets(sides, range(max(k, 1) + 1))]
        assert all(
            len({*hull, *(i for support in chosen for i in support[0])}) <= bmn20.compression_size(d)
            for hull, chosen in listed
            if k
        )
        total += len(listed)
    assert total == bmn20.descriptors(n, d)


def test_more_descriptors_than_hypotheses():
    """Whatever the public points among n examples are, each hypothesis has a description."""
    for d, n in ((1, 7), (2, 9), (3, 12), (2, 400)):
        assert bmn20.descriptors(n, d) > max(bmn20.hypotheses(m, d) for m in range(n + 1))


def test_uniform_bounds_invert_tails():
    """At the bounds, Hoeffding's and the exact binomial tail on the free examples times M_n are at most beta."""
    n, d, beta = 3000, 1, 0.05
    free, m = n - 1, bmn20.descriptors(n, d)
    for mistakes in (0, 30, 300, 1500):
        additive = bmn20.uniform_bound(mistakes / n, n, d, beta)
        relative = bmn20.relative_bound(mistakes / n, n, d, beta)
        gap = additive - mistakes / n - d**2 / n
        assert m * math.exp(-2 * free * gap**2) == pytest.approx(beta)
        for bound in (additive, relative):
            assert m * binom.cdf(mistakes, free, min(bound, 1)) <= beta
    assert bmn20.relative_bound(0.0, n, d, beta) < bmn20.uniform_bound(0.0, n, d, beta) / 5
    assert bmn20.relative_bound(0.5, n, d, beta) > bmn20.uniform_bound(0.5, n, d, beta)


def test_too_few_examples_bound_nothing():
    for n, d in ((1, 1), (4, 2), (9, 3)):
        assert bmn20.uniform_bound(0.0, n, d, 0.1) == math.inf
        assert bmn20.relative_bound(0.0, n, d, 0.1) == math.inf
        assert bmn20.agnostic_bound(n, d, 1.0, 0.1, 1.0) == math.inf
        assert bmn20.subsample_loss(n, d, 0.1) == math.inf


# ---------------------------------------------------------------------------------------------------- theorem 4.6
@pytest.mark.parametrize(
    ("d", "n", "realizable", "agnostic"),
    [
        (1, 1000, 0.068, 0.147),
        (1, 100_000, 0.0010, 0.0141),
        (2, 400, 0.387, 0.390),
        (2, 4000, 0.052, 0.108),
        (3, 1000, 0.349, 0.340),
        (3, 10_000, 0.047, 0.094),
    ],
)
def test_bounds_of_the_theorem(d, n, realizable, agnostic):
    log_size = math.log(bmn20.hypotheses(n // 2, d))
    digits = 4 if n == 100_000 else 3
    assert round(bmn20.realizable_bound(n, d, 1.0, 0.05, log_size), digits) == realizable
    assert round(bmn20.agnostic_bound(n, d, 1.0, 0.05, log_size), digits) == agnostic


def test_bounds_by_parts():
    """Both bounds put together from the exact integers with rational arithmetic where it can be."""
    n, d, epsilon, beta = 500, 2, 0.5, Fraction(1, 20)
    size, names = bmn20.hypotheses(200, d), bmn20.descriptors(n, d)
    agnostic = (
        2 / (epsilon * n) * math.log(size * 3 / beta)
        + 4 / n
        + math.sqrt(math.log(3 * names / beta) / (2 * 496))
        + math.sqrt(math.log(3 / beta) / (2 * n))
    )
    assert bmn20.agnostic_bound(n, d, epsilon, 0.05, math.log(size)) == pytest.approx(agnostic, rel=1e-12)
    q, log_term = 2 / epsilon * math.log(size * 2 / beta) / 496, math.log(2 * names / beta)
    realizable = q + math.sqrt(2 * q * log_term / 496) + 2 * log_term / 496
    assert bmn20.realizable_bound(n, d, epsilon, 0.05, math.log(size)) == pytest.approx(realizable, rel=1e-12)


@pytest.mark.parametrize(("d", "realizable", "agnostic"), [(1, 676, 2080), (2, 2010, 4746), (4, 8089, 15440)])
def test_examples_that_suffice(d, realizable, agnostic):
    assert bmn20.examples_realizable(0.1, 0.05, 1.0, d) == realizable
    assert bmn20.examples(0.1, 0.05, 1.0, d) == agnostic


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_bounds_fall(d, epsilon):
    """What the bisection needs: from d^2 + 2 on, each bound falls with n wherever it is below 1."""
    sizes = sorted({int(n) for n in np.geomspace(d * d + 2, 1e6, 150)})
    for bound in (bmn20.agnostic_bound, bmn20.realizable_bound):
        values = np.array([bound(n, d, epsilon, 0.05, math.log(bmn20.hypotheses(n, d))) for n in sizes])
        start = int(np.argmax(values < 1))
        assert values[start] < 1
        assert np.all(np.diff(values[start:]) < 0)
        assert np.all(values[:start] >= 1)


# ---------------------------------------------------------------------------------------------------- subsample
def test_subsample_loss():
    assert bmn20.subsample_loss(60, 1, 0.05) == pytest.approx(math.log(241 * 20) / 59)
    values = [bmn20.subsample_loss(m, 2, 0.05) for m in (30, 60, 100, 10_000)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.01


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.0])
@pytest.mark.parametrize("log_ratio", [0.0, 0.5, 12.0])
def test_the_mean_excess_is_the_area_under_the_tail(log_ratio, epsilon):
    """P[excess > t] is at most beta at t = excess_tail(beta), and at most 1: betas are summed from 1 down to 0."""
    beta = (np.arange(200_000) + 0.5) / 200_000
    tail = bmn20.excess_tail(log_ratio, epsilon, 0.5) + 2 / epsilon * np.log(0.5 / beta)
    assert bmn20.excess_mean(log_ratio, epsilon) == pytest.approx(tail.mean(), rel=1e-4)
