"""The distribution of one column, as a release of answers to thresholds or intervals tells it: post-processing."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import checks
from semipriv.core.fields import value
from semipriv.core.types import Floats, Indices
from semipriv.learners.outputs.answers import Answers
from semipriv.practice.columns.features import Integers, Range
from semipriv.practice.columns.schema import Records
from semipriv.queries.cells import LineCells, cells_of, workload_of
from semipriv.queries.workloads import Runs

__all__ = ["Distribution"]


@value(eq=False)
class Distribution:
    """Shares of rows below values of a column, between which rows are taken to lie evenly.

    Args:
        ends: (K + 1,) increasing values of the column, dates as units since 1970.
        below: (K + 1,) shares of rows up to each, from 0 to 1.
        deviations: (K + 1,) a standard deviation of each share; not finite where the release told none.

    Examples:
        >>> ages = Distribution(np.array([0.0, 10.0, 20.0]), np.array([0.0, 0.25, 1.0]), np.array([0.0, 0.1, 0.0]))
        >>> ages.quantile([0.25, 0.5]).round(1).tolist(), ages.mean, ages.histogram([0, 5, 20]).tolist()
        ([10.0, 13.3], 12.5, [0.125, 0.875])
        >>> [round(end, 3) for end in ages.limits(10.0)]
        [0.054, 0.446]
    """

    ends: Floats
    below: Floats
    deviations: Floats

    @classmethod
    def of(cls, answers: Answers, records: Records) -> "Distribution":
        """Return the distribution that answers tell; raise ValueError unless they weigh cells of one number."""
        weights = answers.weights
        feature = records.features[0]
        if len(records.features) != 1 or not isinstance(feature, Range | Integers):
            raise ValueError("distribution: is of one column of numbers or dates")
        if weights is None:
            raise ValueError("distribution: the release has answers, no weights of cells; take a method that has them")
        cells = cells_of(answers.functions, answers.cover.parameters, answers.representatives)
        (low, high), half = feature.ends, 0.5 if isinstance(feature, Integers) else 0.0
        if isinstance(cells, LineCells):
            starts, cell = cells.starts, cells.cell
        elif half:
            starts = np.arange(low, high) + half
            cell = cells.of(np.arange(low, high + 1)[:, None])
        else:
            raise ValueError(f"distribution: answers to {answers.functions!r} have no ordered cells; take thresholds")
        edges = np.clip(np.concatenate([[-np.inf], starts, [np.inf]]), low - half, high + half)
        lengths = np.diff(edges)
        cell, lengths = cell[lengths > 0], lengths[lengths > 0]
        shares = weights[cell] * lengths / np.bincount(cell, lengths, len(weights))[cell]
        below = np.concatenate([[0.0], np.cumsum(shares)])
        ends = feature.unplaced(np.concatenate([[low - half], low - half + np.cumsum(lengths)]))
        return cls(ends, below / below[-1], _deviations(answers, cell))

    def below_at(self, values: ArrayLike) -> Floats:
        """Return the share of rows up to values."""
        return np.interp(np.asarray(values, np.float64), self.ends, self.below)

    def limits(self, value: float, deviations: float = 1.96) -> tuple[float, float]:
        """Return so many standard deviations around the share up to a value, within 0 and 1.

        They are of the noise, and what the method says besides; not of rows that lie unevenly between two ends.
        """
        share = float(self.below_at(value))
        spread = deviations * float(np.interp(value, self.ends, self.deviations))
        return max(0.0, share - spread), min(1.0, share + spread)

    def histogram(self, edges: ArrayLike) -> Floats:
        """Return the share of rows between neighbouring edges, (k + 1,) -> (k,)."""
        return np.diff(self.below_at(edges))

    def quantile(self, shares: ArrayLike) -> Floats:
        """Return the least values up to which shares of the rows lie; raise ValueError for shares outside [0, 1]."""
        asked = checks.array("shares", shares).astype(np.float64)
        if not np.all((asked >= 0) & (asked <= 1)):
            raise ValueError(f"shares = {shares!r}: must be in [0, 1]")
        return self._inverse(self.below, asked)

    def quantile_limits(self, share: float, deviations: float = 1.96) -> tuple[float, float]:
        """Return the values at which the share, with so many standard deviations, may lie."""
        spread = deviations * self.deviations
        upper = np.maximum.accumulate(np.clip(self.below + spread, 0.0, 1.0))
        lower = np.minimum.accumulate(np.clip(self.below - spread, 0.0, 1.0)[::-1])[::-1]
        return float(self._inverse(upper, share)), float(self._inverse(lower, share))

    def _inverse(self, below: Floats, shares: ArrayLike) -> Floats:
        last = np.searchsorted(below, shares, "left").clip(1, len(below) - 1)
        start, step = below[last - 1], below[last] - below[last - 1]
        part = np.where(step > 0, (shares - start) / np.where(step > 0, step, 1.0), 0.0)
        return np.asarray(self.ends[last - 1] + part.clip(0.0, 1.0) * np.diff(self.ends)[last - 1])

    @cached_property
    def mean(self) -> float:
        """The mean of the column."""
        return float(np.diff(self.below) @ (self.ends[1:] + self.ends[:-1]) / 2)


def _deviations(answers: Answers, cell: Indices) -> Floats:
    """Return the standard deviations of the shares below the pieces of these cells; infinite where none is told."""
    cells = len(answers.representatives)
    prefixes = np.full(cells + 1, np.inf)
    queries = workload_of(answers.functions, answers.cover.parameters, answers.representatives)
    if answers.deviations is not None and isinstance(queries, Runs) and np.all(np.diff(cell) > 0):
        for free, ends in ((queries.start == 0, queries.stop), (queries.stop == cells, queries.start)):
            prefixes[ends[free]] = answers.deviations[free]
    return np.concatenate([[0.0], prefixes[cell[1:]], [0.0]])
