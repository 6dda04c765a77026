"""Algorithm 2 of BBD24 by runs: the claim is not ruled out, less noise and a stability without its second term are.

All that is released is a function of the noisy values at the public points, so these are audited.  There is one point
here; more of them, all alike, say no more.  Many runs are drawn together, by the code that draws many minimisers; that
they have the distribution of ``release`` is looked at first, coin by coin.
"""

import math

import attrs
import numpy as np
import pytest

from semipriv.audit.statistical import StatisticalPrivacyLoss, privacy_loss_of_values
from semipriv.classes.regressors.base import Regressors
from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core.losses import loss
from semipriv.core.randomness import Simulation
from semipriv.core.samples import RegressionSample
from semipriv.core.statistics import Verdict
from semipriv.geometry.ball import Spectrum, minimisers
from semipriv.papers.bbd24.learners.perturbed_average import PerturbedAverage
from semipriv.papers.bbd24.perturbation.average import root
from semipriv.papers.bbd24.perturbation.calibration import gaussian_scale
from semipriv.papers.bbd24.perturbation.public_values import BallValues, PublicValues, TableValues
from semipriv_lab.papers.bbd24.studies.perturbed_privacy import released_delta

LEVEL = 1e-6
"""Of each audit; seeds are fixed."""
RUNS = 10_000
SIGNS, LINE = FiniteFunctions([[1.0], [-1.0]]), LinearBall(1)
PUBLIC = {SIGNS: [[0.0]], LINE: [[1.0]]}
LEARNER = PerturbedAverage(1.0, 1e-2, 1.0, 200)
"""So small an eta moves the mean as far as Stein's identity allows, and one in four of the noise is too little."""

Records = list[tuple[float, float]]
PULLS: dict[Regressors, tuple[Records, Records]] = {
    SIGNS: ([(0.0, 1.0), (0.0, 0.0)], [(0.0, -1.0), (0.0, 0.0)]),
    LINE: ([(1.0, 1.0), (0.0, 0.0)], [(1.0, -1.0), (0.0, 0.0)]),
}
"""Neighbours (x, y): the first record pulls up, or down."""
SHAPES: tuple[Records, Records] = ([(1.0, 0.0)], [(0.0, 0.0)])
"""Neighbours on the line: a parabola, whose minimiser may be inside, and none, whose minimiser is an end."""


@attrs.frozen
class QuarterOfNoise(PerturbedAverage):
    """A negative control with a quarter of the noise."""

    def scale(self, m: int, rho: float) -> float:
        return super().scale(m, rho) / 4


@attrs.frozen
class ManyDraws(PerturbedAverage):
    """A negative control that counts on the expectation alone, as if there were ever so many draws."""

    def stability(self, prepared: PublicValues, n_private: int) -> float:
        return math.sqrt(2 / math.pi) / self.eta


def noisy(learner: PerturbedAverage, functions: Regressors, records: Records, runs: int, stream: Simulation):
    """Return the noisy value at the public point in each run, (runs,): minimisers of runs x draws, means, noise."""
    prepared = learner.prepare(PUBLIC[functions], functions)
    x, y = np.array(records).T
    sample, count = RegressionSample(x[:, None], y), runs * learner.draws
    if isinstance(prepared, BallValues):
        deviation, spectrum = root(prepared.features.T), Spectrum.of(sample.points.T @ sample.points / 4)
        drawn = stream.generator.standard_normal((count, deviation.shape[1])) @ deviation.T
        computed_minimisers = minimisers(spectrum, y @ sample.points / 4 - (learner.eta / 2) * drawn)[:, 0]
    else:
        assert isinstance(prepared, TableValues)
        losses = loss("squared").of(functions.values(prepared.parameters, sample.points), y).sum(axis=1)
        deviation = root(prepared.values)
        drawn = stream.generator.standard_normal((count, deviation.shape[1])) @ deviation.T
        computed_minimisers = prepared.values[np.argmin(losses + learner.eta * drawn, axis=1), 0]
    means = computed_minimisers.reshape(runs, learner.draws).mean(axis=1)
    return learner.mechanism(prepared, len(records)).release(means, stream)


def audit(learner, functions, neighbours, runs: int, seed: int, statistic=np.asarray) -> StatisticalPrivacyLoss:
    stream = Simulation(seed)
    values = [statistic(noisy(learner, functions, data, runs, stream.spawn(i))) for i, data in enumerate(neighbours)]
    return privacy_loss_of_values(*values, delta=learner.delta, level=LEVEL)


def towards_zero(values: np.ndarray) -> np.ndarray:
    """Return a statistic that tells values inside from those near the ends."""
    return -np.abs(values)


pulled = pytest.mark.parametrize("functions", [SIGNS, LINE], ids=["signs", "line"])


@pulled
@pytest.mark.parametrize("control", [PerturbedAverage, QuarterOfNoise, ManyDraws])
def test_a_run_that_is_drawn_among_many_is_a_release(functions: Regressors, control: type[PerturbedAverage]) -> None:
    """With the same coins one run, projected, is what the learner releases: within [-1, 1], means of signs too."""
    learner = control(1.0, 1e-2, 1.0, 30, output="hull")
    prepared = learner.prepare(PUBLIC[functions], functions)
    inside = 0
    for records in (*PULLS[functions], *(SHAPES if functions is LINE else ())):
        for seed in range(6):
            value = float(noisy(learner, functions, records, 1, Simulation(seed))[0])
            x, y = np.array(records).T
            released = learner.release(prepared, x[:, None], y, Simulation(seed)).output.predict(prepared.points)
            assert float(released[0]) == pytest.approx(np.clip(value, -1, 1), abs=1e-7)
            inside += abs(value) < 1
    assert inside


@pulled
def test_the_claim_is_not_ruled_out_and_a_quarter_of_the_noise_is(functions: Regressors) -> None:
    audit_result = audit(LEARNER, functions, PULLS[functions], RUNS, 1)
    assert audit_result.verdict(LEARNER.guarantee) is Verdict.INCONCLUSIVE
    assert audit_result.epsilon_lower < LEARNER.epsilon
    broken = QuarterOfNoise(*attrs.astuple(LEARNER))
    assert audit(broken, functions, PULLS[functions], RUNS, 2).verdict(broken.guarantee) is Verdict.VIOLATED


def test_the_stability_needs_its_second_term_if_draws_are_few() -> None:
    """One draw is inside of [-1, 1] for one of the neighbours only."""
    learner = PerturbedAverage(1.0, 1e-3, 20.0, 1)
    assert audit(learner, LINE, SHAPES, 40_000, 3, towards_zero).epsilon_lower < learner.epsilon
    broken = ManyDraws(*attrs.astuple(learner))
    assert audit(broken, LINE, SHAPES, 40_000, 4, towards_zero).verdict(broken.guarantee) is Verdict.VIOLATED


@pytest.mark.parametrize("draws", [1, 5, 20])
@pytest.mark.parametrize("eta", [1.0, 5.0, 20.0])
def test_two_signs_do_not_tell_that_the_second_term_is_missing(eta: float, draws: int) -> None:
    """Exactly: random draws hide the sign of a record by themselves.  So this control is looked for on the line."""
    gamma = gaussian_scale(1.0, 5e-4, 1, math.sqrt(2 / math.pi) / eta)
    assert released_delta(eta, draws, gamma, 1, 1.0) < 1e-3
