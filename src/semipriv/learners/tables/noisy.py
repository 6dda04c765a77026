"""Noisy marginals: a tree of their pairs, and how near given shares are to the private ones.  All is post-processing.

The noise of each cell is known, independent, and of the mean 0.  So the squared distance of shares a from noisy ones v,
less the variance of the noise, has the squared distance of a from the private shares as its mean, if a does not depend
on the noise of v.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from semipriv.core.types import Floats
from semipriv.queries.chow_liu import Tree, spanning
from semipriv.queries.marginals import Workload

__all__ = ["Distance", "Noisy", "distance", "noisy_tree", "simplex", "thinned"]

_FEWEST = 0.5
"""Records that are added to each column of the tree, spread evenly over its values."""
_APART = 1e-3
"""Least share of independent columns in a pair of the tree, so that every record is possible."""
_FARTHEST = 1e6
"""Noisy shares are moved in between -1e6 and 1e6: what is further away says nothing."""
_TOGETHER = 2**17
"""Cells of pairs that are drawn towards independent columns at once."""
_THIN = 0.5
"""Deviation of what is added in ``thinned``, over that of the noise."""

Columns = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Margin:
    """Noisy shares of one column (k,) or of two (k, l), and the variance of the noise of each cell."""

    shares: Floats
    variance: float


@dataclass(frozen=True, eq=False)
class Noisy:
    """Noisy shares of the cells of measured marginals.

    workload: of these marginals alone.  values: (K,).  deviations: (T,), standard deviation of the noise of a share,
    > 0, of each marginal.  n: number of private rows.  spread: variance of the squared noise of a cell over the square
    of its variance: 2 of normal noise, 5 of Laplace noise.
    """

    workload: Workload
    values: Floats
    deviations: Floats
    n: int
    spread: float = 2.0

    @cached_property
    def alone(self) -> dict[int, Margin]:
        """Each column that was measured, by itself."""
        return {columns[0]: margin for columns, margin in self._margins(self.values, 1).items()}

    @cached_property
    def pairs(self) -> dict[Columns, Margin]:
        """Each pair of columns that was measured, in a marginal of two or more."""
        return self._margins(self.values, 2)

    @cached_property
    def judged(self) -> dict[Columns, Margin]:
        """The pairs, and columns that are in none."""
        held = {column for pair in self.pairs for column in pair}
        return self.pairs | {(column,): margin for column, margin in self.alone.items() if column not in held}

    def of_cells(self, shares: Floats) -> dict[Columns, Floats]:
        """Return the judged margins of shares (K,) of all cells."""
        margins = self._margins(shares, 1) | self._margins(shares, 2)
        return {columns: margins[columns].shares for columns in self.judged}

    @cached_property
    def _shapes(self) -> dict[tuple[int, ...], list[int]]:
        """Places of the marginals by their shape: those of one are summed together."""
        sizes, by_shape = self.workload.schema.sizes, dict[tuple[int, ...], list[int]]()
        for g, group in enumerate(self.workload.groups):
            by_shape.setdefault(tuple(sizes[i] for i in group), []).append(g)
        return by_shape

    def _margins(self, values: Floats, ways: int) -> dict[Columns, Margin]:
        """Return the sums of values over other columns; where several marginals tell them, by their precision."""
        estimates, groups = dict[Columns, list[Margin]](), self.workload.groups
        for shape, alike in self._shapes.items():
            places = self.workload.starts[alike][:, None] + np.arange(math.prod(shape))
            tables = values[places].reshape(-1, *shape)
            for axes in combinations(range(len(shape)), ways):
                others = tuple(axis for axis in range(len(shape)) if axis not in axes)
                sums = tables.sum(axis=tuple(1 + axis for axis in others)) if others else tables
                variances = self.deviations[alike] ** 2 * math.prod(shape[axis] for axis in others)
                for g, shares, variance in zip(alike, sums, variances.tolist(), strict=True):
                    estimates.setdefault(tuple(groups[g][axis] for axis in axes), []).append(Margin(shares, variance))
        return {columns: _mean(margins) for columns, margins in estimates.items()}


def _mean(margins: list[Margin]) -> Margin:
    """Return what margins of the same columns tell together, by their precisions."""
    if len(margins) == 1:
        return margins[0]
    precision = sum(1 / margin.variance for margin in margins)
    return Margin(sum((margin.shares / margin.variance for margin in margins), np.zeros(1)) / precision, 1 / precision)


# ---------------------------------------------------------------------------------------------------- the tree
def noisy_tree(noisy: Noisy) -> Tree:
    """Return the tree of largest mutual information of noisy pairs, each drawn towards independent columns first.

    A column is drawn towards equal shares, and a pair towards the product of its columns, by the factor
    (1 - (1 + (2 / d)^(1/2)) d s^2 / e)_+, with e the squared distance, s^2 the variance of a cell's noise, and d its
    degrees of freedom: 0 where the distance is no more than noise makes, one deviation of it included.  Then both are
    moved to the nearest shares.  A column of no measured pair is independent.  Every record is possible.
    """
    sizes = noisy.workload.schema.sizes
    alone = [_column(noisy.alone.get(i), size, noisy.n) for i, size in enumerate(sizes)]
    tables, informations = dict[Columns, Floats](), np.full((len(sizes), len(sizes)), -1.0)
    for pairs in _batches(noisy.pairs):
        shares = np.stack([noisy.pairs[pair].shares for pair in pairs])
        product = np.stack([alone[i] for i, _ in pairs])[:, :, None] * np.stack([alone[j] for _, j in pairs])[:, None]
        drawn = _pairs(shares, np.array([noisy.pairs[pair].variance for pair in pairs]), product)
        for (i, j), table, information in zip(pairs, drawn, _informations(drawn), strict=True):
            tables[i, j], informations[i, j], informations[j, i] = table, information, information
    first = int(np.argmin(sizes))  # the parent of what is in no pair
    edges = [edge if informations[edge] >= 0 else (first, edge[1]) for edge in spanning(informations, first)]
    given = [_given(tables, edge, alone[edge[1]], sizes[edge[0]]) for edge in edges]
    return Tree(np.maximum(informations, 0.0), first, alone[first], edges, given)


def _column(margin: Margin | None, size: int, n: int) -> Floats:
    """Return the shares of a column, (size,) > 0."""
    equal = np.full(size, 1 / size)
    if margin is None:
        return equal
    away = margin.shares - margin.shares.mean()
    factor = _kept(away, size - 1, margin.variance)
    shares = simplex(equal + factor * away) + _FEWEST / n
    return shares / shares.sum()


def _batches(pairs: dict[Columns, Margin]) -> Iterator[list[Columns]]:
    """Yield pairs of one shape together, of at most so many cells that they stay in the caches, or one alone."""
    of = dict[tuple[int, ...], list[Columns]]()
    for columns, margin in pairs.items():
        of.setdefault(margin.shares.shape, []).append(columns)
    for shape, alike in of.items():
        most = max(1, _TOGETHER // math.prod(shape))
        yield from (alike[i : i + most] for i in range(0, len(alike), most))


def _pairs(shares: Floats, variances: Floats, product: Floats) -> Floats:
    """Return the shares of pairs (p, k, l) > 0; variances: (p,), of the noise of a cell; product: of their columns."""
    away = shares - product
    away = away - away.mean(axis=2, keepdims=True) - away.mean(axis=1, keepdims=True) + away.mean((1, 2), keepdims=True)
    degrees = (product.shape[1] - 1) * (product.shape[2] - 1)
    factors = np.array([_kept(residual, degrees, variance) for residual, variance in zip(away, variances, strict=True)])
    kept, shrunk = factors > 0, product.copy()
    moved = product[kept] + factors[kept, None, None] * away[kept]
    nearest = simplex(moved.reshape(len(moved), product[0].size)).reshape(moved.shape)
    shrunk[kept] = (1 - _APART) * nearest + _APART * product[kept]
    return shrunk


def _kept(away: Floats, degrees: int, variance: float) -> float:
    """Return which part is kept of a noisy difference, in [0, 1]."""
    square = float(np.vdot(away, away))
    if not (degrees and square > 0):
        return 0.0
    return max(0.0, 1 - (1 + math.sqrt(2 / degrees)) * degrees * variance / square)


def _informations(pairs: Floats) -> Floats:
    """Return the mutual information of each pair of columns (p, k, l), in nats, (p,)."""
    product = pairs.sum(axis=2, keepdims=True) * pairs.sum(axis=1, keepdims=True)
    return np.maximum(0.0, (pairs * np.log(pairs / product)).sum(axis=(1, 2)))


def _given(tables: dict[Columns, Floats], edge: tuple[int, int], alone: Floats, size: int) -> Floats:
    """Return P[child | parent], (size, k); alone: of the child."""
    parent, child = edge
    pair = tables.get(edge, tables[child, parent].T if (child, parent) in tables else None)
    if pair is None:
        return np.tile(alone, (size, 1))
    return pair / pair.sum(axis=1, keepdims=True)


def simplex(values: Floats) -> Floats:
    """Return the shares (..., k) that are nearest to numbers (..., k).

    >>> simplex(np.array([0.7, 0.5, -0.4])).round(3).tolist()
    [0.6, 0.4, 0.0]
    """
    moved, size = np.clip(values, -_FARTHEST, _FARTHEST), values.shape[-1]
    ordered = np.sort(moved, axis=-1)[..., ::-1]
    excess = (np.cumsum(ordered, axis=-1) - 1) / np.arange(1, size + 1)
    last = size - 1 - np.argmax((ordered > excess)[..., ::-1], axis=-1)
    return np.maximum(moved - np.take_along_axis(excess, last[..., None], axis=-1), 0.0)


# ---------------------------------------------------------------------------------------------------- how near
@dataclass(frozen=True)
class Distance:
    """Mean squared distance of shares from the private ones, in a marginal, and the deviation of this by noise."""

    square: float
    deviation: float


def distance(noisy: Noisy, shares: Mapping[Columns, Floats]) -> Distance:
    """Return how far given shares of columns are from the private ones, in the mean over judged margins.

    Its expectation is right for shares that do not depend on the noise.  A margin of k cells and variance s^2 counts in
    proportion to 1 / (s^2 k^(1/2)), which is the inverse of the deviation of its squared distance by noise alone.
    """
    variances = np.array([margin.variance for margin in noisy.judged.values()])
    sizes = np.array([margin.shares.size for margin in noisy.judged.values()])
    squares = np.array([float(((margin.shares - shares[key]) ** 2).sum()) for key, margin in noisy.judged.items()])
    part = 1 / (variances / variances.min() * np.sqrt(sizes))
    part = part / part.sum()
    return Distance(
        float((part * (squares - sizes * variances)).sum()),
        float(np.sqrt((part**2 * noisy.spread * sizes * variances**2).sum())),
    )


def thinned(noisy: Noisy, generator: np.random.Generator) -> tuple[Noisy, Noisy]:
    """Return two noisy versions of the same shares, of which the noises are not correlated.

    With x of the deviation s of the noise, v + x / 2 and v - 2 x: their noises have the variances s^2 (1 + 1/4) and
    s^2 (1 + 4), and the covariance s^2 - s^2 = 0; Gaussian noises are independent then.
    """
    deviations = np.repeat(noisy.deviations, np.diff(noisy.workload.starts))
    x = generator.normal(size=len(deviations)) * deviations
    return (
        replace(noisy, values=noisy.values + _THIN * x, deviations=noisy.deviations * np.sqrt(1 + _THIN**2)),
        replace(noisy, values=noisy.values - x / _THIN, deviations=noisy.deviations * np.sqrt(1 + _THIN**-2)),
    )
