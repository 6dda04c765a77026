"""Stability and noise of algorithms 2 and 3: never below their formulas, and the least sizes are least."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from semipriv.papers.bbd24.perturbation.calibration import (
    finite_width,
    gaussian_scale,
    laplace_scale,
    largest_gaussian_rho,
    largest_laplace_rho,
    least_count,
    least_perturbed_eta,
    least_regularised_eta,
    paper_gaussian_scale,
    paper_laplace_scale,
    rho_bernstein,
    rho_mcdiarmid,
    rho_perturbed,
    rho_regularised,
)
from semipriv.privacy.gaussian import gaussian_delta

ETAS = (1e-3, 0.3, 4.0, 7.0, 1e6)


@pytest.mark.parametrize("eta", ETAS)
def test_bounded_losses_give_the_root(eta: float) -> None:
    rho = rho_regularised(eta)
    assert Fraction(eta) * Fraction(rho) ** 2 >= 1 > Fraction(eta) * Fraction(math.nextafter(rho, 0)) ** 2


@pytest.mark.parametrize("eta", ETAS)
def test_lipschitz_losses_give_the_smaller_bound(eta: float) -> None:
    rho = rho_regularised(eta, 0.3, 1.7)
    assert rho <= rho_regularised(eta)
    assert math.isclose(rho, min(0.3 * 1.7 / eta, eta**-0.5), rel_tol=1e-12)
    if rho < rho_regularised(eta):
        assert Fraction(rho) * Fraction(eta) >= Fraction(0.3) * Fraction(1.7)


@pytest.mark.parametrize(("eta", "count", "delta"), list(itertools.product((0.5, 20.0), (1, 10**5), (0.5, 1e-9))))
def test_perturbed_is_stein_and_mcdiarmid(eta: float, count: int, delta: float) -> None:
    plain = math.sqrt(2 / math.pi) / eta + 2 * (1 + math.sqrt(2 * math.log(2 / delta))) / math.sqrt(count)
    assert math.isclose(rho_perturbed(eta, count, delta), plain, rel_tol=1e-14)


@pytest.mark.parametrize(("m", "rho", "epsilon"), list(itertools.product((1, 7, 4096), (1e-3, 2.0), (0.01, 1.0, 30.0))))
def test_gaussian_noise_is_the_least(m: int, rho: float, epsilon: float) -> None:
    """On Z all 1 and two constants rho apart the profile is delta; a little less noise has more."""
    gamma, distance = gaussian_scale(epsilon, 1e-6, m, rho), math.sqrt(m) * rho
    assert gaussian_delta(gamma, epsilon, distance * (1 - 1e-15)) <= 1e-6
    assert gaussian_delta(gamma * (1 - 1e-13), epsilon, distance) > 1e-6


def test_laplace_noise() -> None:
    assert Fraction(laplace_scale(0.3, 7, 0.1)) >= 7 * Fraction(0.1) / Fraction(0.3)
    assert math.isclose(paper_laplace_scale(0.3, 7, 0.1), math.sqrt(7) * laplace_scale(0.3, 7, 0.1), rel_tol=1e-14)


@pytest.mark.parametrize(("m", "rho", "epsilon"), list(itertools.product((1, 8, 4096), (1e-3, 2.0), (0.01, 4.0))))
def test_paper_scale_solves_its_display(m: int, rho: float, epsilon: float) -> None:
    gamma = paper_gaussian_scale(epsilon, 1e-5, m, rho)
    display = m / (2 * gamma**2) * (1 + gamma * math.sqrt(math.log(1e5))) * rho
    assert math.isclose(display, epsilon, rel_tol=1e-12)


CHANCES = (1e-300, 1e-20, 1e-5, 0.1, 0.5, 0.88, 0.9, 0.999, 1 - 1e-9)
PRIVATE = list(itertools.product((8, 9, 100), (1e-6, 0.3, 1.0, 2.0), (1e-4, 0.1, 1.0)))


@pytest.mark.parametrize(("m", "rho", "epsilon"), PRIVATE)
def test_paper_scale_is_private_where_that_is_proved(m: int, rho: float, epsilon: float) -> None:
    """For m >= 8, epsilon <= 1 and every delta; with room, as the proof has."""
    for delta in CHANCES:
        gamma = paper_gaussian_scale(epsilon, delta, m, rho)
        assert gaussian_delta(gamma, epsilon, math.sqrt(m) * rho) <= 0.78 * delta


@pytest.mark.parametrize(("m", "delta"), list(itertools.product((8, 9, 16, 48), (1e-30, 1e-5, 0.1, 0.6))))
def test_paper_scale_is_private_up_to_the_larger_epsilon_of_the_same_proof(m: int, delta: float) -> None:
    log = math.log(1 / delta)
    epsilon = min(4 * math.log(2) + (m / 2 - 4) * log, m * log)
    for rho, part in itertools.product((1e-6, 0.3, 2.0), (0.1, 0.5, 1.0)):
        gamma = paper_gaussian_scale(part * epsilon, delta, m, rho)
        assert gaussian_delta(gamma, part * epsilon, math.sqrt(m) * rho) <= delta


@pytest.mark.parametrize(("m", "epsilon"), list(itertools.product((2, 3, 100), (1e-4, 1.0, 20.0, 1e4))))
def test_paper_scale_for_twice_the_distance_is_private_for_every_epsilon(m: int, epsilon: float) -> None:
    """Lemma 11, whose printed stability is twice the true one; at m = 1 it is not."""
    for delta, rho in itertools.product(CHANCES, (1e-6, 0.3, 2.0)):
        gamma = paper_gaussian_scale(epsilon, delta, m, 2 * rho)
        assert gaussian_delta(gamma, epsilon, math.sqrt(m) * rho) <= 0.78 * delta
    assert gaussian_delta(paper_gaussian_scale(1.0, 1e-5, 1, 4.0), 1.0, 2.0) > 1e-5


@pytest.mark.parametrize(("m", "epsilon"), [(1, 0.5), (8, 17.0), (48, 700.0), (4096, 1e5)])
def test_paper_scale_is_not_private_beyond(m: int, epsilon: float) -> None:
    gamma = paper_gaussian_scale(epsilon, 1e-5, m, 2.0)
    assert gaussian_delta(gamma, epsilon, math.sqrt(m) * 2.0) > 1e-5


@pytest.mark.parametrize(("m", "gamma"), list(itertools.product((1, 50), (0.05, 3.0))))
def test_largest_rho_is_accepted_and_largest(m: int, gamma: float) -> None:
    for rho, scale in (
        (largest_gaussian_rho(0.7, 1e-6, m, gamma), lambda rho: gaussian_scale(0.7, 1e-6, m, rho)),
        (largest_laplace_rho(0.7, m, gamma), lambda rho: laplace_scale(0.7, m, rho)),
    ):
        assert scale(rho) <= gamma < scale(rho * (1 + 1e-12))


@pytest.mark.parametrize(("rho", "lipschitz", "spread"), [(0.5, math.inf, math.inf), (0.03, 0.5, 2.0), (1.9, 1.0, 9.0)])
def test_least_regularised_eta(rho: float, lipschitz: float, spread: float) -> None:
    eta = least_regularised_eta(rho, lipschitz, spread)
    assert rho_regularised(eta, lipschitz, spread) <= rho
    assert rho_regularised(math.nextafter(eta, 0), lipschitz, spread) > rho


WIDTHS = (0.0, 0.5, 3.0, math.inf)
COUNTS = (1, 30, 3000, 10**6)


@pytest.mark.parametrize(("eta", "count", "delta"), list(itertools.product((0.5, 20.0), COUNTS, (0.5, 1e-9))))
def test_bernstein_by_its_formula_and_the_smaller_of_two(eta: float, count: int, delta: float) -> None:
    log, old = math.log(2 / delta), rho_mcdiarmid(eta, count, delta)
    for width in WIDTHS[:-1]:
        plain = math.sqrt(2 / math.pi) / eta + 4 * log / count + math.sqrt(4 * width * log / (eta * count))
        assert math.isclose(rho_bernstein(eta, count, delta, width), plain, rel_tol=1e-13)
        assert rho_perturbed(eta, count, delta, width) == min(old, rho_bernstein(eta, count, delta, width)) <= old
    assert rho_perturbed(eta, count, delta) == old


def test_the_stability_falls_with_eta_and_draws_and_rises_with_width() -> None:
    etas = (0.3, 2.0, 50.0)
    table = np.array([[[rho_perturbed(e, c, 1e-6, w) for w in WIDTHS] for c in COUNTS] for e in etas])
    assert (np.diff(table, axis=0) < 0).all()
    assert (np.diff(table, axis=1) < 0).all()
    assert (np.diff(table, axis=2) >= 0).all()
    assert len(np.unique(table)) > table.size / 2


@pytest.mark.parametrize("width", WIDTHS)
def test_least_sizes_by_looking_at_all(width: float) -> None:
    rho, eta, delta = 0.9, 4.0, 0.1
    listed = next(count for count in itertools.count(1) if rho_perturbed(eta, count, delta, width) <= rho)
    assert least_count(rho, eta, delta, width) == listed
    least = least_perturbed_eta(rho, listed, delta, width)
    assert (
        rho_perturbed(least, listed, delta, width)
        <= rho
        < rho_perturbed(math.nextafter(least, 0), listed, delta, width)
    )


@pytest.mark.parametrize(("eta", "count"), [(5.0, 1000), (20.0, 10_000), (80.0, 100_000)])
def test_the_bernstein_stability_holds_on_two_signs_exactly(eta: float, count: int) -> None:
    """Averages of the two signs differ by 2 B / J, B binomial; at the stability of the expectation alone they do."""
    share = math.erf(1 / (2 * eta) / math.sqrt(2))
    rho = rho_bernstein(eta, count, 1e-3, finite_width(2))
    assert binom.sf(math.floor(rho * count / 2), count, share) <= 1e-3
    assert binom.sf(math.floor(2 * share * count / 2), count, share) > 0.1


def test_least_perturbed_sizes() -> None:
    eta = least_perturbed_eta(0.1, 10**5, 1e-6)
    assert rho_perturbed(eta, 10**5, 1e-6) <= 0.1 < rho_perturbed(math.nextafter(eta, 0), 10**5, 1e-6)
    count = least_count(0.1, 20.0, 1e-6)
    assert rho_perturbed(20.0, count, 1e-6) <= 0.1 < rho_perturbed(20.0, count - 1, 1e-6)
