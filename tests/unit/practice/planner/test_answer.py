"""A plan in words and as plain values, line by line: no two of its numbers are equal."""

import numpy as np
import pytest

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.rectangles import Rectangles
from semipriv.learners._planned import ProvenExcess, ProvenSizes
from semipriv.practice.planner.answer import text
from semipriv.practice.planner.empirical import EmpiricalExcess, EmpiricalSizes, Scenario
from semipriv.practice.planner.plan import ExcessPlan, SizePlan, plan_sizes
from semipriv.practice.planner.population import Population

CLASS = Rectangles(3)
POPULATION = Population(CLASS, "a table of eleven rows", np.arange(33.0).reshape(11, 3))
SIZES, EXCESS = ProvenSizes(21_001, 52_002, 43_003), ProvenExcess(0.625, 0.375)
FOUND = EmpiricalSizes(404, 5050, 6, 707, 0.0312, 3)
SEEN = EmpiricalExcess(0.0208, 0.0417, 818)


def scenario(noise: float) -> Scenario:
    return Scenario(POPULATION, "permute_and_flip", noise, 900, 13)


def lines(plan: SizePlan | ExcessPlan) -> list[str]:
    return [" ".join(line.split()) for line in text(plan).splitlines()]


def head(realizable: bool) -> list[str]:
    kind = "realizable: some hypothesis of the class is always right" if realizable else "agnostic: any labels"
    return [
        f"Class Rectangles(dimension = 3), VC dimension 6; {kind}",
        "Learner A_SSPP (ABM19 algorithm 1), epsilon = 0.5: pure differential privacy for replacing",
        "one private example; public points without labels",
        "",
    ]


def simulated(noise: str, *evidence: str) -> list[str]:
    return [
        "",
        "Population a table of eleven rows; 11 rows, drawn from with replacement, taken as PUBLIC",
        f"Labels a random hypothesis of the class, flipped with probability {noise}; "
        "mechanism permute_and_flip; seed 13",
        *evidence,
    ]


BELOW = "the population below, average over targets; no proof"


@pytest.mark.parametrize("realizable", [False, True])
def test_sizes_in_words(realizable: bool) -> None:
    noise = 0.0 if realizable else 0.15
    plan = SizePlan(CLASS, 0.07, 0.5, realizable, scenario(noise), 0.125, SIZES, FOUND)
    source = "realizable form" if realizable else "ABM19 theorem 3.1"
    every = "every realizable distribution" if realizable else "every distribution"
    expected = [
        "Sizes for an excess error of at most alpha = 0.125 with probability 0.93 (beta = 0.07)",
        *head(realizable),
        "public points private examples holds for",
        f"proven, {source} 21,001 52,002 {every}",
        f"proven, best split (ours) 21,001 43,003 {every}",
    ]
    evidence = (
        "Evidence 6 of 707 fresh trials exceed alpha: failure rate at most 0.0312 <= beta; attempt 3,",
        "95 % confidence over the simulation, all attempts together",
    )
    rows = [f"simulated 404 5,050 {BELOW}"]
    assert lines(plan) == [*expected, *rows, *simulated(f"{noise:g}", *evidence)]
    bare = SizePlan(CLASS, 0.07, 0.5, realizable, None, 0.125, SIZES, None)
    assert lines(bare) == expected


@pytest.mark.parametrize("realizable", [False, True])
def test_an_excess_error_in_words(realizable: bool) -> None:
    noise = 0.0 if realizable else 0.15
    plan = ExcessPlan(CLASS, 0.07, 0.5, realizable, scenario(noise), 1234, 56_789, EXCESS, SEEN)
    source = "realizable form" if realizable else "ABM19 theorem 3.1"
    every = "every realizable distribution" if realizable else "every distribution"
    expected = [
        "Excess error with 1,234 public points and 56,789 private examples with probability 0.93 (beta = 0.07)",
        *head(realizable),
        "excess error at most holds for",
        f"proven, {source} 0.625 {every}",
        f"proven, best split (ours) 0.375 {every}",
        f"simulated 0.0417 {BELOW}",
    ]
    evidence = "Evidence 0.93-quantile of 818 trials 0.0208; above: its upper limit, 95 % confidence"
    assert lines(plan) == [*expected, *simulated(f"{noise:g}", evidence)]
    nothing = ExcessPlan(CLASS, 0.07, 0.5, realizable, None, 1234, 56_789, ProvenExcess(None, 0.375), None)
    assert lines(nothing)[-2:] == [f"proven, {source} says nothing at these sizes {every}", expected[-2]]


def test_plans_as_plain_values() -> None:
    """The same keys for both questions."""
    sizes = SizePlan(CLASS, 0.07, 0.5, False, scenario(0.15), 0.125, SIZES, FOUND).to_dict()
    excess = ExcessPlan(CLASS, 0.07, 0.5, True, None, 1234, 56_789, ProvenExcess(0.625, None), None).to_dict()
    asked = {"class": "rectangles", "parameters": {"dimension": 3}, "vc_dimension": 6, "beta": 0.07, "epsilon": 0.5}
    assert sizes == {
        "question": "sizes",
        "asked": asked | {"alpha": 0.125, "n_public": None, "n_private": None, "realizable": False},
        "proven": {"n_public": 21_001, "n_private": 52_002, "n_private_optimised": 43_003},
        "empirical": {
            **{"n_public": 404, "n_private": 5050, "failures": 6, "trials": 707, "upper_limit": 0.0312, "attempts": 3}
        },
        "simulation": {
            **{"population": "a table of eleven rows", "atoms": 11, "mechanism": "permute_and_flip", "noise": 0.15},
            **{"seed": 13, "confidence": 0.95},
        },
    }
    assert excess == {
        "question": "excess",
        "asked": asked | {"alpha": None, "n_public": 1234, "n_private": 56_789, "realizable": True},
        "proven": {"excess": 0.625, "excess_optimised": None, "vacuous": True},
        "empirical": None,
        "simulation": None,
    }


def test_a_plan_says_what_covers_of_halfspaces_may_lack() -> None:
    plans = [plan_sizes(Halfspaces(d), 0.1, 0.1, 1.0) for d in (1, 2)]
    assert ["no row of doubles is found" in text(plan) for plan in plans] == [False, True]
