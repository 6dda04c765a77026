"""Limits of statistics for the noise alone, from the exact distribution of the noise.

Every estimate is a linear combination of noisy cells.  Its noise X = sum_i c_i Z_i has independent integer Z_i of known
distributions, so its characteristic function is the product of theirs, and ``limit`` reads off it an x with
P(|X| <= x) >= level, by a Fourier series with bounds of all its errors.  Nothing is drawn, and no private row is read.

Limits are for the statistic of the private rows, with numbers clipped to the ends: what clipping did is beside them.  A
mean t of a group is in its interval exactly if the test of it does not reject: if the estimated sum of x - t over the
group's rows is at most the limit of its noise.  So no ratio of noisy numbers is taken, whatever the size of a group.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semipriv.core.types import Floats
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.queries.residuals import Key, subsets, summed_up

__all__ = [
    "CellNoise",
    "Limits",
    "Term",
    "around",
    "cell_noise",
    "limit",
    "mean_limits",
    "quantile_limits",
    "variance_limits",
]

Limits = tuple[Floats, Floats]
"""Lower and upper ends of intervals, of one shape."""
_SMOOTH, _SHIFT = 0.01, 0.02
"""Standard deviations of normal noise that is added to X, and what its limit is widened by for that, over that of X."""
_HALF_PERIOD = 60.0
"""Of the Fourier series, over the standard deviation of X."""
_NEAR = 1e-11
"""How near a limit is found, in standard deviations."""
_NOTHING = -40.0
"""Logarithm of the least part of a characteristic function that is not left out."""
_PLACES = np.linspace(0.0, 1.0, 65)
"""Places at which the noise of tests of means is worked out; limits are interpolated in between."""
_LEAST = 1e-9
"""Least variance of noise, in rows: below it noise is 0 but for a chance of as much."""
_BLOCK = 4096
"""Groups whose tests are made at once."""


@dataclass(frozen=True)
class Term:
    """Independent noises of one distribution in a sum: ``numbers`` of them count ``coefficients`` times, (k,)."""

    noise: DiscreteNoise
    coefficients: Floats
    numbers: Floats


def limit(terms: Sequence[Term], level: float) -> float:
    """Return an x with P(|X| <= x) >= level, where X is the sum of all terms; about 2 % above the least such x.

    Let s be the standard deviation of X, and Y = X + s N / 100 with a normal N.  If |X| > x + s / 50, then |Y| > x with
    chance P(N > -2) or more.  So P(|X| > x + s / 50) <= P(|Y| > x) / P(N > -2), and atoms of X do no harm.  With the
    characteristic function f of Y / s, x in units of s, and half a period H = 60,

        P(|Y| <= x) = (2 / pi) sum_(k >= 0) f(w_k) sin(w_k x) / (k + 1/2),   w_k = (pi / H) (2 k + 1),

    up to twice P(|Y| > H - x), which second and fourth moments bound, and the end of the series, where f is below
    exp(-(w / 100)^2 / 2).  Both are allowed for.

    Args:
        terms: the noises.
        level: in (0, 1).
    """
    parts = [
        (number * c * c * term.noise.variance, c, number, term.noise)
        for term in terms
        for c, number in zip(*_merged(term.coefficients, term.numbers), strict=True)
    ]
    variance = sum(own for own, _, _, _ in parts)
    if not variance:
        return 0.0
    s = math.sqrt(variance)
    k = np.arange(math.ceil(_HALF_PERIOD / _SMOOTH)) + 0.5
    logarithm, fourth = -((_SMOOTH * 2 * math.pi / _HALF_PERIOD * k) ** 2) / 2, 3.0
    for _, c, number, noise in sorted(parts, key=lambda part: -part[0]):
        fourth += number * (c / s) ** 4 * _fourth_cumulant(noise)
        logarithm = logarithm + number * _log_characteristic(noise, 2 * math.pi / _HALF_PERIOD * k * (c / s))
        some = logarithm > _NOTHING  # the rest only becomes less
        k, logarithm = k[some], logarithm[some]
    w, weights = 2 * math.pi / _HALF_PERIOD * k, 2 / math.pi * np.exp(logarithm) / k
    second, fourth = 1 + _SMOOTH**2, fourth + 6 * _SMOOTH**2 + 3 * _SMOOTH**4

    def inside(x: float) -> float:
        far = _HALF_PERIOD - x
        return float(weights @ np.sin(w * x)) - 2 * min(second / far**2, fourth / far**4) - 1e-7

    least = 1 - (1 - level) * 0.97724
    low, high = 0.0, 3.0
    short, enough = inside(low) - least, inside(high) - least
    while enough < 0:
        low, high, short = high, high + 3, enough
        if high > _HALF_PERIOD / 2:
            return s / math.sqrt(1 - level)  # Chebyshev's inequality
        enough = inside(high) - least
    high = _first(lambda x: inside(x) - least, low, high, short, enough)
    return s * (high + _SHIFT)


def _first(value: Callable[[float], float], low: float, high: float, short: float, enough: float) -> float:
    """Return where an increasing function is >= 0 first, up to ``_NEAR`` more: a place at which it was seen to be.

    short, enough: its values at both ends, below 0 and not.  By the Illinois method: the next place is where the chord
    is 0, but no nearer to an end than half of what is near; the weight of an end that stays a second time is halved.
    """
    stayed = 0
    for _ in range(100):
        if high - low <= _NEAR:
            break
        place = (low * enough - high * short) / (enough - short) if enough > short else (low + high) / 2
        place = min(max(place, low + _NEAR / 2), high - _NEAR / 2)
        if (difference := value(place)) < 0:
            low, short, enough, stayed = place, difference, enough / (2 if stayed > 0 else 1), 1
        else:
            high, enough, short, stayed = place, difference, short / (2 if stayed < 0 else 1), -1
    return high


def _merged(coefficients: Floats, numbers: Floats) -> Limits:
    """Return distinct absolute coefficients that are not 0, and how many noises have them."""
    distinct, place = np.unique(np.abs(coefficients), return_inverse=True)
    summed = np.bincount(place, numbers, len(distinct)).astype(np.float64)
    some = (distinct > 0) & (summed > 0)
    return distinct[some], summed[some]


def _log_characteristic(noise: DiscreteNoise, t: Floats) -> Floats:
    """Return ln E cos(t Z).

    Of discrete Laplace noise it is -ln(1 + 2 v sin(t / 2)^2) with the variance v.  Of discrete Gaussian noise it is a
    ratio of theta series in r = t mod 2 pi: sum_m exp(-(sigma (r + 2 pi m))^2 / 2) over the same at r = 0, or, which is
    the same by Poisson's formula, sum_k exp(-(k / sigma)^2 / 2) cos(k r) over that.
    """
    if isinstance(noise, DiscreteLaplace):
        return -np.log1p(2 * noise.variance * np.sin(t / 2) ** 2)
    assert isinstance(noise, DiscreteGaussian), "noise is one of the two"
    square, r = float(noise.sigma) ** 2, t - 2 * math.pi * np.round(t / (2 * math.pi))
    near = range(-4, 5)  # further terms are below 1e-16
    if square > 1 / (2 * math.pi):
        others = sum(np.exp(-square * 2 * math.pi * m * (r + math.pi * m)) for m in near)
        return (
            -square * r * r / 2
            + np.log(others)
            - math.log(sum(math.exp(-square * (2 * math.pi * m) ** 2 / 2) for m in near))
        )
    weights = [math.exp(-k * k / (2 * square)) for k in near]
    return np.log(sum(weight * np.cos(k * r) for k, weight in zip(near, weights, strict=True))) - math.log(sum(weights))


def _fourth_cumulant(noise: DiscreteNoise) -> float:
    """Return E Z^4 - 3 v^2, v + 3 v^2 of discrete Laplace noise; of discrete Gaussian noise v, which is no less."""
    v = noise.variance
    return v + 3 * v * v if isinstance(noise, DiscreteLaplace) else v


@dataclass(frozen=True)
class CellNoise:
    """How the estimate of a cell depends on noise; all cells of a table have one distribution of noise.

    Of each measured table its noise, the numbers of its cells of each kind (k,), and how much a cell of that kind
    counts in the levels of the estimated group (k, L), in rows; L = 1 for a table without levels.
    """

    noises: tuple[DiscreteNoise, ...]
    numbers: tuple[Floats, ...]
    coefficients: tuple[Floats, ...]

    def terms(self, vector: Floats) -> list[Term]:
        """Return the noises in sum_l vector_l x_l, of a group's estimated levels x."""
        return [
            Term(noise, matrix @ vector, numbers)
            for noise, numbers, matrix in zip(self.noises, self.numbers, self.coefficients, strict=True)
        ]

    def limit(self, vector: Floats, level: float) -> float:
        """Return ``limit`` of the noise of sum_l vector_l x_l."""
        return limit(self.terms(vector), level)

    def variance(self, vector: Floats) -> float:
        """Return the variance of the noise of sum_l vector_l x_l."""
        return sum(float(term.numbers @ term.coefficients**2) * term.noise.variance for term in self.terms(vector))


def cell_noise(
    sizes: Mapping[str, int], noises: Mapping[Key, DiscreteNoise], masses: Mapping[Key, int], table: Key, levels: bool
) -> CellNoise:
    """Return how a cell of a table that is estimated by least squares (``Residuals``) depends on noise.

    A cell of a measured table t counts, in the estimate of a cell, by the sum over the parts s of both tables of

        p_st / (sum_t p_st) / k_s  times, along each column of s,  [both cells have one value] - 1 / size,

    where p_st is 1 over the variance of the noise of a cell, and over the number of cells of t that are summed up for
    s, and k_s is the number of those of the estimated table.  So it only matters in which columns the two cells agree.

    Args:
        sizes: number of values of each column.
        noises: of a cell of each measured table, in units of mass.
        masses: of a row in each measured table.
        table: the estimated table; each of its parts was measured.
        levels: whether its last column has levels of a number, which are then told apart.
    """
    last = table[-1] if levels else None
    size = sizes[table[-1]] if levels else 1
    precisions: dict[Key, dict[Key, float]] = {part: {} for part in subsets(table)}
    for measured, noise in noises.items():
        for part in subsets(tuple(column for column in measured if column in table)):
            variance = noise.variance / masses[measured] ** 2
            precisions[part][measured] = 1 / (max(variance, _LEAST) * summed_up(sizes, measured, part))
    terms: list[tuple[DiscreteNoise, Floats, Floats]] = []
    for measured, noise in noises.items():
        kinds, numbers = [], []  # of cells, along each column: the level, or whether both cells agree; and how many
        for column in measured:
            d = sizes[column]
            kinds.append(range(size) if column == last else (True, False) if column in table else (None,))
            numbers.append([1.0] * size if column == last else [1.0, d - 1.0] if column in table else [float(d)])
        coefficients = np.zeros((math.prod(map(len, kinds)), size))
        for part, own in precisions.items():
            if measured not in own:
                continue
            share = own[measured] / sum(own.values()) / summed_up(sizes, table, part)
            for i, kind in enumerate(itertools.product(*kinds)):
                term = np.full(size, share)
                for column, value in zip(measured, kind, strict=True):
                    if column in part:
                        term *= (np.arange(size) == value if column == last else bool(value)) - 1 / sizes[column]
                coefficients[i] += term
        terms.append((noise, np.array([math.prod(options) for options in itertools.product(*numbers)]), coefficients))
    return CellNoise(
        tuple(noise for noise, _, _ in terms),
        tuple(matrix for _, matrix, _ in terms),
        tuple(matrix / masses[measured] for measured, (_, _, matrix) in zip(noises, terms, strict=True)),
    )


def around(values: Floats, width: Floats | float, low: float = -math.inf, high: float = math.inf) -> Limits:
    """Return value - width and value + width, within [low, high]: limits of counts and sums, with their ``limit``."""
    return np.clip(values - width, low, high), np.clip(values + width, low, high)


def mean_limits(noise: CellNoise, table: Floats, above: Floats, rows: Floats, level: float) -> Limits:
    """Return limits of the mean of a place x from 0 to 1 in each group, (*by).

    They enclose all t with |sum_l (above_l - t rows_l) x_l| <= q(t), where q is the limit of the noise in there.  q is
    worked out at 65 places, and lines in between are above it: q is convex where noise is symmetric and log-concave, as
    that of tables with ends is, but for their units.  If no t is left, noise is beyond what the level allows, and
    limits are 0 and 1.

    Args:
        noise: of a cell of the table.
        table: estimated levels by group, (*by, L), in rows.
        above: how much of a level counts as x, (L,); of x^2, if its mean is asked for.
        rows: 1 for levels of rows with a number, (L,), 0 for that of missing ones.
        level: chance with which limits hold, in (0, 1).
    """
    q = np.array([noise.limit(above - t * rows, level) for t in _PLACES])
    top, bottom = (table @ above).ravel(), (table @ rows).ravel()
    blocks = [_accepted(top[i : i + _BLOCK], bottom[i : i + _BLOCK], q) for i in range(0, len(top), _BLOCK)]
    low, high = (np.concatenate([block[i] for block in blocks]).reshape(table.shape[:-1]) for i in (0, 1))
    return low, high


def _accepted(top: Floats, bottom: Floats, q: Floats) -> Limits:
    """Return least and largest t with |top - t bottom| <= q(t), q (T,) linear between places; 0 and 1 if none has."""
    off = top[:, None] - bottom[:, None] * _PLACES
    start, end = np.zeros_like(off[:, 1:]), np.ones_like(off[:, 1:])
    for room in (q - off, q + off):  # both must be >= 0
        a, b = room[:, :-1], room[:, 1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            cross = np.clip(a / (a - b), 0.0, 1.0)
        start = np.maximum(start, np.where(a >= 0, 0.0, np.where(b >= 0, cross, 2.0)))
        end = np.minimum(end, np.where(b >= 0, 1.0, np.where(a >= 0, cross, -1.0)))
    some, step = start <= end, np.diff(_PLACES)
    low = np.where(some, _PLACES[:-1] + step * start, np.inf).min(axis=1)
    high = np.where(some, _PLACES[:-1] + step * end, -np.inf).max(axis=1)
    none = ~some.any(axis=1)
    return np.where(none, 0.0, low), np.where(none, 1.0, high)


def variance_limits(mean: Limits, square: Limits) -> Limits:
    """Return limits of the variance of a place from limits of its mean m and of its mean square s.

    Where both hold, the variance s - m^2 is in between, as m^2 <= s <= m.  With chances of (1 + level) / 2 each they
    hold together with the chance level or more (Bonferroni), so these limits are conservative.
    """
    low = np.maximum(square[0] - mean[1] ** 2, 0.0)
    best = np.clip(np.minimum(square[1], 0.5), mean[0], mean[1])
    high = np.minimum(square[1], best) - best**2
    return np.minimum(low, 0.25), np.clip(high, np.minimum(low, 0.25), 0.25)


def quantile_limits(over: Floats, widths: Floats, cuts: Floats) -> Limits:
    """Return limits of a quantile of each group, (G,), that hold with the chance ``level`` of the widths.

    The quantile q of N numbers is the least one with at least q N numbers up to it.  It is between cuts i - 1 and i
    exactly if D_(i-1) < 0 <= D_i, where D_i = (numbers up to cut i) - q N.  Both are tested at half of the error: an
    interval of cuts is kept if the estimates have D_(i-1) <= width and D_i >= -width.

    Args:
        over: estimates of D_i at cuts, (G, K); that at the first cut counts as below 0, that at the last as above.
        widths: ``limit`` of the noise of each D_i, (K,) or (G, K), noise being symmetric.
        cuts: increasing ends of the intervals, (K,), K >= 2.
    """
    kept = (over[:, :-1] <= np.broadcast_to(widths, over.shape)[:, :-1]) | (np.arange(len(cuts) - 1) == 0)
    kept &= (over[:, 1:] >= -np.broadcast_to(widths, over.shape)[:, 1:]) | (np.arange(len(cuts) - 1) == len(cuts) - 2)
    kept |= ~kept.any(axis=1, keepdims=True)
    first, last = kept.argmax(axis=1), len(cuts) - 1 - kept[:, ::-1].argmax(axis=1)
    return cuts[first], cuts[last]
