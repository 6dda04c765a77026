"""The exact law of MWEM on a tiny data set: all that it selects and measures, of which the rest is post-processing."""

from dataclasses import replace

import numpy as np

from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Workload
from semipriv.queries.methods.mwem import MWEM, Iterate, scores

Transcript = tuple[tuple[int, int], ...]
"""For each round the query that was selected, and its noisy count, cut to [0, n]."""


def cut_law(count: int, n: int, noise: DiscreteLaplace) -> Floats:
    """Return the logarithms of the probabilities that count + noise, cut to [0, n], is 0, ..., n: (n + 1,), n >= 1."""
    law = noise.log_probability(np.arange(n + 1) - count)
    law[0], law[n] = noise.log_cumulative([-count, count - n])
    return law


def transcripts(method: MWEM, workload: Workload, counts: Integers, budget: Guarantee) -> dict[Transcript, float]:
    """Return the natural logarithm of the probability of each transcript of MWEM, for a budget with delta = 0.

    There are (M (n + 1))^T of them for M queries and T rounds.  MWEM uses noisy counts only as cut to [0, n], and
    cutting is post-processing; so what it releases is a function of the transcript.
    """
    mechanisms, n, exact = method.round(budget), int(counts.sum()), workload.sums(counts)
    noise = mechanisms.noise
    assert isinstance(noise, DiscreteLaplace)
    measured = [cut_law(int(count), n, noise).tolist() for count in exact]
    law: dict[Transcript, float] = {}

    def extend(done: Transcript, logarithm: float, state: Iterate) -> None:
        chosen = mechanisms.selection.log_probabilities(scores(n * workload.sums(state.weights), exact))
        for query, selected in enumerate(chosen.tolist()):
            for value, drawn in enumerate(measured[query]):
                transcript, total = (*done, (query, value)), logarithm + selected + drawn
                if len(transcript) == method.rounds:
                    law[transcript] = total
                else:
                    following = replace(state)
                    following.measure(workload.row(query), value / n, method.sweeps)
                    extend(transcript, total, following)

    extend((), 0.0, Iterate.start(workload))
    return law
