"""Audits by runs, for claim BCM20-T10-dp: MWEM on domains too large to enumerate, and the learner around it.

Runs prove no privacy: what they rule out is for the record.  What a negative control makes them rule out is judged.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from semipriv.audit.statistical import privacy_loss_of_values
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL
from semipriv.core.types import Floats, Integers
from semipriv.learners.outputs.answers import Answers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.mwem import MWEM, Iterate, scores
from semipriv.queries.workloads import Runs
from semipriv_lab.ledger.claim import Table
from semipriv_lab.ledger.findings import Measurement, Settings
from semipriv_lab.papers.bcm20.controls.mwem import Altered
from semipriv_lab.papers.bcm20.studies._thresholds import CLASS

EPSILON = 2.0
RUNS, RELEASES = 100_000, 1000
"""Runs of MWEM and of the learner on each of two neighbours: 2e5 of MWEM for each method, as planned."""
LEAST = 400
"""Fewest runs, whatever the effort."""
CELLS, RECORDS, ROUNDS = 65, 1000, 2
PREFIXES = Runs(CELLS, np.zeros(CELLS - 1, np.int64), np.arange(1, CELLS))
METHODS: dict[str, MWEM] = {"": MWEM(ROUNDS, 1), "noise / 10": Altered(ROUNDS, 1, scale=Fraction(1, 10))}
"""By the change that breaks it, the first by none."""
RULED_OUT = "epsilon that runs rule out"
_LEVEL = GATE_LEVEL / 4
"""Of each of four lower limits."""


def sampled_audit(table: Table) -> str:
    """Measure and tell the epsilon that runs rule out: for the record, and above epsilon for the negative controls."""
    runs, releases = (table.trials(number, fewest=LEAST) for number in (RUNS, RELEASES))
    rows: dict[str, list[Measurement]] = {"MWEM": [], "query release": []}
    for change, method in track(list(METHODS.items()), "audits"):
        stream = table.randomness.spawn("runs", change)
        for of, cells, number, values in (
            ("MWEM", CELLS, runs, [statistics(method, i, runs, stream.spawn(i)) for i in (0, 1)]),
            ("query release", 2, releases, [released(method, i, releases, stream.spawn("learner", i)) for i in (0, 1)]),
        ):
            settings: Settings = {"of": of, "cells": cells, "n_private": RECORDS, "rounds": ROUNDS, "epsilon": EPSILON}
            epsilon = privacy_loss_of_values(*values, level=_LEVEL).epsilon_lower
            if change:
                broken = settings | {"change": change, "broken": "yes"}
                row = table.exceeding(f"{RULED_OUT}, negative control", broken, epsilon, EPSILON, 2 * number)
            else:
                row = table.recorded(RULED_OUT, settings, epsilon, EPSILON, 2 * number)
            rows[of].append(row)
    (mwem, weaker), (learner, weaker_learner) = rows.values()
    return (
        f"{mwem.trials:,} runs of MWEM ({CELLS} cells, n = {RECORDS}, {ROUNDS} rounds) rule out epsilon below "
        f"{mwem.measured.value:.2f}, where {EPSILON:g} is claimed, {learner.trials:,} of the learner below "
        f"{learner.measured.value:.2f}, which proves nothing; with noise / 10, as they must, "
        f"{weaker.measured.value:.2f} and {weaker_learner.measured.value:.2f}; half the noise they miss (1.94, once)"
    )


# ---------------------------------------------------------------------------------------------------- MWEM
def neighbours() -> tuple[Integers, Integers]:
    """Return spread counts of 1000 records, and the same with one moved from the first cell to the last.

    So the count of each prefix falls by 1.
    """
    counts = np.full(CELLS, RECORDS // CELLS, np.int64)
    counts[:1] += RECORDS - counts.sum()
    moved = counts.copy()
    moved[0] -= 1
    moved[-1] += 1
    return counts, moved


def statistics(method: MWEM, of: int, runs: int, randomness: Simulation) -> Floats:
    """Run a method on one of the neighbours; return a statistic of what each run selects and measures, (runs,).

    It is the logarithm of the ratio of the chances, under the honest method, of what was selected and of the counts
    that were measured: what tells the neighbours apart best.  Runs with one history share their state, and draw
    together from the method's own mechanisms; each run has the distribution of ``MWEM.fit``.
    """
    budget, both = Guarantee(EPSILON), [PREFIXES.sums(counts) for counts in neighbours()]
    drawn, honest = method.round(budget), METHODS[""].round(budget)
    assert isinstance(honest.noise, DiscreteLaplace)
    ratios, histories = np.zeros(runs), [(Iterate.start(PREFIXES), np.arange(runs))]
    for number in range(method.rounds):
        following = []
        for i, (state, members) in enumerate(histories):
            stream = randomness.spawn(number, i)
            offered = [scores(RECORDS * PREFIXES.sums(state.weights), exact) for exact in both]
            query = drawn.selection.sample(offered[of], stream, size=len(members))
            noise = drawn.noise.sample(stream, len(members))
            value = np.clip(both[of][query] + noise, 0, RECORDS)
            for sign, shown, exact in zip((1, -1), offered, both, strict=True):
                chosen = honest.selection.log_probabilities(shown)[query]
                ratios[members] += sign * (chosen + honest.noise.log_probability(value - exact[query]))
            if number + 1 < method.rounds:
                key = query * (RECORDS + 1) + value
                order = np.argsort(key, kind="stable")
                starts = np.flatnonzero(np.diff(key[order], prepend=-1))
                for part in np.split(order, starts[1:]):
                    after = replace(state)
                    after.measure(PREFIXES.row(query[part[0]]), value[part[0]] / RECORDS, method.sweeps)
                    following.append((after, members[part]))
        histories = following
    return ratios


# ---------------------------------------------------------------------------------------------------- the learner
def released(method: MWEM, of: int, runs: int, randomness: Simulation) -> Floats:
    """Release answers to all thresholds with one public point, on one of two neighbours; return that at the point.

    Half of the private records are below the public point; in the neighbour one of them is above it.
    """
    learner = QueryRelease(EPSILON, method=method, representative="lower")
    domain = learner.prepare(np.array([[0.5]]), CLASS)
    points = np.where(np.arange(RECORDS) < RECORDS // 2 + of, 1.0, 0.0)[:, None]
    labels, shares = np.zeros(RECORDS), np.empty(runs)
    for i in range(runs):
        output = learner.release(domain, points, labels, randomness.spawn(i)).output
        assert isinstance(output, Answers)
        shares[i] = output.shares.sum()
    return shares
