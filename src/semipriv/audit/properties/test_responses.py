"""Points of the unit ball, their shifts and responses: distributions against draws and sums over finite sets."""

import math

import numpy as np
import pytest

from semipriv.audit.properties.outside import together
from semipriv.classes.regressors.base import Regressor
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core import registry
from semipriv.core.losses import LOSSES, loss
from semipriv.core.randomness import Simulation
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.marginals.beta import Beta
from semipriv.distributions.marginals.discrete_grid import DiscreteGrid
from semipriv.distributions.marginals.heavy_atom import HeavyAtom
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.marginals.unit_ball import UnitBall
from semipriv.distributions.regression import RegressionDistribution
from semipriv.distributions.responses.base import Response
from semipriv.distributions.responses.linear import Linear
from semipriv.distributions.responses.signs import Signs
from semipriv.distributions.shifts.base import Shift, Shifted
from semipriv.distributions.shifts.mixture import Mixture
from semipriv.distributions.shifts.region import Region
from semipriv.distributions.shifts.tilt import Tilt
from semipriv.geometry.ball import Spectrum, minimisers

TARGET = (0.4, -0.3)
RESPONSES: dict[str, list[Response]] = {
    "linear": [Linear(TARGET), Linear(TARGET, 0.4), Linear(TARGET, 0.5, "uniform")],
    "signs": [Signs(TARGET), Signs((0.6, 0.8))],
}
RESPONSES = together("distributions/responses", RESPONSES)
ALL_RESPONSES = [distribution for row in RESPONSES.values() for distribution in row]
SHIFTS: list[Shift | None] = [None, Region(0.1, 1), Region(0.3), Mixture(0.2, 0.9), Tilt(0.2)]
BOX = Uniform(-0.5, 0.7, dimension=2)
MARGINALS = [UnitBall(dimension=2), UnitBall(dimension=5), BOX, DiscreteGrid(5, -0.6, 0.6, dimension=2)]
N = 40_000

every_response = pytest.mark.parametrize("response", ALL_RESPONSES, ids=str)
every_shift = pytest.mark.parametrize("shift", SHIFTS, ids=str)


def near(values: np.ndarray, expected: np.ndarray | float, n: int = N) -> bool:
    """Means of numbers in [-1, 1] within Hoeffding's limits at level 1e-6 together, or with nothing to see, equal."""
    return bool(np.all(np.abs(values - expected) <= math.sqrt(2 * math.log(2e6 * max(1, np.size(values))) / n)))


def test_every_file_has_examples() -> None:
    assert sorted(RESPONSES) == registry.names("distributions/responses")
    for name, examples in RESPONSES.items():
        assert all(type(example) is registry.load("distributions/responses", name) for example in examples)


@every_shift
@pytest.mark.parametrize("marginal", MARGINALS, ids=str)
def test_second_moments_are_those_of_draws(marginal: Marginal, shift: Shift | None) -> None:
    distribution = marginal if shift is None else Shifted(marginal, shift)
    points = distribution.sample(N, np.random.default_rng(3))
    moments = marginal.second_moments(distribution)
    assert near(points.T @ points / N, moments)
    np.testing.assert_array_equal(moments, moments.T)
    assert np.linalg.norm(points, axis=1).max() <= marginal.radius + 1e-12
    assert distribution.radius == marginal.radius


def test_moments_in_closed_form() -> None:
    """Of a uniform distribution, a Beta distribution, an atom, and of the ball: E x_j^2 = 1 / (d + 2)."""
    for distribution, first, second in (
        (Uniform(-1, 0.5), -0.25, 0.25),
        (Beta(2, 5), 2 / 7, 6 / 56),
        (HeavyAtom(0.4, 0.25), 0.4, 0.4 / 16 + 0.6 / 3),
        (DiscreteGrid(3), 0.5, 5 / 12),
    ):
        assert distribution.moments == pytest.approx((first, second), abs=1e-11)
    for d in (1, 2, 6):
        np.testing.assert_allclose(UnitBall(dimension=d).second_moments(UnitBall(dimension=d)), np.eye(d) / (d + 2))


@every_shift
def test_a_shift_of_the_ball_moves_the_first_feature_alone(shift: Shift | None) -> None:
    """Given the first feature the others are uniform on their ball: its radius is U^(1/2), its angle uniform."""
    distribution = UnitBall(dimension=3) if shift is None else Shifted(UnitBall(dimension=3), shift)
    points = distribution.sample(N, np.random.default_rng(5))
    room = np.sqrt(1 - points[:, 0] ** 2)
    share = (points[:, 1] ** 2 + points[:, 2] ** 2) / room**2
    angle = np.arctan2(points[:, 2], points[:, 1]) / (2 * math.pi) + 0.5
    first = distribution.cdf(points[:, 0])
    for u in (share, angle, first):
        assert np.abs(np.sort(u) - np.arange(1, N + 1) / N).max() < 2.7 / math.sqrt(N), "Kolmogorov-Smirnov, 1e-6"
    for u, v in ((share, angle), (first, share), (first, angle)):
        assert near(np.mean((2 * u - 1) * (2 * v - 1)), 0.0)


def test_a_region_at_the_end_is_a_cap() -> None:
    ball = UnitBall(dimension=4)
    points = Shifted(ball, Region(0.05, 1)).sample(1_000, np.random.default_rng(1))
    assert points[:, 0].min() >= ball.quantile(0.95) - 1e-12


@every_response
def test_responses_have_their_mean_and_variance(response: Response) -> None:
    point = np.array([[0.5, 0.6]])
    points = np.repeat(point, N, axis=0)
    y = response.sample(points, np.random.default_rng(2))
    mean = 0.5 * response.weights[0] + 0.6 * response.weights[1]
    assert np.abs(y).max() <= 1
    assert near(y.mean(), mean)
    assert near((y**2).mean(), response.variance(point)[0] + mean**2)
    for name in LOSSES:
        for f in (-0.9, 0.0, mean + 0.1, 1.0):
            expected = response.losses(loss(name), np.array([[f]]), point)[0, 0]
            assert near(loss(name).of(f, y).mean(), expected)


@every_shift
@every_response
def test_closed_forms_of_losses_are_sums_over_a_finite_distribution(response: Response, shift: Shift | None) -> None:
    """Over all points of a grid, whose masses the private distribution gives."""
    marginal = DiscreteGrid(5, -0.6, 0.6, dimension=2)
    if response.noise == 0.5 and np.linalg.norm(response.weights) * marginal.radius > 0.5:
        response = Linear(tuple(0.9 * np.array(response.weights)), 0.5, "uniform")
    distribution = RegressionDistribution(marginal, response, shift)
    support = marginal.support
    first = distribution.private_marginal.cdf(support) - distribution.private_marginal.cdf_left(support)
    points = np.array([[a, b] for a in support for b in support])
    mass = np.repeat(first, 5) / 5
    weights = np.array([[0.3, 0.1], [-0.6, 0.8], [0.0, 0.0], list(response.weights)])
    outputs = [Regressor.single(LinearBall(2), w) for w in weights]
    outputs.append(Regressor(LinearBall(2), weights[:2], np.array([0.25, 0.75])))
    for name in LOSSES:
        losses = distribution.losses(loss(name), outputs, Simulation(1))
        every = np.array([response.losses(loss(name), o.predict(points)[None], points)[0] @ mass for o in outputs])
        slack = 5 * losses.standard_error + 1e-9
        assert np.all(np.abs(losses.value - every) <= slack)
        assert name == "absolute" or not losses.standard_error.any()
        best = distribution.best_loss(loss(name), LinearBall(2))
        assert best.exact
        assert every.min() >= best.value - 1e-9
        assert best.value == pytest.approx(
            _least(response, points, mass, name), abs=1e-9 if name == "squared" else 1e-3
        )


def _least(response: Response, points: np.ndarray, mass: np.ndarray, name: str) -> float:
    """The least loss: by the solver for squares, else over a fine grid of weights of the ball."""
    if name == "squared":
        second, cross = (points * mass[:, None]).T @ points, points.T @ (mass * response.mean(points))
        w = minimisers(Spectrum.of(second), cross)[None]
    else:
        angles, norms = np.linspace(0, 2 * math.pi, 181), np.linspace(0, 1, 41)
        w = np.array([response.target] + [[r * math.cos(a), r * math.sin(a)] for r in norms for a in angles])
    return float((response.losses(loss(name), w @ points.T, points) @ mass).min())


def test_distributions_refuse_what_leaves_the_range() -> None:
    ball = {"name": "unit_ball", "dimension": 2}
    linear = {"name": "linear", "weights": [0.6, 0.0]}
    for specification, message in (
        (
            {"marginal": ball, "response": {**linear, "amplitude": 0.5}},
            r"response: can reach 1\.1, must be in \[-1, 1\]",
        ),
        ({"marginal": ball, "response": {"name": "linear", "weights": [1.0, 0.1]}}, r"weights: have norm 1\.00499"),
        ({"marginal": ball, "response": {"name": "signs", "weights": [0.1]}}, "weights: must be 2, one for each"),
        ({"marginal": {"name": "normal", "dimension": 2}, "response": linear}, "response: can reach inf"),
        ({"marginal": ball}, "a distribution of responses needs a response"),
        ({"marginal": ball, "response": linear, "labeling": {}}, "unknown key of a distribution of responses"),
        ({"marginal": ball, "response": {**linear, "noise_law": "cauchy"}}, "unknown noise_law of the response"),
    ):
        with pytest.raises(ValueError, match=message):
            RegressionDistribution.from_config(specification)
    with pytest.raises(ValueError, match=r"points: row 2 has norm 1\.27"):
        RegressionDistribution(Uniform(0.0, 0.9, dimension=2), Signs(TARGET)).best_loss(loss("squared"), LinearBall(2))
