"""The distribution of one column, from released answers to thresholds or intervals: post-processing."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import checks
from semipriv.core.fields import value
from semipriv.core.types import Floats, Indices
from semipriv.learners.outputs.answers import Answers
from semipriv.practice.columns.dates import UNITS
from semipriv.practice.columns.features import Integers, Range
from semipriv.practice.columns.schema import Records
from semipriv.queries.cells import LineCells, cells_of, workload_of
from semipriv.queries.workloads import Runs

__all__ = ["Distribution"]


@value(eq=False)
class Distribution:
    """Shares of rows below values of a column: the release says how many rows are in each cell between them.

    Values outside of the declared range count as its ends.  The place of a row in its cell is unknown.  Estimates
    (shares, quantiles, histogram, mean) assume that rows lie evenly in a cell.  Limits assume nothing of the kind: they
    end where cells end, so that they hold even if all rows of a cell share a value.

    Args:
        ends: (K + 1,) increasing values of the column, dates as units since 1970: cell i holds its start, end i, and
            not its end; the last cell holds both.
        below: (K + 1,) shares of rows below each, from 0 to 1.
        deviations: (K + 1,) a standard deviation of each share; not finite where the release told none.
        whole: whether the values are integers, as of dates.

    Examples:
        >>> ages = Distribution(np.array([0.0, 10.0, 20.0]), np.array([0.0, 0.25, 1.0]), np.array([0.0, 0.1, 0.0]))
        >>> ages.quantile([0.25, 0.5]).round(1).tolist(), ages.mean, ages.histogram([0, 5, 20]).tolist()
        ([10.0, 13.3], 12.5, [0.125, 0.875])
        >>> [round(end, 3) for end in (*ages.limits(5.0), *ages.quantile_limits(0.05))]
        [0.0, 0.446, 0.0, 10.0]
    """

    ends: Floats
    below: Floats
    deviations: Floats
    whole: bool = False

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
        inner = (low - half + np.cumsum(lengths))[:-1]
        least, greatest = feature.limits
        ends = np.concatenate([[least - half], _ends(feature, inner), [greatest + half]])
        return cls(ends, below / below[-1], _deviations(answers, cell), bool(half) or feature.unit is not None)

    def below_at(self, values: ArrayLike) -> Floats:
        """Return the share of rows up to values."""
        return np.interp(np.asarray(values, np.float64), self.ends, self.below)

    def limits(self, value: float, deviations: float = 1.96) -> tuple[float, float]:
        """Return limits of the share of the private rows up to a value, so many standard deviations away.

        All rows of cells that end at or below the value count, no row of cells that start above it, and any number of
        rows of the cell that holds the value.  So the lower limit is that of the share at the start of this cell, and
        the upper limit that at its end.  Each misses where the noise of this one share exceeds the deviations.  The
        limits cover the noise, and the error of the method where it states one, but not the draw of the rows.
        """
        reached = np.floor(value) + 1 if self.whole else value
        start = int(np.searchsorted(self.ends, reached, "right")) - 1
        end = int(np.searchsorted(self.ends, np.floor(value) if self.whole else value, "right"))
        last = len(self.ends) - 1
        if start < 0 or value >= self.ends[-1]:
            return (0.0, 0.0) if start < 0 else (1.0, 1.0)
        low, high = (self.below[i] + sign * deviations * self.deviations[i] for i, sign in ((start, -1), (end, 1)))
        return (max(0.0, float(low)) if start else 0.0), (min(1.0, float(high)) if end < last else 1.0)

    def histogram(self, edges: ArrayLike) -> Floats:
        """Return the share of rows between neighbouring edges, (k + 1,) -> (k,)."""
        return np.diff(self.below_at(edges))

    def quantile(self, shares: ArrayLike) -> Floats:
        """Return the least values up to which shares of the rows lie; raise ValueError for shares outside [0, 1]."""
        asked = self._asked(shares)
        last = np.searchsorted(self.below, asked, "left").clip(1, len(self.below) - 1)
        start, step = self.below[last - 1], self.below[last] - self.below[last - 1]
        part = np.where(step > 0, (asked - start) / np.where(step > 0, step, 1.0), 0.0)
        values = np.asarray(self.ends[last - 1] + part.clip(0.0, 1.0) * np.diff(self.ends)[last - 1])
        least, greatest = self._values
        return np.clip(np.rint(values), least[last - 1], greatest[last - 1]) if self.whole else values

    def quantile_limits(self, share: float, deviations: float = 1.96) -> tuple[float, float]:
        """Return limits of the least value up to which a share of the private rows lies; raise ValueError as above.

        Let B_i be the share of the rows below end i, and Q the quantile of the share p.  B_i < p gives Q >= end i, and
        B_i >= p gives Q <= end i.  So the lower limit is the last end of which the share is below p for sure, so many
        deviations away, and the upper one the first end of which it is at least p for sure.  Each misses only if the
        noise of one share, at the first end with B_i >= p or at the last one before it, exceeds the deviations: shares
        at further ends are first made monotone, outwards.
        """
        (asked,) = self._asked([share])
        spread = deviations * self.deviations
        upper = np.maximum.accumulate(np.clip(self.below + spread, 0.0, 1.0))
        lower = np.minimum.accumulate(np.clip(self.below - spread, 0.0, 1.0)[::-1])[::-1]
        upper[0], lower[-1] = 0.0, 1.0  # by definition
        start = max(int(np.searchsorted(upper, asked, "left")) - 1, 0)
        end = max(int(np.searchsorted(lower, asked, "left")), 1)
        least, greatest = self._values
        return float(least[start]), float(greatest[end - 1])

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        """The least and the greatest value that a row of each cell may have, (K,) each; of real numbers its ends."""
        if not self.whole:
            return self.ends[:-1], self.ends[1:]
        least = np.ceil(self.ends[:-1])
        return least, np.maximum(least, np.append(np.ceil(self.ends[1:-1]) - 1, np.floor(self.ends[-1])))

    def _asked(self, shares: ArrayLike) -> Floats:
        asked = checks.array("shares", shares).astype(np.float64)
        if not np.all((asked >= 0) & (asked <= 1)):
            raise ValueError(f"shares = {shares!r}: must be in [0, 1]")
        return asked

    @cached_property
    def mean(self) -> float:
        """The mean of the column."""
        return float(np.diff(self.below) @ (self.ends[1:] + self.ends[:-1]) / 2)


def _ends(feature: Range | Integers, places: Floats) -> Floats:
    """Return the least value of each place (k,), as cells of the column are compared: exactly, to the last bit."""
    coding = feature.coding(places)
    if isinstance(feature, Integers) or coding is None or not len(places):
        return feature.unplaced(places)
    unit = 1 if feature.unit is None else UNITS[feature.unit]
    return coding.cuts[np.searchsorted(coding.pieces[1:], np.arange(1, len(places) + 1), "left")] / unit


def _deviations(answers: Answers, cell: Indices) -> Floats:
    """Return the standard deviations of the shares below the pieces of these cells; infinite where none is told."""
    cells = len(answers.representatives)
    prefixes = np.full(cells + 1, np.inf)
    queries = workload_of(answers.functions, answers.cover.parameters, answers.representatives)
    if answers.deviations is not None and isinstance(queries, Runs) and np.all(np.diff(cell) > 0):
        for free, ends in ((queries.start == 0, queries.stop), (queries.stop == cells, queries.start)):
            prefixes[ends[free]] = answers.deviations[free]
    return np.concatenate([[0.0], prefixes[cell[1:]], [0.0]])
