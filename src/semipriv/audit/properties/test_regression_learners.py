"""Properties of every learner of real-valued functions.  A new file in learners/ is picked up by itself."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from semipriv.classes.regressors.base import Regressors
from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.arrays import ARRAYS, Arrays, from_column, to_column
from semipriv.core.randomness import Secure, Simulation, Source
from semipriv.core.roles import Role
from semipriv.learners.base import Learner, Protection
from semipriv.learners.outputs.base import described, restored
from semipriv.privacy.guarantee import Guarantee, Release

NAMES = [name for name in registry.names("learners") if registry.load("learners", name).output_kind == "regressor"]
LEARNERS = [learner for name in NAMES for learner in registry.load("learners", name).examples()]
CLASSES = [h for name in registry.names("regressors") for h in registry.load("regressors", name).examples()]


def suits(learner: Learner, h: Regressors) -> bool:
    try:
        learner.check(h)
    except ValueError:
        return False
    return True


PAIRS = [
    pytest.param(learner, h, id=f"{learner}-{h}"[:90]) for learner in LEARNERS for h in CLASSES if suits(learner, h)
]
over_pairs = pytest.mark.parametrize(("learner", "h"), PAIRS)


def data(h: Regressors, n: int, m: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Public points, private points, and responses."""
    generator = np.random.default_rng(seed)
    public, x = (h.clipped(generator.normal(size=(k, h.dimension))) for k in (m, n))
    return public, x, generator.uniform(-1, 1, n)


def prepared_by(learner: Learner, h: Any, public: np.ndarray) -> Any:
    """Carry out the public stage, with responses if it needs them."""
    responses = np.random.default_rng(7).uniform(-1, 1, len(public))
    return learner.prepare(public, h, responses if learner.public_stage.needs_labels else None)


def equal(first: Arrays, second: Arrays) -> bool:
    return first.keys() == second.keys() and all(np.array_equal(first[key], second[key]) for key in first)


def released(learner: Learner, h: Regressors, n: int = 30, seed: int = 1) -> Release:
    public, x, y = data(h, n, 9)
    return learner.release(prepared_by(learner, h, public), x, y, Simulation(seed))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: str(learner)[:60])
def test_learners_tell_who_they_are(learner: Learner) -> None:
    """Each learns a class, and none of labels; parameters build it again; its role is what it does."""
    assert any(suits(learner, h) for h in CLASSES)
    with pytest.raises(ValueError, match="Thresholds"):
        prepared_by(learner, Thresholds(), np.array([[0.5]]))
    assert registry.build("learners", {"name": registry.name_of(learner), **registry.parameters(learner)}) == learner
    assert learner.title
    if learner.protection is Protection.NONE:
        assert learner.guarantee is None
        assert learner.role in {Role.MINIMISER, Role.CANDIDATES_MINIMISER, Role.OTHER_MODEL}
    elif learner.role is Role.PUBLIC_ONLY:
        assert learner.guarantee == Guarantee(0.0)
    else:
        assert learner.guarantee == Guarantee(learner.epsilon, getattr(learner, "delta", 0.0))
        assert learner.role in {Role.PAPER, Role.VARIANT, Role.NO_PUBLIC}


@over_pairs
def test_releases_and_prepared_things_go_to_disk_and_back(learner: Learner, h: Regressors) -> None:
    public, x, y = data(h, 30, 9)
    prepared = prepared_by(learner, h, public)
    release = learner.release(prepared, x, y, Simulation(1))
    assert release.guarantee == learner.guarantee
    assert release.output.kind == learner.output_kind
    column = pa.array([to_column(prepared.arrays()), to_column(release.output.arrays())], ARRAYS)
    again = learner.public_stage.restore(from_column(column[0]), h)
    assert equal(again.arrays(), prepared.arrays())
    second = learner.release(again, x, y, Simulation(1))
    assert equal(release.output.arrays(), second.output.arrays())
    output = restored(described(release.output), from_column(column[1]))
    np.testing.assert_array_equal(output.predict(x), release.output.predict(x))
    output.functions.check_parameters(output.parameters)
    assert release.randomness is Source.SIMULATION


@over_pairs
def test_records_are_clipped_inside_the_mechanism(learner: Learner, h: Regressors) -> None:
    """Records from far outside the ranges give the release of clipped ones, byte for byte."""
    public, x, y = data(h, 30, 9)
    prepared = prepared_by(learner, h, public)
    far, wide = x.copy(), y.copy()
    far[:3], wide[2:9] = [[1e9], [-1e308], [3.0]], [1e308, -4.0, 1.5, 1.0, -1.0, -1e9, 2.0]
    first = learner.release(prepared, far, wide, Simulation(1)).output
    second = learner.release(prepared, h.clipped(far), np.clip(wide, -1, 1), Simulation(1)).output
    assert equal(first.arrays(), second.arrays())
    if learner.role is Role.PUBLIC_ONLY:
        return
    with pytest.raises(ValueError, match="responses: row 1 = nan: must be finite"):
        learner.release(prepared, x[:2], [0.0, np.nan], Simulation(1))
    with pytest.raises(ValueError, match=r"responses: must have shape \(30,\)"):
        learner.release(prepared, x, y[:7], Simulation(1))


@over_pairs
def test_degenerate_data(learner: Learner, h: Regressors) -> None:
    """One public point, copies of one; equal private records, no record: functions of the class come out."""
    _, x, y = data(h, 12, 1)
    for public in (x[:1], np.repeat(x[:1], 5, axis=0)):
        prepared = prepared_by(learner, h, public)
        for points, responses in ((x, y), (np.repeat(x[:1], 12, axis=0), np.ones(12)), (x[:0], y[:0])):
            output = learner.release(prepared, points, responses, Simulation(1)).output
            predictions = output.predict(x)
            assert predictions.shape == (12,)
            assert np.all(np.abs(predictions) <= 1 + 1e-12)


@over_pairs
def test_noise_on_floats_is_no_release(learner: Learner, h: Regressors) -> None:
    public, x, y = data(h, 30, 9)
    prepared = prepared_by(learner, h, public)
    if learner.protection is Protection.NONE:
        assert learner.release(prepared, x, y, Secure()).guarantee is None
        return
    if learner.role is Role.PUBLIC_ONLY:
        assert learner.release(prepared, x, y, Secure()).certified() == Guarantee(0.0)
        return
    if learner.releasable:
        assert learner.release(prepared, x, y, Secure()).certified() == learner.guarantee
    else:
        with pytest.raises(ValueError, match=r"randomness: .* for simulation only"):
            learner.release(prepared, x, y, Secure())
    with pytest.raises(ValueError, match="drawn by a Simulation"):
        learner.release(prepared, x, y, Simulation(1)).certified()


@pytest.mark.parametrize("name", NAMES)
def test_every_draw_of_a_private_learner_is_new(name: str) -> None:
    learner = registry.load("learners", name).examples()[0]
    h = next(h for h in CLASSES if suits(learner, h) and isinstance(h, LinearBall))
    first, again, other_seed = (released(learner, h, seed=seed).output.arrays() for seed in (1, 1, 2))
    assert equal(first, again)
    assert equal(first, other_seed) == (learner.protection is Protection.NONE or learner.role is Role.PUBLIC_ONLY)


PERTURBING = [name for name in NAMES if "eta" in registry.parameters(registry.load("learners", name).examples()[0])]
TABLES = [LinearBall(2), FiniteFunctions(np.random.default_rng(5).uniform(-1, 1, (20, 6)).tolist())]
OTHER = {
    "epsilon": 0.7,
    "delta": 5e-3,
    "eta": 70.0,
    "draws": 50,
    "loss": "absolute",
    "noise": "laplace",
    "output": "hull",
    "gamma": 1e3,
}
"""Another value of each parameter."""


@pytest.mark.parametrize("name", PERTURBING)
def test_every_parameter_of_a_learner_makes_a_difference(name: str) -> None:
    """To its guarantee or to its output, on some class."""
    learner = registry.load("learners", name).examples()[0]
    base = {"name": name, **registry.parameters(learner), "epsilon": 100.0}  # little noise
    for parameter in base.keys() - {"name"}:
        assert parameter in OTHER, f"{name}: give another value of {parameter!r}"
        change = {parameter: OTHER[parameter], **learner.facts.along.get(parameter, {})}
        start = base | ({"output": "hull"} if parameter == "loss" and "output" in base else {})
        usual, altered = (registry.build("learners", start | values) for values in ({}, change))
        known = [f for f in TABLES if suits(usual, f) and suits(altered, f)]
        assert any(seen_of(usual, f) != seen_of(altered, f) for f in known), f"{name}: {parameter} makes no difference"


def seen_of(learner: Learner, functions: Regressors) -> str:
    public, x, y = data(functions, 30, 9)
    prepared = prepared_by(learner, functions, public)
    releases = [learner.release(prepared, x, y, Simulation(seed)) for seed in range(3)]
    return repr([(r.guarantee, {k: a.tolist() for k, a in r.output.arrays().items()}) for r in releases])
