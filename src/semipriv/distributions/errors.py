"""Population errors in closed form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from semipriv.core.types import Floats
from semipriv.distributions.marginals.base import Marginal
from semipriv.geometry.shapes import Boxes, Complement, Rays, Shape

ClosedForms = Mapping[type[Shape], Callable[[Any], Floats]]
"""For each kind of shape the function from a shape to the errors (k,) of the hypotheses that are 1 on it."""
_FEW = 2
"""So many comparisons of all points are cheaper than a search for each."""


def errors_of(shape: Shape | None, closed_forms: ClosedForms) -> Floats | None:
    """Return the errors (k,) of hypotheses that are 1 on the shape; None if no closed form is known for it.

    The complement of a hypothesis errs exactly if the hypothesis does not: it has 1 less the error.
    """
    if isinstance(shape, Complement):
        errors = errors_of(shape.of, closed_forms)
        return None if errors is None else np.asarray(1 - errors)
    closed_form = closed_forms.get(type(shape)) if shape is not None else None
    return None if closed_form is None else closed_form(shape)


@dataclass(frozen=True, eq=False)
class Pieces:
    """eta as a step function of the first feature: probabilities[j] on [breaks[j - 1], breaks[j]).

    breaks: (p - 1,) increasing; probabilities: (p,) in [0, 1].
    """

    breaks: Floats
    probabilities: Floats

    def __call__(self, x: Floats) -> Floats:
        """Return eta at the values x of the first feature: by comparisons if breaks are few, else by binary search."""
        if len(self.breaks) > _FEW:
            return self.probabilities[np.searchsorted(self.breaks, x, side="right")]
        eta = np.full_like(x, self.probabilities[0])
        for start, probability in zip(self.breaks, self.probabilities[1:], strict=True):
            eta = np.where(x >= start, probability, eta)
        return eta

    def masses(self, distribution: Marginal) -> tuple[Floats, Floats]:
        """Return the mass of the line before each piece, and before its end: (p,) each."""
        edges = np.concatenate([[-np.inf], self.breaks, [np.inf]])
        return distribution.cdf_left(edges[:-1]), np.append(distribution.cdf_left(self.breaks), 1.0)


def ray_errors(rays: Rays, first: Marginal, others: Marginal, pieces: Pieces) -> Floats:
    """Return err(h) = integral over h = 1 of (1 - eta) dF + integral over h = 0 of eta dF for rays, (k,).

    first: distribution of the first feature, on which eta depends; others: distribution of the other, independent
    features.  (k,).
    """
    start, stop = pieces.masses(first)

    def below(mass: Floats, weight: Floats) -> Floats:
        """Return the integral of a step function from -infinity to the point that has the given mass before it."""
        return np.clip(np.minimum(mass[:, None], stop) - start, 0.0, None) @ weight

    chance_one, chance_zero = pieces.probabilities, 1 - pieces.probabilities
    total_one, total_zero = (stop - start) @ chance_one, (stop - start) @ chance_zero
    left_open = rays.upper == rays.closed  # {x >= t} and {x < t} split the line before t, {x > t} and {x <= t} after it
    cut = np.where(left_open, first.cdf_left(rays.ends), first.cdf(rays.ends))
    one_below, zero_below = below(cut, chance_one), below(cut, chance_zero)
    on_first = np.where(rays.upper, one_below + total_zero - zero_below, zero_below + total_one - one_below)
    cut = np.where(left_open, others.cdf_left(rays.ends), others.cdf(rays.ends))
    positive = np.where(rays.upper, 1 - cut, cut)
    independent = positive * total_zero + (1 - positive) * total_one
    return np.where(rays.feature == 0, on_first, independent)


def box_masses(boxes: Boxes, first: Marginal, others: Marginal) -> Floats:
    """Return P[x in box] = prod_j (F_j(high_j) - F_j(low_j -)), 0 if a side is empty: (k,).

    F_1 is the distribution ``first``, the other independent features have the distribution ``others``.
    """
    result = np.ones(len(boxes.low))
    for j, (low, high) in enumerate(zip(boxes.low.T, boxes.high.T, strict=True)):
        distribution = others if j else first
        result *= np.clip(distribution.cdf(high) - distribution.cdf_left(low), 0.0, None)
    return result


def box_errors(boxes: Boxes, first: Marginal, others: Marginal, pieces: Pieces) -> Floats:
    """Return err(h) = E[eta] + P[other features in their sides] * integral over the first side of (1 - 2 eta) dF, (k,).

    first: distribution of the first feature, on which eta depends; others: distribution of the other, independent
    features.
    """
    start, stop = pieces.masses(first)
    low, high = first.cdf_left(boxes.low[:, :1]), first.cdf(boxes.high[:, :1])
    inside = np.clip(np.minimum(high, stop) - np.maximum(low, start), 0.0, None)
    within = box_masses(Boxes(boxes.low[:, 1:], boxes.high[:, 1:]), others, others)
    eta = pieces.probabilities
    slab = inside @ (1 - eta) + (stop - start - inside) @ eta
    return within * slab + (1 - within) * ((stop - start) @ eta)


def best_box_error(first: Marginal, pieces: Pieces) -> float:
    """Return inf err over all boxes: E[eta] less the largest sum of (2 eta - 1) dF over pieces in a row, or no piece.

    err depends linearly on the mass of the other sides, so the best box has all of it or none; between two steps eta
    is constant, so the ends of its first side are steps (approached from below at the high end).
    """
    start, stop = pieces.masses(first)
    mass, eta = stop - start, pieces.probabilities
    up_to = np.concatenate([[0.0], np.cumsum(mass * (2 * eta - 1))])
    gains = np.triu(up_to[None, :] - up_to[:, None])  # [i, j]: pieces i <= k < j; i = j: the empty set
    i, j = np.unravel_index(np.argmax(gains), gains.shape)
    inside = (np.arange(len(mass)) >= i) & (np.arange(len(mass)) < j)
    return float(mass @ np.where(inside, 1 - eta, eta))


def bivariate_normal_cdf(h: Floats, k: Floats, rho: Floats) -> Floats:
    """Return P[X <= h, Y <= k] for standard normal X, Y with correlation rho, by Owen's T function (Owen 1956).

    >>> float(bivariate_normal_cdf(np.array(0.0), np.array(0.0), np.array(0.5)).round(6))
    0.333333
    """
    h, k, rho = np.broadcast_arrays(*np.atleast_1d(h, k, np.clip(rho, -1, 1)))
    root = np.sqrt((1 - rho) * (1 + rho))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope_h = np.where(h == 0, np.where(k == 0, (1 - rho) / root, np.sign(k) * np.inf), (k / h - rho) / root)
        slope_k = np.where(k == 0, np.where(h == 0, (1 - rho) / root, np.sign(h) * np.inf), (h / k - rho) / root)
        opposite = (h * k < 0) | ((h * k == 0) & (h + k < 0))
        value = (
            (scipy.special.ndtr(h) + scipy.special.ndtr(k)) / 2
            - scipy.special.owens_t(h, slope_h)
            - scipy.special.owens_t(k, slope_k)
            - 0.5 * opposite
        )
    value = np.where(
        root < 1e-12,
        np.where(rho > 0, scipy.special.ndtr(np.minimum(h, k)), scipy.special.ndtr(h) + scipy.special.ndtr(k) - 1),
        value,
    )
    value = np.where(np.isinf(h) | np.isinf(k), scipy.special.ndtr(h) * scipy.special.ndtr(k), value)
    return np.squeeze(np.clip(value, 0.0, 1.0))


def halfspace_disagreement(theta: Floats, target: Floats, mean: float, sd: float) -> Floats:
    """Return P[h(x) != g(x)] for x normal, independent features of one mean and sd; theta (k, d + 1), target (d + 1,).

    Accurate to about 1e-8: for nearly parallel halfspaces the correlation is a rounded inner product near 1.
    """

    def standard(rows: Floats) -> tuple[Floats, Floats]:
        norm = np.sqrt(np.sum(rows[:, :-1] ** 2, axis=1))
        level = rows[:, -1] + mean * rows[:, :-1].sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = np.where(norm == 0, np.where(level >= 0, np.inf, -np.inf), level / (norm * sd))
            unit = rows[:, :-1] / np.where(norm == 0, 1.0, norm)[:, None]
        return unit, offset

    unit, offset = standard(theta)
    goal_unit, goal_offset = standard(target[None])
    both = bivariate_normal_cdf(offset, goal_offset, unit @ goal_unit[0])
    return np.clip(scipy.special.ndtr(offset) + scipy.special.ndtr(goal_offset) - 2 * both, 0.0, 1.0)
