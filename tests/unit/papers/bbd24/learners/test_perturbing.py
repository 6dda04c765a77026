"""Algorithms 2 and 3 of BBD24: noise and stability, what is refused with which least value, costs, attained bounds."""

import math

import attrs
import numpy as np
import pytest

from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core.losses import loss
from semipriv.core.randomness import Simulation
from semipriv.core.samples import RegressionSample
from semipriv.mechanisms.noisy_vector import NoisyVector
from semipriv.papers.bbd24.learners.perturbed_average import PerturbedAverage
from semipriv.papers.bbd24.learners.regularised import Regularised
from semipriv.papers.bbd24.perturbation.calibration import (
    finite_width,
    gaussian_scale,
    laplace_scale,
    rho_mcdiarmid,
    rho_perturbed,
)
from semipriv.privacy.gaussian import gaussian_delta

LEARNERS = [*PerturbedAverage.examples(), *Regularised.examples()]
each = pytest.mark.parametrize("learner", LEARNERS, ids=lambda value: value.title)


def public(m: int = 30, p: int = 2) -> np.ndarray:
    z = np.random.default_rng(3).normal(size=(m, p))
    return z / np.linalg.norm(z, axis=1, keepdims=True)


@each
def test_the_noise_is_the_least_for_the_stability(learner) -> None:
    """Its profile at epsilon is the delta that is left; a hundredth less of it is too little."""
    prepared = learner.prepare(public(), LinearBall(2))
    mechanism, rho = learner.mechanism(prepared, 40), min(2.0, learner.stability(prepared, 40))
    if learner.noise == "laplace":
        assert mechanism.scale == laplace_scale(learner.epsilon, 30, rho)
        assert mechanism.sensitivity == pytest.approx(30 * rho)
        return
    assert mechanism.scale == pytest.approx(gaussian_scale(learner.epsilon, learner.noise_delta, 30, rho), rel=1e-12)
    assert mechanism.sensitivity == pytest.approx(math.sqrt(30) * rho)
    assert gaussian_delta(mechanism.scale, learner.epsilon, mechanism.sensitivity) <= learner.noise_delta * (1 + 1e-9)
    assert gaussian_delta(0.99 * mechanism.scale, learner.epsilon, mechanism.sensitivity) > learner.noise_delta


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 17.0, 80.0, 700.0, 1e4])
@pytest.mark.parametrize("m", [1, 2, 8, 48])
def test_the_noise_is_private_for_every_epsilon_and_number_of_points(epsilon: float, m: int) -> None:
    """The display of lemma 9 is not, above epsilon = 16.5 at m = 8; so no learner may calibrate with it."""
    points = np.ones((m, 1))
    for learner in (
        PerturbedAverage(epsilon, 1e-5, 5.0, 400),
        PerturbedAverage(epsilon, 1e-5, 0.5, 10),
        PerturbedAverage(epsilon, 1e-5, 5.0, 400, noise="laplace"),
        Regularised(epsilon, 1e-5, 0.25),
        Regularised(epsilon, 1e-5, 100.0, "absolute"),
        Regularised(epsilon, 0.0, 0.25, noise="laplace"),
    ):
        prepared = learner.prepare(points, LinearBall(1))
        mechanism, rho = learner.mechanism(prepared, 3), min(2.0, learner.stability(prepared, 3))
        if learner.noise == "laplace":
            assert m * rho / mechanism.scale <= epsilon * (1 + 1e-12)
        else:
            spent = gaussian_delta(mechanism.scale, epsilon, math.sqrt(m) * rho)
            assert spent <= learner.noise_delta * (1 + 1e-9)


@each
def test_a_scale_below_the_least_is_refused_with_the_least(learner) -> None:
    """Which is accepted, and the eta or the draws that are named make the given one enough."""
    prepared = learner.prepare(public(), LinearBall(2))
    sample = np.zeros((5, 2)), np.zeros(5)
    scale = learner.mechanism(prepared, 5).scale
    with pytest.raises(ValueError, match=rf"gamma = .*: must be >= {scale!r} with 30 public points .* or ") as refused:
        attrs.evolve(learner, gamma=0.9 * scale).release(prepared, *sample, Simulation(1))
    assert attrs.evolve(learner, gamma=scale).release(prepared, *sample, Simulation(1)).cost["noise_scale"] == scale
    words = str(refused.value).split("; or ")[1].replace("with ", "").split()
    named = {name: float(number) for name, number in zip(words[::3], words[2::3], strict=True)}
    named |= {"draws": int(named["draws"])} if "draws" in named else {}
    larger = {key: number * (1.001 if learner.loss == "absolute" else 1) for key, number in named.items()}
    assert attrs.evolve(learner, gamma=0.9 * scale, **larger).mechanism(prepared, 5).scale == 0.9 * scale
    larger = {**named, min(named): named[min(named)] * 0.9} if "eta" in named else {"draws": int(0.9 * named["draws"])}
    with pytest.raises(ValueError, match="must be >="):
        attrs.evolve(learner, gamma=0.9 * scale, **larger).mechanism(prepared, 5)


def test_parts_of_delta_and_calls() -> None:
    learner = PerturbedAverage(1.0, 1e-3, 5.0, 70)
    assert (learner.average_delta, learner.noise_delta) == (5e-4, 5e-4)
    assert attrs.evolve(learner, noise="laplace").average_delta == 1e-3
    h = FiniteFunctions([[1.0, 0.0], [-1.0, 0.5], [0.0, 0.0]])
    prepared = learner.prepare([[0.0], [1.0]], h)
    rho = learner.stability(prepared, 9)
    assert rho == rho_perturbed(5.0, 70, 5e-4, finite_width(3))
    given = ([[0.0], [1.0]], [1.0, -1.0], Simulation(1))
    assert learner.release(prepared, *given).cost["oracle_calls"] == 71
    assert learner.release(prepared, *given).cost["stability"] == min(2.0, rho)
    assert attrs.evolve(learner, output="hull").release(prepared, *given).cost["oracle_calls"] > 71
    ball = Regularised(1.0, 1e-3, 5.0)
    assert ball.release(ball.prepare([[1.0]], LinearBall(1)), [[0.5]], [1.0], Simulation(1)).cost["oracle_calls"] == 2


FOUR = FiniteFunctions([[1.0, 0.0, 0.3], [-1.0, 0.5, 0.3], [0.0, 0.0, 0.3], [1.0, 0.0, -0.9]])


@pytest.mark.parametrize(("functions", "points"), [(FOUR, [[0.0], [1.0]]), (FOUR, [[2.0]]), (LinearBall(2), public())])
def test_the_width_bounds_the_mean_of_the_largest_value_of_the_process(functions, points) -> None:
    """By draws of w; functions that agree on the public points count once."""
    prepared = PerturbedAverage(1.0, 1e-3, 5.0, 70).prepare(points, functions)
    xi = np.random.default_rng(4).standard_normal((20_000, len(points))) / math.sqrt(len(points))
    if functions is FOUR:
        highest = (xi @ functions.values(functions.listed(), points).T).max(axis=1)
        assert prepared.gaussian_width == finite_width(3 if len(points) == 2 else 2)
    else:
        highest = np.linalg.norm(xi @ functions.features(np.asarray(points)), axis=1)
    assert highest.mean() < prepared.gaussian_width < 3 * highest.mean()


def test_the_stability_is_the_smaller_one_and_reads_public_points_alone() -> None:
    """Few draws: as before.  Many: less, and less still with fewer functions.  The number of records plays no part."""
    for functions in (FOUR, LinearBall(1)):
        points = [[0.0], [1.0]]
        for eta, draws in ((1.0, 1), (20.0, 300), (20.0, 100_000)):
            learner = PerturbedAverage(1.0, 1e-3, eta, draws)
            prepared = learner.prepare(points, functions)
            assert learner.stability(prepared, 1) == learner.stability(prepared, 10**6)
            assert learner.stability(prepared, 1) <= rho_mcdiarmid(eta, draws, 5e-4)
        assert learner.stability(prepared, 1) < 0.8 * rho_mcdiarmid(eta, draws, 5e-4)
    finite_functions = FiniteFunctions([[0.5, 0.5], [0.5, 0.5]])
    assert learner.stability(learner.prepare(points, finite_functions), 1) < learner.stability(
        learner.prepare(points, FOUR), 1
    )


@pytest.mark.parametrize("eta", [0.25, 1.0, 30.0])
def test_the_stability_of_algorithm_3_is_attained(eta: float) -> None:
    """Z all 1, records x = 0 but one with x = 1 and y = +-1: the minimiser moves by 1 / (2 eta)."""
    learner = Regularised(1.0, 0.0, eta, "absolute", "laplace")
    prepared = learner.prepare(np.ones((4, 1)), LinearBall(1))
    x = np.array([[1.0], [0.0], [0.0]])
    fits = [
        prepared.regularised(RegressionSample(x, np.array([y, 0.0, 0.0])), loss("absolute"), eta, 1e-12).predict(
            prepared.points
        )
        for y in (1.0, -1.0)
    ]
    moved = float(np.sqrt(np.mean((fits[0] - fits[1]) ** 2)))
    assert moved == pytest.approx(1 / (2 * eta), rel=1e-4)
    assert moved <= learner.stability(prepared, 3) <= 1.001 * moved


@pytest.mark.parametrize(("noise", "variance"), [("gaussian", 9.0), ("laplace", 18.0)])
def test_noise_of_a_vector(noise: str, variance: float) -> None:
    drawn = NoisyVector(noise, 3.0, 1.0).release(np.full(20_000, 5.0), Simulation(1))
    assert drawn.mean() == pytest.approx(5, abs=0.15)
    assert drawn.var() == pytest.approx(variance, rel=0.1)
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.03


def test_much_data_are_learned() -> None:
    """Little noise, many records: both come near the best function; over two signs, the hull alone."""
    generator = np.random.default_rng(1)
    x = generator.normal(size=(20_000, 2))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    best = np.array([0.6, -0.5])
    for learner in (PerturbedAverage(50.0, 0.1, 200.0, 200_000), Regularised(50.0, 0.1, 40.0)):
        output = learner.release(learner.prepare(public(), LinearBall(2)), x, x @ best, Simulation(1)).output
        np.testing.assert_allclose(output.parameters[0], best, atol=0.05)
    signs = FiniteFunctions([[1.0, 1.0], [-1.0, 1.0]])
    fair = np.resize([1.0, -1.0], 20_000)
    for output, loss_of in (("proper", 1.0), ("hull", 0.0)):
        learner = PerturbedAverage(50.0, 0.1, 50.0, 100_000, output=output)
        prepared = learner.prepare(np.resize([[0.0], [1.0]], (40, 1)), signs)
        predictions = learner.release(prepared, np.zeros((20_000, 1)), fair, Simulation(1)).output.predict([[0.0]])
        assert abs(predictions[0]) == pytest.approx(loss_of, abs=0.1)
