"""A halfspace as target, with random classification noise."""

from collections.abc import Sequence

import numpy as np

from semipriv.classes.base import HypothesisClass, Predictors
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import checks, fields
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.types import Floats
from semipriv.distributions.errors import halfspace_disagreement
from semipriv.distributions.labelings.base import Labeling
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.marginals.normal import Normal

__all__ = ["Linear"]


def _not_all_zero(name: str, given: Sequence[float]) -> tuple[float, ...]:
    numbers = tuple(checks.real(name, number) for number in given)
    if not any(numbers):
        raise ValueError(f"{name}: must not all be 0")
    return numbers


@fields.value
class Linear(Labeling):
    """y = 1[weights x + offset >= 0], flipped with probability rate < 1/2 (0: realizable).

    Args:
        weights: (d,), not all 0.
        offset: what is added to weights x.
        rate: probability of a flip, in [0, 1/2).
    """

    weights: Sequence[float] = fields.checked(_not_all_zero)
    offset: float = fields.real(default=0.0)
    rate: float = fields.between(0, 0.5, closed="l", default=0.0)

    @property
    def parameters(self) -> Floats:
        """The target as parameters of Halfspaces, (d + 1,)."""
        return np.array([*self.weights, self.offset])

    def probability(self, points: Points) -> Floats:
        """Return the rate outside the halfspace, 1 - rate inside."""
        if points.shape[1] != len(self.weights):
            raise ValueError(f"weights: must be {points.shape[1]}, one for each feature, got {len(self.weights)}")
        return np.where(points @ np.asarray(self.weights) + self.offset >= 0, 1 - self.rate, self.rate)

    def errors(
        self, predictors: Predictors, parameters: Parameters, first: Marginal, others: Marginal
    ) -> Floats | None:
        """Return rate + (1 - 2 rate) P[h != target] for halfspaces under a normal marginal without shift; else None."""
        if not (isinstance(predictors, Halfspaces) and isinstance(first, Normal) and first == others):
            return None
        disagreement = halfspace_disagreement(parameters, self.parameters, first.mean, first.sd)
        return self.rate + (1 - 2 * self.rate) * disagreement

    def best_error(self, hypothesis_class: HypothesisClass, first: Marginal, others: Marginal) -> float | None:
        """Return the noise rate, the target's error, for halfspaces of its dimension; else None."""
        inside = isinstance(hypothesis_class, Halfspaces) and hypothesis_class.dimension == len(self.weights)
        return self.rate if inside else None
