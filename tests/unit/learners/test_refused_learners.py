"""What learners refuse: the call, and the words of the error; what is easily mistaken for the right argument."""

import numpy as np
import pytest
import refused
from specified import loaded

from semipriv.audit.laws.every_entry import EveryEntry
from semipriv.classes.base import Hypothesis
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Secure, Simulation
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.experiments.reading import ConfigError
from semipriv.geometry.grid import Grid
from semipriv.learners.as_if_public import AsIfPublic
from semipriv.learners.base import AnyLearner, FiniteOutput
from semipriv.learners.discard_private import DiscardPrivate
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.every_threshold import EveryThreshold
from semipriv.learners.grid_query_release import GridQueryRelease
from semipriv.learners.least_squares_ball import LeastSquaresBall
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.pooled import Pooled
from semipriv.learners.public_labelled import PublicLabelled
from semipriv.learners.public_least_squares import PublicLeastSquares
from semipriv.learners.sufficient_statistics import SufficientStatistics
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noise.laplace import Laplace
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.mechanisms.sparse_vector import SparseVector
from semipriv.papers.abm19.learners.public_data_reduction import PublicDataReduction
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.papers.bbd24.learners.perturbed_average import PerturbedAverage
from semipriv.papers.bbd24.learners.regularised import Regularised
from semipriv.papers.bbd24.learners.rrspm import RRSPM
from semipriv.papers.bbd24.learners.rspm import RSPM
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.papers.bcm20.releases.tracing import trace
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bns15.label_boost.schedule import SHARP, Constants
from semipriv.papers.bns15.learners.active_subsampling import ActiveSubsampling
from semipriv.papers.bns15.learners.all_concepts import AllConcepts
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.papers.bns15.learners.label_boost import LabelBoost
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.net_exact import NetExact
from semipriv.privacy.amplification import partly_labelled_subset
from semipriv.privacy.guarantee import Guarantee

PLANE, BALL = np.array([[0.0, 0], [1, 3], [2, 1]]), LinearBall(3)
GENERIC = GenericLearner(1.0, Net(), size=2, n_unlabelled=5)
TINY, FOUR = DiscreteThresholds(1), DiscreteThresholds(2)
POINTS, RESPONSES = 0.1 * np.eye(3), np.array([0.5, 0.0, -0.5])
LEARNERS = [kind.examples()[0] for kind in (registry.load("learners", name) for name in registry.names("learners"))]
NO_RANDOMNESS = [(None, "None"), (7, "int"), (np.random.default_rng(1), "Generator"), (Secure, "Secure")]


def released(h=None, public=PLANE[:, :1], private=None) -> Answers:
    learner = QueryRelease(1.0)
    prepared = learner.prepare(public, h or Thresholds())
    x = public if private is None else private
    return learner.release(prepared, x, np.zeros(len(x)), Simulation(0)).output


def answers(factor: float) -> Answers:
    good = released()
    return Answers(good.cover, good.representatives, good.shares, factor * good.weights)


def active(**changes) -> ActiveSubsampling:
    return ActiveSubsampling(**({"learner": AllConcepts(1.0), "epsilon": 1.0, "n_labelled": 2, "n": 4} | changes))


def boost(**changes) -> LabelBoost:
    return LabelBoost(**({"learner": AllConcepts(1.0), "n": 10, "alpha": 0.2, "beta": 0.2} | changes))


def reduction(**changes) -> PublicDataReduction:
    settings = {"learner": SSPP(1.0), "marginal": Uniform(), "n_private": 2000, "n_public": 4}
    return PublicDataReduction(**(settings | changes))


def use(learner, h, x, y, *unlabelled) -> object:
    """Release without public points."""
    return learner.release(learner.prepare([], h), x, y, Simulation(1), *unlabelled)


REFUSED = [
    (lambda: partly_labelled_subset(Guarantee(1.0, 0.5), 0.125, moves=True), r"delta = 0\.5: .* must be below 1"),
    (lambda: active(epsilon=0.0), "epsilon = 0.0: must be > 0"),
    (lambda: active(n=1), "n = 1: must be >= n_labelled = 2"),
    (lambda: active(rule="first"), "unknown rule of active_subsampling 'first'.*smallest"),
    (lambda: active(learner=SSPP(1.0)), "without public data"),
    (lambda: active(learner=EmpiricalRiskMinimiser()), "must have a guarantee"),
    (lambda: active(learner=AllConcepts(21.0)), "must have epsilon <= 20"),
    (
        lambda: use(active(), FOUR, np.zeros((41, 1)), [None] * 41),
        "n_private = 41: must be >= 42 for ActiveSubsampling",
    ),
    (lambda: active(learner=EveryEntry(1.0, 6)).check(FOUR), "n_unlabelled = 2: must be >= 6"),
    (lambda: active().law(active().prepare([], FOUR), np.zeros((60, 1)), np.zeros(60)), "more than 50,000"),
    (lambda: use(active(), FOUR, np.zeros((42, 1)), [1] * 41), r"labels: must have shape \(42,\)"),
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
    (
        lambda: use(GENERIC, TINY, [[0.0]], [1], ListedEntries([[0.0]])),
        "n_unlabelled = 1: must be >= 5 for GenericLearner.*n_labelled = 1",
    ),
    (lambda: use(GENERIC, TINY, [[0.0]], [1]), "n_unlabelled = 0: must be >= 5"),
    (lambda: GENERIC.prepare([[0.0]], Thresholds()), "must be discrete thresholds"),
    (
        lambda: GenericLearner(1.0, NetExact([[0.0], [1.0]])).unlabelled_needed(1, TINY),
        "n_unlabelled: must be given",
    ),
    (lambda: GenericLearner(1.0, Net(), 1), r"alpha = 1: must be in \(0, 1\)"),
    (lambda: GenericLearner(1.0, {"name": "nett"}), "did you mean 'net'"),
    (lambda: boost(alpha=0.0), r"alpha = 0.0: must be in \(0, 1\)"),
    (lambda: boost(beta=1.0), r"beta = 1.0: must be in \(0, 1\)"),
    (lambda: boost(learner=AllConcepts(1.01)), r"must have a guarantee \(1, delta\)"),
    (lambda: boost(learner={"name": "empirical_risk_minimiser"}), r"must have a guarantee \(1, delta\)"),
    (lambda: boost(constants="best"), "paper, exact"),
    (lambda: boost(constants=SHARP), "r=11, r0=6.*accounting 'paper' does not cover"),
    (lambda: boost(constants=Constants(5, 6), accounting="sharp"), "r=5, r0=6.*keep too many"),
    (lambda: boost(accounting="rough"), "unknown accounting of label boost 'rough'"),
    (lambda: boost(n=0), "n = 0: must be >= 1"),
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
    (
        lambda: Regularised(1.0, 0.1, 1.0, noise="laplace"),
        "delta = 0.1: must be 0 for laplace noise, which is pure",
    ),
    (lambda: Regularised(1.0, 0.0, 1.0), "delta = 0.0: must be > 0 for gaussian noise"),
    (lambda: Regularised(1.0, 0.1, 0.2), "eta = 0.2: must be >= 0.25"),
    (lambda: PerturbedAverage(1.0, 0, 1.0, 5), r"delta = 0: must be in \(0, 1\)"),
    (lambda: PerturbedAverage(1.0, 0.1, 1.0, 0), "draws = 0: must be >= 1"),
    (lambda: PerturbedAverage(1.0, 0.1, 1.0, 5, "square"), "unknown loss 'square'"),
    (lambda: PerturbedAverage(1.0, 0.1, 1.0, 5, noise="normal"), "unknown noise 'normal'"),
    (
        lambda: Regularised(1.0, 0.1, 1.0).prepare([[0.0]], FiniteFunctions([[1.0]])),
        "functions: must be convex, .* got FiniteFunctions",
    ),
    (
        lambda: PerturbedAverage(1.0, 0.1, 1.0, 5, "absolute").prepare([[1.0]], LinearBall(1)),
        "loss = 'absolute': must be 'squared' for linear functions",
    ),
    (
        lambda: Regularised(1.0, 0.1, 1.0).prepare(np.empty((0, 1)), LinearBall(1)),
        "public points: there is none",
    ),
    (lambda: Pooled(PublicLabelled()), "must not need labelled public points"),
    (lambda: Pooled({"name": "fixed"}), "unknown learner 'fixed'"),
    (
        lambda: Pooled(EmpiricalRiskMinimiser()).law(
            Pooled(EmpiricalRiskMinimiser()).prepare([[0.0]], Thresholds(), [1]), [[1.0]], [1]
        ),
        "no finite output law",
    ),
    (lambda: Pooled({"name": "logistic_regression"}).check(Thresholds()), "logistic_regression learns halfspaces"),
    (lambda: reduction(learner={"name": "ssp", "epsilon": 1}), "unknown learner 'ssp': did you mean 'sspp'"),
    (lambda: reduction(learner={"name": "sspp"}), "learner 'sspp' needs epsilon"),
    (lambda: reduction(learner={"name": "empirical_risk_minimiser"}), "must be private"),
    (lambda: reduction(learner=3), "a learner needs a 'name'"),
    (lambda: reduction(marginal={"name": "unifrom"}), "unknown marginal 'unifrom'"),
    (lambda: reduction(n_private=0), "n_private = 0: must be >= 1"),
    (lambda: reduction(n_public=0), "n_public = 0: must be >= 1"),
    (lambda: reduction(n_public=1.5), "n_public = 1.5: must be an integer"),
    (lambda: reduction(run_out="stop"), "unknown run_out 'stop'"),
    (
        lambda: use(reduction(), Thresholds(), np.zeros(49), np.zeros(49)),
        r"points: 49 private examples, must be 50 = ceil\(n_private / \(10 n_public",
    ),
    (
        lambda: use(reduction(), Thresholds(), np.where(np.arange(50) == 3, np.nan, 0.0), np.zeros(50)),
        "points: row 3, feature 0 = nan: must be finite",
    ),
    (lambda: use(reduction(), Thresholds(), np.zeros(50), np.full(50, 2)), "labels: row 0 = .*2.*: must be 0 or 1"),
    (
        lambda: reduction().prepare(np.empty((0, 2)), Rectangles(2)),
        "marginal: has dimension 1, must be that of the class, 2",
    ),
    (lambda: RRSPM(0), "epsilon = 0: must be > 0"),
    (lambda: RRSPM(1, 1e-6), "delta = 1e-06: must be 0 for laplace weights"),
    (lambda: RRSPM(1, weights="gaussian", scale="union"), "delta = 0.0: must be > 0 for gaussian weights"),
    (
        lambda: RRSPM(1, 1e-6, "gaussian"),
        r"unknown scale of gaussian weights 'paper'.* \(allowed: union, closed, width, teaching\)",
    ),
    (lambda: RRSPM(1, scale="union"), "unknown scale of laplace weights 'union'.*paper, teaching"),
    (lambda: RRSPM(1, weights="cauchy"), "unknown weights of RRSPM 'cauchy'.*laplace, discrete_laplace"),
    (lambda: RRSPM(1, oracle="logistics"), "unknown oracle 'logistics': did you mean 'logistic'"),
    (lambda: RRSPM(1, oracle="logistic").prepare([[0.0]], Thresholds()), "oracle: Logistic finds halfspaces"),
    (lambda: RRSPM(1, patterns="some"), "unknown patterns of RRSPM 'some'.*all, nonempty"),
    (
        lambda: RRSPM(1, patterns="nonempty").prepare([[0.0], [1.0]], FiniteClass([(0, 0, 1), (0, 0, 0)])),
        "public points: no hypothesis of FiniteClass.* labels one of them 1",
    ),
    (lambda: RSPM(1).prepare([[0.0]], Thresholds()), r"Thresholds\(.*RSPM needs a finite domain that is listed"),
    (
        lambda: RRSPM(1, weights="discrete_laplace").law(
            RRSPM(1, weights="discrete_laplace").prepare(np.arange(4.0), Thresholds()), [[0.0]], [1]
        ),
        "has no listed law, which takes discrete Laplace noise on 1 to 3 points",
    ),
    (lambda: QueryRelease(1.0, 0.0, "gaussian"), r"delta = 0\.0: Gaussian noise needs delta > 0"),
    (lambda: QueryRelease(1.0, method={"name": "mwem", "rounds": 0}), "rounds = 0: must be >= 1"),
    (lambda: QueryRelease(1.0, method={"name": "mwem", "rounds": -3}), "rounds = -3: must be >= 1"),
    (lambda: QueryRelease(1.0, method={"name": "mwem", "rounds": 2.5}), r"rounds = 2\.5: must be an integer"),
    (lambda: QueryRelease(1.0, method="mwen"), "unknown .* 'mwen': did you mean 'mwem'"),
    (lambda: QueryRelease(0.0), r"epsilon = 0\.0: must be > 0"),
    (lambda: QueryRelease(1.0, 1.5), r"delta = 1\.5: must be in"),
    (lambda: QueryRelease(1.0, scale="02"), "unknown scale of answers '02'"),
    (lambda: released(Rectangles(2), PLANE).answer([[0.0, 1.0]]), r"queries: must have shape \(q, 4\)"),
    (
        lambda: released(DecisionStumps(2), PLANE).answer([[2, 0.5, 1]]),
        r"queries: row 0: feature 2: must be one of 0, ",
    ),
    (lambda: released(DecisionStumps(2), PLANE).answer([[-1, 0.5, 1]]), "queries: row 0: feature -1: must be one"),
    (lambda: released(DecisionStumps(2), PLANE).answer([[0, 0.5, 0]]), "queries: row 0: sign 0: DecisionStumps"),
    (lambda: released(DecisionStumps(1)).answer(Hypothesis(DecisionStumps(3), np.zeros(3))), "number 0 is of"),
    (
        lambda: released(FiniteClass([[1, 0, 1], [0, 1, 1]]), [[0.0], [1.0]]).answer([[7.0]]),
        r"queries: row 0: row of the table 7: must be one of 0, ..., 1$",
    ),
    (lambda: released(private=np.zeros((0, 1))), "0 private examples, must be at least one"),
    (lambda: released(private=PLANE), r"points: must have 1 feature\(s\), got 2"),
    (
        lambda: trace(np.zeros(2), None, np.ones((9, 2), bool), 0.5, private=np.ones((1, 2), bool)),
        "reference: none",
    ),
    *(
        (lambda given=weights: answers(given), "weights: must be numbers >= 0 that sum to 1, their sum is")
        for weights in (0.9, np.nan, -1.0)
    ),
]


@refused.each({"learners": REFUSED})
def test_refused(row: refused.Row) -> None:
    refused.check(row)


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
            learner.law(public, [0.5], [1])


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


@pytest.mark.parametrize("bad", [0.3, 1e9])
def test_regions_without_a_grid_need_integers(bad: float) -> None:
    """Features in [0, 1] would be rounded to the corners.  Only public points decide on the refusal."""
    whole, h = np.array([[0.0, 3.0], [-2.0, 5.0], [7.0, 1.0]]), Halfspaces(2)
    wrong = whole.copy()
    wrong[1, 1] = bad
    message = rf"row 1, feature 1 = {bad}: without a grid features must be integers from -524288 to 524288"
    with pytest.raises(ValueError, match=message):
        LearnHalf(1.0).prepare(wrong, h, np.zeros(3))
    prepared = LearnHalf(1.0).prepare(whole, h, np.zeros(3))
    LearnHalf(1.0).release(prepared, wrong, np.ones(3), Simulation(1))
    assert LearnHalf(1.0, grid=Grid((0, 0), (8, 8))).prepare(wrong, h, np.zeros(3)).size > 1
    assert LearnHalf(1.0).prepare([], h, []).size == 1


@pytest.mark.parametrize("method", ["tree", "two_level_tree", {"name": "gaussian", "isotonic": True}])
def test_methods_for_ordered_cells_are_refused_before_public_points_are_read(method: object) -> None:
    for learner in (QueryRelease(1.0, 1e-6, method), GridQueryRelease(1.0, 1e-6, method=method)):
        with pytest.raises(ValueError, match=r"of ordered cells, as .*; Rectangles\(.*\) has several features"):
            learner.prepare("no points at all", Rectangles(2))
        learner.check(Thresholds("le"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "gaussian", "delta": 0}, "delta = 0"),
        ({"method": {"name": "mwem", "rounds": 0}}, "rounds = 0: must be >= 1"),
        ({"method": {"name": "mwem", "round": 5}}, "unknown .*'round': did you mean 'rounds'"),
        ({"method": "pmw"}, "accuracy"),
        ({"method": "tree", "class": {"name": "rectangles", "dimension": 2}}, "has several features"),
    ],
)
def test_configurations_are_refused_when_they_are_read(changes: dict[str, object], message: str) -> None:
    others = {}
    if "class" in changes:
        uniform = {"marginal": {"name": "uniform", "dimension": 2}, "labeling": {"name": "two_point", "eta": 0.1}}
        others = {"class": changes["class"], "distribution": uniform, "cases": {"one": {}}, "figures": []}
    learner = {"name": "query_release", "epsilon": 1, "delta": 1e-6, **changes}
    learner.pop("class", None)
    with pytest.raises(ConfigError, match=rf"query_error.*{message}") as error:
        loaded("query_error", learners=[learner], **others)
    assert "\n" not in str(error.value)
