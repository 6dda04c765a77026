"""Exact privacy loss on a tiny domain: all data sets, all neighbours, exact output laws."""

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.base import HypothesisClass
from semipriv.learners.base import AnyLearner, FiniteOutput, Law, status_model
from semipriv.privacy.guarantee import Neighbours
from semipriv.samples import Sample, as_labels, as_points

Record = Any
"""Whatever a position of a data set holds; hashable."""
DataSet = tuple[Any, ...]
OutputLaw = Mapping[Hashable, float]
"""Natural logarithms of the probabilities of the outcomes; an outcome that is not there is impossible."""
LawOf = Callable[[DataSet], OutputLaw]

LARGEST = 2_000_000
"""Data sets that an enumeration may visit."""


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    """The largest |ln P[o | S] - ln P[o | S']| over all outcomes o and neighbours S, S', and where it is attained.

    loss: infinite where an outcome is possible on one side only.  data, neighbour: a pair that attains it; outcome: an
    outcome that does.  rounding: a bound on the rounding error of ``loss`` where each log-probability comes from one
    log-sum-exp over the outcomes: (k + 8) u + u |ln p| each, with u = 2^-52 and k outcomes.
    """

    loss: float
    data: DataSet
    neighbour: DataSet
    outcome: Hashable
    rounding: float

    def tightness(self, epsilon: float) -> float:
        """Loss as a share of the claimed epsilon; above 1 the claim is false."""
        return self.loss / epsilon


def exact_privacy_loss(law: LawOf, slots: Sequence[Sequence[Record]], *, exchangeable: bool = False) -> PrivacyLoss:
    """Largest privacy loss of an output law under replacing the record of one slot, over all data sets.

    law: data set -> exact output law.  slots: for each position of a data set the records that it may hold, so that
    the neighbour relation is in the slots: equal slots for replace-one examples; slots of one label each where labels
    are public; labelled and unlabelled slots where their places are.  exchangeable: the law depends on the multiset of
    the records only and all slots are equal; then multisets are enumerated in place of sequences.

    Raises ValueError where there is no slot, an empty one, or more than LARGEST data sets.
    """
    worst: PrivacyLoss | None = None
    for data, outcomes, table in _neighbourhoods(law, slots, exchangeable):
        high, low = table.max(axis=0), table.min(axis=0)
        gap = np.where(np.isneginf(high), 0.0, high - low)
        k = int(np.argmax(gap))
        if worst is None or gap[k] > worst.loss:
            pair = data[int(table[:, k].argmax())], data[int(table[:, k].argmin())]
            finite = table[np.isfinite(table)]
            rounding = 2 * 2.0**-52 * (table.shape[1] + 8 + float(-finite.min(initial=0.0)))
            worst = PrivacyLoss(float(gap[k]), *pair, outcomes[k], rounding)
    assert worst is not None
    return worst


def exact_delta(law: LawOf, slots: Sequence[Sequence[Record]], epsilon: float, *, exchangeable: bool = False) -> float:
    """The smallest delta with which the law is (epsilon, delta)-private over all data sets and neighbours.

    max over ordered neighbours of sum_o max(0, P[o | S] - e^epsilon P[o | S']), the hockey-stick divergence.
    """
    worst = 0.0
    for _, _, table in _neighbourhoods(law, slots, exchangeable):
        mass = np.exp(table)
        for i, j in itertools.permutations(range(len(mass)), 2):
            worst = max(worst, float(np.maximum(mass[i] - math.exp(epsilon) * mass[j], 0.0).sum()))
    return worst


def _neighbourhoods(
    law: LawOf, slots: Sequence[Sequence[Record]], exchangeable: bool
) -> Iterator[tuple[list[DataSet], list[Hashable], NDArray[np.float64]]]:
    """All maximal sets of data sets that differ in one slot only: data sets, outcomes, log-probabilities (r, k)."""
    n = len(slots)
    if n < 1 or not all(slots):
        raise ValueError("slots: a data set needs n >= 1 slots that may hold a record each")
    if exchangeable:
        if any(list(slot) != list(slots[0]) for slot in slots):
            raise ValueError("slots: must be equal where the law is exchangeable")
        _check(math.comb(n + len(slots[0]) - 2, n - 1) * len(slots[0]))
        places = range(len(slots[0]))
        bases = ((n - 1, base) for base in itertools.combinations_with_replacement(places, n - 1))
    else:
        _check(sum(math.prod(map(len, slots)) for _ in slots))
        bases = (
            (i, base)
            for i in range(n)
            for base in itertools.product(*[range(len(s)) for s in (*slots[:i], *slots[i + 1 :])])
        )
    known: dict[tuple[int, ...], OutputLaw] = {}
    for i, base in bases:
        data, laws = [], []
        for last in range(len(slots[i])):
            key = (*base[:i], last, *base[i:])
            data.append(tuple(slot[j] for slot, j in zip(slots, key, strict=True)))
            key = tuple(sorted(key)) if exchangeable else key
            if key not in known:
                known[key] = law(data[-1])
            laws.append(known[key])
        outcomes = list(dict.fromkeys(itertools.chain.from_iterable(laws)))
        table = np.array([[found.get(outcome, -np.inf) for outcome in outcomes] for found in laws])
        yield data, outcomes, table


def _check(count: int) -> None:
    if count > LARGEST:
        raise ValueError(f"{count:.3g} data sets to enumerate: the limit is {LARGEST:.3g}; take fewer records or slots")


# ---------------------------------------------------------------------------------------------------- learners
def examples(domain: ArrayLike) -> list[tuple[tuple[float, ...], int]]:
    """All labelled examples over a domain (k, d): (point, label) pairs, 2 k of them."""
    return [(tuple(point), label) for point in as_points(domain).tolist() for label in (0, 1)]


def as_sample(data: DataSet) -> Sample:
    """Labelled examples, (point, label) pairs, as a sample."""
    return Sample(np.array([point for point, _ in data]), np.array([label for _, label in data]))


def outcomes(law: Law) -> OutputLaw:
    """The law of a learner by hypothesis as released, that is its parameters: equal parameters are one outcome."""
    found: dict[Hashable, float] = {}
    for row, value in zip(law.parameters, law.log_probabilities, strict=True):
        key = tuple(row.tolist())
        found[key] = float(np.logaddexp(found[key], value)) if key in found else float(value)
    return found


def learner_privacy_loss(
    learner: AnyLearner,
    hypothesis_class: HypothesisClass,
    public_points: ArrayLike,
    domain: ArrayLike,
    n: int,
    public_labels: ArrayLike | None = None,
) -> PrivacyLoss:
    """Exact privacy loss of a learner with a finite output law, for a fixed public sample and the neighbours it claims.

    domain: (k, d) private points; public_labels: for learners that need them.  All data sets of n private examples over
    the domain whose labels the learner takes (its privacy model; status private); where the guarantee is for replacing
    features, all labels and all points, and a replaced example keeps its label.  Public examples, sizes and statuses
    are fixed: what is public is not protected.
    """
    if not isinstance(learner, FiniteOutput):
        raise ValueError(f"{learner!r} has no finite output law to enumerate")
    if n < 1:
        raise ValueError(f"n = {n!r}: must be >= 1")
    finite: FiniteOutput = learner
    public = as_points(public_points, hypothesis_class.dimension)
    prepared = learner.prepare(public, hypothesis_class, public_labels)

    def law(data: DataSet) -> OutputLaw:
        sample = as_sample(data)
        return outcomes(finite.law(prepared, sample.points, sample.labels))

    allowed = status_model(learner).allows(as_labels([0, 1]), np.ones(2, bool))
    possible = [example for example in examples(domain) if allowed[example[1]]]
    neighbours = None if learner.guarantee is None else learner.guarantee.neighbours
    if neighbours is Neighbours.REPLACE_PRIVATE_EXAMPLE:
        return exact_privacy_loss(law, [possible] * n, exchangeable=True)
    if neighbours is Neighbours.REPLACE_PRIVATE_FEATURES:
        labels = itertools.combinations_with_replacement(sorted({label for _, label in possible}), n)
        found = [
            exact_privacy_loss(law, [[e for e in possible if e[1] == y] for y in ys], exchangeable=len(set(ys)) == 1)
            for ys in labels
        ]
        return max(found, key=lambda worst: worst.loss)
    raise ValueError(f"{learner!r}: a guarantee for {neighbours} has no enumeration for labelled examples")
