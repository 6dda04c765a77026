"""Exact law of the public-data reduction on the domain {0, 1}, by enumeration of its coins and of its draws of D0."""

import itertools
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from semipriv.audit.exact import DataSet, LawOf, as_sample, examples, outcomes
from semipriv.classes.thresholds import Thresholds
from semipriv.learners.base import FiniteOutput
from semipriv.learners.public_data_reduction import private_sample
from semipriv.learners.sspp import SSPP
from semipriv.privacy.laws import LogProbabilities
from semipriv.samples import Sample


@dataclass(frozen=True)
class Audit:
    """A reduction on the domain {0, 1} that can be enumerated: D0 is uniform on its 4 labelled examples.

    own: n~; share: p.  Both are free here: claim 4.5 holds for all of them.
    """

    own: int
    share: float
    n_private: int = 3


InnerLaw = Callable[[Sample], LogProbabilities]
DOMAIN = np.array([[0.0], [1.0]])


def input_law(data: DataSet, audit: Audit) -> list[tuple[Sample, float]]:
    """Exact law of the private sample that A is given: all coins and draws of D0, equal samples put together."""
    own = as_sample(data)
    fillings = [as_sample(draws) for draws in itertools.product(examples(DOMAIN), repeat=audit.n_private)]
    found: dict[bytes, tuple[Sample, float]] = {}
    for coins in itertools.product((False, True), repeat=audit.n_private):
        heads = sum(coins)
        weight = audit.share**heads * (1 - audit.share) ** (audit.n_private - heads) / len(fillings)
        for filling in fillings:
            sample, _ = private_sample(own, filling, np.array(coins))
            key = sample.points.tobytes() + sample.labels.tobytes()
            found[key] = sample, weight + (found[key][1] if key in found else 0.0)
    return list(found.values())


def output_law(inputs: list[tuple[Sample, float]], inner: InnerLaw) -> LogProbabilities:
    """Exact law of the output of A, whose law for each private sample is ``inner``."""
    total: dict[Hashable, float] = {}
    for sample, weight in inputs:
        for outcome, log_probability in inner(sample).items():
            total[outcome] = total.get(outcome, 0.0) + weight * math.exp(log_probability)
    return {outcome: math.log(probability) for outcome, probability in total.items()}


def remembered(inner: InnerLaw) -> InnerLaw:
    """The same law, computed once for each sample."""
    known: dict[bytes, LogProbabilities] = {}

    def law(sample: Sample) -> LogProbabilities:
        key = sample.points.tobytes() + sample.labels.tobytes()
        if key not in known:
            known[key] = inner(sample)
        return known[key]

    return law


def sspp_law(epsilon: float, mechanism: str, public: str) -> InnerLaw:
    """Law of A_SSPP with thresholds.

    public: 'whole domain', fixed; 'drawn', two points of D0, then the law is the mean over all four pairs.
    """
    learner: FiniteOutput = SSPP(epsilon, mechanism)
    pairs = [[0, 1]] if public == "whole domain" else [[0, 0], [0, 1], [1, 0], [1, 1]]
    covers = [Thresholds().cover(DOMAIN[pair]) for pair in pairs]

    def law(sample: Sample) -> LogProbabilities:
        found = [outcomes(learner.law(cover, sample.points, sample.labels)) for cover in covers]
        keys = set().union(*found)
        mass = {key: math.fsum(math.exp(part[key]) for part in found if key in part) / len(found) for key in keys}
        return {key: math.log(value) for key, value in mass.items()}

    return remembered(law)


def disclosing_law(delta: float) -> InnerLaw:
    """Law of the (0, delta)-private algorithm that publishes its first example with probability delta, else nothing."""

    def law(sample: Sample) -> LogProbabilities:
        return {(*sample.points[0], int(sample.labels[0])): math.log(delta), "nothing": math.log1p(-delta)}

    return law


def audited(audit: Audit) -> Callable[[InnerLaw], LawOf]:
    """Law of A -> law of the reduction on each private sample; what A is given is enumerated once for each."""
    inputs = {data: input_law(data, audit) for data in itertools.product(examples(DOMAIN), repeat=audit.own)}

    def law_of(inner: InnerLaw) -> LawOf:
        return lambda data: output_law(inputs[data], inner)

    return law_of
