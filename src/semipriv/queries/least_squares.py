"""Least squares in a tree of noisy counts, by one pass up and one down, with or without a prior of the cells.

Cells x_1, ..., x_K have independent priors with means mu and variances tau, infinite where nothing is known.  Each node
v of the tree but the root was measured: y_v = sum of its cells + noise of variance s^2, all independent.  The sum of
all cells is known.  The estimate is the best linear one: the mean of the normal distribution with these moments, given
what was measured.  With infinite tau it is the least squares of the measurements alone (Hay et al. 2010).

Up: a node whose cells have, given what was measured below it, the sum M with variance V, has after its own measurement
m = M + V / (V + s^2) (y - M) and v = V s^2 / (V + s^2).  Down: u = m + v / V (u of the parent - M of the parent), with
the parent's M and V.  Each pass is O(nodes).  So are variances: of children with a known sum X, a combination with
weights w has mean weight a = sum w v / V on X and the variance sum w^2 v - (sum w v)^2 / V left, level by level.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semipriv.core.types import Floats, Integers
from semipriv.queries.base import Numbers
from semipriv.queries.hierarchy import Tree

_SMALLEST = 1e-9
"""Noise of a smaller variance counts as this: it is 0 except with a chance of as much, and divides nothing by 0."""


def node_counts(tree: Tree, counts: Numbers) -> list[Numbers]:
    """Return the sums of the nodes of each level, from the cells (..., K) up, without the root.

    Level l has ceil(K / b^l) nodes; the last one may have fewer children.

    >>> [level.tolist() for level in node_counts(Tree(2, 2), np.array([1, 2, 4]))]
    [[1, 2, 4], [3, 4]]
    """
    levels = [counts]
    while len(levels) < tree.levels:
        levels.append(grouped(levels[-1], tree.branching))
    return levels


def grouped(values: Numbers, width: int) -> Numbers:
    """Return the sums of values (..., k) by groups of ``width``; the last group may be shorter."""
    return np.asarray(np.add.reduceat(values, np.arange(0, values.shape[-1], width), axis=-1))


@dataclass(frozen=True)
class Estimate:
    """Estimated counts of the cells, (..., K), and the log density of what was measured, up to a constant, (...,)."""

    counts: Floats
    evidence: Floats


def estimate(
    tree: Tree, measured: Sequence[Floats], variance: float, total: Floats | float, mean: Floats, spread: Floats
) -> Estimate:
    """Return the estimated counts of the cells, of many trees of one form at once.

    measured: noisy counts (..., nodes), ordered as by ``node_counts``.  variance: of the noise.  total: the sum of all
    cells, (...,).  mean, spread: mu and tau of each cell, (..., K); tau > 0 may be infinite, and then evidence says
    nothing.  Leading axes are broadcast.
    """
    noise, width = max(variance, _SMALLEST), tree.branching
    m, v, evidence = *_updated(mean, spread, measured[0], noise), _density(measured[0] - mean, spread + noise)
    levels: list[tuple[Floats, Floats]] = [(m, v)]
    sums = [(grouped(m, width), grouped(v, width))]
    for y in measured[1:]:
        below, left = sums[-1]
        evidence = evidence + _density(y - below, left + noise)
        levels.append(_updated(below, left, y, noise))
        sums.append((grouped(levels[-1][0], width), grouped(levels[-1][1], width)))
    (m, v) = levels[-1]
    sums[-1] = (m.sum(axis=-1, keepdims=True), v.sum(axis=-1, keepdims=True))
    counts = np.asarray(total, np.float64)[..., None]
    evidence = evidence + _density(counts - sums[-1][0], sums[-1][1])
    for (m, v), (below, left) in zip(reversed(levels), reversed(sums), strict=True):
        counts = m + v * _spread((counts - below) / left, width, m.shape[-1])
    return Estimate(counts, evidence)


def unbiased(tree: Tree, measured: Sequence[Floats], variance: float, total: float, cells: int) -> Floats:
    """Return the estimated counts of the cells, (K,), where nothing is known of them: least squares alone."""
    return estimate(tree, measured, variance, total, np.zeros(cells), np.full(cells, np.inf)).counts


def _updated(mean: Floats, spread: Floats, measured: Floats, noise: float) -> tuple[Floats, Floats]:
    """Return mean and variance after a measurement."""
    gain = 1 / (1 + noise / spread)
    return mean + gain * (measured - mean), gain * noise


def _density(off: Floats, variance: Floats) -> Floats:
    return np.asarray(-np.sum(off * off / variance + np.log(variance), axis=-1) / 2)


def _spread(values: Floats, width: int, length: int) -> Floats:
    """Return the value of the parent of each of ``length`` nodes; one value is the root's."""
    return np.repeat(values, length if values.shape[-1] == 1 else width, axis=-1)[..., :length]


def run_variances(tree: Tree, variance: float, spread: Floats, start: Integers, stop: Integers) -> Floats:
    """Return the variance of the estimated sum of the cells start_j <= i < stop_j, (M,), in O(K + M levels).

    It does not depend on what was measured.  If tau is infinite it is the variance under the noise, whatever the counts
    are; else the expected square of the error under prior and noise.
    """
    noise, cells = max(variance, _SMALLEST), len(spread)
    ending = stop == cells  # then the rest has the same variance, as the sum of all is known
    s, e = np.where(ending, 0, start), np.where(ending, start, stop) % cells
    v = noise / (1 + noise / spread)
    share_s, share_e, weight, left = np.zeros((4, len(s)))  # of the nodes that s and e cut, and once they are one
    single = s == e
    for level in range(tree.levels):
        width = tree.branching if level + 1 < tree.levels else len(v)
        total, before = grouped(v, width), np.concatenate([[0.0], np.cumsum(v)])
        parent_s, parent_e = s // width, e // width
        head_s, head_e = before[s] - before[parent_s * width], before[e] - before[parent_e * width]
        own_s, own_e, all_s, all_e = v[s], v[e], total[parent_s], total[parent_e]
        up_s, up_e = (head_s + share_s * own_s) / all_s, (head_e + share_e * own_e) / all_e
        apart = head_s + share_s**2 * own_s - up_s**2 * all_s + head_e + share_e**2 * own_e - up_e**2 * all_e
        within = head_e - head_s - own_s + (1 - share_s) ** 2 * own_s + share_e**2 * own_e
        joined = np.where(single, weight * own_s / all_s, up_e - up_s)
        merging = ~single & (parent_s == parent_e)
        left += np.where(single, weight**2 * own_s, np.where(merging, within, apart))
        left -= np.where(single | merging, joined**2 * all_s, 0.0)
        single, weight = single | merging, np.where(single | merging, joined, 0.0)
        share_s, share_e, s, e = up_s, up_e, parent_s, parent_e
        v = total / (1 + total / noise)
    return np.maximum(left, 0.0)
