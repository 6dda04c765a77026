"""The noise of a table that is measured, and what it costs."""

from collections.abc import Sequence
from fractions import Fraction

import attrs

from semipriv.learners.statistics.asked import Asked
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.events import Composed, Event, GaussianEvent, Pure, gaussian_scale, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.residuals import Key

__all__ = ["Measure", "noise_alone", "noise_of"]


@attrs.frozen
class Measure:
    """A table that is measured: its columns, its part of the budget, and the noise of a cell if a row had mass 1."""

    table: Key
    part: Fraction
    noise: DiscreteNoise

    @property
    def event(self) -> Event:
        """What the noise does to private rows: a table moves by at most 2 in L1 and sqrt 2 in L2, over a row's mass."""
        if isinstance(self.noise, DiscreteGaussian):
            return Composed([(GaussianEvent(self.noise.sigma), 2)])
        assert isinstance(self.noise, DiscreteLaplace), "noise is one of the two"
        return Pure(2 / Fraction(self.noise.scale))


def noise_alone(asked: Sequence[Asked]) -> int:
    """Return the squared L2 distance by which a table changes, if all noise for statistics is Gaussian; else 0.

    That is so where no quantile is asked for: these are drawn, too.  See ``whole``.
    """
    return 0 if any(request.statistic == "quantiles" for request in asked) else 2


def noise_of(budget: Guarantee, part: Fraction, alone: int) -> DiscreteNoise:
    """Return the noise of a cell of a table that gets this part of a budget, if a row has mass 1.

    Of rho with delta > 0: discrete Gaussian with 1 / sigma^2 <= part rho.  Else discrete Laplace of scale
    2 / (part epsilon).  alone: see ``noise_alone``.
    """
    spent = part * whole(budget, alone)
    return DiscreteGaussian(gaussian_scale(spent / 2)) if budget.delta else DiscreteLaplace(2 / spent)
