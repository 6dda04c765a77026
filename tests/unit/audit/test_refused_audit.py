"""What the audits refuse: the call, and the words of the error."""

import math
from collections.abc import Callable

import pytest

from semipriv.audit.exact import audited_privacy_loss, exact_delta, exact_privacy_loss, learner_privacy_loss
from semipriv.audit.statistical import privacy_loss_of_values, statistical_privacy_loss
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.slots import DataSets

EXAMPLE, FEATURES = Neighbours.REPLACE_PRIVATE_EXAMPLE, Neighbours.REPLACE_PRIVATE_FEATURES
ENTRIES = DataSets([((0.0,), 0), ((0.0,), 1)], 2, [(0.0,)], 2)


def distribution(data: object) -> dict[int, float]:
    return {0: 0.0}


def values(first: list, two: list, level: float = 0.1, delta: float = 0.0) -> object:
    return privacy_loss_of_values(first, two, level=level, delta=delta)


def runs(number: float) -> object:
    return statistical_privacy_loss(distribution, "a", "b", float, number, level=0.1, randomness=Simulation(0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exact_privacy_loss(distribution, []), "needs n >= 1 slots"),
        (lambda: exact_privacy_loss(distribution, [[0], []]), "needs n >= 1 slots"),
        (lambda: exact_privacy_loss(distribution, [[0, 1], [0]], exchangeable=True), "must be equal"),
        (lambda: exact_privacy_loss(distribution, [[0, 1]] * 21), r"data sets to enumerate: the limit is 2e\+06"),
        (lambda: learner_privacy_loss(SSPP(1.0), Thresholds(), [1.0], [1.0], 0), "n = 0: must be >= 1"),
        (
            lambda: learner_privacy_loss(EmpiricalRiskMinimiser(), Thresholds(), [1.0, 2.0], [1.0, 2.0], 1),
            "no finite output distribution",
        ),
        (lambda: exact_delta(distribution, [[0, 1]] * 2, math.inf), "epsilon = inf"),
        *(
            (
                lambda neighbours=actual_neighbours: audited_privacy_loss(
                    distribution, Guarantee(0.6, 0.0, neighbours), ENTRIES
                ),
                f"n_unlabelled = 2: {actual_neighbours.value} has labelled examples only",
            )
            for actual_neighbours in (EXAMPLE, FEATURES)
        ),
        (lambda: values([0, math.nan], [0, 0]), "values: row 1 is nan"),
        (lambda: values([0, 0], [math.nan, 0]), "neighbour_values: row 0 is nan"),
        (lambda: values([0, 0, 1], [0, 0]), "neighbour_values: has 2 runs, must have 3"),
        (lambda: values([[0, 0]], [0, 0]), r"values: must have shape \(runs,\), got \(1, 2"),
        (lambda: values([0], [0]), "runs = 1: must be >= 2"),
        (lambda: values([], []), "runs = 0: must be >= 2"),
        (lambda: values([0, 0], [0, 0], level=0), r"level = 0: must be in \(0, 1\)"),
        (lambda: values([0, 0], [0, 0], delta=1), r"delta = 1: must be in \[0, 1\)"),
        (lambda: runs(0), "runs = 0: must be >= 2"),
        (lambda: runs(2.5), "runs = 2.5: must be an integer"),
    ],
)
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
