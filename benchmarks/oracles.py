"""RRSPM, one call of an exact oracle, beside A_SSPP, which scores the cover: the same data, public stage included.

Then an integer program beside the combinatorial search, as exact oracles for halfspaces.
"""

from collections.abc import Callable

import numpy as np
from benchmark import Benchmark, Call, Made, generator, size

from semipriv.classes.base import HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.rectangles import Rectangles
from semipriv.core.randomness import Simulation
from semipriv.learners.base import AnyLearner
from semipriv.learners.oracles.exact import Exact
from semipriv.learners.oracles.highs import HiGHS
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.papers.bbd24.learners.rrspm import RRSPM


def learned(h: HypothesisClass, m: int, n: int) -> Callable[[float], Made]:
    """m public points and n private examples, half of whose labels are those of a halfspace."""

    def make(factor: float) -> Made:
        rng = generator()
        public, x = (rng.random((size(k, factor), h.dimension)) for k in (m, n))
        y = ((x.sum(axis=1) > h.dimension / 2) ^ (rng.random(len(x)) < 0.25)).astype(np.int8)

        def run(learner: AnyLearner) -> Call:
            return lambda: learner.release(learner.prepare(public, h), x, y, Simulation(1))

        return Made(run(RRSPM(1.0)), run(SSPP(1.0)), count=float(h.growth(len(public))))

    return make


def searched(d: int, n: int, flipped: float) -> Callable[[float], Made]:
    """n examples with normal points, a share of the labels of a halfspace flipped, and unit weights."""

    def make(factor: float) -> Made:
        rng, h = generator(), Halfspaces(d)
        x = rng.normal(size=(size(n, factor), d))
        y = ((x.sum(axis=1) > 0) ^ (rng.random(len(x)) < flipped)).astype(np.int8)
        w = np.ones(len(x))
        return Made(
            lambda: HiGHS().labels(h, x, y, w),
            lambda: Exact().labels(h, x, y, w),
            count=float(np.count_nonzero(Exact().labels(h, x, y, w) != (y == 1))),
        )

    return make


NOTES = "count: an upper bound on the patterns that A_SSPP scores"
BENCHMARKS = (
    Benchmark(
        "RRSPM, halfspaces in the plane, exact oracle, n + m = 2,000",
        "A_SSPP, 100 public points",
        learned(Halfspaces(2), 100, 1_900),
        limit=1,
        repeats=5,
        notes=NOTES,
    ),
    *(
        Benchmark(
            f"RRSPM, halfspaces of {d} features, exact oracle, {m} public points, n = {n}",
            f"A_SSPP, {m} public points",
            learned(Halfspaces(d), m, n),
            repeats=3,
            notes=NOTES,
        )
        for d, m, n in ((1, 200, 1_800), (2, 200, 1_800), (3, 20, 100), (3, 40, 100))
    ),
    *(
        Benchmark(
            f"RRSPM, rectangles in the plane, exact oracle, {m} public points, n = 900",
            f"A_SSPP, {m} public points",
            learned(Rectangles(2), m, 900),
            repeats=3,
            notes=NOTES,
        )
        for m in (50, 200)
    ),
    *(
        Benchmark(
            f"HiGHS, halfspaces of {d} features, {n} examples, {flipped:.0%} of the labels flipped",
            "combinatorial search",
            searched(d, n, flipped),
            repeats=3,
            notes="count: mistakes of the minimiser",
        )
        for d, n, flipped in ((3, 40, 0.1), (4, 40, 0.1), (5, 40, 0.1), (5, 50, 0.02))
    ),
)
