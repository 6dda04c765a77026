"""What regions and A_LearnHalf refuse, and in which words."""

import math
from functools import partial

import numpy as np
import refused

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions.family import construct

PLANE, POINTS = Halfspaces(2), np.zeros((2, 2))
HALF = LearnHalf(1.0)


def family(m: int, mode: str = "facet") -> object:
    return construct(np.unique(np.random.default_rng(0).integers(0, 2**16, (m, 3)), axis=0), mode)


REFUSED = {
    "family": [
        (lambda: family(40), r"40 in dimension 3 give \|G\| = 1\.28\d*e\+12 hypotheses, 8\.59"),
        (lambda: family(400), r"give 1\.05\d*e\+07 sets of points .* 2,097,152 can be listed"),
        (lambda: family(220), r"\|G\| = \d\.\d*e\+18 hypotheses, 4\.612e\+18 can be counted in 64 bits"),
        (lambda: family(400, "fulll"), "unknown mode 'fulll': did you mean 'full'"),
    ],
    "grid": [
        (partial(LearnHalf, 1.0, grid=grid), words)
        for grid, words in (
            ({"low": [0.0]}, "grid: needs high"),
            ({"low": [0.0], "high": [1.0], "step": 2}, "unknown key of a grid 'step'"),
            ({"low": [0.0, 1.0], "high": [1.0]}, "one number a feature, got 2, 1"),
            ({"low": [0.0], "high": [0.0]}, r"high\[0\] = 0.0: must be > low\[0\]"),
            ({"low": [0.0], "high": [math.nan]}, r"grid.high\[0\]"),
            (3, "grid"),
        )
    ],
    "learner": [
        (lambda: HALF.prepare(POINTS, PLANE), "needs labelled public points"),
        (lambda: HALF.prepare(POINTS, PLANE, [0, 1]), "label_determined"),
        (lambda: HALF.release(HALF.prepare(POINTS, PLANE, [0, 0]), POINTS, [0, 1], Simulation(0)), "label_determined"),
        (lambda: LearnHalf(1.0, grid={"low": [0.0], "high": [1.0]}).check(PLANE), "the class has 2"),
        (lambda: HALF.check(Thresholds()), "learns halfspaces"),
        (lambda: LearnHalf(1.0, privacy="label"), "unknown privacy 'label'"),
    ],
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
