"""Exact privacy loss on a tiny domain: all data sets, all neighbours, exact output distributions."""

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core import checks
from semipriv.core.entries import ListedEntries
from semipriv.core.samples import Sample, as_labels, as_points
from semipriv.core.types import Floats
from semipriv.learners.base import AnyLearner, FiniteOutput, ListedDistribution, status_model
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.output_distribution import LogProbabilities, OutputDistribution, tolerance
from semipriv.privacy.slots import NO_SLOTS, DataSets, Example, Record, SlotList, Slots

DataSet = tuple[Any, ...]
"""The record of each position."""
DistributionOf = Callable[[DataSet], LogProbabilities]
"""The output distribution on each data set, checked as an ``OutputDistribution`` before anything is read from it."""

LARGEST = 2_000_000
"""Largest number of data sets that an enumeration may visit."""
_UNIT = 2.0**-52
"""Relative distance of neighbouring floats."""


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    """The largest |ln P[o | S] - ln P[o | S']| over all outcomes o and neighbours S, S', and where it is attained.

    loss: infinite if some outcome is possible on one side only.  data, neighbour: a pair that attains it; outcome: an
    outcome that does.  rounding: a bound on the rounding error of ``loss`` if each log-probability comes from one
    log-sum-exp over the outcomes: (k + 8) u + u |ln p| each, with u = 2^-52 and k outcomes.
    """

    loss: float
    data: DataSet
    neighbour: DataSet
    outcome: Hashable
    rounding: float


@dataclass(frozen=True, eq=False)
class AuditedLoss(PrivacyLoss):
    """A privacy loss beside the guarantee that was claimed.

    delta: the smallest one with which the distribution is (guarantee.epsilon, delta)-private; None for a claim of pure
    privacy, which the loss alone decides.  delta_rounding: a bound on its rounding error, under the condition of
    ``rounding``.
    """

    guarantee: Guarantee
    delta: float | None
    delta_rounding: float

    @property
    def within_claim(self) -> bool:
        """Whether the claim is true: loss <= epsilon, or the delta found <= the delta claimed, up to rounding."""
        if self.delta is None:
            return self.loss <= self.guarantee.epsilon + self.rounding
        return self.delta <= self.guarantee.delta + self.delta_rounding


def exact_privacy_loss(
    distribution: DistributionOf, slots: Sequence[Sequence[Record]], *, exchangeable: bool = False
) -> PrivacyLoss:
    """Return the largest privacy loss of an output distribution under replacing one record, over all data sets.

    distribution: data set -> exact output distribution.  slots: for each position of a data set the records that it may
    hold.  Slots make the neighbours (`semipriv.privacy.slots`): equal slots if any example may replace any other; slots
    of one label each if labels are public; labelled and unlabelled slots if it is public which entries are labelled.

    exchangeable: the caller knows that the distribution depends on the multiset of the records only, and all slots are
    equal; then multisets are enumerated instead of sequences.  A few data sets are tried in other orders: a
    distribution that differs there is refused.  That is no proof; without ``exchangeable`` nothing is taken for
    granted.

    Raises ValueError if a result is no distribution (see ``OutputDistribution``), if there is no slot or an empty one,
    for more than LARGEST data sets, and if the distribution is not exchangeable as claimed.
    """
    return reduce(_larger, (nearby.loss() for nearby in _neighbourhoods(distribution, _grouped(slots, exchangeable))))


def exact_delta(
    distribution: DistributionOf, slots: Sequence[Sequence[Record]], epsilon: float, *, exchangeable: bool = False
) -> float:
    """Return the smallest delta with which it is (epsilon, delta)-private over all data sets and neighbours.

    max over ordered neighbours of sum_o max(0, P[o | S] - e^epsilon P[o | S']), the hockey-stick divergence.  epsilon:
    finite and >= 0.  The other parameters, and the errors, are those of ``exact_privacy_loss``.
    """
    epsilon = checks.between("epsilon", epsilon, 0, math.inf, closed="l")
    return max(nearby.delta(epsilon) for nearby in _neighbourhoods(distribution, _grouped(slots, exchangeable)))


def audited_privacy_loss(
    distribution: DistributionOf, guarantee: Guarantee, data_sets: DataSets, *, exchangeable: bool = False
) -> AuditedLoss:
    """Return the exact privacy loss of an output distribution over the neighbours that a guarantee speaks of.

    If the guarantee has delta > 0, the smallest delta at its epsilon is computed, too.  data_sets: sizes and possible
    records; the guarantee's relation makes slots of them.  exchangeable: the caller knows that the distribution depends
    on the multisets of labelled and of unlabelled entries only (tried on a few data sets, see ``exact_privacy_loss``).

    Raises ValueError as ``exact_privacy_loss`` does, and for data sets that the relation does not know.
    """
    worst: PrivacyLoss | None = None
    delta, rounding = None if guarantee.delta == 0 else 0.0, 0.0
    for slots in data_sets.slots(guarantee.neighbours, ordered=not exchangeable):
        for nearby in _neighbourhoods(distribution, slots if exchangeable else _single(slots)):
            loss = nearby.loss()
            worst = loss if worst is None else _larger(worst, loss)
            if delta is not None:
                delta = max(delta, nearby.delta(guarantee.epsilon))
                rounding = max(rounding, 2 * loss.rounding + _UNIT * guarantee.epsilon)
    assert worst is not None
    return AuditedLoss(
        worst.loss, worst.data, worst.neighbour, worst.outcome, worst.rounding, guarantee, delta, rounding
    )


# ---------------------------------------------------------------------------------------------------- enumeration
@dataclass(frozen=True, eq=False)
class _Neighbourhood:
    """A maximal set of data sets that differ in one slot only.

    data: r data sets.  outcomes: k outcomes, each possible on one of them at least.  table: log-probabilities (r, k).
    """

    data: list[DataSet]
    outcomes: list[Hashable]
    table: Floats

    def loss(self) -> PrivacyLoss:
        """Return the largest privacy loss between two of the data sets."""
        high, low = self.table.max(axis=0), self.table.min(axis=0)
        gap = high - low
        k = int(np.argmax(gap))
        pair = self.data[int(self.table[:, k].argmax())], self.data[int(self.table[:, k].argmin())]
        finite = self.table[np.isfinite(self.table)]
        rounding = 2 * _UNIT * (self.table.shape[1] + 8 + float(-finite.min(initial=0.0)))
        return PrivacyLoss(float(gap[k]), *pair, self.outcomes[k], rounding)

    def delta(self, epsilon: float) -> float:
        """Return the largest hockey-stick divergence at this epsilon between two of the data sets."""
        mass = np.exp(self.table)
        # no summand is positive if e^epsilon P' > 1 >= P: cut there, far below the float range
        scaled = np.exp(np.minimum(self.table + epsilon, 1.0))
        pairs = itertools.permutations(range(len(mass)), 2)
        return max((float(np.maximum(mass[i] - scaled[j], 0.0).sum()) for i, j in pairs), default=0.0)


def _larger(first: PrivacyLoss, second: PrivacyLoss) -> PrivacyLoss:
    """Return the one with the larger loss, the first of equals."""
    return second if second.loss > first.loss else first


def _grouped(slots: Sequence[Sequence[Record]], exchangeable: bool) -> SlotList:
    """Return the slots one by one; for an exchangeable distribution as one group."""
    if not slots or not all(slots):
        raise ValueError(NO_SLOTS)
    if not exchangeable:
        return tuple(Slots(slot) for slot in slots)
    if any(list(slot) != list(slots[0]) for slot in slots):
        raise ValueError("slots: must be equal where the distribution is exchangeable")
    return (Slots(slots[0], len(slots)),)


def _single(slots: SlotList) -> SlotList:
    """Return the same slots one by one, so that the order of their records counts."""
    return tuple(Slots(group.records) for group in slots for _ in range(group.count))


_Key = tuple[tuple[int, ...], ...]
"""A data set, by the places of its records among those of each group of slots; sorted, since a group is a multiset."""


def _neighbourhoods(distribution: DistributionOf, slots: SlotList) -> Iterator[_Neighbourhood]:
    """Enumerate the neighbourhoods of all data sets that hold, for each group of slots, a multiset of its records."""
    _check_count(slots)
    known = _tried_in_other_orders(distribution, slots)
    for i, group in enumerate(slots):
        others = (
            itertools.combinations_with_replacement(range(len(other.records)), other.count - (j == i))
            for j, other in enumerate(slots)
        )
        for base in itertools.product(*others):
            data, distributions = [], []
            for last in range(len(group.records)):
                slot = (*base[i], last)
                data.append(_data(slots, (*base[:i], slot, *base[i + 1 :])))
                key = (*base[:i], tuple(sorted(slot)), *base[i + 1 :])
                if key not in known:
                    known[key] = _checked(distribution, data[-1])
                distributions.append(known[key])
            outcomes = list(dict.fromkeys(itertools.chain.from_iterable(distributions)))
            yield _Neighbourhood(
                data, outcomes, np.array([output_distribution.row(outcomes) for output_distribution in distributions])
            )


def _data(slots: SlotList, places: Sequence[Sequence[int]]) -> DataSet:
    """Return the data set with the records at these places of the records of each group."""
    return tuple(group.records[place] for group, chosen in zip(slots, places, strict=True) for place in chosen)


def _checked(distribution: DistributionOf, data: DataSet) -> OutputDistribution:
    """Return the distribution on a data set; raise ValueError naming the data set if it is none."""
    result = distribution(data)
    if isinstance(result, OutputDistribution):
        return result
    try:
        return OutputDistribution(result)
    except ValueError as error:
        raise ValueError(f"distribution of {data!r}: {error}") from None


def _check_count(slots: SlotList) -> None:
    """Raise ValueError if the neighbourhoods hold more than LARGEST data sets."""

    def multisets(group: Slots, count: int) -> int:
        return math.comb(count + len(group.records) - 1, count)

    count = sum(
        len(changed.records) * math.prod(multisets(group, group.count - (j == i)) for j, group in enumerate(slots))
        for i, changed in enumerate(slots)
    )
    if count > LARGEST:
        raise ValueError(f"{count:.3g} data sets to enumerate: the limit is {LARGEST:.3g}; take fewer records or slots")


# ---------------------------------------------------------------------------------------------------- order
def _tried_in_other_orders(distribution: DistributionOf, slots: SlotList) -> dict[_Key, OutputDistribution]:
    """Return the distribution on one data set of many records, in several orders; nothing if there is one order.

    Tried are, in each group of slots, the reversal, the rotations and the swaps of two neighbours.  Raises ValueError
    if the distribution is another one.
    """
    first = [_spread(group) for group in slots]
    others = [
        [*first[:i], order, *first[i + 1 :]]
        for i, written in enumerate(first)
        for order in _orders(written)
        if order != written
    ]
    if not others:
        return {}
    data = _data(slots, first)
    expected = _checked(distribution, data)
    for places in others:
        other = _data(slots, places)
        if not _same(expected, _checked(distribution, other)):
            raise ValueError(
                f"distribution: is not exchangeable, {data!r} and {other!r} differ in the order of records only"
            )
    return {tuple(first): expected}


def _spread(group: Slots) -> tuple[int, ...]:
    """Return places of records for all slots of a group, increasing and evenly spread from the first to the last."""
    steps = max(1, group.count - 1)
    return tuple(i * (len(group.records) - 1) // steps for i in range(group.count))


def _orders(places: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Return the places reversed, rotated by each number of steps, and with each two neighbours swapped."""
    steps = range(1, len(places))
    rotated = {places[i:] + places[:i] for i in steps}
    swapped = {places[: i - 1] + places[i - 1 : i + 1][::-1] + places[i + 1 :] for i in steps}
    return rotated | swapped | {places[::-1]}


def _same(first: OutputDistribution, second: OutputDistribution) -> bool:
    """Return whether two distributions agree up to the rounding error of an ``OutputDistribution``."""
    if first.keys() != second.keys():
        return False
    values = np.array(list(first.values()))
    return bool(np.all(np.abs(values - second.row(first)) <= tolerance(len(first)) * (1 + np.abs(values))))


# ---------------------------------------------------------------------------------------------------- learners
def examples(domain: ArrayLike) -> list[Example]:
    """Return all labelled examples over a domain (k, d): (point, label) pairs, 2 k of them."""
    return [(tuple(point), label) for point in as_points(domain).tolist() for label in (0, 1)]


def as_sample(data: DataSet) -> Sample:
    """Return labelled examples, (point, label) pairs, as a sample."""
    return Sample(np.array([point for point, _ in data]), np.array([label for _, label in data]))


def outcomes(distribution: ListedDistribution) -> OutputDistribution:
    """Return the distribution of the hypothesis as released, by its parameters: equal parameters are one outcome.

    Raises ValueError if it is not a distribution, see ``OutputDistribution``.
    """
    rows = map(tuple, distribution.parameters.tolist())
    return OutputDistribution(zip(rows, distribution.log_probabilities.tolist(), strict=True))


def learner_privacy_loss(
    learner: AnyLearner,
    hypothesis_class: HypothesisClass,
    public_points: ArrayLike,
    domain: ArrayLike,
    n: int,
    public_labels: ArrayLike | None = None,
    *,
    n_unlabelled: int = 0,
    exchangeable: bool = False,
) -> AuditedLoss:
    """Return the exact privacy loss of a learner with a finite output distribution, for a fixed public sample.

    domain: (k, d) private points; public_labels: for learners that need them.  The data sets are all sequences of n
    private examples over the domain whose labels the learner takes (its status model; status private).  The neighbours
    are those that its guarantee names.  n_unlabelled: number of unlabelled entries over the same domain, for a learner
    that reads them.  Public examples, sizes and statuses are fixed: what is public is not protected.

    exchangeable: the caller knows that the distribution does not depend on the order of the examples.  Then multisets
    are enumerated instead of sequences, and a learner that is seen to look at the order is refused (see
    ``exact_privacy_loss``).

    Raises ValueError if the learner has no finite output distribution or no guarantee, and as ``exact_privacy_loss``
    does.
    """
    if not isinstance(learner, FiniteOutput):
        raise ValueError(f"{learner!r} has no finite output distribution to enumerate")
    if learner.guarantee is None:
        raise ValueError(f"{learner!r} has no guarantee: there is no enumeration without a neighbour relation")
    if n < 1:
        raise ValueError(f"n = {n!r}: must be >= 1")
    finite: Any = learner
    public = as_points(public_points, hypothesis_class.dimension)
    prepared = learner.prepare(public, hypothesis_class, public_labels)

    def distribution(data: DataSet) -> OutputDistribution:
        points, labels = zip(*data[:n], strict=True)
        rest = {"unlabelled": ListedEntries(np.array(data[n:]))} if n_unlabelled else {}
        return outcomes(finite.output_distribution(prepared, np.array(points), np.array(labels, np.int8), **rest))

    allowed = status_model(learner).allows(as_labels([0, 1]), np.ones(2, bool))
    possible = [example for example in examples(domain) if allowed[example[1]]]
    data_sets = DataSets(possible, n, map(tuple, as_points(domain).tolist()), n_unlabelled)
    return audited_privacy_loss(distribution, learner.guarantee, data_sets, exchangeable=exchangeable)
