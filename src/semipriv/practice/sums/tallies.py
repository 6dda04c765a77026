"""Which sum over private records a learner needs: the sums are all that a release reads of them."""

from typing import Any

import numpy as np

from semipriv.classes.base import Cover, ListedCover
from semipriv.core.errors import PublicError
from semipriv.learners._answering import Answering
from semipriv.learners._selecting import Selecting
from semipriv.learners._totals import Totalling
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.asking.releasable import REAL
from semipriv.practice.sums.counts import CellCounts, Cells, Grouped, MarginalCounts, Mistakes
from semipriv.practice.sums.records import Again, Count, Rows
from semipriv.practice.sums.statistic import Elsewhere, Statistic

MOST_CELLS = 2**23
"""Cells of a grid up to which labels are counted by cell."""
KEPT = 2**30
"""Bytes that records may take where a release needs them one by one."""


def statistic(
    learner: Any, prepared: Any, n_private: int, again: Again | None = None, elsewhere: Elsewhere | None = None
) -> Statistic:
    """Return an empty statistic of a learner; prepared: what its public stage made.

    n_private: public number of all private rows.  again: reads them once more, for a learner that needs several sums
    one after the other; elsewhere: makes such a sum where they are.

    Raise ValueError if so many rows cannot be kept where they must be.

    Mistakes of every hypothesis, or ones and zeros by cell, where one selection by mistakes is the whole release;
    records by cell for queries, marginals and statistics by group; their number where they are read again; else the
    records, at most KEPT bytes.
    """
    if isinstance(learner, Totalling):
        return Count(learner, prepared, again, elsewhere)
    if isinstance(learner, TableRelease | PublicRowsRelease):
        return MarginalCounts(learner, prepared)
    if isinstance(learner, StatisticsRelease):
        return Grouped(learner, prepared, n_private)
    if isinstance(learner, Answering) and type(learner).release is Answering.release:
        return CellCounts(learner, prepared)
    if isinstance(learner, Selecting) and type(learner).release is Selecting.release and isinstance(prepared, Cover):
        breaks = prepared.breaks()
        if breaks is not None and np.prod([len(axis) + 1.0 for axis in breaks]) <= MOST_CELLS:
            return Cells(learner, prepared, breaks)
        if isinstance(prepared, ListedCover):
            return Mistakes(learner, prepared)
    cover = getattr(prepared, "cover", prepared)
    dimension = int((getattr(cover, "functions", None) or cover.hypothesis_class).dimension)
    width, adding = (8, "public_ridge_regression") if learner.output_kind == REAL else (1, "sspp")
    most = KEPT // (8 * dimension + width)
    if n_private > most:
        raise PublicError(
            f"private: has {n_private:,} rows; {type(learner).__name__} reads them one by one, at most {most:,} of "
            f"{dimension} feature(s): take {adding}, or fewer rows"
        )
    return Rows(learner, prepared)
