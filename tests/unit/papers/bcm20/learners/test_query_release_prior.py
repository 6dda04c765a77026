"""A_PAP with a method that reads its public points: as a prior of the cells, not as cells alone."""

import numpy as np

from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.learners._answering import as_method
from semipriv.papers.bcm20.learners.query_release import QueryRelease


def test_public_points_that_repeat_are_a_prior() -> None:
    """Points rounded to hundredths: their shares of the cells help, from 3,000 private rows at epsilon .1."""
    rng = np.random.default_rng(1)
    public, private = (np.round(rng.beta(2, 5, n), 2)[:, None] for n in (200, 3_000))
    errors = []
    for name in ("public_prior_tree", "consistent_tree"):
        learner = QueryRelease(0.1, method=as_method("method", name), scale="01")
        prepared = learner.prepare(public, Thresholds())
        counts = prepared.counts(private)
        truth = prepared.workload.sums(counts) / len(private)
        actual_shares = [learner.release_counts(prepared, counts, Simulation(seed)).output.shares for seed in range(10)]
        errors.append(np.abs(np.array(actual_shares) - truth).mean())
    assert errors[0] < 0.8 * errors[1]
