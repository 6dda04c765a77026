"""Values of many groups, drawn towards what public rows and other tables say of them, as far as the noise allows it.

Each group has a value theta_g that was measured with noise of known standard deviation s_g: y_g = theta_g + noise.  The
prior of theta_g is a mixture, of a centre c_jg plus normal deviations of scale t_jg with weight w_j; centres are the
public values, public values moved to the total, the total, and what smaller tables say.  The weights are shared by all
groups: they maximise the probability of all y_g under a Dirichlet prior (expectation-maximisation).  The shrunk value
is the posterior mean,

    sum_j r_jg (c_jg + t_jg^2 / (t_jg^2 + s_g^2) (y_g - c_jg)),  r_jg ~ w_j N(y_g; c_jg, t_jg^2 + s_g^2),

moved, if need be, to within ``reach(G)`` standard deviations s_g of y_g.  So public rows, whatever they are, move no
value further than the noise of G groups reaches; and where they are far from what was measured in many groups, narrow
centres lose their weight.  Nothing here reads private rows: all of it is post-processing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semipriv.core.types import Floats

__all__ = ["Prior", "Shrunk", "posterior", "reach", "shrunk_counts", "shrunk_means", "shrunk_overall"]

_STEPS = 60
"""Steps of expectation-maximisation."""
_STRENGTH = 2.0
"""Groups that the prior of the weights is worth."""
_BEYOND = 0.1
"""Probability that Laplace noise of some group exceeds ``reach``."""
_PUBLIC = ((1, 0.03), (2, 0.15), (4, 0.15), (8, 0.1), (16, 0.05))
_EQUAL = ((0.3, 0.1), (1, 0.1))
_WIDE = ((1, 0.1), (3, 0.4))
_PRODUCT = ((0.05, 0.2), (0.2, 0.2), (0.8, 0.2))
"""Scales and chances in the prior of numbers of rows: of public shares over their sampling error, of equal shares over
the rows of a group, of either (public ones, if there are any) over the rows of a group, and of the product of columns
over itself.  Wrong public shares, and equal ones, do harm where groups are so few that weights cannot tell: so most of
the chance is that of wide scales."""
_PUBLIC_MEANS = ((1, 0.08), (2, 0.08), (4, 0.08), (8, 0.05))
_MOVED_MEANS = ((2, 0.03), (4, 0.05), (8, 0.05))
_ONE_MEAN = ((0.03, 0.05), (0.1, 0.2), (0.3, 0.4))
_LIKELIEST = ((1, 0.9),)
_ADDITIVE = ((0.03, 0.15), (0.1, 0.15), (0.3, 0.15))
"""The same in that of means: of public means, as they are and moved to the mean of all rows, over their sampling error;
of the mean of all rows and of additive columns over the standard deviation of the number."""
_WIDE_MEAN = ((0.3, 0.2), (1, 0.6))
"""Of the mean of all rows, where there are public ones, over a standard deviation that they do not tell."""
_PUBLIC_OVERALL = ((1, 0.3), (2, 0.2), (4, 0.1))
_WIDE_OVERALL = ((0.3, 0.1), (1, 0.2), (3, 0.1))
"""In that of the mean of all rows: over the sampling error of the public one, and over ``_SPREAD``."""
_SPREAD, _ROWS = 1 / 6, 4.0
"""Standard deviation of a number if nothing is known, and how many public rows that is worth: equal ones do not show
that a number does not vary."""
_LEAST = 1e-9
"""Least scale, relative to the total or to the range: nothing is divided by 0."""


@dataclass(frozen=True)
class Prior:
    """One part of the mixture: of all groups a centre and a scale > 0, broadcast to the shape of the values.

    chance: its weight before any value is seen, relative to those of the others.
    """

    chance: float
    centre: Floats | float
    scale: Floats | float


@dataclass(frozen=True)
class Shrunk:
    """Shrunk values and their posterior standard deviations, of the shape of the values."""

    values: Floats
    deviations: Floats


def reach(groups: int) -> float:
    """Return ln(G / 0.1) / sqrt(2): with chance 0.9 no Laplace noise of G groups exceeds so many standard deviations.

    >>> round(reach(1), 2), round(reach(1000), 2)
    (1.63, 6.51)
    """
    return math.log(groups / _BEYOND) / math.sqrt(2)


def posterior(values: Floats, deviations: Floats, priors: Sequence[Prior]) -> Shrunk:
    """Return posterior means and standard deviations under the mixture, means within ``reach`` of the values.

    Args:
        values: y, of any shape.
        deviations: s >= 0, broadcast to that shape.
        priors: parts of the mixture, at least one.
    """
    y = values.ravel()
    s2 = np.square(np.broadcast_to(deviations, values.shape).ravel())
    centre = np.array([np.broadcast_to(prior.centre, values.shape).ravel() for prior in priors])
    t2 = np.square([np.broadcast_to(prior.scale, values.shape).ravel() for prior in priors])
    spread = t2 + s2
    like = -0.5 * ((y - centre) ** 2 / spread + np.log(spread))
    chances = np.array([prior.chance for prior in priors])
    weights = _weights(np.exp(like - like.max(axis=0)), chances / chances.sum())
    gain = t2 / spread
    means = centre + gain * (y - centre)
    mean = np.sum(weights * means, axis=0)
    left = np.sum(weights * (gain * s2 + (means - mean) ** 2), axis=0)
    far = reach(max(len(y), 1)) * np.sqrt(s2)
    moved = np.clip(mean, y - far, y + far)
    return Shrunk(moved.reshape(values.shape), np.sqrt(left).reshape(values.shape))


def _weights(likelihood: Floats, chances: Floats) -> Floats:
    """Return the probability of each part in each group, (J, G)."""
    shared = chances
    for _ in range(_STEPS):
        weights = shared[:, None] * likelihood
        weights /= weights.sum(axis=0)
        shared = (weights.sum(axis=1) + _STRENGTH * chances) / (weights.shape[1] + _STRENGTH)
    return weights


def shrunk_counts(
    values: Floats,
    deviation: float,
    total: int | float,
    public: Floats | None = None,
    ways: Sequence[Floats] = (),
) -> Shrunk:
    """Return shrunk numbers of rows by group: none is below 0, and they add up to the total.

    Args:
        values: measured numbers, of any shape.
        deviation: standard deviation of their noise.
        total: the number of rows, known exactly; if it is an int, so are the shrunk numbers.
        public: numbers of public rows, of the same shape; None or all 0: there are none.
        ways: shrunk numbers by each single column of a table over several, (d_1,), (d_2,), ...; they give the centre
            of independent columns.

    A number is moved by at most 2^k ``reach`` standard deviations from what was measured, or from 0 if that is nearer,
    with the least k >= 0 for which numbers of at least 0 can add up to the total, 0 but for sparse tables; and by less
    than 1 more if numbers are whole.
    """
    whole, shape, groups = float(total), values.shape, values.size
    if groups == 1:
        return Shrunk(np.full(shape, whole), np.zeros(shape))
    least = _LEAST * max(whole, 1.0)
    equal = whole / groups
    likeliest: Floats | float = equal
    priors = [Prior(chance, equal, c * equal + least) for c, chance in _EQUAL]
    if len(ways) > 1:
        product = _product(ways, whole)
        priors += [Prior(chance, product, c * product + np.sqrt(product) + least) for c, chance in _PRODUCT]
    if public is not None and (m := float(public.sum())) > 0:
        share = _shares(public)
        once = whole * np.sqrt(share * (1 - share) / m) + least
        priors += [Prior(chance, whole * share, c * once) for c, chance in _PUBLIC]
        likeliest = whole * share
    priors += [Prior(chance, likeliest, c * equal + least) for c, chance in _WIDE]
    shrunk = posterior(values, np.asarray(deviation), priors)
    kept = _adding_up(shrunk, values, deviation, whole)
    return Shrunk(_whole(kept, total) if isinstance(total, int) else kept, shrunk.deviations)


def _product(ways: Sequence[Floats], total: float) -> Floats:
    """Return the table of independent columns."""
    table = np.array(max(total, _LEAST))
    for way in ways:
        table = np.multiply.outer(table, way / max(total, _LEAST))
    return table


def _shares(public: Floats) -> Floats:
    """Return smoothed public shares, > 0: one column to equal shares, several to the product of single ones."""
    m = float(public.sum())
    ways = []
    for axis, size in enumerate(public.shape):
        counts = public.sum(axis=tuple(i for i in range(public.ndim) if i != axis))
        ways.append((counts + 0.5) / (m + 0.5 * size))
    if public.ndim == 1:
        return np.asarray(ways[0])
    weight = 2 * math.sqrt(public.size)
    return np.asarray((public + weight * _product(ways, 1.0)) / (m + weight))


def _adding_up(shrunk: Shrunk, measured: Floats, deviation: float, total: float) -> Floats:
    """Return clip(mean + a variance, low, high) with the a at which they add up to the total.

    It is the closest such table by squares over posterior variances; low and high are ``reach`` from what was measured.
    """
    far = reach(measured.size) * deviation
    low, high = np.maximum(measured - far, 0), np.maximum(measured + far, 0)
    while far and not low.sum() <= total <= high.sum():
        far *= 2
        low, high = np.maximum(measured - far, 0), np.maximum(measured + far, 0)
    variance = np.square(shrunk.deviations)
    variance = variance / max(float(variance.max()), 1e-300) + _LEAST

    def at(a: float) -> Floats:
        return np.clip(shrunk.values + a * variance, low, high)

    below = above = 1.0
    while at(-below).sum() > total and below < 1e30:
        below *= 2
    while at(above).sum() < total and above < 1e30:
        above *= 2
    left, right = -below, above
    for _ in range(100):
        middle = (left + right) / 2
        left, right = (middle, right) if at(middle).sum() < total else (left, middle)
    return at(right)


def _whole(values: Floats, total: int) -> Floats:
    """Return whole numbers that add up to the total: all rounded down, and those with the largest rests up."""
    down = np.floor(values)
    rest = (values - down).ravel()
    up = np.argsort(-rest, kind="stable")[: total - int(down.sum())]
    down.ravel()[up] += 1
    return down


def shrunk_overall(value: float, deviation: float, public: tuple[float, float, float] | None = None) -> float:
    """Return the shrunk mean of all rows, in places from 0 to 1.

    Args:
        value: measured mean; it may be outside of [0, 1].
        deviation: standard deviation of its noise.
        public: the number of public rows, their mean place, and the variance of their places; None: there are none.
    """
    priors = [Prior(1.0, 0.5, 0.5)]
    if public is not None and public[0] > 0:
        m, mean, variance = public
        once = math.sqrt(_widened(variance, m) / m)
        priors = [Prior(chance, mean, c * once) for c, chance in _PUBLIC_OVERALL]
        priors += [Prior(chance, mean, c * _SPREAD) for c, chance in _WIDE_OVERALL]
    shrunk = posterior(np.array([value]), np.array([deviation]), priors).values
    return float(np.clip(shrunk[0], 0.0, 1.0))


def _widened(variance: float, m: float) -> float:
    """Return the variance of a number of m public rows and of ``_ROWS`` of standard deviation ``_SPREAD``."""
    return (m * variance + _ROWS * _SPREAD**2) / (m + _ROWS)


def shrunk_means(
    values: Floats,
    deviations: Floats,
    overall: float,
    sizes: Floats,
    public: tuple[Floats, Floats, float] | None = None,
    ways: Sequence[Floats] = (),
) -> Shrunk:
    """Return shrunk means by group, in places from 0 to 1.

    Args:
        values: measured means, of any shape; they may be outside of [0, 1].
        deviations: standard deviations of their noise.
        overall: the mean of all rows as measured.
        sizes: (shrunk) numbers of rows of each group.
        public: numbers of public rows by group, sums of their places, and the variance of their places.
        ways: shrunk means by each single column of a table over several, (d_1,), (d_2,), ...; they give the additive
            centre.
    """
    rows = np.maximum(sizes, 1.0)
    priors, spread = [], _SPREAD
    likeliest: Floats | float = overall
    if public is not None and (m := float(public[0].sum())) > 0:
        number, sums, variance = public
        variance = _widened(variance, m)
        mean = (sums + 4 * float(sums.sum()) / m) / (number + 4)
        once = np.sqrt(variance / (number + 4) + variance / rows)
        spread = math.sqrt(variance)
        moved = mean + overall - float(np.sum(sizes * mean)) / max(float(sizes.sum()), _LEAST)
        priors += [Prior(chance, mean, c * once) for c, chance in _PUBLIC_MEANS]
        priors += [Prior(chance, moved, c * once) for c, chance in _MOVED_MEANS]
        priors += [Prior(chance, moved, c * _SPREAD) for c, chance in _WIDE_MEAN]
        likeliest = moved
    priors += [Prior(chance, overall, c * spread) for c, chance in _ONE_MEAN]
    priors += [Prior(chance, likeliest, c * spread) for c, chance in _LIKELIEST]
    if len(ways) > 1:
        additive = np.array(overall)
        for way in ways:
            additive = np.add.outer(additive, way - overall)
        priors += [Prior(chance, np.clip(additive, 0, 1), c * spread) for c, chance in _ADDITIVE]
    shrunk = posterior(values, deviations, priors)
    return Shrunk(np.clip(shrunk.values, 0, 1), shrunk.deviations)
