"""RRSPM with Laplace weights over thresholds, simulated by counts: exact in distribution for any sample size.

Points lie on d lines (blocks), uniformly; a function is a threshold on each line, and the class has VC dimension d.
Private points have the public distribution, or lie in a region of width sigma around the target, which is at 1/2 on
each line.
"""

from dataclasses import dataclass

import numpy as np

from semipriv.core.types import Floats, Integers

TARGET = 0.5


@dataclass(frozen=True)
class Problem:
    """Sizes of one simulation.

    m, n: public points and private examples.  scale: of the Laplace weights.  sigma: width of the region of the private
    points.  noise: chance that a label is flipped.  blocks: number of lines.
    """

    m: int
    n: int
    scale: float
    sigma: float = 1.0
    noise: float = 0.1
    blocks: int = 1


def excesses(problem: Problem, trials: int, generator: np.random.Generator) -> Floats:
    """Return the excess error of RRSPM in independent trials, (trials,), in closed form given the output."""
    shares = np.full(problem.blocks, 1 / problem.blocks)
    public = generator.multinomial(problem.m, shares, trials)
    private = generator.multinomial(problem.n, shares, trials)
    lines = [_line(problem, public[:, j], private[:, j], generator) for j in range(problem.blocks)]
    return np.asarray(np.mean(lines, axis=0))


def _line(problem: Problem, public: Integers, private: Integers, generator: np.random.Generator) -> Floats:
    """Return the excess error on one line: (t,) numbers of public points and of private examples -> (t,)."""
    trials, most = len(public), int(public.max())
    there = np.arange(most) < public[:, None]
    points = np.sort(np.where(there, generator.random((trials, most)), 1.0), axis=1)
    at = np.count_nonzero(points < TARGET, axis=1)  # the target is in the cell of this number
    costs = least_losses(problem, points, at, private, generator)
    weights = np.where(there, generator.laplace(scale=problem.scale, size=(trials, most)), 0.0)
    costs[:, 1:] -= np.cumsum(weights, axis=1)
    costs[np.arange(most + 1) > public[:, None]] = np.inf
    best = np.argmin(costs, axis=1)
    padded = np.concatenate([np.full((trials, 1), -np.inf), points, np.full((trials, 1), np.inf)], axis=1)
    row = np.arange(trials)
    high = np.where(best >= public, np.inf, padded[row, best + 1])
    high = np.where(public == 0, -np.inf, high)  # no public point: the cut that labels all 1
    return (1 - 2 * problem.noise) * np.abs(mass((padded[row, best] + high) / 2, problem.sigma) - 0.5)


def mass(x: Floats, sigma: float) -> Floats:
    """Return the private mass below x: uniform on the region of width sigma around the target."""
    return np.clip((x - (TARGET - sigma / 2)) / sigma, 0.0, 1.0)


def least_losses(
    problem: Problem, points: Floats, at: Integers, private: Integers, generator: np.random.Generator
) -> Floats:
    """Return the least number of mistakes of a cut in each cell of the public points, up to a constant: (t, m + 1).

    points: (t, m) sorted.  at: (t,) cell of the target.  private: (t,) number of private examples.  Counts in cells are
    multinomial, labels binomial.  As a cut moves through a cell, its mistakes change by +-1 at each example, in
    random order: the most that they fall below their value at the left end has the distribution of ``deepest``.
    """
    trials, m = points.shape
    ends = np.sort(np.concatenate([points, np.full((trials, 1), TARGET)], axis=1), axis=1)
    below = np.concatenate([np.zeros((trials, 1)), mass(ends, problem.sigma), np.ones((trials, 1))], axis=1)
    masses = np.maximum(np.diff(below, axis=1), 0.0)
    counts = generator.multinomial(private, masses / masses.sum(axis=1, keepdims=True))
    part = np.arange(m + 2)
    right = part > at[:, None]
    positives = generator.binomial(counts, problem.noise)
    positives = np.where(right, counts - positives, positives)
    rises = np.concatenate([np.zeros((trials, 1), np.int64), np.cumsum(2 * positives - counts, axis=1)[:, :-1]], axis=1)
    least = rises - deepest(counts - positives, positives, generator)
    split = np.minimum(least[:, :-1], least[:, 1:])
    cell = np.arange(m + 1)
    return np.where(cell < at[:, None], least[:, :-1], np.where(cell == at[:, None], split, least[:, 1:])).astype(
        np.float64
    )


def deepest(falls: Integers, rises: Integers, generator: np.random.Generator) -> Integers:
    """Draw the largest of 0 and all (falls - rises) so far, as so many falls and rises come in random order.

    By the reflection principle it is at least k >= falls - rises with chance C(a + b, b + k) / C(a + b, b), for a falls
    and b rises.  Inversion, one k after the other; the chances fall geometrically.
    """
    depth = np.maximum(falls - rises, 0)
    draw = generator.random(depth.shape)
    chance = np.ones(depth.shape)
    going = np.nonzero(depth < falls)
    while len(going[0]):
        k, a, b = depth[going], falls[going], rises[going]
        next_chance = chance[going] * (a - k) / (b + k + 1)
        chance[going] = next_chance
        continuing = draw[going] < next_chance
        going = tuple(index[continuing] for index in going)
        depth[going] += 1
        going = tuple(index[depth[going] < falls[going]] for index in going)
    return depth
