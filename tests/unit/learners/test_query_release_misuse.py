"""Wrong input to query release is refused in one line, before any work."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import semipriv as sp
from semipriv.classes import base
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.experiments.loading import load_run
from semipriv.experiments.reading import ConfigError
from semipriv.learners.grid_query_release import GridQueryRelease
from semipriv.outputs.answers import Answers
from semipriv.queries.tracing import trace
from semipriv.randomness import Simulation
from semipriv.stages import representative_domain

FOLDER = Path(__file__).parents[3] / "config/experiments"
PLANE = np.array([[0.0, 0], [1, 3], [2, 1]])


def released(h=None, public=PLANE[:, :1], private=None) -> Answers:
    learner = sp.QueryRelease(1.0)
    prepared = learner.prepare(public, h or Thresholds())
    x = public if private is None else private
    return learner.release(prepared, x, np.zeros(len(x)), Simulation(0)).output


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sp.QueryRelease(1.0, 0.0, "gaussian"), r"delta = 0\.0: Gaussian noise needs delta > 0"),
        (lambda: sp.QueryRelease(1.0, method={"name": "mwem", "rounds": 0}), "rounds = 0: must be >= 1"),
        (lambda: sp.QueryRelease(1.0, method={"name": "mwem", "rounds": -3}), "rounds = -3: must be >= 1"),
        (lambda: sp.QueryRelease(1.0, method={"name": "mwem", "rounds": 2.5}), r"rounds = 2\.5: must be"),
        (lambda: sp.QueryRelease(1.0, method="mwen"), "unknown .* 'mwen': did you mean 'mwem'"),
        (lambda: sp.QueryRelease(0.0), r"epsilon = 0\.0: must be > 0"),
        (lambda: sp.QueryRelease(1.0, 1.5), r"delta = 1\.5: must be in"),
        (lambda: sp.QueryRelease(1.0, scale="02"), "unknown scale of answers '02'"),
        (lambda: released().answer([[1.0, 2.0]]), r"queries: must have shape \(q, 1\) for Thresholds"),
        (lambda: released(Rectangles(2), PLANE).answer([[0.0, 1.0]]), r"queries: must have shape \(q, 4\)"),
        (lambda: released().answer([[np.nan]]), "queries: row 0 = .*: holds no number"),
        (lambda: released().answer(sp.Hypothesis(Intervals(), np.zeros(2))), "queries: number 0 is of Intervals"),
        (
            lambda: released(DecisionStumps(2), PLANE).answer([[2, 0.5, 1]]),
            r"queries: row 0: feature 2: must be one of 0, ",
        ),
        (lambda: released(DecisionStumps(2), PLANE).answer([[-1, 0.5, 1]]), "queries: row 0: feature -1: must be one"),
        (lambda: released(DecisionStumps(2), PLANE).answer([[0, 0.5, 0]]), "queries: row 0: sign 0: DecisionStumps"),
        (lambda: released(DecisionStumps(1)).answer(sp.Hypothesis(DecisionStumps(3), np.zeros(3))), "number 0 is of"),
        (
            lambda: released(FiniteClass([[1, 0, 1], [0, 1, 1]]), [[0.0], [1.0]]).answer([[7.0]]),
            r"queries: row 0: row of the table 7: must be one of 0, ..., 1$",
        ),
        (lambda: released(private=np.zeros((0, 1))), "0 private examples, must be at least one"),
        (lambda: released(private=PLANE), "points"),
        (
            lambda: trace(np.zeros(2), None, np.ones((9, 2), bool), 0.5, private=np.ones((1, 2), bool)),
            "reference: none",
        ),
    ],
)
def test_one_line_says_what_is_wrong(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_weights_that_do_not_sum_to_one() -> None:
    good = released()
    given = {"cover": good.cover, "representatives": good.representatives, "shares": good.shares}
    for weights in (0.9 * good.weights, np.full_like(good.weights, np.nan), -good.weights):
        with pytest.raises(ValueError, match="weights: must be numbers >= 0 that sum to 1, their sum is"):
            Answers(**given, weights=weights)


@pytest.mark.parametrize("method", ["tree", "two_level_tree", {"name": "gaussian", "isotonic": True}])
def test_methods_for_ordered_cells_are_refused_before_public_points_are_read(method: object) -> None:
    for learner in (sp.QueryRelease(1.0, 1e-6, method), GridQueryRelease(1.0, 1e-6, method=method)):
        with pytest.raises(ValueError, match=r"of ordered cells, as .*; Rectangles\(.*\) has several features"):
            learner.prepare("no points at all", Rectangles(2))
        learner.check(Thresholds("le"))


def test_a_domain_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (base, representative_domain):
        monkeypatch.setattr(module, "LISTING_LIMIT", 2**14)
    public = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(
        ValueError, match=r"GiB to list \(limit .* GiB\): .*; 30 points, for certain up to \d+ distinct"
    ):
        sp.QueryRelease(1.0).prepare(public, Halfspaces(2))


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
        others = {"class": changes.pop("class"), "distribution": uniform, "cases": {"one": {}}, "figures": []}
    learner = {"name": "query_release", "epsilon": 1, "delta": 1e-6, **changes}
    overrides = {"query_error": {"learners": [learner], **others}}
    run = {"seed": 5, "results": "results", "experiments": ["query_error"], "claims": [], "overrides": overrides}
    with pytest.raises(ConfigError, match=message) as error:
        load_run(run, FOLDER)
    assert re.search(r"query_error", str(error.value))
    assert "\n" not in str(error.value)
