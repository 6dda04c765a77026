"""Answers to the questions of a plan, taken apart: masses of tables, and rows in bins."""

from collections.abc import Sequence

import numpy as np

from semipriv.core.types import Integers
from semipriv.learners.statistics.measure import Ends
from semipriv.learners.statistics.plan import Plan
from semipriv.queries.residuals import Key

__all__ = ["Answers"]


class Answers:
    """The sums that were read of private rows, in units of persons if there are such.

    sums: answers in the order of ``plan.sums``.
    """

    def __init__(self, plan: Plan, sums: Sequence[Integers]) -> None:
        self.plan = plan
        self._sums = dict(zip(plan.sums, sums, strict=True))

    def table(self, key: Key, ends: Ends) -> Integers:
        """Return the exact masses of a table that is measured, (*by) or (*by, levels)."""
        column = key[-1]
        if column not in self.plan.ends:
            return self._sums[key, None]
        by = key[:-1]
        return self.plan.prepared.levels[column].table(self._sums[by, column], self.plan.cuts[by, column], ends[column])

    def binned(self, by: Key, column: str, cuts: Integers) -> tuple[Integers, Integers]:
        """Return rows of each group in each bin between cuts, (*by, bins), and those whose number is missing, (*by)."""
        sums, fine = self._sums[by, column][..., 0], self.plan.cuts[by, column]
        if self.plan.prepared.schema.number(column).missing:
            missing, sums = sums[..., 1, :].sum(axis=-1), sums[..., 0, :]
        else:
            missing = np.zeros(sums.shape[:-1], np.int64)
        starts = np.concatenate([[0], np.searchsorted(fine, cuts) + 1])
        return np.add.reduceat(sums, starts, axis=-1), missing
