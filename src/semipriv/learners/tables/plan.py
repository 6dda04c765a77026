"""What a table release will do, worked out of public numbers: which marginals it measures, and with which noise."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semipriv.core.types import Floats, Integers
from semipriv.learners.tables.support import Support
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.events import Composed, Event, GaussianEvent, Pure, gaussian_scale, whole
from semipriv.privacy.guarantee import Guarantee

__all__ = ["ALONE", "Plan", "allocated", "noise"]

ALONE = 2
"""Squared L2 distance by which a marginal changes: noise on such is all that is done to private rows (``whole``)."""
_UNIT = 2**40
"""Parts of the budget are multiples of its inverse, rounded down."""
_LEAST = 0.25
"""Least part of a marginal, over that of equal parts."""
_ENDS = 1e-30, 1e30
"""What parts are worked out from is moved in between: no power leaves the range of floats."""
_STEPS, _WORK = 60, 2 * 10**8
"""Steps of ``allocated`` at most, and steps times cells at most."""


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
        for one in self.noises:
            if isinstance(one, DiscreteGaussian):
                parts.append((GaussianEvent(one.sigma), 2))
            else:
                assert isinstance(one, DiscreteLaplace), "noise is one of the two"
                parts.append((Pure(2 / Fraction(one.scale)), 1))
        return Composed(parts)

    @property
    def deviations(self) -> Floats:
        """Standard deviation of the noise of each marginal."""
        return np.sqrt([one.variance for one in self.noises])


def noise(budget: Guarantee, part: Fraction) -> DiscreteNoise:
    """Return the noise of a marginal that gets this part of a budget.

    Of rho with delta > 0: discrete Gaussian with 1 / sigma^2 <= part rho, by the exact account of Gaussian noise alone.
    Else discrete Laplace of scale 2 / (part epsilon).
    """
    spent = part * whole(budget, ALONE)
    return DiscreteGaussian(gaussian_scale(spent / 2)) if budget.delta else DiscreteLaplace(2 / spent)


def allocated(support: Support, budget: Guarantee, measured: Integers, kappa: float, n: int) -> list[Fraction]:
    """Return the part of the budget of each measured marginal, from public numbers; their sum is at most 1.

    With precision t_g of the noise on counts of marginal g, the prior's n^2 kappa^-1 p_c as variance of the count of a
    cell of public share p_c, and weights a_g,

        minimise sum_g a_g sum_{c in g} (t_g + kappa / (n^2 p_c))^(-1/2),

    the sum of standard deviations that are left in the cells, each marginal by itself.  No part is below a quarter of
    an equal one.  Multiplicative steps; what they leave undone costs accuracy, and never privacy.
    """
    workload = support.workload
    sizes = np.diff(workload.starts)[measured]
    places = np.concatenate([np.arange(workload.starts[g], workload.starts[g + 1]) for g in measured])
    with np.errstate(over="ignore"):
        known = np.clip(kappa / (float(n) * n * support.smoothed[places]), *_ENDS)
    starts, weights = np.concatenate([[0], np.cumsum(sizes)[:-1]]), support.weights[measured]
    weights = np.ldexp(weights, -int(np.frexp(weights.max())[1]))  # only ratios count
    spent, gaussian = float(np.clip(float(whole(budget, ALONE)), *_ENDS)), budget.delta > 0
    part = np.full(len(measured), 1 / len(measured))
    for _ in range(max(1, min(_STEPS, _WORK // len(places)))):
        precision = spent * part if gaussian else (spent * part) ** 2 / 8
        slope = spent if gaussian else spent * spent * part / 4
        scale = float(np.max(precision))  # only ratios count: no power leaves the range of floats
        left = np.repeat(precision / scale, sizes) + known / scale
        gain = weights * np.add.reduceat(1 / (left * np.sqrt(left)), starts) * slope
        part = part * np.sqrt(gain / gain.max())
        part = np.maximum(part / part.sum(), _LEAST / len(part))
        part /= part.sum()
    whole_parts = np.floor(part * _UNIT).astype(np.int64)
    return [Fraction(int(one), _UNIT) for one in whole_parts]
