"""What each learner tends to as epsilon grows: docs/estimators-reference.md says it, here it is at epsilon = 1e6."""

import itertools

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.learners.discriminant.candidates import constants, stumps
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.least_squares_ball import LeastSquaresBall
from semipriv.learners.stages.fixed_grid import grid_points
from semipriv.learners.stages.public_metric import PublicMetric
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.practice.estimators.regressor import SemiPrivateRegressor

LARGE = 1e6
DRAW = np.random.default_rng(11)
X = DRAW.random((60, 1))
Y = ((X[:, 0] > 0.42) ^ (DRAW.random(60) < 0.2)).astype(int)
PUBLIC = DRAW.random((6, 1))


def fitted(learner: str, x=X, y=Y, seed: int = 0, **others) -> SemiPrivateClassifier:
    settings = {"hypothesis_class": Thresholds(), "public": PUBLIC, "ranges": None, "randomness": Simulation(seed)}
    return SemiPrivateClassifier(learner, LARGE, **{**settings, **others}).fit(x, y)


def mistakes(model: SemiPrivateClassifier, x=X, y=Y) -> int:
    return int((model.predict(x) != y).sum())


def least_over_cover(public) -> int:
    minimiser = EmpiricalRiskMinimiser("cover")
    output = minimiser.release(minimiser.prepare(public, Thresholds()), X, Y, Simulation(0)).output
    return int((output.predict(X) != Y).sum())


@pytest.mark.parametrize("mechanism", ["exponential", "permute_and_flip"])
def test_sspp_tends_to_fewest_mistakes_in_the_cover(mechanism) -> None:
    assert mistakes(fitted("sspp", learner_parameters={"mechanism": mechanism})) == least_over_cover(PUBLIC)


@pytest.mark.parametrize("learner", ["public_metric_discriminant", "public_model_discriminant"])
def test_discriminants_tend_to_fewest_mistakes_among_their_candidates(learner) -> None:
    """No more than stumps and constants; in many features, hardly more than a logistic regression."""
    draw = np.random.default_rng(12)
    x = draw.normal(size=(3_000, 8)) @ (np.eye(8) + 0.4)
    y = (x @ np.arange(8.0) + 4 * draw.normal(size=3_000) > 2).astype(int)
    labels = y[:150] if learner == "public_model_discriminant" else None
    estimator = fitted(learner, x, y, hypothesis_class=Halfspaces(8), public=x[:150], public_labels=labels)
    metric = PublicMetric().prepare(x[:150], Halfspaces(8))
    known = np.concatenate([stumps(metric), constants(metric)])
    assert mistakes(estimator, x, y) <= metric.functions.mistakes(known, x, y).min()
    assert mistakes(estimator, x, y) <= (LogisticRegression().fit(x, y).predict(x) != y).sum() + 0.02 * len(y)


def test_fixed_grid_tends_to_fewest_mistakes_in_the_grids_cover() -> None:
    estimator = fitted("fixed_grid", learner_parameters={"size": 6}, public=None)
    assert mistakes(estimator) == least_over_cover(grid_points(0, 1, 6, 1))


def test_all_concepts_tends_to_fewest_mistakes_in_the_class() -> None:
    table = FiniteClass(list(itertools.product((0, 1), repeat=3)))
    x = (np.arange(60) % 3).astype(float)[:, None]
    assert mistakes(fitted("all_concepts", x, Y, hypothesis_class=table, public=None), x) == table.minimise(x, Y).value


@pytest.mark.parametrize("learner", ["rrspm", "rrspm_integers"])
def test_rrspm_tends_to_the_pattern_of_the_best_hypothesis(learner) -> None:
    """The canonical hypothesis has that pattern, and may make more mistakes than the best one."""
    weights = {} if learner == "rrspm" else {"weights": "discrete_laplace"}
    estimator = fitted("rrspm", learner_parameters=weights)
    best = EmpiricalRiskMinimiser()
    output = best.release(best.prepare(PUBLIC, Thresholds()), X, Y, Simulation(0)).output
    least = int((output.predict(X) != Y).sum())
    cells = {tuple(estimator.predict(PUBLIC).tolist())}
    cuts = np.unique(np.concatenate([[-1.0], X[:, 0], [2.0]]))
    patterns = {
        tuple((PUBLIC[:, 0] >= cut).astype(int).tolist()) for cut in cuts if ((X[:, 0] >= cut) != Y).sum() == least
    }
    assert cells <= patterns
    assert mistakes(estimator) >= least


def test_learn_half_tends_to_fewest_mistakes_of_its_family_and_sees_public_ones() -> None:
    """Private ones, public zeros, separable: no mistakes."""
    points = DRAW.random((40, 2))
    positive = points.sum(axis=1) > 1
    grid = {"low": [0.0, 0.0], "high": [1.0, 1.0]}
    estimator = fitted(
        "learn_half",
        points[positive],
        np.ones(int(positive.sum())),
        hypothesis_class=Halfspaces(2),
        public=points[~positive][:12],
        public_labels=np.zeros(12),
        learner_parameters={"grid": grid},
    )
    assert estimator.score(points[positive], np.ones(int(positive.sum()))) == 1
    assert estimator.score(points[~positive][:12], np.zeros(12)) == 1


def test_sufficient_statistics_tend_to_least_squares_over_the_ball() -> None:
    x = DRAW.random((50, 2)) * 2 - 1
    y = x @ [0.4, -0.3] + 0.2 * DRAW.standard_normal(50)
    model = SemiPrivateRegressor(
        "sufficient_statistics",
        1e9,
        learner_parameters={"delta": 0.1, "floor": 0},
        ranges=(-1, 1),
        response_range=(-2, 2),
        randomness=Simulation(0),
    ).fit(x, y)
    without = LeastSquaresBall()
    scaled = x / np.sqrt(2)
    output = without.release(
        without.prepare(np.zeros((0, 2)), LinearBall(2), None), scaled, y / 2, Simulation(0)
    ).output
    assert model.predict(x) == pytest.approx(2 * output.predict(scaled), abs=1e-2)


def test_rspm_tends_to_fewest_mistakes_in_the_class() -> None:
    table = FiniteClass(list(itertools.product((0, 1), repeat=3)))
    x = (np.arange(60) % 3).astype(float)[:, None]
    assert mistakes(fitted("rspm", x, Y, hypothesis_class=table, public=None), x) == table.minimise(x, Y).value


def test_generic_learner_tends_to_fewest_mistakes_in_the_cover_of_what_it_released() -> None:
    """Entries on two places: a net of two points has both, and one of its thresholds is between them."""
    h = DiscreteThresholds(2, "ge")
    x = (np.arange(60) % 4).astype(float)[:, None]
    y = (x[:, 0] >= 2).astype(int)
    points, labels = np.concatenate([x, [[1.0]] * 30, [[2.0]] * 30]), [*y.tolist(), *[-1] * 60]
    settings = {"sanitizer": {"name": "net"}, "size": 2, "n_unlabelled": 60}
    estimator = fitted(
        "generic_learner", points, labels, hypothesis_class=h, public=None, learner_parameters=settings, unlabelled=-1
    )
    assert mistakes(estimator, x, y) == 0


def test_regularised_and_perturbed_average_keep_eta() -> None:
    """Neither is least squares: eta ||f||^2, beside losses (f - y)^2 / 4, and the Gaussian process stay."""
    x = np.linspace(-1, 1, 41)[:, None]
    settings = {"public": x[::-1].copy(), "ranges": (-1, 1), "response_range": (-1, 1), "randomness": Simulation(0)}
    eta, squares = 20.0, float((x**2).sum())
    ridge = SemiPrivateRegressor("regularised", 1e9, learner_parameters={"delta": 0.1, "eta": eta}, **settings)
    slope = 0.8 * (squares / 4) / (squares / 4 + eta * squares / 41)
    assert ridge.fit(x, 0.8 * x[:, 0]).predict([[1.0]]) == pytest.approx([slope], abs=1e-3)
    mean = SemiPrivateRegressor(
        "perturbed_average", 1e9, learner_parameters={"delta": 0.1, "eta": 400.0, "draws": 200}, **settings
    )
    assert mean.fit(x, 0.8 * x[:, 0]).predict([[1.0]])[0] < 0.7


def test_a_private_table_tends_to_the_private_marginals_where_public_rows_are() -> None:
    public = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    private = {"a": [0] * 70 + [1] * 30, "b": [0] * 20 + [1] * 80}
    settings = {"epsilon": LARGE, "delta": 0.1, "kappa": 1e-9, "randomness": Simulation(0)}
    full = PrivateTable({"a": 2, "b": 2}, public, **settings).fit(private)
    assert full.answer("a", "b") == pytest.approx(np.array([[0.2, 0.5], [0.0, 0.3]]), abs=0.01)
    holes = PrivateTable({"a": 2, "b": 2}, {"a": [0, 1], "b": [0, 1]}, **settings).fit(private)
    assert holes.answer("a", "b") == pytest.approx(np.array([[0.2, 0.5], [0.0, 0.3]]), abs=0.01), "by made-up rows"
    alone = PrivateTable({"a": 2, "b": 2}, {"a": [0, 1], "b": [0, 1]}, **settings, tree=0).fit(private)
    assert alone.answer("a", "b")[0, 1] == 0, "no public row is there, whatever epsilon"
