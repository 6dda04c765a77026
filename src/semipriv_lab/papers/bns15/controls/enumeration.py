"""The exact output distribution of LabelBoost (BNS15 algorithm 3) on tiny data: all subsets, dichotomies and draws.

It is an enumeration of the algorithm's text, apart from the code that carries it out.  Its steps can be replaced, one
at a time, by broken ones.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import attrs
import numpy as np

from semipriv.audit.exact import DataSet
from semipriv.classes.base import HypothesisClass
from semipriv.privacy.output_distribution import LogProbabilities, OutputDistribution
from semipriv.privacy.slots import Example, Record

Examples = tuple[Example, ...]
Weighted = dict[Examples, float]
"""Examples, in their order, with the probability of each."""
Keep = Callable[[Sequence[Record], int], Iterator[tuple[tuple[Record, ...], float]]]
"""Thinning: (records, how many are kept) -> what may be kept, with its probability."""
BaseDistribution = Callable[[Examples], LogProbabilities]


def at_random(records: Sequence[Record], keep: int) -> Iterator[tuple[tuple[Record, ...], float]]:
    """Yield all subsets, which are equally likely."""
    share = 1 / math.comb(len(records), keep)
    for chosen in itertools.combinations(records, keep):
        yield chosen, share


def by_content(records: Sequence[Record], keep: int) -> Iterator[tuple[tuple[Record, ...], float]]:
    """Keep the least: a negative control."""
    yield tuple(sorted(records)[:keep]), 1.0


def by_place(records: Sequence[Record], keep: int) -> Iterator[tuple[tuple[Record, ...], float]]:
    """Keep the first: a negative control."""
    yield tuple(records[:keep]), 1.0


def dichotomies_once(hypothesis_class: HypothesisClass, points: Sequence[Record]) -> dict[tuple[int, ...], float]:
    """Return each dichotomy of distinct points with the weight 1."""
    places = np.array(points, np.float64).reshape(len(points), -1)
    cover = hypothesis_class.cover(places).listed()
    rows = hypothesis_class.predict(cover.parameters, places).astype(int).tolist()
    return {tuple(row): 1.0 for row in rows}


Weights = Callable[[HypothesisClass, Sequence[Record]], dict[tuple[int, ...], float]]


@attrs.frozen
class Toy:
    """Sizes that are given, and the steps of LabelBoost.

    rounds: of each one what it reads, and what is kept of the labelled and of the read entries.  final: what the last
    thinning keeps.  base: distribution of the base learner on examples, in their order.  keep, weights: thinning, and
    the weights of dichotomies.  resample: whether the base learner gets draws with replacement.
    """

    hypothesis_class: HypothesisClass
    n_labelled: int
    rounds: Sequence[tuple[int, int, int]]
    final: int
    base: BaseDistribution
    epsilon0: float = 1.0
    keep: Keep = at_random
    keep_last: Keep = at_random
    weights: Weights = dichotomies_once
    resample: bool = True

    def output_distribution(self, data: DataSet) -> OutputDistribution:
        """Return the distribution of the output on labelled examples, which come first, and unlabelled points."""
        state: Weighted = {tuple(data[: self.n_labelled]): 1.0}
        unread = data[self.n_labelled :]
        for read, kept_labelled, kept_unlabelled in self.rounds:
            state = self._round(state, unread[:read], kept_labelled, kept_unlabelled)
            unread = unread[read:]
        last = _collected((kept, p * share) for s, p in state.items() for kept, share in self.keep_last(s, self.final))
        if self.resample:
            size = self.final
            last = _collected(
                (drawn, p / size**size) for s, p in last.items() for drawn in itertools.product(s, repeat=size)
            )
        pairs = [(o, math.log(p) + v) for s, p in last.items() for o, v in self.base(s).items()]
        return OutputDistribution(pairs)

    def _round(self, state: Weighted, read: Sequence[Record], kept_labelled: int, kept_unlabelled: int) -> Weighted:
        return _collected(
            (after, p * chance * chance_unlabelled * share)
            for s, p in state.items()
            for kept, chance in self.keep(s, kept_labelled)
            for block, chance_unlabelled in self.keep(read, kept_unlabelled)
            for after, share in self.procedure(kept, block)
        )

    def procedure(self, labelled: Examples, unlabelled: Sequence[Record]) -> Iterator[tuple[Examples, float]]:
        """Yield what algorithm 2 may return, with its probability."""
        points = [point for point, _ in labelled] + list(unlabelled)
        places = sorted(set(points))
        masses = {}
        for labels, weight in self.weights(self.hypothesis_class, places).items():
            by_point = dict(zip(places, labels, strict=True))
            wrong = sum(by_point[point] != label for point, label in labelled)
            masses[tuple((point, by_point[point]) for point in points)] = weight * math.exp(-self.epsilon0 / 2 * wrong)
        total = math.fsum(masses.values())
        for after, mass in masses.items():
            yield after, mass / total


def _collected(pairs: Iterator[tuple[Examples, float]]) -> Weighted:
    sums: Weighted = {}
    for examples, probability in pairs:
        sums[examples] = sums.get(examples, 0.0) + probability
    return sums


@dataclass(frozen=True)
class Selected:
    """A base learner: the exponential mechanism over listed hypotheses, by their values on a tiny domain.

    domain: its points; functions: the values of each hypothesis on them.
    """

    domain: tuple[Record, ...]
    functions: tuple[tuple[int, ...], ...]
    epsilon: float = 1.0

    def __call__(self, examples: Examples) -> LogProbabilities:
        """Return the distribution by hypothesis."""
        place = {point: i for i, point in enumerate(self.domain)}
        scores = [
            -self.epsilon / 2 * sum(function[place[point]] != label for point, label in examples)
            for function in self.functions
        ]
        total = float(np.logaddexp.reduce(scores))
        return {function: score - total for function, score in zip(self.functions, scores, strict=True)}


DOMAIN: tuple[Record, ...] = ((0.0,), (1.0,), (2.0,))
THRESHOLDS = tuple(tuple(int(x < j) for x in range(3)) for j in range(4))


def toy(hypothesis_class: HypothesisClass, **others: Any) -> Toy:
    """Return the toy of the specification: two labelled and two unlabelled entries, one round, one draw for the base.

    The round keeps one of two of either, the last thinning one of two; the base learner is the exponential mechanism
    with epsilon = 1 over all thresholds of three points.  ``others`` replaces its parts.
    """
    return attrs.evolve(Toy(hypothesis_class, 2, ((2, 1, 1),), 1, Selected(DOMAIN, THRESHOLDS)), **others)
