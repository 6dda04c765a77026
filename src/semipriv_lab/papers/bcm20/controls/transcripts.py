"""Exact distributions of MWEM and PMW on tiny data: selections and measurements; the rest is post-processing."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from semipriv.core.logarithms import log_sum_exp
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Workload
from semipriv.queries.methods.mwem import MWEM, Iterate, scores
from semipriv.queries.methods.pmw import PMW

Transcript = tuple[tuple[int, int], ...]
"""For each round the query that was selected or measured, and its noisy count, cut to [0, n]."""


def cut_distribution(count: int, n: int, noise: DiscreteLaplace) -> Floats:
    """Return the logarithms of the probabilities that count + noise, cut to [0, n], is 0, ..., n: (n + 1,), n >= 1."""
    distribution = noise.log_probability(np.arange(n + 1) - count)
    distribution[0], distribution[n] = noise.log_cumulative([-count, count - n])
    return distribution


def transcripts(method: MWEM, workload: Workload, counts: Integers, budget: Guarantee) -> dict[Transcript, float]:
    """Return the natural logarithm of the probability of each transcript of MWEM, for a budget with delta = 0.

    There are (M (n + 1))^T of them for M queries and T rounds.  MWEM uses noisy counts only as cut to [0, n], and
    cutting is post-processing; so what it releases is a function of the transcript.
    """
    mechanisms, n, exact = method.round(budget), int(counts.sum()), workload.sums(counts)
    noise = mechanisms.noise
    assert isinstance(noise, DiscreteLaplace)
    measured = [cut_distribution(int(count), n, noise).tolist() for count in exact]
    distribution: dict[Transcript, float] = {}

    def extend(done: Transcript, logarithm: float, state: Iterate) -> None:
        chosen = mechanisms.selection.log_probabilities(scores(n * workload.sums(state.weights), exact))
        for query, selected in enumerate(chosen.tolist()):
            for value, drawn in enumerate(measured[query]):
                transcript, total = (*done, (query, value)), logarithm + selected + drawn
                if len(transcript) == method.rounds:
                    distribution[transcript] = total
                else:
                    following = replace(state)
                    following.measure(workload.row(query), value / n, method.sweeps)
                    extend(transcript, total, following)

    extend((), 0.0, Iterate.start(workload))
    return distribution


def measured_by_pmw(
    method: PMW, workload: Workload, counts: Integers, budget: Guarantee, share: Fraction = Fraction(1)
) -> dict[Transcript, float]:
    """Return the natural logarithm of the probability of each transcript of PMW with one pass, for delta = 0.

    share: factor of the noise of comparisons, 1 in PMW.  The distribution is worked from the sparse vector technique,
    apart from ``PMW.fit``: a threshold T + R, and for each query, gap g, the chance that g + N or N' - g reaches it;
    given R = r queries are independent until one is measured.  Sums run over r; values beyond T and 50 scales of R have
    a chance below e^-80 each.  What PMW releases is a function of the transcript: whether a noisy count is below p(q) n
    does not change when it is cut to [0, n].
    """
    plan, n, exact = method.plan(workload.cells, workload.size, budget), int(counts.sum()), workload.sums(counts)
    lot, comparison, numeric = map(DiscreteLaplace, (plan.lot, 2 * plan.lot * share, plan.numeric))
    threshold = plan.threshold(n)
    far = threshold + math.ceil(50 * lot.scale)
    r = np.arange(-far, far + 1)
    drawn, level = lot.log_probability(r), threshold + r
    noisy = [cut_distribution(int(count), n, numeric).tolist() for count in exact]

    def epoch(start: int, left: int, logarithms: Floats) -> dict[Transcript, float]:
        """Return the distribution of measurements from a query on, with a new threshold; left: updates left."""
        masses, weight, distribution = np.exp(logarithms - logarithms.max()), drawn, dict[Transcript, float]()
        shares = workload.sums(masses / masses.sum())
        for query in range(start, workload.size if left else start):
            gap = int(exact[query]) - int(np.rint(n * shares[query]))
            misses = [comparison.log_cumulative(level - sign * gap - 1) for sign in (1, -1)]
            reach = [comparison.log_cumulative(sign * gap - level) for sign in (1, -1)]
            total = log_sum_exp(weight + np.logaddexp(reach[0], reach[1] + misses[0]))
            after: dict[float, dict[Transcript, float]] = {}
            for value, chance in enumerate(noisy[query]):
                step = method.step(shares[query], value / n, plan.rate)
                if step not in after:
                    after[step] = epoch(query + 1, left - 1, logarithms + step * workload.row(query))
                for rest, probability in after[step].items():
                    distribution[((query, value), *rest)] = total + chance + probability
            weight = weight + misses[0] + misses[1]
        return distribution | {(): log_sum_exp(weight)}

    return epoch(0, plan.updates, np.zeros(workload.cells))
