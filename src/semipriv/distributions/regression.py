"""A regression problem: the distributions of public and private points with real responses, and expected losses."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from semipriv.classes.regressors.base import Regressor, Regressors
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core.losses import Loss
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Points, RegressionSample
from semipriv.core.types import Floats
from semipriv.distributions.best import FRESH_SAMPLE, BestError, exactly
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.problem import Errors, Populations
from semipriv.distributions.responses.base import Response
from semipriv.distributions.shifts.base import Shift


@dataclass(frozen=True)
class RegressionDistribution(Populations[RegressionSample]):
    """A distribution of examples with responses in [-1, 1]: two populations that share the distribution of responses.

    Public points follow ``marginal``, private points its shift, or the same distribution without one.

    Args:
        marginal: distribution of the points.
        response: distribution of a response given its point.
        shift: takes the marginal to that of the private points; None: they are the same.

    Raises:
        ValueError: for responses that leave [-1, 1], and for weights that are not one for each feature.
    """

    what: ClassVar[str] = "a distribution of responses"
    keys: ClassVar[tuple[str, ...]] = ("marginal", "response", "shift")

    marginal: Marginal
    response: Response
    shift: Shift | None = None

    def __post_init__(self) -> None:
        self.response.check(self.marginal)

    @property
    def dimension(self) -> int:
        """Number of features of a point."""
        return self.marginal.dimension

    def _sample(self, distribution: Marginal, n: int, randomness: Simulation) -> RegressionSample:
        points = distribution.sample(n, randomness.generator)
        return RegressionSample(points, self.response.sample(points, randomness.generator))

    @cached_property
    def second_moments(self) -> Floats:
        """E[x x^T] of private points, (d, d)."""
        return self.marginal.second_moments(self.private_marginal)

    def losses(self, loss: Loss, outputs: Sequence[Regressor], randomness: Simulation) -> Errors:
        """Return E l(f(x), y) under the private distribution for each of several outputs.

        Exact for linear functions where the response has a closed form.  Else means of E[l(f(x), y) | x] over a fresh
        sample of points, which the outputs share, with standard errors.

        Args:
            loss: the loss l, in [0, 1].
            outputs: k means of functions.
            randomness: Simulation(seed), for a sample of points.

        Returns:
            The losses (k,), and the standard error of each.
        """
        value, spread = np.empty(len(outputs)), np.zeros(len(outputs))
        fresh: Points | None = None
        for i, output in enumerate(outputs):
            exact = self._exact(loss, output)
            if exact is not None:
                value[i] = exact
                continue
            if fresh is None:
                fresh = self.private_marginal.sample(FRESH_SAMPLE, randomness.generator)
            row_losses = self.response.losses(loss, output.predict(fresh)[None], fresh)[0]
            value[i], spread[i] = row_losses.mean(), row_losses.std(ddof=1) / np.sqrt(FRESH_SAMPLE)
        return Errors(value, spread)

    def _exact(self, loss: Loss, output: Regressor) -> float | None:
        """Return the expected loss of a mean of linear functions, which is linear; None without a closed form."""
        if not isinstance(output.functions, LinearBall):
            return None
        weights = (output.weights @ output.parameters)[None]
        losses = self.response.linear_losses(loss, weights, self.second_moments)
        return None if losses is None else float(losses[0])

    def best_loss(self, loss: Loss, regressors: Regressors) -> BestError:
        """Return the least expected loss of a function of the class.

        Args:
            loss: the loss l, in [0, 1].
            regressors: the class of functions.

        Returns:
            The least loss, exact.

        Raises:
            ValueError: if it is not known: it is for linear functions of the unit ball.
        """
        regressors.validated(self.extreme_points())
        least = self.response.best_loss(loss, self.second_moments) if isinstance(regressors, LinearBall) else None
        if least is None:
            raise ValueError(f"the best {loss.name} loss of {regressors!r} under {self.response!r} is not known")
        return exactly(least)
