"""A halfspace as target, with random classification noise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semipriv import checks
from semipriv.classes.base import HypothesisClass, Parameters, Predictors
from semipriv.classes.halfspaces import Halfspaces
from semipriv.distributions.errors import FloatArray, halfspace_disagreement
from semipriv.distributions.labelings.base import Labeling, noise_rate
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.marginals.normal import Normal
from semipriv.samples import Points

__all__ = ["Linear"]


@dataclass(frozen=True)
class Linear(Labeling):
    """y = 1[weights x + offset >= 0], flipped with probability rate < 1/2 (0: realizable)."""

    weights: Sequence[float]
    offset: float = 0.0
    rate: float = 0.0

    def __post_init__(self) -> None:
        weights = tuple(checks.real("weights", w) for w in self.weights)
        if not any(weights):
            raise ValueError("weights: must not all be 0")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "offset", checks.real("offset", self.offset))
        object.__setattr__(self, "rate", noise_rate("rate", self.rate))

    @property
    def parameters(self) -> FloatArray:
        """The target as parameters of Halfspaces, (d + 1,)."""
        return np.array([*self.weights, self.offset])

    def probability(self, points: Points) -> FloatArray:
        """Rate outside the halfspace, 1 - rate inside."""
        if points.shape[1] != len(self.weights):
            raise ValueError(f"weights: must be {points.shape[1]}, one for each feature, got {len(self.weights)}")
        return np.where(points @ np.asarray(self.weights) + self.offset >= 0, 1 - self.rate, self.rate)

    def errors(
        self, predictors: Predictors, parameters: Parameters, first: Marginal, others: Marginal
    ) -> FloatArray | None:
        """For halfspaces under a normal marginal without shift: rate + (1 - 2 rate) P[h != target]."""
        if not (isinstance(predictors, Halfspaces) and isinstance(first, Normal) and first == others):
            return None
        disagreement = halfspace_disagreement(parameters, self.parameters, first.mean, first.sd)
        return self.rate + (1 - 2 * self.rate) * disagreement

    def best_error(self, hypothesis_class: HypothesisClass, first: Marginal, others: Marginal) -> float | None:
        """The noise rate, attained by the target, for halfspaces of its dimension."""
        inside = isinstance(hypothesis_class, Halfspaces) and hypothesis_class.dimension == len(self.weights)
        return self.rate if inside else None
