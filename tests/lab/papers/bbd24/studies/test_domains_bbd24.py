"""Where statements of BBD24 end: what lies outside of their domains is false, by other ways than the studies'."""

import itertools
import math

import numpy as np
import pytest
import scipy

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bbd24.perturbation.calibration import paper_gaussian_scale
from semipriv.papers.bbd24.perturbation.perturb import mixture
from semipriv.papers.bbd24.perturbation.sizes import Sizes, comparison
from semipriv_lab.ledger.claim import Claim, Run
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.domains import Domain
from semipriv_lab.ledger.stated import domain_of
from semipriv_lab.papers.bbd24.studies import noise, perturbed_privacy, stability
from semipriv_lab.papers.bbd24.studies._chains import chain
from semipriv_lab.papers.bbd24.studies._perturbed_distributions import CHAIN_WIDTH, moved, one_point_excesses, unit
from semipriv_lab.papers.bbd24.studies.fits import hollow_chance
from semipriv_lab.papers.bbd24.studies.norms import linear_ratios
from semipriv_lab.papers.bbd24.studies.regularised import BLANK, blank_chance


def domain(id: str) -> Domain:
    return domain_of(claims()[id])


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(literal_claim, id=literal_claim.id)
        for literal_claim in (
            noise.without_factor,
            noise.regularised_without_factor,
            stability.every_count,
            perturbed_privacy.every_epsilon,
        )
    ],
)
def test_literal_readings_are_refuted_inside_of_their_domains(claim: Claim) -> None:
    finding = claim(Run(Simulation(0), 1.0))
    assert finding.verdict is Verdict.REFUTED
    refuting = [row for row in finding.measurements if row.verdict is Verdict.REFUTED]
    assert refuting
    assert not any(domain(claim.id).broken(row.settings) for row in refuting)


def test_without_the_factor_m_the_mean_of_the_values_tells() -> None:
    """The mean of m = 48 values, 2 apart, with the noise that is displayed: P[mean > 0] against e times the other."""
    gamma = paper_gaussian_scale(1.0, 1e-5, 1, 2.0)
    mean = scipy.stats.norm(scale=gamma / math.sqrt(48))
    assert mean.sf(-1) - math.e * mean.sf(1) > 0.5


def test_the_jump_is_seen_where_eta_is_at_least_10_m() -> None:
    for m, eta, epsilon, delta in itertools.product((8, 1000), (100.0, 1e4), (1.0, 0.1), (1e-5, 1e-8)):
        gamma = paper_gaussian_scale(epsilon, delta, m, 2 / math.sqrt(eta))
        cuts = np.linspace(-1, 1, 2001)
        mean = scipy.stats.norm(scale=gamma / math.sqrt(m))
        largest = float(np.max(mean.sf(cuts - 1) - math.exp(epsilon) * mean.sf(cuts + 1)))
        inside = not domain("BBD24-L11-convex").broken({"m": m, "eta": eta, "epsilon": epsilon, "delta": delta})
        assert inside == (largest > delta)


def test_records_at_one_point_of_the_chain() -> None:
    """By mixtures that are fitted, after the minimisers of draws of the process."""
    sizes, functions, trials = Sizes(10**14, 2000.0, 10**7), chain(8), 400
    generator = np.random.default_rng(2)
    allowed = functions[functions[:, 4] == functions[4, 4]]
    w = generator.standard_normal((100_000, 8)) @ allowed.T
    mean = np.bincount(np.argmin(w, axis=1), minlength=len(allowed)) / len(w) @ allowed
    gamma = math.sqrt(8) * moved(sizes, CHAIN_WIDTH) * unit()
    outputs = [
        mixture(functions, mean + gamma * generator.standard_normal(8))[0] @ functions[:, 4] for _ in range(trials)
    ]
    own = (1 - np.array(outputs) * functions[4, 4]) / 2
    computed_one_point_excesses = one_point_excesses(sizes, 10 * trials, generator)
    for quantile in (0.5, 0.9):
        assert np.mean(own > np.quantile(computed_one_point_excesses, quantile)) == pytest.approx(
            1 - quantile, abs=0.08
        )
    distribution = "uniform on the public points on the chain"
    assert not domain("BBD24-L15").broken({"distribution": distribution})
    assert domain("BBD24-L15").broken({"distribution": "one public point"})


def test_a_public_point_0_says_nothing_of_slopes() -> None:
    """Loss 1/2 of the slope 0 where x = 1, and 0 of the slope 1; sizes for alpha = .05 ask for less."""
    assert blank_chance(BLANK, 0.05) == BLANK
    assert blank_chance(BLANK, (1 - BLANK) / 2) == 0
    for id in ("BBD24-T3-laplace", "BBD24-T3", "BBD24-L16"):
        assert "x is 1" in claims()[id].statement


def test_sizes_on_balls_are_for_the_spreads_that_the_domain_allows() -> None:
    for p, square in ((2, 69.0), (2, 70.0), (5, 140.0), (5, 170.0)):
        inside = not domain("BBD24-T3").broken({"p": p, "K": math.sqrt(square)})
        assert inside == (not domain("BBD24-L16").broken({"p": p, "K": math.sqrt(square), "beta": 0.05}))
        if inside:
            assert comparison(p, 400 * p, math.sqrt(square), 0.05 / 8) > 1
        else:
            with pytest.raises(ValueError, match="must be above"):
                comparison(p, 400 * p, math.sqrt(square), 0.05 / 8)


def test_few_points_do_not_tell_the_norms_of_linear_functions() -> None:
    generator = np.random.default_rng(3)
    for p, m, often in ((2, 1, 1.0), (5, 10, 0.5)):
        assert np.mean(linear_ratios(p, m, 400, generator) > 2) >= often
        assert domain("BBD24-L4-linear").broken({"p": p, "m": m, "beta": 0.05})


def test_a_mean_of_signs_has_the_loss_of_neither() -> None:
    signs = np.random.default_rng(4).choice([-1.0, 1.0], (20_000, 20)).mean(axis=1)
    assert np.mean(1 - signs**2 > 0.8) == pytest.approx(hollow_chance(20, 0.8), abs=0.02)
    assert hollow_chance(1000, 0.03) > 0.999
    assert "convex" in claims()["BBD24-L14"].statement
