"""Exact distribution of RRSPM over thresholds: a random walk that must stay above barriers, by its density.

Public points in order, weights xi_1, ..., xi_m, and q_k, the least mistakes of the thresholds with k public points on
their left.  RRSPM chooses the k of the least q_k + xi_(k+1) + ... + xi_m.  It chooses k iff the walk of xi_k, xi_(k-1),
... stays above q_k - q_(k-1), q_k - q_(k-2), ..., and that of -xi_(k+1), -xi_(k+2), ... above q_k - q_(k+1), ...: two
independent walks, with symmetric steps.

Scales are 1: mistakes are in units of the scale of a weight.  The density of a walk is smooth but at 0, where it
starts, and at the barriers.  Cells end there, and polynomials of degree NODES - 1 on each cell represent it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise

import numpy as np
import scipy

from semipriv.core.types import Floats

Barriers = tuple[float, ...]

NODES = 16
"""Gauss-Legendre nodes of a cell: smooth densities are exact to rounding."""
FARTHEST = 40.0
"""A density is left out this far above the last barrier, and 1.5 farther for each step: a chance below 1e-14."""


class Step(StrEnum):
    """Distribution of a step, of scale 1."""

    LAPLACE = "laplace"
    NORMAL = "normal"

    @property
    def longest(self) -> float:
        """Longest cell on which polynomials follow the density."""
        return 2.0 if self is Step.LAPLACE else 1.0

    def density(self, x: Floats) -> Floats:
        """Return the density at x."""
        if self is Step.LAPLACE:
            return np.exp(-np.abs(x)) / 2
        return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)

    def above(self, x: Floats) -> Floats:
        """Return P[step > x]."""
        if self is Step.LAPLACE:
            tail = np.exp(-np.abs(x)) / 2
            return np.where(x > 0, tail, 1 - tail)
        return np.asarray(scipy.special.ndtr(-x))


def survivals(walks: Iterable[Barriers], step: Step = Step.LAPLACE) -> dict[Barriers, float]:
    """Return P[sum of the first r steps > c_r for all r] by the barriers (c_1, ..., c_r) of a walk.

    An empty walk survives.  Walks that begin alike share their work.  Time and memory are quadratic in the span of the
    barriers and in their number, over all walks together.

    >>> round(survivals([(0.0, 0.0)])[0.0, 0.0], 12)  # the first two sums of symmetric steps: 3/8
    0.375
    """
    distinct = list(dict.fromkeys(walks))
    levels = sorted({0.0, *(level for walk in distinct for level in walk)})
    grid = _Grid.of([*levels, levels[-1] + FARTHEST + 1.5 * max(map(len, distinct), default=0)], step)
    alive: dict[Barriers, Floats] = {}

    def density(walk: Barriers) -> Floats:
        """Return the density of the walk's last sum at the nodes, where it has survived."""
        if walk not in alive:
            before = step.density(grid.nodes) if len(walk) == 1 else grid.moved @ density(walk[:-1])
            alive[walk] = np.where(grid.nodes > walk[-1], before, 0.0)
        return alive[walk]

    return {walk: _last(walk, grid, step, density(walk[:-1]) if len(walk) > 1 else None) for walk in distinct}


def chosen_distribution(mistakes: Floats, step: Step = Step.LAPLACE) -> Floats:
    """Return the exact distribution of the chosen k: (r, m + 1) least mistakes q, in units of the scale -> chances.

    >>> chosen_distribution(np.zeros((1, 3))).round(12)
    array([[0.375, 0.25 , 0.375]])
    """
    rows = [tuple(float(q) for q in row) for row in np.atleast_2d(np.asarray(mistakes, float))]
    sides = {row: [_barriers(row, k) for k in range(len(row))] for row in rows}
    chances = survivals((walk for pairs in sides.values() for pair in pairs for walk in pair), step)
    return np.array([[chances[left] * chances[right] for left, right in sides[row]] for row in rows])


def _barriers(mistakes: Barriers, k: int) -> tuple[Barriers, Barriers]:
    """Return the barriers of the walks to the left and to the right of k."""
    level = mistakes[k]
    return tuple(level - q for q in mistakes[:k][::-1]), tuple(level - q for q in mistakes[k + 1 :])


@dataclass(frozen=True)
class _Grid:
    """Nodes and quadrature weights of all cells, and the matrix that adds a step to a density at the nodes."""

    nodes: Floats
    weights: Floats
    moved: Floats

    @classmethod
    def of(cls, ends: list[float], step: Step) -> "_Grid":
        """Return the grid of cells that end at these increasing levels, and within so that none is too long."""
        parts = [np.linspace(a, b, 1 + int(np.ceil((b - a) / step.longest)))[:-1] for a, b in pairwise(ends)]
        edges = np.concatenate([*parts, ends[-1:]])
        x, w = _legendre()
        half = np.diff(edges) / 2
        nodes = ((edges[:-1] + half)[:, None] + half[:, None] * x).ravel()
        weights = (half[:, None] * w).ravel()
        moved = step.density(nodes[:, None] - nodes) * weights
        if step is Step.LAPLACE:  # the kernel has a corner within the node's own cell
            for cell, length in enumerate(2 * half):
                inside = slice(cell * NODES, (cell + 1) * NODES)
                moved[inside, inside] = _own_cell(round(float(length), 14))
        return cls(nodes, weights, moved)


def _last(walk: Barriers, grid: _Grid, step: Step, before: Floats | None) -> float:
    """Return P[the last sum is above its barrier, and all before were]."""
    if not walk:
        return 1.0
    if before is None:
        return float(step.above(np.array(walk[-1])))
    return float(before * grid.weights @ step.above(walk[-1] - grid.nodes))


@cache
def _legendre() -> tuple[Floats, Floats]:
    x, w = np.polynomial.legendre.leggauss(NODES)
    return x, w


@cache
def _own_cell(length: float) -> Floats:
    """Return the integrals of exp(-|x_i - y|)/2 times the j-th Lagrange polynomial over a cell of that length."""
    x, w = _legendre()
    degrees = np.arange(NODES)
    at_nodes = np.polynomial.legendre.legvander(x, NODES - 1) * (degrees + 0.5) * w[:, None]
    integrals = np.zeros((NODES, NODES))
    for i, split in enumerate(x):
        for low, high in ((-1.0, split), (split, 1.0)):
            y = (low + high) / 2 + (high - low) / 2 * x
            kernel = np.exp(-np.abs(split - y) * length / 2) / 2 * w * (high - low) / 2 * length / 2
            integrals[i] += kernel @ np.polynomial.legendre.legvander(y, NODES - 1) @ at_nodes.T
    return integrals
