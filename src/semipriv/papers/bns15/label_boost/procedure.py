"""LabelBoostProcedure (BNS15 algorithm 2), and the rounds that repeat it (algorithm 3, steps 1 to 4).

The procedure takes labelled examples S and unlabelled points T.  It draws one dichotomy of the distinct points of both
with the exponential mechanism and the score -mistakes on S, and gives all of S and T the labels of that dichotomy.  The
dichotomy itself is not released.  Each dichotomy counts once, however many hypotheses of the class have it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Bools, Integers
from semipriv.mechanisms.sampling.choice import below_each
from semipriv.mechanisms.selection.base import Candidates
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.bns15.label_boost.integers import dichotomies, distinct
from semipriv.papers.bns15.label_boost.schedule import Round, Schedule
from semipriv.papers.bns15.label_boost.thinning import subset


class Mistakes(Protocol):
    """The mistakes of the dichotomies that a round chose from."""

    def histogram(self) -> tuple[Integers, NDArray[Any]]:
        """Return the numbers of mistakes that occur, increasing, and how often each occurs."""


B = TypeVar("B", bound="Block")


class Block(ABC):
    """Labelled examples that are thinned, drawn from, and labelled anew.  It is never changed."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def at(self: B, places: Integers) -> B:
        """Return the examples at these places."""

    @abstractmethod
    def relabelled(self: B, unlabelled: NDArray[Any], epsilon: float, randomness: Randomness) -> tuple[B, Mistakes]:
        """Carry out algorithm 2; return all of S and T with their new labels, and the mistakes it chose from."""

    def kept(self: B, keep: int, randomness: Randomness) -> B:
        """Return a uniform subset of so many examples."""
        return self.at(subset(len(self), keep, randomness))

    def resampled(self: B, randomness: Randomness) -> B:
        """Return as many independent uniform draws, with replacement."""
        return self.at(below_each(len(self), len(self), randomness))


@dataclass(frozen=True, eq=False)
class IntegerBlock(Block):
    """Integers (n,) int64 with labels (n,) bool of thresholds 1[x < j]: a block of 9 bytes for an example."""

    values: Integers
    labels: Bools

    def __len__(self) -> int:
        return len(self.values)

    def at(self, places: Integers) -> "IntegerBlock":
        """Return the examples at these places."""
        return IntegerBlock(self.values[places], self.labels[places])

    def relabelled(
        self, unlabelled: NDArray[Any], epsilon: float, randomness: Randomness
    ) -> tuple["IntegerBlock", Mistakes]:
        """Sort all values, draw how many of the distinct ones get label 1: O(n log n).  unlabelled: (t,) int64."""
        values = np.concatenate([self.values, unlabelled])
        places = distinct(values)
        groups = dichotomies(places, self.values, self.labels)
        candidates = cast("Candidates[int]", groups)  # their counts are of any size
        ones = ExponentialMechanism(epsilon).select(candidates, randomness)
        labels = values < places[ones] if ones < len(places) else np.ones(len(values), bool)
        return IntegerBlock(values, labels), groups


@dataclass(frozen=True, eq=False)
class ExampleBlock(Block):
    """Points (n, d) with labels (n,) of a class."""

    hypothesis_class: HypothesisClass
    points: Points
    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)

    def at(self, places: Integers) -> "ExampleBlock":
        """Return the examples at these places."""
        return ExampleBlock(self.hypothesis_class, self.points[places], self.labels[places])

    def relabelled(
        self, unlabelled: NDArray[Any], epsilon: float, randomness: Randomness
    ) -> tuple["ExampleBlock", Mistakes]:
        """Draw from the cover of all points; thresholds of short integers by their values.  unlabelled: (t, d)."""
        points = np.concatenate([self.points, unlabelled])
        values = _integers(self.hypothesis_class, points)
        if values is not None:
            flip = self.hypothesis_class.orientation == "ge"  # type: ignore[attr-defined]
            block = IntegerBlock(values[: len(self)], (self.labels == 1) != flip)
            after, groups = block.relabelled(values[len(self) :], epsilon, randomness)
            return ExampleBlock(self.hypothesis_class, points, (after.labels != flip).astype(np.int8)), groups
        tally = self.hypothesis_class.cover(points).tally(self.points, self.labels)
        chosen = ExponentialMechanism(epsilon).select(tally, randomness)
        return ExampleBlock(self.hypothesis_class, points, chosen.predict(points).astype(np.int8)), tally


def _integers(hypothesis_class: HypothesisClass, points: Points) -> Integers | None:
    """Return thresholds' points as int64 (n,); None for other classes, and for integers of more than 53 bits."""
    if isinstance(hypothesis_class, DiscreteThresholds) and not points[:, :-1].any():
        return points[:, -1].astype(np.int64)
    return None


Watch = Callable[[Round, Mistakes, Any], None]


def boosted(
    start: B,
    sizes: Schedule,
    read: Callable[[Round], NDArray[Any]],
    randomness: Randomness,
    watch: Watch = lambda *_: None,
) -> B:
    """Carry out all rounds of a schedule, the thinning after them, and the draws with replacement; return the examples.

    start: the labelled examples.  read: reads v entries, and returns those that thinning keeps.  watch: sees, of each
    round, what it chose from and the examples after it; for simulations only.  Every round draws its own subset.

    Raise ValueError, before anything is drawn, if the schedule fails or is one for another number of examples.
    """
    if sizes.failure is not None:
        raise ValueError(f"schedule: LabelBoost cannot run: {sizes.failure}")
    expected = sizes.rounds[0].labelled if sizes.rounds else sizes.labelled
    if len(start) != expected:
        raise ValueError(f"start: has {len(start):,} labelled examples, the schedule is for {expected:,}")
    labelled = start
    for step in sizes.rounds:
        kept = labelled.kept(step.kept_labelled, randomness)
        labelled, mistakes = kept.relabelled(read(step), sizes.constants.eps0, randomness)
        watch(step, mistakes, labelled)
    return labelled.kept(sizes.final, randomness).resampled(randomness)
