"""Population errors in closed form."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, owens_t

from semipriv.classes.base import Rays
from semipriv.distributions.marginals.base import Marginal

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pieces:
    """eta as a step function of the first feature: probabilities[j] on [breaks[j - 1], breaks[j]).

    breaks: (p - 1,) increasing; probabilities: (p,) in [0, 1].
    """

    breaks: FloatArray
    probabilities: FloatArray

    def __call__(self, x: FloatArray) -> FloatArray:
        """eta at the values x of the first feature."""
        return self.probabilities[np.searchsorted(self.breaks, x, side="right")]


def ray_errors(rays: Rays, first: Marginal, others: Marginal, pieces: Pieces) -> FloatArray:
    """err(h) = integral over h = 1 of (1 - eta) dF + integral over h = 0 of eta dF, for rays of one feature each.

    first: law of the first feature, on which eta depends; others: law of the other, independent features.  (k,).
    """
    edges = np.concatenate([[-np.inf], pieces.breaks, [np.inf]])
    start = first.cdf_left(edges[:-1])
    stop = np.append(first.cdf_left(pieces.breaks), 1.0)

    def below(mass: FloatArray, weight: FloatArray) -> FloatArray:
        """Integral of a step function over the part of the line with the given mass, from -infinity on."""
        return np.clip(np.minimum(mass[:, None], stop) - start, 0.0, None) @ weight

    one, zero = pieces.probabilities, 1 - pieces.probabilities
    total_one, total_zero = (stop - start) @ one, (stop - start) @ zero
    left_open = rays.upper == rays.closed  # {x >= t} and {x < t} split the line before t, {x > t} and {x <= t} after it
    cut = np.where(left_open, first.cdf_left(rays.ends), first.cdf(rays.ends))
    one_below, zero_below = below(cut, one), below(cut, zero)
    on_first = np.where(rays.upper, one_below + total_zero - zero_below, zero_below + total_one - one_below)
    cut = np.where(left_open, others.cdf_left(rays.ends), others.cdf(rays.ends))
    positive = np.where(rays.upper, 1 - cut, cut)
    independent = positive * total_zero + (1 - positive) * total_one
    return np.where(rays.feature == 0, on_first, independent)


def bivariate_normal_cdf(h: FloatArray, k: FloatArray, rho: FloatArray) -> FloatArray:
    """P[X <= h, Y <= k] for standard normal X, Y with correlation rho, by Owen's T function (Owen 1956).

    >>> float(bivariate_normal_cdf(np.array(0.0), np.array(0.0), np.array(0.5)).round(6))
    0.333333
    """
    h, k, rho = np.broadcast_arrays(*np.atleast_1d(h, k, np.clip(rho, -1, 1)))
    root = np.sqrt((1 - rho) * (1 + rho))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope_h = np.where(h == 0, np.where(k == 0, (1 - rho) / root, np.sign(k) * np.inf), (k / h - rho) / root)
        slope_k = np.where(k == 0, np.where(h == 0, (1 - rho) / root, np.sign(h) * np.inf), (h / k - rho) / root)
        opposite = (h * k < 0) | ((h * k == 0) & (h + k < 0))
        value = (ndtr(h) + ndtr(k)) / 2 - owens_t(h, slope_h) - owens_t(k, slope_k) - 0.5 * opposite
    value = np.where(root < 1e-12, np.where(rho > 0, ndtr(np.minimum(h, k)), ndtr(h) + ndtr(k) - 1), value)
    value = np.where(np.isinf(h) | np.isinf(k), ndtr(h) * ndtr(k), value)
    return np.squeeze(np.clip(value, 0.0, 1.0))


def halfspace_disagreement(theta: FloatArray, target: FloatArray, mean: float, sd: float) -> FloatArray:
    """P[h(x) != g(x)] for x normal with independent features of one mean and sd; theta (k, d + 1), target (d + 1,).

    Accurate to about 1e-8: for nearly parallel halfspaces the correlation is a rounded inner product near 1.
    """

    def standard(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        norm = np.sqrt(np.sum(rows[:, :-1] ** 2, axis=1))
        level = rows[:, -1] + mean * rows[:, :-1].sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = np.where(norm == 0, np.where(level >= 0, np.inf, -np.inf), level / (norm * sd))
            unit = rows[:, :-1] / np.where(norm == 0, 1.0, norm)[:, None]
        return unit, offset

    unit, offset = standard(theta)
    goal_unit, goal_offset = standard(target[None])
    both = bivariate_normal_cdf(offset, goal_offset, unit @ goal_unit[0])
    return np.clip(ndtr(offset) + ndtr(goal_offset) - 2 * both, 0.0, 1.0)
