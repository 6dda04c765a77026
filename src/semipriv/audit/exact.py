"""Exact privacy loss of a learner on a tiny domain: all data sets, all neighbours."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.learners.base import FiniteOutput, Law, Learner
from semipriv.samples import Labels, Points, Sample, as_points

LawOf = Callable[[Points, Labels], Law]


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    """The largest |ln P[h | S] - ln P[h | S']| over all hypotheses h and neighbours S, S', and where it is attained.

    loss: infinite where a hypothesis is possible on one side only.  sample, neighbour: a pair that attains it.
    """

    loss: float
    sample: Sample
    neighbour: Sample

    def tightness(self, epsilon: float) -> float:
        """Loss as a share of the claimed epsilon; above 1 the claim is false."""
        return self.loss / epsilon


def example_types(domain: Points) -> list[tuple[tuple[float, ...], int]]:
    """All labelled examples over a domain: (points, label) pairs, 2 |domain| of them."""
    return [(tuple(map(float, point)), label) for point in domain for label in (0, 1)]


def exact_privacy_loss(law: LawOf, domain: ArrayLike, n: int) -> PrivacyLoss:
    """Largest privacy loss of a law that depends on the multiset of n examples, under replacing one example.

    law: (points (n, d), labels (n,)) -> output law; domain: (k, d) points.  Enumerates the multisets of n - 1
    examples over the 2 k example types, and for each all choices of the last example.
    """
    if n < 1:
        raise ValueError(f"n = {n!r}: must be >= 1")
    types = example_types(as_points(domain))
    worst: PrivacyLoss | None = None
    for base in itertools.combinations_with_replacement(range(len(types)), n - 1):
        samples = [_sample([types[i] for i in (*base, last)]) for last in range(len(types))]
        table = _aligned([law(s.points, s.labels) for s in samples])
        # ptp over the last record of one hypothesis; a hypothesis impossible everywhere is dropped
        high, low = table.max(axis=0), table.min(axis=0)
        gap = np.where(np.isneginf(high), 0.0, high - low)
        k = int(np.argmax(gap))
        if worst is None or gap[k] > worst.loss:
            worst = PrivacyLoss(float(gap[k]), samples[int(table[:, k].argmax())], samples[int(table[:, k].argmin())])
    assert worst is not None
    return worst


def learner_privacy_loss(
    learner: Learner, hypothesis_class: HypothesisClass, public_points: ArrayLike, domain: ArrayLike, n: int
) -> PrivacyLoss:
    """Exact privacy loss of a learner for a fixed public sample; the learner must have a finite output law."""
    if not isinstance(learner, FiniteOutput):
        raise ValueError(f"{learner!r} has no finite output law to enumerate")
    finite: FiniteOutput = learner
    prepared = learner.prepare(as_points(public_points, hypothesis_class.dimension), hypothesis_class)
    return exact_privacy_loss(lambda x, y: finite.law(prepared, x, y), domain, n)


def _sample(examples: Sequence[tuple[tuple[float, ...], int]]) -> Sample:
    return Sample(np.array([point for point, _ in examples]), np.array([label for _, label in examples]))


def _aligned(laws: Sequence[Law]) -> np.ndarray:
    """Log-probabilities (laws, outcomes) over the union of outcomes; -inf where an outcome is impossible.

    Outcomes are hypotheses as released, that is their parameters; equal parameters are one outcome.
    """
    column: dict[bytes, int] = {}
    for law in laws:
        for row in law.parameters:
            column.setdefault(row.tobytes(), len(column))
    table = np.full((len(laws), len(column)), -np.inf)
    for i, law in enumerate(laws):
        for row, value in zip(law.parameters, law.log_probabilities, strict=True):
            j = column[row.tobytes()]
            table[i, j] = np.logaddexp(table[i, j], value)
    return table
