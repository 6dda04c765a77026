"""How good a release is, without a leak: rows held out by a public rule, and a choice that is paid for.

Which rows are held out depends on their places alone: every k-th one, the last of each k.  Neighbours replace a row in
its place, so that training and held-out rows are disjoint parts, and a release costs the larger of what it does to each
(`semipriv.privacy.events.Parallel`).  On the training part every candidate is trained, and costs add up.  On the
held-out part two things are drawn:

- the choice among K candidates: permute-and-flip over their integer held-out mistakes, of its own epsilon; replacing a
  row moves each count by at most 1;
- the number of mistakes that is published: that of the chosen one plus discrete Laplace noise of scale 1 / epsilon;
- of models that predict a number, instead of mistakes the sums of integer scores of squared errors, and noise of the
  scale of one score (``asking.squared``);
- if groups are declared, mistakes and right answers of the chosen one in each of them (``asking.groups``).

A candidate that was not chosen is not published, but it was drawn and is paid for.  The exact distribution of the
whole is in ``controls.held_out`` of the laboratory, beside two negative controls: the first chooses by training
mistakes, the second trains on held-out rows.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from semipriv.core import checks
from semipriv.core.fields import checked, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.rounding import rational, rounded_down, rounded_up
from semipriv.core.types import Bools, Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.practice.asking.groups import Groups, group_errors
from semipriv.practice.asking.limits import limits
from semipriv.practice.asking.squared import STEPS, SquaredErrors, squared_error
from semipriv.privacy.events import Composed, Event, Parallel, Pure, guarantee_of, pure_guarantee
from semipriv.privacy.guarantee import Guarantee, common_neighbours

LEVEL = 0.05
"""The published limits miss the error with at most this probability."""


def held(numbers: Integers, every: int) -> Bools:
    """Return which rows are held out, by their numbers from 1 on, (n,): the last of each ``every``.

    >>> held(np.arange(4, 9), 4).tolist()
    [True, False, False, False, True]
    """
    return numbers % every == 0


@value
class HeldOut:
    """Rows that are not learned from, and what they are used for.

    every: k >= 2, the last of each k rows is held out.  epsilon: > 0, of the number of mistakes that is published.
    choice: epsilon > 0 of the choice among candidates; None if there is one candidate.  groups: groups whose mistakes
    are published as well; None without groups.  squared: how rows score where a number is predicted; None: by mistakes.
    """

    every: int = size(2)
    epsilon: Fraction = checked(rational)
    choice: Fraction | None = checked(
        lambda name, given: None if given is None else rational(name, given), default=None
    )
    groups: Groups | None = None
    squared: SquaredErrors | None = None

    @property
    def most(self) -> int:
        """What a row scores at most: the sensitivity of the sums."""
        return 1 if self.squared is None else STEPS

    @property
    def costs(self) -> tuple[Fraction, ...]:
        """The epsilons that the held-out rows pay; each is that of a pure mechanism."""
        asked = (self.choice, self.epsilon, None if self.groups is None else self.groups.epsilon)
        return tuple(cost for cost in asked if cost is not None)

    def described(self) -> dict[str, Any]:
        """Return values of JSON, exact."""
        choice = {} if self.choice is None else {"choice": str(self.choice)}
        groups = {} if self.groups is None else {"groups": self.groups.described()}
        squared = {} if self.squared is None else {"squared": self.squared.described()}
        return {"every": self.every, "epsilon": str(self.epsilon), **choice, **groups, **squared}

    @property
    def chooser(self) -> PermuteAndFlip:
        """The mechanism of the choice, its epsilon rounded down; raises ValueError without one."""
        if self.choice is None:
            raise ValueError("choice: has no epsilon, several candidates need one")
        return PermuteAndFlip(rounded_down(self.choice), self.most)

    @property
    def noise(self) -> DiscreteLaplace:
        """The noise of the published number, of scale most / epsilon exactly."""
        return DiscreteLaplace(self.most / self.epsilon)

    def scores(self, predicted: Any, labels: Any) -> Any:
        """Return what each row scores, (n,), in 0, ..., most: whether it is a mistake, or how large its error is."""
        return predicted != labels if self.squared is None else self.squared.scores(predicted, labels)

    def check(self, rows: int, candidates: int) -> None:
        """Raise ValueError unless both draws can be made, and limits follow from them for so many rows."""
        self.noise.check_width()
        if candidates > 1:
            _ = self.chooser
        if self.squared is None:
            accuracy(0, rows, self.epsilon, candidates)
        else:
            squared_error(0, rows, self.epsilon, self.squared.largest, LEVEL, candidates)
        if self.groups is not None:
            self.groups.mechanism.noise.check_width()
            none = [[0, 0]] * len(self.groups.names)
            group_errors(none, rows, self.groups.epsilon, LEVEL, candidates, self.most)

    def draw(self, scores: Sequence[int], randomness: Randomness) -> tuple[int, int]:
        """Return the place of the chosen candidate, and its sum of scores with noise.

        scores: of each candidate, summed up on the held-out rows: its mistakes, or its squared errors.  One candidate
        is chosen without a draw.  Raises ValueError for several without an epsilon of the choice.
        """
        counts = np.array([checks.size("scores", score, 0) for score in scores], np.int64)
        chosen = 0 if len(counts) == 1 else int(self.chooser.sample(-counts, randomness))
        return chosen, int(self.noise.add(counts[chosen : chosen + 1], randomness)[0])


def event(training: Sequence[Event], use: HeldOut | None) -> Event:
    """Return what a release does: all candidates read the training rows, choice and number read the held-out rows.

    training: the event of each candidate.

    >>> event([Pure(0.5), Pure(0.25)], HeldOut(10, Fraction("0.1"), Fraction("0.2"))).pure
    Fraction(3, 4)
    """
    fitted = training[0] if len(training) == 1 else Composed([(part, 1) for part in training])
    if use is None:
        return fitted
    return Parallel([fitted, Composed([(Pure(cost), 1) for cost in use.costs])])


def guarantee(training: Sequence[Guarantee], event: Event) -> Guarantee:
    """Return the guarantee of an event that candidates with these guarantees are part of; raise ValueError if they
    speak of different neighbours.

    A learner with a delta may spend none of it: then the sum of epsilons holds without a delta, and counts if it is
    smaller.
    """
    neighbours = common_neighbours(*(own.neighbours for own in training))
    delta = rounded_up(sum((Fraction(own.delta) for own in training), Fraction(0)))
    spent = guarantee_of(event, Guarantee(0.0, delta, neighbours))
    if event.delta or event.pure is None:
        return spent
    return min(pure_guarantee(event, neighbours), spent, key=lambda bound: bound.epsilon)


def noise_of_mistakes(rows: int, epsilon: Fraction, level: float) -> float:
    """Return a bound that noise in the share of mistakes on so many rows exceeds, either way, with probability
    ``level``.

    The noise Z is discrete Laplace of scale 1 / epsilon, and P[|Z| > t] = 2 e^(-(t + 1) epsilon) / (1 + e^(-epsilon)).

    >>> noise_of_mistakes(200, Fraction(1, 4), 0.05)
    0.06
    """
    scale = float(epsilon)
    most = math.ceil((math.log1p(2 / level - 1) - math.log1p(math.exp(-scale))) / scale) - 1
    return max(most, 0) / rows


@attrs.frozen
class Accuracy:
    """What may be published of the held-out error: a function of the noisy number, and of public ones.

    mistakes: with noise; may be below 0 or above rows.  value: 1 - mistakes / rows, moved into [0, 1].  low, high:
    limits of the accuracy on new rows of the same kind, which hold with probability 1 - LEVEL over the held-out rows,
    if these are independent draws, and over the noise.  They hold for all candidates at once, so the choice does not
    flatter.
    """

    mistakes: int
    rows: int
    value: float
    low: float
    high: float


def accuracy(noisy: int, rows: int, epsilon: Fraction, candidates: int = 1) -> Accuracy:
    """Return what a noisy number of mistakes on ``rows`` >= 1 held-out rows says.

    The limits invert the test of an error rate p by Y = Bin(rows, p) + noise, at level LEVEL / 2 on each side, divided
    by the number of candidates.  P[Y <= y] falls with p: the limits are found by halving.

    >>> accuracy(10, 100, Fraction(1)).value, accuracy(-3, 100, Fraction(1)).high
    (0.9, 1.0)
    """
    low, high = limits(noisy, rows, rows, DiscreteLaplace(1 / epsilon), LEVEL / (2 * candidates))
    return Accuracy(noisy, rows, 1 - min(max(noisy, 0), rows) / rows, 1 - high, 1 - low)
