"""Private examples by their numbers in cells: mistakes of a cover depend on nothing else.

Cells are the atoms of a finite domain, or the pieces of the line between the ends of the hypotheses and the steps of
the labeling: all points of a cell have the same predictions and the same distribution of the label.  The numbers of
ones and zeros in the cells are multinomial.
"""

import numpy as np

from semipriv.classes.base import Cover, ListedCover, ListedTally, Tally
from semipriv.classes.intervals import IntervalCover, interval_ends
from semipriv.classes.rectangles import RectangleCover
from semipriv.classes.thresholds import Thresholds
from semipriv.core.samples import Points
from semipriv.core.types import Floats, Integers
from semipriv.distributions.labelings.base import LineLabeling
from semipriv.distributions.labelings.box import Box
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.problem import Distribution


def drawn_tally(cover: Cover, distribution: Distribution, n: int, generator: np.random.Generator) -> Tally:
    """Draw the mistakes of a cover on n private examples: the distribution of ``cover.tally`` of a private sample.

    For thresholds 1[x >= t] and intervals on the line, and for rectangles on a finite domain; others raise TypeError,
    an atom where two cells meet ValueError.
    """
    points, mass = cells(cover, distribution)
    eta = distribution.labeling.probability(points)
    positives, negatives = np.split(generator.multinomial(n, np.concatenate([mass * eta, mass * (1 - eta)])), 2)
    return counted_tally(cover, points, positives, negatives)


def counted_tally(cover: Cover, points: Points, positives: Integers, negatives: Integers) -> Tally:
    """Tally ones_i and zeros_i examples at the i-th of the points (n, d), on the line increasing."""
    if isinstance(cover, IntervalCover | RectangleCover):
        return cover.tally_counts(points, positives, negatives)
    if not isinstance(cover, ListedCover) or cover.functions != Thresholds():
        raise TypeError(f"cover: must be one of thresholds, intervals or rectangles, not of {cover.functions}")
    below = np.searchsorted(points[:, 0], cover.parameters[:, 0])
    missed, right = (np.concatenate([[0], np.cumsum(part)])[below] for part in (positives, negatives))
    return ListedTally(cover, missed + negatives.sum() - right)


def cells(cover: Cover, distribution: Distribution) -> tuple[Points, Floats]:
    """Return a point of each cell (c, d), increasing on the line, and the cells' private masses (c,).

    Raise ValueError if a distribution without a finite support has an atom where two cells meet: the mass of neither is
    known.
    """
    marginal = distribution.private_marginal
    if marginal.support is not None:
        return _atoms(marginal, marginal.support)
    if isinstance(cover, ListedCover):
        ends = cover.parameters[:, 0]
    elif isinstance(cover, IntervalCover):
        ends = np.concatenate(interval_ends(cover.points, cover.representative))
    else:
        raise TypeError(f"cover: must be one of hypotheses on the line, not of {cover.functions}")
    edges = np.unique(np.concatenate([ends[np.isfinite(ends)], _steps(distribution)]))
    atoms = edges[marginal.cdf(edges) > marginal.cdf_left(edges)]
    if atoms.size:
        raise ValueError(
            f"distribution: has an atom at {atoms[0]:g}, must have none at the end of a hypothesis or a step"
        )
    inner = edges[:-1] + np.diff(edges) / 2
    points = np.concatenate([edges[:1] - 1, inner, edges[-1:] + 1])
    return points[:, None], np.diff(marginal.cdf(edges), prepend=0.0, append=1.0)


def _atoms(marginal: Marginal, support: Floats) -> tuple[Points, Floats]:
    """Return the points of the grid of the support in all features, and their masses."""
    d, single = marginal.dimension, marginal.cdf(support) - marginal.cdf_left(support)
    mass = np.ones(1)
    for _ in range(d):
        mass = np.multiply.outer(mass, single).ravel()
    return np.stack(np.meshgrid(*[support] * d, indexing="ij"), axis=-1).reshape(-1, d), mass


def _steps(distribution: Distribution) -> Floats:
    """Return the points of the line at which the distribution of the label may change."""
    labeling = distribution.labeling
    if isinstance(labeling, Box):
        return np.array([*labeling.low, *labeling.high])
    if isinstance(labeling, LineLabeling):
        return labeling.pieces().breaks
    raise TypeError(f"labeling: must be a step function, not {labeling}")
