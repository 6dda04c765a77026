"""Releases of a table of categories, timed: 15 columns, 32,384 private and 3,238 public rows, all 105 pairs."""

from collections.abc import Callable

from benchmark import Benchmark, Made, generator, size

from semipriv.core.randomness import Secure
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv_lab.papers.bcm20.studies._hidden_groups import HiddenGroups
from semipriv_lab.papers.bcm20.studies.public_rows_release import BUDGET, GROUPS, N_PRIVATE, N_PUBLIC, SCHEMA, SIZES

RELEASES: dict[str, TableRelease | PublicRowsRelease] = {
    "public rows, 15 chosen marginals": PublicRowsRelease(BUDGET.epsilon, BUDGET.delta),
    "public rows, all marginals": PublicRowsRelease(BUDGET.epsilon, BUDGET.delta, rounds=None),
    "grown rows": TableRelease(BUDGET.epsilon, BUDGET.delta),
    "grown rows, epsilon = 1e4": TableRelease(1e4, BUDGET.delta),
}


def release(learner: TableRelease | PublicRowsRelease) -> Callable[[float], Made]:
    """From the private table to the fitted weights of rows."""

    def make(factor: float) -> Made:
        rng = generator()
        distribution = HiddenGroups.drawn(SIZES, GROUPS, rng)
        public, private = (SCHEMA.table(distribution.sample(size(n, factor), 0.0, rng)) for n in (N_PUBLIC, N_PRIVATE))
        prepared = learner.prepare(public, SCHEMA)
        return Made(lambda: learner.release(prepared, private, Secure()))

    return make


BENCHMARKS = tuple(
    Benchmark(
        f"release of a table, 15 columns, {N_PRIVATE:,} and {N_PUBLIC:,} rows: {which}",
        "none",
        release(learner),
        repeats=5,
        notes="counting, choosing, exact noise, growing, the joint fit; errors: claim BCM20-TABLES, docs/findings.md",
    )
    for which, learner in RELEASES.items()
)
