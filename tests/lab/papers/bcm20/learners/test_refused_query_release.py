"""What query releases refuse."""

import numpy as np
import pytest
import refused
from specified import loaded

from semipriv.classes.base import Hypothesis
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.learners.outputs.answers import Answers
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.papers.bcm20.releases.tracing import trace
from semipriv.settings.reading import ConfigError

PLANE, BALL = np.array([[0.0, 0], [1, 3], [2, 1]]), LinearBall(3)


def released(h=None, public=PLANE[:, :1], private=None) -> Answers:
    learner = QueryRelease(1.0)
    prepared = learner.prepare(public, h or Thresholds())
    x = public if private is None else private
    return learner.release(prepared, x, np.zeros(len(x)), Simulation(0)).output


def answers(factor: float) -> Answers:
    good = released()
    return Answers(good.cover, good.representatives, good.shares, factor * good.weights)


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


REFUSED = [
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


@refused.each({"learners of BCM20": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
