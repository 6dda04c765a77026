"""LabelBoost at the paper's constants, and how its time grows with the examples that it consumes."""

from collections.abc import Callable

from benchmark import Benchmark, Call, Made, size

from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.label_boost.schedule import PAPER, Constants, Schedule, schedule
from semipriv_lab.papers.bns15.studies._boosting import base_need, run, two_atoms

START = 5_247_892
SCALED, LEAST = Constants(17, 6, a0=1), 5406
DISTRIBUTION = two_atoms(0.25)


def _call(plan: Schedule, start: int, bits: int) -> Call:
    return lambda: run(DISTRIBUTION, start, plan, bits, Simulation(1))


def at_paper(bits: int) -> Callable[[float], Made]:
    def make(factor: float) -> Made:
        plan = schedule(PAPER, START, size(base_need(bits, 0.2, 0.2), factor), 0.2, 0.2, 1)
        return Made(_call(plan, START, bits), count=float(START + plan.unlabelled))

    return make


def growth(factor: float) -> list[tuple[int, Call]]:
    seconds = []
    for times in (1, 10):
        plan = schedule(SCALED, LEAST, times * size(28_000, factor), 0.2, 0.2, 1)
        seconds.append((LEAST + plan.unlabelled, _call(plan, LEAST, 1024)))
    return seconds


BENCHMARKS = tuple(
    Benchmark(
        f"LabelBoost at the paper's constants, thresholds of {bits:,} bits",
        "none",
        at_paper(bits),
        limit=limit,
        growth=growth if bits == 640 else None,
        memory=memory,
        repeats=3,
        notes=f"5.2 million labelled and {unlabelled} million unlabelled examples, one round; growth: scaled constants",
    )
    for bits, limit, memory, unlabelled in (
        (640, 10.0, 2.0**30, 535),
        (1280, 15.0, 2.0**31, 1068),
        (2560, 25.0, 2.0**31, 2132),
    )
)
