"""The expected loss of real-valued functions."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from semipriv.classes.regressors.base import Regressor, Regressors
from semipriv.core import losses
from semipriv.core.fields import one_of, value
from semipriv.core.randomness import Simulation
from semipriv.core.samples import RegressionSample
from semipriv.distributions.best import BestError
from semipriv.distributions.regression import RegressionDistribution
from semipriv_lab.measures.base import Measure, Measured

__all__ = ["ExpectedLoss"]


@value
class ExpectedLoss(Measure[RegressionDistribution, Regressors, RegressionSample]):
    """E l(f(x), y) under the private distribution, in closed form, on a fresh sample, or on held-out examples (BBD24).

    Losses are in [0, 1].  Held-out responses are clipped to [-1, 1].  The best value is the infimum over the class.

    Args:
        loss: 'squared', (f - y)^2 / 4, or 'absolute', |f - y| / 2.
    """

    loss: str = one_of(list(losses.LOSSES), "the measure", default="squared")
    kinds: ClassVar[tuple[str, ...]] = ("regressor",)
    bounded: ClassVar[bool] = True

    @property
    def excess_title(self) -> str:
        """Its axis; the loss stands there if it is not the squared one."""
        return "excess loss" if self.loss == "squared" else f"excess {self.loss} loss"

    @property
    def held_out_title(self) -> str:
        """Its axis on held-out examples."""
        return "loss on the held-out part" if self.loss == "squared" else f"{self.loss} loss on the held-out part"

    def best(self, distribution: RegressionDistribution, hypothesis_class: Regressors) -> BestError:
        """Return the infimum of the expected loss over the class."""
        return distribution.best_loss(losses.loss(self.loss), hypothesis_class)

    def population(
        self,
        outputs: Sequence[Regressor],
        distribution: RegressionDistribution,
        hypothesis_class: Regressors,
        randomness: Simulation,
    ) -> list[Measured]:
        """Return the expected losses."""
        errors = distribution.losses(losses.loss(self.loss), outputs, randomness.spawn("evaluate", "expected_loss"))
        return [Measured(*pair) for pair in zip(errors.value.tolist(), errors.standard_error.tolist(), strict=True)]

    def held_out(self, outputs: Sequence[Regressor], sample: RegressionSample) -> list[Measured]:
        """Return the mean losses, with their standard errors."""
        responses, loss = np.clip(sample.responses, -1.0, 1.0), losses.loss(self.loss)
        every = [loss.of(output.predict(sample.points), responses) for output in outputs]
        return [Measured(float(v.mean()), float(v.std(ddof=1)) / np.sqrt(len(sample))) for v in every]
