"""What learners of BNS15 refuse: the call, and the words of the error."""

import numpy as np
import refused

from semipriv.audit.properties.every_entry import EveryEntry
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.thresholds import Thresholds
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Simulation
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.papers.bns15.label_boost.schedule import SHARP, Constants
from semipriv.papers.bns15.learners.active_subsampling import ActiveSubsampling
from semipriv.papers.bns15.learners.all_concepts import AllConcepts
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.papers.bns15.learners.label_boost import LabelBoost
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.net_exact import NetExact

TINY, FOUR = DiscreteThresholds(1), DiscreteThresholds(2)


GENERIC = GenericLearner(1.0, Net(), size=2, n_unlabelled=5)


def active(**changes) -> ActiveSubsampling:
    return ActiveSubsampling(**({"learner": AllConcepts(1.0), "epsilon": 1.0, "n_labelled": 2, "n": 4} | changes))


def boost(**changes) -> LabelBoost:
    return LabelBoost(**({"learner": AllConcepts(1.0), "n": 10, "alpha": 0.2, "beta": 0.2} | changes))


def use(learner, h, x, y, *unlabelled) -> object:
    """Release without public points."""
    return learner.release(learner.prepare([], h), x, y, Simulation(1), *unlabelled)


REFUSED = [
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
    (
        lambda: active().output_distribution(active().prepare([], FOUR), np.zeros((60, 1)), np.zeros(60)),
        "more than 50,000",
    ),
    (lambda: use(active(), FOUR, np.zeros((42, 1)), [1] * 41), r"labels: must have shape \(42,\)"),
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
]


@refused.each({"learners of BNS15": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
