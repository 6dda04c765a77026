"""What learners refuse: the call, and the words of the error; what is easily mistaken for the right argument."""

import numpy as np
import pytest
import refused

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Secure, Simulation
from semipriv.learners.as_if_public import AsIfPublic
from semipriv.learners.base import AnyLearner, FiniteOutput
from semipriv.learners.discard_private import DiscardPrivate
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.every_threshold import EveryThreshold
from semipriv.learners.least_squares_ball import LeastSquaresBall
from semipriv.learners.pooled import Pooled
from semipriv.learners.public_labelled import PublicLabelled
from semipriv.learners.public_least_squares import PublicLeastSquares
from semipriv.learners.sufficient_statistics import SufficientStatistics
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noise.laplace import Laplace
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.mechanisms.sparse_vector import SparseVector
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.privacy.amplification import partly_labelled_subset
from semipriv.privacy.guarantee import Guarantee

PLANE, BALL = np.array([[0.0, 0], [1, 3], [2, 1]]), LinearBall(3)
TINY, FOUR = DiscreteThresholds(1), DiscreteThresholds(2)
POINTS, RESPONSES = 0.1 * np.eye(3), np.array([0.5, 0.0, -0.5])
LEARNERS = [kind.examples()[0] for kind in (registry.load("learners", name) for name in registry.names("learners"))]
NO_RANDOMNESS = [(None, "None"), (7, "int"), (np.random.default_rng(1), "Generator"), (Secure, "Secure")]


def use(learner, h, x, y, *unlabelled) -> object:
    """Release without public points."""
    return learner.release(learner.prepare([], h), x, y, Simulation(1), *unlabelled)


REFUSED = [
    (lambda: partly_labelled_subset(Guarantee(1.0, 0.5), 0.125, moves=True), r"delta = 0\.5: .* must be below 1"),
    (
        lambda: use(AsIfPublic(SSPP(2.0), 2), FOUR, [[1.0]], [1], ListedEntries([[3.0]])),
        "n_unlabelled = 1: must be >= 2",
    ),
    (lambda: EveryThreshold(1.0).check(Thresholds()), "every_threshold learns halfspaces of dimension 1"),
    (lambda: EveryThreshold(1.0).check(Halfspaces(2)), "every_threshold learns halfspaces of dimension 1"),
    (lambda: Pooled(EveryThreshold(1.0)).check(Thresholds()), "every_threshold learns halfspaces of dimension 1"),
    (lambda: Pooled(EveryThreshold(1.0)).check(Halfspaces(2)), "every_threshold learns halfspaces of dimension 1"),
    (lambda: EveryThreshold(1.0, 1.0, 0.0), "high = 0.0: must be > low = 1.0"),
    (lambda: EveryThreshold(1.0, -1e308, 1e308), "high - low must be finite"),
    (lambda: EveryThreshold(1.0, bits=51), "bits = 51: must be <= 50"),
    (lambda: LeastSquaresBall(-1.0), r"ridge = -1\.0: must be"),
    (lambda: SufficientStatistics(0.0, 1e-5), "epsilon = 0.0: must be > 0"),
    (lambda: SufficientStatistics(1.0, 0.0), "delta = 0.0: must be"),
    (lambda: SufficientStatistics(1.0, 0.1, -2.0), r"floor = -2\.0"),
    (
        lambda: PublicLeastSquares().prepare(POINTS, BALL),
        "public_labels: this learner needs labelled public points",
    ),
    (
        lambda: PublicLeastSquares().prepare(POINTS, BALL, RESPONSES[:2]),
        r"public_labels: must have shape \(3,\), one response for each point",
    ),
    (
        lambda: PublicLeastSquares().prepare(POINTS, BALL, np.full(3, np.nan)),
        "public_labels: row 0 = nan: must be finite",
    ),
    (
        lambda: PublicLeastSquares().prepare([[0.0]], FiniteFunctions([[1.0]]), [1.0]),
        "class: least squares learn linear_ball, got FiniteFunctions",
    ),
    (
        lambda: PublicLeastSquares().prepare(20 * POINTS, BALL, RESPONSES),
        "public points: row 0 has norm .*: must be at most 1",
    ),
    (lambda: Pooled(PublicLabelled()), "must not need labelled public points"),
    (lambda: Pooled({"name": "fixed"}), "unknown learner 'fixed'"),
    (
        lambda: Pooled(EmpiricalRiskMinimiser()).output_distribution(
            Pooled(EmpiricalRiskMinimiser()).prepare([[0.0]], Thresholds(), [1]), [[1.0]], [1]
        ),
        "no finite output distribution",
    ),
    (lambda: Pooled({"name": "logistic_regression"}).check(Thresholds()), "logistic_regression learns halfspaces"),
]


@refused.each({"learners": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)


@pytest.mark.parametrize("learner", LEARNERS, ids=registry.names("learners"))
def test_what_is_no_result_of_prepare(learner: AnyLearner) -> None:
    public = np.zeros((3, 1))
    message = r"prepared: is ndarray, must be what `prepare` returns: learner\.prepare\(public_points, hypothesis"
    with pytest.raises(ValueError, match=message):
        learner.release(public, [0.5], [1], Simulation(1))
    with pytest.raises(ValueError, match=r"prepared: is Thresholds, must be"):
        learner.release(Thresholds(), [0.5], [1], randomness=Simulation(1))
    if isinstance(learner, FiniteOutput):
        with pytest.raises(ValueError, match=message):
            learner.output_distribution(public, [0.5], [1])


@pytest.mark.parametrize(("given", "what"), NO_RANDOMNESS)
def test_what_is_no_randomness(given: object, what: str) -> None:
    message = rf"randomness: is {what}, must be Secure\(\) for a release or Simulation\(seed\) for a simulation"
    prepared = SSPP(1.0).prepare([[0.1], [0.7]], Thresholds())
    calls = [
        lambda: SSPP(1.0).release(prepared, [0.5], [1], given),
        lambda: SSPP(1.0).release(prepared, [0.5], [1], randomness=given),
        lambda: EmpiricalRiskMinimiser("cover").release(prepared, [0.5], [1], given),
        lambda: DiscardPrivate().release(prepared, [0.5], [1], given),
        lambda: ExponentialMechanism(1.0).select(prepared.tally([0.5], [1]), given),
        lambda: PermuteAndFlip(1.0).select(prepared.tally([0.5], [1]), given),
        lambda: ExponentialMechanism(1.0).sample([0, 1], given),
        lambda: PermuteAndFlip(1.0).sample([0, 1], given, size=2),
        lambda: DiscreteLaplace(1.0).sample(given),
        lambda: Laplace(1.0).sample(given),
        lambda: list(SparseVector(1.0, threshold=0).verdicts([1], given)),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("halfspaces", r"hypothesis_class = 'halfspaces': is a name, must be a class: Halfspaces\(\.\.\.\)"),
        ("DiscreteThresholds", r"is a name, must be a class: DiscreteThresholds\(\.\.\.\)"),
        ("lines", r"is a name, must be a class: one of DecisionStumps, .*Thresholds"),
        (Halfspaces, "hypothesis_class: is the type Halfspaces, not a value of it"),
        (None, r"hypothesis_class: is NoneType, must be a class such as Thresholds\(\)"),
    ],
)
def test_what_is_no_class(given: object, message: str) -> None:
    for prepare in (SSPP(1.0).prepare, SSPP(1.0).public_stage.prepare):
        with pytest.raises(ValueError, match=message):
            prepare([[0.1]], given)


@pytest.mark.parametrize("method", ["tree", "two_level_tree", {"name": "gaussian", "isotonic": True}])
def test_methods_for_ordered_cells_are_refused_before_public_points_are_read(method: object) -> None:
    for name in sorted({"query_release", "grid_query_release"} & {*registry.names("learners")}):
        learner = registry.build("learners", {"name": name, "epsilon": 1.0, "delta": 1e-6, "method": method})
        with pytest.raises(ValueError, match=r"of ordered cells, as .*; Rectangles\(.*\) has several features"):
            learner.prepare("no points at all", Rectangles(2))
        learner.check(Thresholds("le"))
