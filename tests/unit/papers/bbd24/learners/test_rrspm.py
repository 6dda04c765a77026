"""RRSPM and RSPM: noise, cost, what the release depends on, and refused parameters."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from semipriv.audit.exact import learner_privacy_loss
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.core.roles import Role
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noise.laplace import Laplace
from semipriv.mechanisms.perturbed_minimum import distinct_sums
from semipriv.papers.bbd24.learners.rrspm import RRSPM
from semipriv.papers.bbd24.learners.rspm import RSPM
from semipriv.papers.bbd24.perturbation.gaussian_weights import closed_scale, union_scale, width_scale
from semipriv.privacy.guarantee import Guarantee

LINE = np.arange(1.0, 4.0)[:, None]
CUBE = FiniteClass(list(itertools.product((0, 1), repeat=3)))


def noise_of(learner, h, points):
    return learner._noise(learner.prepare(points, h))


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (RRSPM(0.5), Laplace(12.0)),
        (RRSPM(0.5, scale="teaching"), Laplace(4.0)),
        (RRSPM(0.3, weights="discrete_laplace"), DiscreteLaplace(6 / Fraction(0.3))),
        (RRSPM(0.5, weights="discrete_laplace", scale="teaching"), DiscreteLaplace(Fraction(4))),
    ],
)
def test_noise_is_the_shift_over_epsilon(learner, expected) -> None:
    """With m the distinct points; none without points."""
    assert noise_of(learner, Thresholds(), np.concatenate([LINE, LINE])) == expected
    assert noise_of(learner, Thresholds(), LINE[:0]) is None


def test_normal_noise_is_a_provable_scale() -> None:
    given = (1.0, 1e-6)
    sigma_by_scale = {
        scale: noise_of(RRSPM(*given, "gaussian", scale), Thresholds(), LINE).sigma
        for scale in ("union", "closed", "width", "teaching")
    }
    assert sigma_by_scale["union"] == union_scale(3, *given, 4)
    assert sigma_by_scale["closed"] == closed_scale(3, *given, 4)
    assert sigma_by_scale["width"] == pytest.approx(width_scale(3, *given, math.sqrt(2 * math.log(4))))
    assert sigma_by_scale["teaching"] == union_scale(1, *given, 4)
    assert RRSPM(*given, "gaussian", "union").guarantee == Guarantee(*given)


def test_weights_whose_sums_floats_do_not_hold_are_refused_by_public_numbers() -> None:
    """The limit depends on epsilon, the public points and the number of records, and not on records or draws."""
    prepared = RRSPM(1.0, weights="discrete_laplace").prepare(np.arange(30.0), Thresholds())
    for x, y in (([3.0, 7.0], [0, 1]), ([9.0, 9.0], [1, 1])):
        with pytest.raises(ValueError, match=r"for 30 public points: must be below .*: take a larger epsilon"):
            RRSPM(1e-9, weights="discrete_laplace").release(prepared, x, y, Simulation(1))
        RRSPM(1e-6, weights="discrete_laplace").release(prepared, x, y, Simulation(1))
        RRSPM(1e-9).release(prepared, x, y, Simulation(1))


def test_a_heuristic_has_no_guarantee() -> None:
    learner = RRSPM(1.0, oracle="logistic")
    assert (learner.guarantee, learner.role) == (None, Role.OTHER_MODEL)
    assert learner.title == "RRSPM (logistic), not private"
    assert RRSPM(1.0, oracle="certified").guarantee == Guarantee(1.0)


def test_a_certified_heuristic_releases_what_the_exact_oracle_does() -> None:
    rng, h = np.random.default_rng(2), Halfspaces(2)
    public, x = rng.normal(size=(10, 2)), rng.normal(size=(40, 2))
    y = (x[:, 0] > 0).astype(int)
    for seed in range(12):
        first, other = (
            RRSPM(40.0, oracle=name).release(RRSPM(40.0).prepare(public, h), x, y, Simulation(seed))
            for name in ("exact", "certified")
        )
        assert first.output.parameters.tobytes() == other.output.parameters.tobytes()


def test_the_release_shows_the_pattern_only() -> None:
    """Private points between public ones move no cut; two calls, one for the noise and one for the pattern."""
    learner, outputs = RRSPM(50.0, scale="teaching"), set()
    for private in (1.01, 1.5, 1.99):
        x, y = np.array([[private]] * 400 + [[3.5]] * 400), np.repeat([0, 1], 400)
        release = learner.release(learner.prepare(LINE, Thresholds()), x, y, Simulation(3))
        outputs.add(float(release.output.parameters[0]))
        assert release.cost == {"oracle_calls": 2.0, "public_points": 3.0}
    assert len(outputs) == 1
    assert outputs <= set(Thresholds().cover(LINE).listed().parameters[:, 0])


@pytest.mark.parametrize("weights", ["laplace", "discrete_laplace"])
def test_draws_on_one_point_follow_the_closed_form(weights: str) -> None:
    """P[label 1] = P[xi < q(0) - q(1)]; by the public order label 0 wins where both are equal."""
    learner, gap = RRSPM(0.5, weights=weights), 3
    prepared = learner.prepare([[1.0]], Thresholds())
    x, y = np.full((gap, 1), 1.0), np.ones(gap, int)
    draws = 1_200
    positives = sum(
        learner.release(prepared, x, y, Simulation(seed)).output.predict([[1.0]])[0] for seed in range(draws)
    )
    if weights == "laplace":
        chance = 1 - math.exp(-gap / 4) / 2
    else:
        chance = math.exp(DiscreteLaplace(4).log_cumulative([gap - 1])[0])
    assert chisquare([positives, draws - positives], [draws * chance, draws * (1 - chance)]).pvalue > 1e-6


def test_patterns_of_equal_noisy_mistakes_are_ordered_by_public_numbers() -> None:
    for h, points in ((Thresholds(), LINE), (CUBE, np.arange(3.0)[:, None]), (Halfspaces(2), np.eye(3)[:, :2])):
        patterns = h.cover(points).listed().dichotomies()
        sums = patterns @ np.array(distinct_sums(patterns))
        assert len(np.unique(sums)) == len(patterns)


@pytest.mark.parametrize("scale", ["paper", "teaching"])
def test_rspm_on_a_tiny_domain_is_private(scale: str) -> None:
    """The pattern on the domain is the hypothesis; public points do not matter."""
    learner = RSPM(3.0, weights="discrete_laplace", scale=scale)
    thresholds = FiniteClass([[int(x >= t) for x in range(3)] for t in range(4)])
    privacy_loss = learner_privacy_loss(learner, thresholds, [[0.0]], np.arange(3.0)[:, None], 2)
    assert privacy_loss.within_claim
    assert privacy_loss.loss >= 0.99
    prepared = learner.prepare([[2.0]], thresholds)
    distribution = learner.output_distribution(prepared, np.array([[1.0]]), np.array([1]))
    assert sorted(distribution.parameters[:, 0].tolist()) == [0.0, 1.0, 2.0, 3.0]


def test_rspm_learns_over_a_domain_that_is_listed() -> None:
    assert len(RSPM(1.0).prepare([], DiscreteThresholds(3)).points) == 8
    assert RSPM(1.0).short_title == "RSPM"
