"""A box as target, with random classification noise."""

from collections.abc import Sequence

import numpy as np

from semipriv.classes.base import HypothesisClass, Predictors
from semipriv.core import checks, fields
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.errors import ClosedForms, box_masses, errors_of
from semipriv.distributions.labelings.base import Labeling
from semipriv.distributions.marginals.base import Marginal
from semipriv.geometry.shapes import Boxes

__all__ = ["Box"]


def _reals(name: str, given: Sequence[float]) -> tuple[float, ...]:
    return tuple(checks.real(name, number) for number in given)


@fields.value
class Box(Labeling):
    """y = 1[low_j <= x_j <= high_j for all j], flipped with probability rate < 1/2 (0: realizable).

    Boxes h have err(h) = rate + (1 - 2 rate) P[h != target].

    Args:
        low: (d,) the least ends of the box.
        high: (d,) the greatest ends, high_j >= low_j.
        rate: probability of a flip, in [0, 1/2).
    """

    low: Sequence[float] = fields.checked(_reals)
    high: Sequence[float] = fields.checked(_reals)
    rate: float = fields.between(0, 0.5, closed="l", default=0.0)

    def __attrs_post_init__(self) -> None:
        low, high = self.low, self.high
        if not low or len(low) != len(high):
            raise ValueError(f"low and high: must have one number for each feature, got {len(low)} and {len(high)}")
        for j, (a, b) in enumerate(zip(low, high, strict=True)):
            if a > b:
                raise ValueError(f"high: feature {j} = {b!r}: must be >= low = {a!r}")

    def probability(self, points: Points) -> Floats:
        """Return the rate outside the box, 1 - rate inside."""
        if points.shape[1] != len(self.low):
            numbers = f"{points.shape[1]} numbers, one for each feature"
            raise ValueError(f"low and high: must have {numbers}, got {len(self.low)}")
        inside = np.ones(len(points), bool)
        for x, low, high in zip(points.T, self.low, self.high, strict=True):
            inside &= (x >= low) & (x <= high)
        return np.where(inside, 1 - self.rate, self.rate)

    def errors(
        self, predictors: Predictors, parameters: Parameters, first: Marginal, others: Marginal
    ) -> Floats | None:
        """Return the errors (k,) of functions that are 1 on boxes, or on complements of boxes; else None.

        Boxes have rate + (1 - 2 rate) (P[h] + P[target] - 2 P[h and target]), where each P is a product over features.
        """
        if predictors.dimension != len(self.low):
            return None
        closed_forms: ClosedForms = {Boxes: lambda boxes: self._box_errors(boxes, first, others)}
        return errors_of(predictors.ones(parameters), closed_forms)

    def _box_errors(self, boxes: Boxes, first: Marginal, others: Marginal) -> Floats:
        low, high = np.array([self.low]), np.array([self.high])
        both = box_masses(Boxes(np.maximum(boxes.low, low), np.minimum(boxes.high, high)), first, others)
        mass, target = box_masses(boxes, first, others), box_masses(Boxes(low, high), first, others)
        return np.asarray(self.rate + (1 - 2 * self.rate) * ((mass - both) + (target - both)))

    def best_error(self, hypothesis_class: HypothesisClass, first: Marginal, others: Marginal) -> float | None:
        """Return the noise rate, the target's error, for classes of all boxes of its dimension; else None.

        A class with integer ends has a box that is equal to the target on integer points.
        """
        if not hypothesis_class.free_ends or hypothesis_class.dimension != len(self.low):
            return None
        shape = hypothesis_class.ones(hypothesis_class.cover([]).listed().parameters)
        return self.rate if isinstance(shape, Boxes) else None
