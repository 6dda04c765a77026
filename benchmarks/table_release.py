"""Release of a table of categorical columns, timed: 15 columns, 32,384 private and 3,238 public rows, all 105 pairs."""

from collections.abc import Callable

from benchmark import Benchmark, Made, generator, size

from semipriv.core.randomness import Simulation
from semipriv.learners.tables.table_release import TableRelease
from semipriv.papers.bcm20.studies._hidden_groups import HiddenGroups
from semipriv.papers.bcm20.studies.table_release import BUDGET, GROUPS, N_PRIVATE, N_PUBLIC, SCHEMA, SIZES


def release(rounds: int | None) -> Callable[[float], Made]:
    """From the private table to the fitted weights of the public rows."""

    def make(factor: float) -> Made:
        rng, learner = generator(), TableRelease(BUDGET.epsilon, BUDGET.delta, rounds=rounds)
        law = HiddenGroups.drawn(SIZES, GROUPS, rng)
        public, private = (SCHEMA.table(law.sample(size(n, factor), 0.0, rng)) for n in (N_PUBLIC, N_PRIVATE))
        prepared = learner.prepare(public, SCHEMA)
        return Made(lambda: learner.release(prepared, private, Simulation(1)))

    return make


BENCHMARKS = tuple(
    Benchmark(
        f"release of a table, 15 columns, {N_PRIVATE:,} and {N_PUBLIC:,} rows, {which} marginals measured",
        "none",
        release(rounds),
        repeats=5,
        notes="counting, choosing, measuring and the joint fit; errors: claim BCM20-TABLES",
    )
    for rounds, which in ((15, "15"), (None, "all 105"))
)
