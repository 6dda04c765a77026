"""The exact distribution of the public-data reduction on the domain {0, 1}, by enumeration of coins and draws of D0."""

import itertools
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf, as_sample, examples, outcomes
from semipriv.classes.thresholds import Thresholds
from semipriv.core.samples import Sample
from semipriv.learners.base import FiniteOutput
from semipriv.papers.abm19.learners.public_data_reduction import private_sample
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.privacy.output_distribution import LogProbabilities


@dataclass(frozen=True)
class Audit:
    """A reduction on the domain {0, 1} that is small enough to enumerate: D0 is uniform on its 4 labelled examples.

    own: n~; share: p.  They may have any values, because claim 4.5 holds for all.
    """

    own: int
    share: float
    n_private: int = 3


InnerDistribution = Callable[[Sample], LogProbabilities]
DOMAIN = np.array([[0.0], [1.0]])


def input_distribution(data: DataSet, audit: Audit) -> list[tuple[Sample, float]]:
    """Return the exact distribution of A's private sample, over all coins and draws of D0; equal samples are merged."""
    own = as_sample(data)
    fillings = [as_sample(draws) for draws in itertools.product(examples(DOMAIN), repeat=audit.n_private)]
    samples: dict[bytes, tuple[Sample, float]] = {}
    for coins in itertools.product((False, True), repeat=audit.n_private):
        heads = sum(coins)
        weight = audit.share**heads * (1 - audit.share) ** (audit.n_private - heads) / len(fillings)
        for filling in fillings:
            sample, _ = private_sample(own, filling, np.array(coins))
            key = sample.points.tobytes() + sample.labels.tobytes()
            samples[key] = sample, weight + (samples[key][1] if key in samples else 0.0)
    return list(samples.values())


def output_distribution(inputs: list[tuple[Sample, float]], inner: InnerDistribution) -> LogProbabilities:
    """Return the exact distribution of A's output; ``inner`` is its distribution for each private sample."""
    total: dict[Hashable, float] = {}
    for sample, weight in inputs:
        for outcome, log_probability in inner(sample).items():
            total[outcome] = total.get(outcome, 0.0) + weight * math.exp(log_probability)
    return {outcome: math.log(probability) for outcome, probability in total.items()}


def remembered(inner: InnerDistribution) -> InnerDistribution:
    """Return the same distribution, computed once for each sample."""
    known: dict[bytes, LogProbabilities] = {}

    def distribution(sample: Sample) -> LogProbabilities:
        key = sample.points.tobytes() + sample.labels.tobytes()
        if key not in known:
            known[key] = inner(sample)
        return known[key]

    return distribution


def sspp_distribution(epsilon: float, mechanism: str, public: str) -> InnerDistribution:
    """Return the distribution of A_SSPP with thresholds.

    public: 'whole domain' fixes both points; 'drawn' draws two points of D0, so that the distribution is the mean over
    all four pairs.
    """
    learner: FiniteOutput = SSPP(epsilon, mechanism)
    pairs = [[0, 1]] if public == "whole domain" else [[0, 0], [0, 1], [1, 0], [1, 1]]
    covers = [Thresholds().cover(DOMAIN[pair]) for pair in pairs]

    def distribution(sample: Sample) -> LogProbabilities:
        distributions = [outcomes(learner.output_distribution(cover, sample.points, sample.labels)) for cover in covers]
        keys = set().union(*distributions)
        mass = {
            key: math.fsum(math.exp(part[key]) for part in distributions if key in part) / len(distributions)
            for key in keys
        }
        return {key: math.log(value) for key, value in mass.items()}

    return remembered(distribution)


def disclosing_distribution(delta: float) -> InnerDistribution:
    """Return the distribution of a (0, delta)-private algorithm: it publishes its first example with probability delta.

    Otherwise it publishes nothing.
    """

    def distribution(sample: Sample) -> LogProbabilities:
        return {(*sample.points[0], int(sample.labels[0])): math.log(delta), "nothing": math.log1p(-delta)}

    return distribution


def audited(audit: Audit) -> Callable[[InnerDistribution], DistributionOf]:
    """Return a function from A's distribution to the reduction's; A's samples are enumerated once for all A."""
    inputs = {data: input_distribution(data, audit) for data in itertools.product(examples(DOMAIN), repeat=audit.own)}

    def distribution_of(inner: InnerDistribution) -> DistributionOf:
        return lambda data: output_distribution(inputs[data], inner)

    return distribution_of
