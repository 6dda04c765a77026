"""What a table release will do, worked out of public numbers: which marginals it measures, and with which noise."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.events import Composed, Event, GaussianEvent, Pure, gaussian_scale, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.marginals import Workload

__all__ = ["ALONE", "Plan", "allocated", "noise"]

ALONE = 2
"""Squared L2 distance by which a marginal changes: noise on such is all that is done to private rows (``whole``)."""
_UNIT = 2**40
"""Parts of the budget are multiples of its inverse, rounded down."""
_ENDS = 1e-30, 1e30
"""What parts are worked out from is moved in between: no power leaves the range of floats."""
_ROUNDING = 2**-36
"""What is left of the budget, so that no error of floats takes more than all of it."""


@dataclass(frozen=True)
class Plan:
    """Noise on each cell of the marginals measured, before any private row is read.

    measured: marginals by their places in the workload, increasing.  noises: of each.  tree: the share of the tree's
    rows beside public ones.  rounds: how often rows are drawn anew.  kappa: how many records the prior is worth;
    noisy: share of the tree of the noisy marginals in it; None: the noisy marginals tell (``prior``).
    """

    measured: tuple[int, ...]
    noises: tuple[DiscreteNoise, ...]
    tree: float
    rounds: int
    kappa: float | None
    noisy: float | None

    @property
    def event(self) -> Event:
        """What is done to the private rows.

        Replacing a row changes two cells of a marginal by 1: two Gaussian events of sensitivity 1, or one pure event of
        2 / scale, the L1 distance over the scale.
        """
        parts: list[tuple[Event, int]] = []
        for noise in self.noises:
            if isinstance(noise, DiscreteGaussian):
                parts.append((GaussianEvent(noise.sigma), 2))
            else:
                assert isinstance(noise, DiscreteLaplace), "noise is one of the two"
                parts.append((Pure(2 / Fraction(noise.scale)), 1))
        return Composed(parts)

    @property
    def deviations(self) -> Floats:
        """Standard deviation of the noise of each marginal."""
        return np.sqrt([noise.variance for noise in self.noises])


def noise(budget: Guarantee, part: Fraction) -> DiscreteNoise:
    """Return the noise of a marginal that gets this part of a budget.

    Of rho with delta > 0: discrete Gaussian with 1 / sigma^2 <= part rho, by the exact account of Gaussian noise alone.
    Else discrete Laplace of scale 2 / (part epsilon).
    """
    spent = part * whole(budget, ALONE)
    return DiscreteGaussian(gaussian_scale(spent / 2)) if budget.delta else DiscreteLaplace(2 / spent)


def allocated(workload: Workload, weights: Floats, budget: Guarantee, measured: Integers, n: int) -> list[Fraction]:
    """Return the part of the budget of each of T measured marginals, from n and declared columns; the sum is at most 1.

    A part of the budget is shared by cells: it minimises the sum of standard deviations of all cells, with weights a_g
    (Q,) of marginals of K_g cells, parts in proportion to (a_g K_g)^(2/3) of Gaussian noise, whose deviation falls with
    the root of a part, and to (a_g K_g)^(1/2) of Laplace noise.  The rest is shared equally: with r the mean count of a
    cell over the deviation of noise of equal parts, 1 - r^2 / (2 (1 + r^2)), as small marginals alone tell something
    where noise is large.
    """
    sizes, number = np.diff(workload.starts)[measured], len(measured)
    costs = sizes * np.ldexp(weights, -int(np.frexp(weights.max())[1]))[measured]
    parts = (costs / costs.max()) ** (2 / 3 if budget.delta else 1 / 2)  # only ratios count
    spent = float(np.clip(float(whole(budget, ALONE)), *_ENDS)) / number
    signal = (n / float(sizes.mean())) ** 2 * (spent if budget.delta else spent**2 / 8)
    by_cells = 0.5 / (1 + 1 / max(signal, _ENDS[0]))
    parts = (1 - by_cells) / number + by_cells * parts / parts.sum()
    whole_parts = np.floor(parts * (1 - _ROUNDING) * _UNIT).astype(np.int64)
    return [Fraction(int(part), _UNIT) for part in whole_parts]
