"""Queries on labelled records: does a hypothesis err on (x, y)?"""

from dataclasses import dataclass

import numpy as np

from semipriv.core.types import Bools
from semipriv.queries.base import Numbers, Workload


@dataclass(frozen=True, eq=False)
class Mistakes(Workload):
    """The queries 1[h(x) != y] of hypotheses h, M of them, on the K cells times the labels 0 and 1 (BCM20 lemma 17).

    inner: the queries h(x) on the K cells.  Cell i has the number i with label 0, and K + i with label 1.  The query is
    1 on cells with label 0 where h is 1, and on cells with label 1 where h is 0.
    """

    inner: Workload

    @property
    def size(self) -> int:
        """Number of hypotheses."""
        return self.inner.size

    @property
    def cells(self) -> int:
        """Number of cells times two."""
        return 2 * self.inner.cells

    def sums(self, weights: Numbers) -> Numbers:
        """Return sums over the cells of each query: exactly for integers, and with exact ties for equal labels.

        >>> from semipriv.queries.workloads import Runs
        >>> Mistakes(Runs(2, np.array([0, 0]), np.array([0, 1]))).sums(np.array([5, 1, 2, 7]))
        array([ 9, 12])
        """
        zeros, ones = weights[: self.inner.cells], weights[self.inner.cells :]
        return np.asarray(self.inner.sums(zeros - ones) + ones.sum())

    def row(self, query: int) -> Bools:
        """Return the labels of the hypothesis, and their opposites."""
        labels = self.inner.row(query)
        return np.concatenate([labels, ~labels])
