"""Baseline: private selection from all thresholds of a fine grid on the line; no public data."""

import math
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass, Tally
from semipriv.classes.discrete_thresholds import ThresholdGroups, group_thresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.fields import positive, real, size, value
from semipriv.core.functions import Parameters
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import as_labels, as_points
from semipriv.core.types import Integers
from semipriv.learners.base import FiniteOutput, Learner, ListedDistribution
from semipriv.learners.stages.nothing import Nothing, NothingPrepared
from semipriv.mechanisms.sampling.choice import below
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.events import BoundedRange
from semipriv.privacy.guarantee import Guarantee, Release

__all__ = ["EveryThreshold"]

MOST_BITS = 50
"""Numbers of thresholds fit in 64 bits, and thresholds in a float."""
ORIENTATIONS = ("ge", "lt")


@value
class EveryThreshold(Learner[NothingPrepared], FiniteOutput):
    """Exponential mechanism over the halfspaces of the line with their end at t_j = low + j (high - low) / 2^bits.

    Candidates are 1[x >= t_j] and 1[x < t_j], j = 0, ..., 2^bits; at j = 0 and 2^bits they are constants.  They are
    counted, not listed, so that the draw is exact for any number of bits.  An example counts as a point of its cell
    [t_j, t_(j+1)), outside of [low, high] of the nearest cell; which cell that is depends on the example alone.  The
    mechanism treats thousands of places alike, where ``fixed_grid`` has a short list.

    Args:
        epsilon: privacy parameter, finite and > 0.
        low: least end.
        high: greatest end, > low.
        bits: binary digits of the number of cells, 1 to 50.

    Raises:
        ValueError: for high <= low, and for ends whose distance is infinite.
    """

    hue: ClassVar[str] = "green"

    epsilon: float = positive()
    low: float = real(default=0.0)
    high: float = real(default=1.0)
    bits: int = size(default=20, most=MOST_BITS)

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"high = {self.high!r}: must be > low = {self.low!r}")
        if not math.isfinite(self.high - self.low):  # else cells of some examples would be no numbers
            raise ValueError(f"high = {self.high!r}: high - low must be finite, low = {self.low!r}")

    @classmethod
    def examples(cls) -> tuple["EveryThreshold", ...]:
        """Return one with four cells and one with eight."""
        return cls(0.7, 0.0, 3.0, 2), cls(1.0, -1.0, 3.0, 3)

    role = Role.NO_PUBLIC

    @property
    def short_title(self) -> str:
        """The name: what it selects from."""
        return f"all thresholds of {self.bits} bits"

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon)

    @property
    def event(self) -> BoundedRange:
        """That of the exponential mechanism: a release is one draw, with scores that one example moves by at most 1."""
        return ExponentialMechanism(self.epsilon).event

    public_stage = Nothing()

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that this learner can learn a class.

        Raises:
            ValueError: unless the class is halfspaces of the line.
        """
        if hypothesis_class != Halfspaces(1):
            raise ValueError(f"every_threshold learns halfspaces of dimension 1, the class is {hypothesis_class!r}")

    def release(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Draw a halfspace by its mistakes."""
        tally = self.tally(points, labels)
        chosen = ExponentialMechanism(self.epsilon).select(tally, randomness)
        return Release(chosen, self.guarantee, randomness.source, {"cover_size": 2 * (2**self.bits + 1)})

    def output_distribution(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike
    ) -> ListedDistribution:
        """Return the probability of each candidate, listed; constants are candidates twice."""
        tally = self.tally(points, labels)
        parameters, mistakes = zip(*(tally.listed(i) for i in range(len(ORIENTATIONS))), strict=True)
        distribution = ExponentialMechanism(self.epsilon).log_probabilities(-np.concatenate(mistakes))
        return ListedDistribution(np.concatenate(parameters), distribution)

    def tally(self, points: ArrayLike, labels: ArrayLike) -> "EndsTally":
        """Count the mistakes of all candidates.

        Args:
            points: (n, 1).
            labels: (n,) in {0, 1}.

        Returns:
            The mistakes by candidate, none of them listed.
        """
        x = as_points(points, 1)[:, 0]
        share = (np.clip(x, self.low, self.high) - self.low) / (self.high - self.low)
        cells = np.minimum(np.floor(share * 2**self.bits), 2**self.bits - 1).astype(np.int64)
        y = as_labels(labels, len(x))
        return EndsTally(
            self, tuple(group_thresholds(cells, y, self.bits, orientation) for orientation in ORIENTATIONS)
        )


@dataclass(frozen=True, eq=False)
class EndsTally(Tally):
    """Mistakes of all candidates of a learner: a part for each orientation."""

    learner: EveryThreshold
    parts: tuple[ThresholdGroups, ...]

    def histogram(self) -> tuple[Integers, Integers]:
        """Add up both orientations."""
        values, pool = np.unique(np.concatenate([part.mistakes for part in self.parts]), return_inverse=True)
        counts = np.zeros(len(values), np.int64)
        np.add.at(counts, pool, np.concatenate([part.sizes for part in self.parts]).astype(np.int64))
        return values, counts

    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw uniformly from the candidates of both orientations with that many mistakes."""
        first, second = (part.number(mistakes) for part in self.parts)
        if not first + second:
            raise ValueError(f"mistakes = {mistakes}: no hypothesis makes that many")
        rank = below(first + second, randomness)
        orientation, rank = (0, rank) if rank < first else (1, rank - first)
        place = self.parts[orientation].ranked(mistakes, rank)
        return Hypothesis(Halfspaces(1), self._parameters(np.array([place]), orientation)[0])

    def listed(self, orientation: int) -> tuple[Parameters, Integers]:
        """Return the parameters (2^bits + 1, 2) and mistakes of all candidates of an orientation."""
        part = self.parts[orientation]
        mistakes = np.repeat(part.mistakes, part.sizes.astype(np.int64))
        return self._parameters(np.arange(len(mistakes)), orientation), mistakes

    def _parameters(self, places: Integers, orientation: int) -> Parameters:
        """Return (w, b) of the candidates with their ends at t_j: w x + b >= 0 iff x >= t_j, or iff x < t_j."""
        low, high, most = self.learner.low, self.learner.high, 2**self.learner.bits
        end = low + places / most * (high - low)
        sign = 1.0 - 2 * orientation
        w, b = np.full(len(places), sign), np.where(sign > 0, -end, np.nextafter(end, -np.inf))
        constant = (places == 0) | (places == most)
        offset = np.where((places == 0) == (sign > 0), 1.0, -1.0)
        return cast("Parameters", np.stack([np.where(constant, 0.0, w), np.where(constant, offset, b)], axis=1))
