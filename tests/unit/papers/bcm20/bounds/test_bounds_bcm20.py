"""Sizes of BCM20: brute force, independent formulas, and simulations of the events that they are about."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from semipriv.classes.finite_class import FiniteClass
from semipriv.distributions import spacings
from semipriv.papers.bcm20.bounds import domains, public_only, sizes, steps


# ---------------------------------------------------------------------------------------------------- public sizes
@pytest.mark.parametrize("d", [1, 3, 8])
@pytest.mark.parametrize(("alpha", "beta"), [(0.4, 0.1), (0.1, 0.1), (0.01, 0.001)])
def test_size_for_any_class_is_the_last_fixed_point(alpha: float, beta: float, d: int) -> None:
    def wanted(m: float) -> float:
        return 8 / (alpha * math.log(2)) * (math.log(4 / beta) + 2 * d * math.log(2 * math.e * m / d))

    m = sizes.cover_points_class(alpha, beta, d)
    assert wanted(m) <= m
    assert wanted(m - 1) > m - 1
    log_failure = math.log(2) + 2 * d * math.log(2 * math.e * m / d) - alpha / 4 * m / 2 * math.log(2)
    assert log_failure <= math.log(beta / 2), "the double sample itself"


@pytest.mark.parametrize("alpha", [0.4, 0.1, 0.01])
def test_union_size_is_least(alpha: float) -> None:
    m = sizes.cover_points_union(alpha, 0.1)
    chance = [(k + 1) * math.exp(-alpha * k / 4) for k in (m - 1, m)]
    assert chance[0] > 0.05 >= chance[1]


def test_least_sizes_of_thresholds_by_simulation() -> None:
    """Fresh gaps at the sizes and, for power, at four fifths of them; and distributions with atoms by counting."""
    generator = np.random.default_rng(1)
    cover, limit = sizes.cover_points_exact(0.4, 0.1), sizes.cover_points_limit(0.4, 0.1)
    for size, mass, allowed in ((cover, 0.1, 0.05), (limit, 0.2, 0.1)):
        for m, lowest, highest in ((size, 0.8, 1.0), (round(0.8 * size), 1.6, 20.0)):
            u = np.sort(generator.random((40_000, m)), axis=1)
            fails = np.mean(np.diff(u, axis=1, prepend=0, append=1).max(axis=1) > mass)
            assert lowest * allowed - 0.004 <= fails <= highest * allowed + 0.004


def test_atoms_only_help() -> None:
    """Projections on a distribution with atoms: the mass between a threshold and the public point below, enumerated."""
    generator = np.random.default_rng(2)
    masses = np.array([0.3, 0.05, 0.2, 0.05, 0.25, 0.15])
    upper = np.cumsum(masses)
    for m in (1, 3, 8):
        u = generator.random((300, m))
        w = np.searchsorted(upper, u)
        gap = np.diff(np.sort(u, axis=1), axis=1, prepend=0, append=1).max(axis=1)
        for points, largest in zip(w, gap, strict=True):
            worst = 0.0
            for t in range(len(masses)):
                below = points[points <= t]
                worst = max(worst, masses[(below.max() + 1 if below.size else 0) : t + 1].sum())
            assert worst <= largest + 1e-12


def test_private_records_as_printed() -> None:
    """Values of the specification's table, and the proof's step from theorem 10 to lemma 7."""
    expected = {(0.1, 355): (3.6e6, 1.6e7), (0.2, 162): (7.4e5, 3.3e6), (0.4, 73): (1.5e5, 6.7e5)}
    for (alpha, m), (pmw, pap) in expected.items():
        logs = math.log(m + 1)
        assert sizes.pmw_records(alpha, 0.1, logs, logs) == pytest.approx(pmw, rel=0.04)
        assert sizes.pap_records(alpha, 0.1, logs, logs) == pytest.approx(pap, rel=0.04)
        assert sizes.pmw_records(alpha, 0.1, logs, logs, epsilon=0.5) == 2 * sizes.pmw_records(alpha, 0.1, logs, logs)
    by_hand = 200 * math.sqrt(2 * math.log(20)) / 0.25 * (3 + math.log(128 * 2 / (0.25 * 0.2)))
    assert sizes.pmw_records(0.5, 0.2, 2.0, 3.0, 1.0, 0.1) == pytest.approx(by_hand)


def test_printed_forms() -> None:
    assert sizes.printed_public(0.1, 0.01, 3) == pytest.approx(10 * math.log(1e5))
    private = sizes.printed_private(0.1, 0.01, 3, 4, 0.5, 1e-3)
    assert private == pytest.approx(math.log(1e5) ** 1.5 * 2 * math.sqrt(math.log(1e3)) / 0.5 * 100)
    assert sizes.log_queries_bound(10, 2) == pytest.approx(2 * math.log(5 * math.e))
    assert math.exp(sizes.log_cells_bound(math.log(16), 2)) == pytest.approx(domains.cells_printed(16, 2))


# ---------------------------------------------------------------------------------------------------- public data alone
@pytest.mark.parametrize("alpha", [0.4, 0.2, 0.1])
def test_need_of_public_data_alone(alpha: float) -> None:
    """Least of all sizes, each tried: the chance falls with the size."""
    need = public_only.public_points_thresholds(alpha, 0.1)
    chances = [1 - spacings.kolmogorov_distribution(m, alpha / 2) for m in range(1, need + 20)]
    assert np.all(np.diff(chances) < 1e-12)
    assert [c <= 0.1 for c in chances] == [False] * (need - 1) + [True] * 20
    assert need <= public_only.hoeffding_points(alpha, 0.1, 1), "the bound of Dvoretzky, Kiefer and Wolfowitz"


@pytest.mark.parametrize("guess", [1, 3, 17, 18, 200])
def test_search_from_any_guess(guess: int) -> None:
    assert public_only._least_near(lambda m: 1 / m, 1 / 17, guess) == 17


def test_stumps_public_failure_by_enumeration() -> None:
    cases = (3, 0.2, 2), (5, 0.3, 3), (10, 0.4, 2), (10, 0.2, 1), (1, 0.5, 4), (4, 0.5, 3), (8, 0.25, 3), (9, 0.34, 1)
    for m, alpha, p in cases:
        outside = sum(math.comb(m, b) for b in range(m + 1) if abs(2 * b - m) > Fraction(repr(alpha)) * m) / 2**m
        actual_stumps_public_failure = public_only.stumps_public_failure(np.array([m]), alpha, p)[0]
        assert actual_stumps_public_failure == pytest.approx(1 - (1 - outside) ** p, abs=1e-12)


def test_stumps_public_points() -> None:
    alpha, beta, p = 0.3, 0.1, 50
    need, most = public_only.stumps_public_points(alpha, beta, p), public_only.hoeffding_points(alpha, beta, p)
    m = np.arange(1, 3 * most)
    tail = 2 * binom.cdf(np.ceil(m * (1 - alpha) / 2 - 1e-9) - 1, m, 0.5)
    fails = 1 - (1 - np.minimum(tail, 1)) ** p > beta
    assert fails[need - 2]
    assert not fails[need - 1 :].any()


def test_gaussian_release_by_simulation() -> None:
    n, alpha, p, rho, trials = 150, 0.3, 20, 0.5, 20_000
    generator = np.random.default_rng(3)
    means = 2 * generator.binomial(n, 0.5, (trials, p)) / n - 1
    noisy = means + 2 / n * math.sqrt(p / (2 * rho)) * generator.normal(size=(trials, p))
    seen = np.mean(np.abs(noisy).max(axis=1) > alpha)
    exact = public_only.stumps_gaussian_failure(n, alpha, p, rho)
    assert 0.02 < exact < 0.5
    assert seen == pytest.approx(exact, abs=4 * math.sqrt(exact / trials))


def test_gaussian_needs() -> None:
    need = public_only.stumps_gaussian_records(0.1, 0.1, 1000, 0.02)
    assert public_only.stumps_gaussian_failure(need, 0.1, 1000, 0.02) <= 0.1
    assert public_only.stumps_gaussian_failure(need - 1, 0.1, 1000, 0.02) > 0.1
    noise = public_only.stumps_noise_records(0.1, 0.1, 1000, 0.02)
    assert noise < need
    deviation = 2 / noise * math.sqrt(1000 / 0.04)
    assert 1 - math.erf(0.1 / deviation / math.sqrt(2)) ** 1000 == pytest.approx(0.1, rel=1e-6)


# ---------------------------------------------------------------------------------------------------- domains
def test_bounds_on_cells() -> None:
    for queries, p in itertools.product(range(1, 12), range(1, 6)):
        brute = sum(1 for mask in range(2**queries) if mask.bit_count() <= p)
        assert domains.cells_sum(queries, p) == brute
        assert brute <= domains.cells_printed(queries, p) * (1 + 1e-12)
    assert domains.cells_printed(3, 5) == 8


def test_shattered_rows_by_exhaustion() -> None:
    """The package's finite classes tell both dimensions by another enumeration."""
    generator = np.random.default_rng(0)
    for _ in range(150):
        given = generator.random((generator.integers(1, 8), generator.integers(1, 9))) < generator.random()
        known = FiniteClass(given.astype(int).tolist())
        table = np.array(known.table, bool)
        assert domains.largest_shattered(table) == known.dual_vc_dimension
        assert domains.largest_shattered(table.T) == known.vc_dimension


# ---------------------------------------------------------------------------------------------------- steps
def test_attacker_of_theorem_13() -> None:
    """Both forms in integers; where the attack rules privacy out, by floating point with e itself."""
    for n, m in itertools.product(range(1, 30), range(30)):
        whole = (n + m) ** 2
        assert steps.traced_private(n, m) * whole == (m + 1) * (whole - 1) - m * whole
        assert steps.traced_private(n, m) == steps.traced_closed_form(n, m)
        assert steps.traced_private(n, m) != steps.traced_closed_form(n, m, printed=True)
    for n in range(1, 100):
        assert (steps.privacy_slack(n, steps.E_ABOVE) > 0) == (math.e / n**2 + 1 / (4 * n) < 1 / (2 * n)) == (n >= 11)
    assert steps.E_BELOW < Fraction(math.e) < steps.E_ABOVE


def test_data_sets_of_remark_9() -> None:
    """The quantiles' distance from the diagonal and rounded means, on a grid and at the jumps."""
    for size in (1, 2, 7, 20):
        places = [Fraction(2 * i - 1, 2 * size) for i in range(1, size + 1)]
        worst = max(max(abs(Fraction(i, size) - v), abs(Fraction(i - 1, size) - v)) for i, v in enumerate(places, 1))
        assert 2 * worst == steps.quantile_error(size)
        means = [Fraction(2 * k - size, size) for k in range(size + 1)]
        grid = [Fraction(k, 10 * size) for k in range(-10 * size, 10 * size + 1)]
        assert max(min(abs(mean - mu) for mean in means) for mu in grid) == steps.rounded_mean_error(size)
    assert [steps.remark_size(Fraction(1, 10), d) for d in (0, 1, 2)] == [1, 101, 201]


def test_a_pap_is_lemma_7_at_half_of_alpha_and_beta() -> None:
    """Queries and cells in their own places, all parameters handed on."""
    given = (0.3, 0.2, 2.0, 5.0, 0.7, 0.01)
    assert sizes.pap_records(*given) == sizes.pmw_records(0.15, 0.1, *given[2:])
    assert sizes.pap_records(*given) != pytest.approx(sizes.pap_records(0.3, 0.2, 5.0, 2.0, 0.7, 0.01))
