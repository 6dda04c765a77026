"""What is easily mistaken for the right argument is refused in one line, by every learner and mechanism."""

import numpy as np
import pytest

from semipriv import registry
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.geometry.grid import Grid
from semipriv.learners.base import AnyLearner, FiniteOutput
from semipriv.learners.discard_private import DiscardPrivate
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.learn_half import LearnHalf
from semipriv.learners.sspp import SSPP
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.noise.laplace import Laplace
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.mechanisms.sparse_vector import SparseVector
from semipriv.randomness import Secure, Simulation

LEARNERS = [kind.examples()[0] for kind in (registry.load("learners", name) for name in registry.names("learners"))]
NO_RANDOMNESS = [(None, "None"), (7, "int"), (np.random.default_rng(1), "Generator"), (Secure, "Secure")]


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
