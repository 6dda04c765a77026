"""The best split of theorem 3.1: against a grid of splits, independent inversion, and what it must never exceed."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from semipriv.papers.abm19.bounds import sizes as abm19
from semipriv.papers.abm19.bounds import split as abm19_split


@pytest.mark.parametrize("epsilon", [0.02, 1.0])
@pytest.mark.parametrize(("alpha", "beta", "d"), [(0.1, 0.05, 1), (0.3, 0.2, 3)])
def test_the_best_split_against_a_grid_of_splits(alpha: float, beta: float, d: int, epsilon: float) -> None:
    """Of a fine grid of splits some prove a size 0.1 % larger, and none proves one 0.1 % smaller."""
    m = abm19.public_size(alpha, beta, d)
    log_cover = abm19.cover_size_bound(m, d)
    shares = 1 / (1 + np.exp(-np.linspace(-12, 12, 481)))
    c, q = np.meshgrid(shares, shares)
    u, t = beta * (1 - c) * (1 - q), beta * (1 - c) * q
    radius = 4 * (2 * d * math.log(2 * math.e * m / d) + np.log(2 / (beta * c))) / m

    def least(n: int) -> float:
        uniform = 2 * np.sqrt((log_cover + np.log(2 / u)) / (2 * n))
        return float(np.min(radius + uniform + 2 / (epsilon * n) * (log_cover + np.log(1 / t))))

    n = abm19_split.best_private_size(alpha, beta, epsilon, m, d, log_cover)
    assert least(math.ceil(1.001 * n)) <= alpha < least(math.floor(0.999 * n))


def test_the_papers_shares_give_the_papers_bound() -> None:
    for m, n, epsilon in ((1000, 10_000, 1.0), (5000, 10**6, 0.01)):
        failures = [share * 0.05 for share in abm19_split.SHARES[False]]
        actual_split_bound = abm19_split.split_bound(m, n, epsilon, 2, 15.0, failures)
        assert actual_split_bound == pytest.approx(abm19.excess_bound(m, n, epsilon, 0.05, 2, 15.0), rel=1e-12)


@pytest.mark.parametrize(("alpha", "epsilon"), list(product((0.3, 0.1, 0.02), (0.05, 1.0, 20.0))))
def test_never_worse_than_the_theorem(alpha: float, epsilon: float) -> None:
    for realizable in (False, True):
        m = abm19.cover_points(alpha / 4, 0.05, 2) if realizable else abm19.public_size(alpha, 0.1, 2)
        log_cover = abm19.cover_size_bound(m, 2)
        theorem = abm19.private_size_realizable if realizable else abm19.private_size
        size = abm19_split.best_private_size(alpha, 0.1, epsilon, m, 2, log_cover, realizable=realizable)
        assert size <= theorem(alpha, 0.1, epsilon, log_cover)
        bound = abm19_split.best_excess_bound(m, size, epsilon, 0.1, 2, log_cover, realizable=realizable)
        assert bound <= alpha * (1 + 1e-6)
        bounds = [
            abm19_split.best_excess_bound(m, n, epsilon, 0.1, 2, log_cover, realizable=realizable)
            for n in (size // 2, size, 2 * size)
        ]
        assert bounds == sorted(bounds, reverse=True)


def test_the_realizable_bound_by_independent_inversion() -> None:
    m, n, epsilon, log_cover = 5000, 4000, 0.7, 17.0
    failures = (0.02, 0.004, 0.01, 0.016)

    def kl(q: float, p: float) -> float:
        return q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p))

    r = abm19.cover_radius(m, failures[0], 2)
    a = brentq(lambda q: kl(q, r) - math.log(1 / failures[1]) / n, r + 1e-12, 1 - 1e-12)
    q = a + 2 * (log_cover + math.log(1 / failures[3])) / (epsilon * n)
    b = brentq(lambda p: kl(q, p) - (log_cover + math.log(1 / failures[2])) / n, q + 1e-12, 1 - 1e-12)
    actual_split_bound = abm19_split.split_bound(m, n, epsilon, 2, log_cover, failures, realizable=True)
    assert actual_split_bound == pytest.approx(b, rel=1e-9)
    assert actual_split_bound >= b * (1 - 1e-12), "rounded upward"


def test_chernoffs_inequality_as_it_is_used() -> None:
    """P[Bin(n, r) >= n a] <= h at the a of the second step, P[Bin(n, b) <= n q] <= u at the b of the last, exactly."""
    for n, r, h in ((50, 0.1, 0.01), (400, 0.02, 1e-4), (3000, 0.3, 0.05)):
        a = abm19_split._inverse(lambda q, r=r: abm19_split._divergence(q, r), r, math.log(1 / h) / n)
        assert binom.sf(math.ceil(n * a) - 1, n, r) <= h < binom.sf(math.ceil(n * r) - 1, n, r)
        b = abm19_split._inverse(lambda p, r=r: abm19_split._divergence(r, p), r, math.log(1 / h) / n)
        assert binom.cdf(math.floor(n * r), n, b) <= h


def test_an_inverse_has_reached_its_level() -> None:
    """Rounded upward, by little."""
    generator = np.random.default_rng(1)
    for _ in range(300):
        q, level = float(generator.random() ** 3), float(10 ** generator.uniform(-2, 0.5))
        inverse = abm19_split._inverse(lambda p, q=q: abm19_split._divergence(q, p), q, level)
        assert q < inverse <= 1
        assert abm19_split._divergence(q, inverse) >= level
        assert abm19_split._divergence(q, max(q, inverse - 1e-9)) < level


def test_shares_add_up_to_at_most_one() -> None:
    generator = np.random.default_rng(0)
    for _ in range(200):
        shares = abm19_split._shares(np.exp(generator.normal(0, 20, 3)).tolist())
        assert sum(shares) <= 1
        assert min(shares) > 0
