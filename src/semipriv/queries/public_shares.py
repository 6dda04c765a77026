"""Shares of ordered cells from public points: a kernel estimate, and around it Dirichlet distributions along a tree.

Public points decide all of it: the width of the kernel and its uniform part by leaving one point out, and how much the
counts of a level are worth beside the estimate by the probability of the counts.
"""

import numpy as np
from scipy.special import gammaln

from semipriv.core.types import Floats, Integers
from semipriv.queries.hierarchy import Tree
from semipriv.queries.least_squares import node_counts

UNIFORM = (0.003, 0.01, 0.03, 0.1, 0.3, 0.6)
"""Parts of the uniform distribution that are tried in a kernel estimate."""
WORTH = tuple(4.0**k for k in range(-1, 11))
"""How many points the estimate may be worth beside the counts of a level."""


def public_shares(public: Integers, tree: Tree) -> Floats:
    """Return a share > 0 of each cell, (K,), that sum to 1.  public: points by cell, (K,); none gives equal shares.

    From the root down, the c_v points of a node are split by the mean of a Dirichlet distribution: child c has the
    share (c_c + a q_c) / (c_v + a) of its parent, with q from ``kernel_shares``.  So coarse shares are those of the
    points, if there are many, and fine ones are smooth.  Each level has its a, by the largest Dirichlet-multinomial
    probability.
    """
    width, total = tree.branching, public.sum(keepdims=True)
    if not total[0]:
        return np.full(len(public), 1 / len(public))
    counts = [*reversed(node_counts(tree, public))]
    smooth = [*reversed(node_counts(tree, kernel_shares(public)))]
    shares, above, mass = np.ones(1), total, np.ones(1)
    for below, expected in zip(counts, smooth, strict=True):
        parent = np.arange(len(below)) // width if len(above) > 1 else np.zeros(len(below), np.intp)
        q = expected / mass[parent]
        a = WORTH[int(np.argmax([_probability(below, above, a, q) for a in WORTH]))]
        shares = shares[parent] * (below + a * q) / (above[parent] + a)
        above, mass = below, expected
    return shares / shares.sum()


def _probability(below: Integers, above: Integers, a: float, q: Floats) -> float:
    """Return the logarithm of the Dirichlet-multinomial probability of the children's counts, up to a constant."""
    return float(np.sum(gammaln(a) - gammaln(above + a)) + np.sum(gammaln(below + a * q) - gammaln(a * q)))


def kernel_shares(public: Integers) -> Floats:
    """Return (1 - u) times a triangular kernel estimate plus u / K, (K,), mirrored at both ends.

    Width and u have the largest probability of the points, each point's share estimated from the others.
    """
    cells, m = len(public), int(public.sum())
    uniform = np.full(cells, 1 / cells)
    if m < 2:
        return uniform
    best, shares = -np.inf, uniform
    occupied = np.flatnonzero(public)
    half = 1
    while half == 1 or 4 * half <= cells:
        sums = _triangle(public, half)
        own = sum(np.maximum(half - away, 0) for away in (0, 2 * occupied + 1, 2 * (cells - occupied) - 1))
        others = (sums[occupied] - own) / (half**2 * (m - 1))
        for u in UNIFORM:
            fit = float(public[occupied] @ np.log((1 - u) * others + u / cells))
            if fit > best:
                best, shares = fit, (1 - u) * sums / (half**2 * m) + u / cells
        half *= 2
    return shares


def _triangle(public: Integers, half: int) -> Integers:
    """Return sum_j max(0, half - |i - j|) public_j of each cell i, mirrored: two moving sums of ``half`` counts."""
    padded = np.pad(public.astype(np.int64), half - 1, "symmetric")
    for _ in range(2):
        sums = np.concatenate([[0], np.cumsum(padded)])
        padded = sums[half:] - sums[:-half]
    return padded
