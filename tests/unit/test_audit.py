"""The exact audit: fixtures computed independently, and broken twins that it must catch."""

import math

import numpy as np
import pytest

from semipriv.audit.exact import exact_privacy_loss, learner_privacy_loss
from semipriv.audit.twins import FullExponent, cover_from_private_points
from semipriv.claims.abm19_privacy import privacy_of_sspp
from semipriv.classes.thresholds import Thresholds
from semipriv.learners.base import Law
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.sspp import SSPP
from semipriv.randomness import Simulation
from semipriv.statistics import Verdict

FIXTURES = {
    (1.0, 1): [0.5, 0.620115, 0.727336, 0.813666, 0.877476, 0.921659],
    (1.0, 2): [0.663643, 0.763383, 0.840896, 0.896629, 0.934454, 0.959112],
    (1.0, 3): [0.746154, 0.827989, 0.887607, 0.928453, 0.955253, 0.972336],
    (0.1, 1): [0.05, 0.051249, 0.052497, 0.053742, 0.054982, 0.056216],
}


def two_hypotheses_loss(n: int, epsilon: float) -> float:
    """Loss of a cover of two hypotheses in closed form; attained where all but one label contradict the hypothesis."""
    return epsilon - math.log1p(math.exp(epsilon * (2 - n) / 2)) + math.log1p(math.exp(-epsilon * n / 2))


def line(m: int) -> np.ndarray:
    return np.arange(1.0, m + 1)[:, None]


@pytest.mark.parametrize(("epsilon", "m"), FIXTURES)
def test_fixtures(epsilon: float, m: int) -> None:
    losses = [learner_privacy_loss(SSPP(epsilon), Thresholds(), line(m), line(m), n).loss for n in range(1, 7)]
    np.testing.assert_allclose(losses, FIXTURES[epsilon, m], atol=6e-7)


def test_fixture_of_a_small_epsilon() -> None:
    losses = [learner_privacy_loss(SSPP(0.1), Thresholds(), line(3), line(3), n).loss for n in (1, 6)]
    np.testing.assert_allclose(losses, [0.074996, 0.079386], atol=6e-7)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_two_hypotheses_in_closed_form(epsilon: float) -> None:
    """Tends to epsilon: the factor 2 in the exponent is needed."""
    for n in (1, 2, 5, 9):
        found = learner_privacy_loss(SSPP(epsilon), Thresholds(), line(1), line(1), n).loss
        assert found == pytest.approx(two_hypotheses_loss(n, epsilon), abs=1e-12)
    assert two_hypotheses_loss(1, epsilon) == pytest.approx(epsilon / 2)
    assert two_hypotheses_loss(2000, epsilon) == pytest.approx(epsilon, rel=1e-6)


def test_the_pair_attains_the_loss() -> None:
    worst = learner_privacy_loss(SSPP(1.0), Thresholds(), line(2), line(2), 4)
    prepared = SSPP(1.0).prepare(line(2), Thresholds())
    laws = [SSPP(1.0).law(prepared, s.points, s.labels).log_probabilities for s in (worst.sample, worst.neighbour)]
    assert np.abs(laws[0] - laws[1]).max() == pytest.approx(worst.loss, abs=1e-15)
    rows = [set(zip(map(tuple, s.points), s.labels, strict=True)) for s in (worst.sample, worst.neighbour)]
    assert rows[0] != rows[1]
    assert worst.tightness(1.0) == worst.loss < 1


def test_no_public_point_costs_nothing() -> None:
    assert learner_privacy_loss(SSPP(1.0), Thresholds(), line(0), line(3), 3).loss == 0


def test_twin_with_the_whole_exponent_is_caught() -> None:
    losses = [learner_privacy_loss(FullExponent(1.0), Thresholds(), line(m), line(m), 6).loss for m in (1, 2, 3)]
    np.testing.assert_allclose(losses, [1.984, 1.992, 1.995], atol=6e-4)


def test_twin_with_a_cover_of_private_points_is_caught() -> None:
    law = cover_from_private_points(SSPP(1.0), Thresholds(), line(1))
    assert exact_privacy_loss(law, line(2), 2).loss == math.inf


def test_twin_that_reads_the_best_error_is_caught() -> None:
    """Non-private empirical risk minimisation, as a law: its output is certain, so the loss is infinite."""
    cover = Thresholds().cover(line(2))

    def law(points: np.ndarray, labels: np.ndarray) -> Law:
        best = int(np.argmin(cover.mistakes(points, labels)))
        return Law(cover.parameters[[best]], np.zeros(1))

    assert exact_privacy_loss(law, line(2), 1).loss == math.inf
    with pytest.raises(ValueError, match="no finite output law"):
        learner_privacy_loss(EmpiricalRiskMinimiser(), Thresholds(), line(2), line(2), 1)


def test_random_neighbours_of_larger_samples() -> None:
    """Label flips, feature changes, both, and an adversarial start, for 500 random neighbours."""
    generator = np.random.default_rng(0)
    for trial in range(500):
        n, epsilon = int(generator.integers(1, 60)), float(generator.choice([0.05, 0.5, 2.0]))
        learner = SSPP(epsilon)
        prepared = learner.prepare(generator.random((int(generator.integers(0, 12)), 1)), Thresholds())
        x, y = generator.random((n, 1)), generator.integers(0, 2, n)
        if trial % 2:
            y = (x[:, 0] < 0.5).astype(int)
        z, w = x.copy(), y.copy()
        i = int(generator.integers(n))
        if trial % 3 != 1:
            z[i] = generator.random()
        if trial % 3 != 2:
            w[i] = 1 - w[i]
        first, second = (learner.law(prepared, a, b).log_probabilities for a, b in ((x, y), (z, w)))
        assert np.abs(first - second).max() <= epsilon + 1e-9


def test_claim() -> None:
    finding = privacy_of_sspp(Simulation(0), 1.0)
    assert finding.verdict is Verdict.HOLDS
    assert 0.97 < finding.deciding.measured.value <= 1
    assert len(finding.measurements) > 100


def test_bad_size() -> None:
    with pytest.raises(ValueError, match="n = 0"):
        exact_privacy_loss(lambda x, y: Law(np.zeros((1, 1)), np.zeros(1)), line(1), 0)
