"""What the planner refuses, and in which words."""

import math
from functools import cache, partial
from typing import Any

import papers_here
import refused

from semipriv.classes.base import HypothesisClass
from semipriv.classes.halfspace_intersections import HalfspaceIntersections
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.learners.as_if_public import AsIfPublic
from semipriv.learners.base import AnyLearner
from semipriv.learners.discard_private import DiscardPrivate
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.practice.planner.compare import built, compare
from semipriv.practice.planner.empirical import Scenario, empirical_excess, empirical_sizes
from semipriv.practice.planner.of_learner import learner_excess, learner_sizes
from semipriv.practice.planner.plan import plan_excess, plan_sizes
from semipriv.practice.planner.population import Population, default_population

LINE = Thresholds()


class Sines(Thresholds):
    """Stands for a class without finite VC dimension."""

    @property
    def vc_dimension(self) -> int:
        return math.inf  # type: ignore[return-value]


@cache
def population(h: HypothesisClass = LINE) -> Population:
    return default_population(h, 2000, Simulation(0))


def learner_of(name: str = "rrspm", epsilon: float = 1.0, **parameters: Any) -> AnyLearner:
    return built(papers_here.learner(name), epsilon, 1e-6, parameters)


def planned(h: HypothesisClass = LINE, realizable: bool = False, **scenario: Any) -> object:
    return plan_sizes(h, 0.1, 0.05, 1.0, realizable=realizable, scenario=Scenario(population(), **scenario))


def compared(*learners: AnyLearner, **scenario: Any) -> object:
    return compare(Scenario(population(), **scenario), learners, 0.1, 0.1)


SUPPORTED = r"the planner supports 0\.0001 <= epsilon <= 100"
REFUSED = {
    "proven": [
        (
            lambda: SSPP(1.0).proven_sizes(HalfspaceIntersections(3), 0.1, 0.1),
            "HalfspaceIntersections: the proven sizes need the VC dimension",
        ),
        (lambda: plan_sizes(Sines(), 0.1, 0.1, 1.0), "Sines: the VC dimension is infinite"),
        (lambda: plan_excess(LINE, 5, 5, 0.1, 1.0), "says nothing at these sizes"),
        (lambda: SSPP(1.0).proven_sizes(LINE, 1e-200, 0.1), "n_public exceeds"),
        (lambda: SSPP(1.0).proven_sizes(LINE, 0.1, 1e-320), "the sizes exceed the floating-point numbers"),
        *(
            (partial(SSPP(epsilon).proven_sizes, LINE, 0.1, 0.1), SUPPORTED)
            for epsilon in (5e-324, 9.9e-5, 100.1, 1e300)
        ),
        *((partial(plan_excess, LINE, 5, 5, 0.1, epsilon), SUPPORTED) for epsilon in (5e-324, 9.9e-5, 100.1, 1e300)),
        (lambda: plan_sizes(LINE, 0, 0.1, 1), "alpha = "),
        (lambda: plan_sizes(LINE, 0.1, 1, 1), "beta = "),
        (lambda: plan_sizes(LINE, 0.1, 0.1, 0), "epsilon = "),
        (lambda: plan_sizes(LINE, 0.1, 0.05, 1.0, n_public=5), "n_public: is the answer"),  # type: ignore[call-overload]
    ],
    "simulated": [
        (lambda: Scenario(population(), mechanism="permute"), "did you mean 'permute_and_flip'"),
        (lambda: Scenario(population(), noise=0.5), r"noise = 0\.5"),
        (lambda: Scenario(population(), trials=0), "trials = 0"),
        (lambda: Scenario(population(), seed=-1), "seed = -1"),
        (lambda: planned(trials=71), "trials = 71: must be >= 72"),
        (lambda: planned(realizable=True), r"noise = 0\.1: must be 0 in the realizable case"),
        (lambda: planned(Intervals()), "its population is for"),
        (lambda: empirical_sizes(Scenario(population()), 0.1, 1e-9, 1.0), "beta = 1e-09: a simulation shows no less"),
        (
            lambda: empirical_excess(Scenario(population()), 5, 10**8, 0.1, 1.0),
            "n_private = 100000000: the simulation draws at most",
        ),
        (
            lambda: empirical_excess(Scenario(population(Halfspaces(6))), 100, 100, 0.1, 1.0),
            "more than the 250000 that the simulation lists: ask for the proven part only",
        ),
    ],
    "of a learner": [
        (lambda: plan_sizes(LINE, 0.1, 0.05, 2, learner=learner_of()), r"epsilon = 2: RRSPM.* has epsilon = 1"),
        (lambda: learner_excess(LINE, learner_of(), {"n": 5}, 0.05), "unknown size of 'rrspm' 'n'"),
        (lambda: learner_excess(LINE, learner_of(), {"n_public": 5}, 0.05), "n_private: must be given"),
        (
            lambda: learner_excess(LINE, learner_of(), {"n_public": 5, "n_private": 5}, 0.05),
            "n_private = 5: the bound says",
        ),
        (lambda: learner_sizes(LINE, learner_of(), math.nan, 0.05), "alpha = nan"),
        (lambda: learner_sizes(LINE, learner_of(), 0.1, 1), "beta = 1"),
        (lambda: plan_sizes(LINE, 0.1, 0.05, learner=learner_of(), n_public=10), r"no n_private up to 2\^53"),
        (lambda: learner_sizes(LINE, learner_of(), 1e-6, 0.05), r"no n_private up to 2\^53"),
        (lambda: learner_sizes(LINE, learner_of("fixed_grid"), 0.1, 0.05), "nothing is proven"),
        (lambda: learner_sizes(LINE, learner_of(patterns="nonempty"), 0.1, 0.05), "nothing is proven"),
        (lambda: plan_sizes(LINE, 0.1, 0.05, learner=learner_of("learn_half")), "learn_half learns halfspaces"),
        (lambda: plan_sizes(LINE, 0.1, 0.05, learner=learner_of(epsilon=1e-5)), "the planner supports"),
        (lambda: learner_of("generic_learner", alpha=0.1), "alpha: follows from alpha"),
    ],
    "compared": [
        (lambda: compared(SSPP(1.0), SSPP(1.0)), "is given twice"),
        (lambda: compared(learner_of("learn_half")), "learn_half: learn_half learns halfspaces"),
        (lambda: compared(QueryRelease(1.0)), "releases no hypothesis"),
        (lambda: compared(SSPP(1e-9)), "the planner supports"),
        (lambda: compared(AsIfPublic(SSPP(1.0), 3)), "reads unlabelled"),
        (lambda: compared(DiscardPrivate(), trials=3), "trials = 3: must be >="),
    ],
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
