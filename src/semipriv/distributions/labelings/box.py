"""A box as target, with random classification noise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semipriv import checks
from semipriv.classes.base import Boxes, HypothesisClass, Parameters, Predictors
from semipriv.distributions.errors import FloatArray, box_masses
from semipriv.distributions.labelings.base import Labeling, noise_rate
from semipriv.distributions.marginals.base import Marginal
from semipriv.samples import Points

__all__ = ["Box"]


@dataclass(frozen=True)
class Box(Labeling):
    """y = 1[low_j <= x_j <= high_j for all j], flipped with probability rate < 1/2 (0: realizable).

    Boxes h have err(h) = rate + (1 - 2 rate) P[h != target].
    """

    low: Sequence[float]
    high: Sequence[float]
    rate: float = 0.0

    def __post_init__(self) -> None:
        low, high = (
            tuple(checks.real(name, value) for value in ends) for name, ends in (("low", self.low), ("high", self.high))
        )
        if not low or len(low) != len(high):
            raise ValueError(f"low and high: must have one number for each feature, got {len(low)} and {len(high)}")
        for j, (a, b) in enumerate(zip(low, high, strict=True)):
            if a > b:
                raise ValueError(f"high: feature {j} = {b!r}: must be >= low = {a!r}")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "rate", noise_rate("rate", self.rate))

    def probability(self, points: Points) -> FloatArray:
        """Rate outside the box, 1 - rate inside."""
        if points.shape[1] != len(self.low):
            numbers = f"{points.shape[1]} numbers, one for each feature"
            raise ValueError(f"low and high: must have {numbers}, got {len(self.low)}")
        inside = np.all((points >= np.asarray(self.low)) & (points <= np.asarray(self.high)), axis=1)
        return np.where(inside, 1 - self.rate, self.rate)

    def errors(
        self, predictors: Predictors, parameters: Parameters, first: Marginal, others: Marginal
    ) -> FloatArray | None:
        """For boxes: rate + (1 - 2 rate) (P[h] + P[target] - 2 P[h and target]), products over the features.

        For complements of boxes: 1 less that.
        """
        if predictors.dimension != len(self.low):
            return None
        if (boxes := predictors.positive_boxes(parameters)) is not None:
            return self._box_errors(boxes, first, others)
        if (boxes := predictors.negative_boxes(parameters)) is not None:
            return np.asarray(1 - self._box_errors(boxes, first, others))
        return None

    def _box_errors(self, boxes: Boxes, first: Marginal, others: Marginal) -> FloatArray:
        low, high = np.array([self.low]), np.array([self.high])
        both = box_masses(Boxes(np.maximum(boxes.low, low), np.minimum(boxes.high, high)), first, others)
        mine, target = box_masses(boxes, first, others), box_masses(Boxes(low, high), first, others)
        return np.asarray(self.rate + (1 - 2 * self.rate) * ((mine - both) + (target - both)))

    def best_error(self, hypothesis_class: HypothesisClass, first: Marginal, others: Marginal) -> float | None:
        """The noise rate, attained by the target, for classes of all boxes of its dimension.

        A class with integer ends has a box that is equal to the target on integer points.
        """
        anything = hypothesis_class.cover([]).listed().parameters
        boxes = hypothesis_class.positive_boxes(anything)
        return None if boxes is None or hypothesis_class.dimension != len(self.low) else self.rate
