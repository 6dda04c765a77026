"""The representative domain of a cover of the public points (BCM20 definition 2, algorithm 3)."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass, ListedCover, check_listing
from semipriv.core.arrays import Arrays
from semipriv.core.deviation import sauer
from semipriv.core.fields import changed, checked, value
from semipriv.core.least import largest_size
from semipriv.core.samples import Points
from semipriv.core.types import Integers
from semipriv.core.work import WorkError, in_force
from semipriv.learners.stages.base import UnlabelledStage
from semipriv.learners.stages.cover import check_representative
from semipriv.queries.base import Workload
from semipriv.queries.cells import Cells, cells_of, workload_of

__all__ = ["Domain", "RepresentativeDomain", "domain_of", "restored_domain"]


LABELS_A_BYTE = 2
"""Labels of a workload for which one byte is reckoned: they are bits, of which there are copies while they are made."""


@value(eq=False)
class Domain:
    """M queries, the hypotheses of a cover, and the K cells of points that these label alike.  From public data only.

    representatives: (K, d), a point of each cell.  public: (K,) int64, the number of public points in each cell.

    Every point of the domain has a cell.  For classes on the line with exact ends it is the cell that the point is in.
    For the others it is found by the label vector; where rounding makes one that no cell has, a public rule decides
    (``VectorCells``).  So one record always moves one count, and privacy does not depend on whether all cells are
    known: that is proven for rectangles, tables and point functions, and up to rounding for halfspaces.
    """

    cover: ListedCover
    representatives: Points
    public: Integers

    def arrays(self) -> Arrays:
        """Return points and parameters of the cover, representatives, and public points by cell."""
        return {**self.cover.arrays(), "representatives": self.representatives, "public": self.public}

    @cached_property
    def workload(self) -> Workload:
        """The queries on the cells."""
        return workload_of(_class_of(self.cover), self.cover.parameters, self.representatives)

    @cached_property
    def cells(self) -> Cells:
        """Which cell a point is in."""
        return cells_of(_class_of(self.cover), self.cover.parameters, self.representatives)

    def beside(self, public: Integers) -> "Domain":
        """Return the domain with another number of public points in each cell, (K,)."""
        domain = changed(self, public=public)
        domain.__dict__.update(workload=self.workload, cells=self.cells)  # which public points do not change
        return domain

    def counts(self, points: ArrayLike) -> Integers:
        """Return the number of points (n, d) in each cell, (K,) int64.  Replacing a point moves two of them by 1."""
        return self.cells.counts(self.cover.functions.validated(points), len(self.representatives))


def _class_of(cover: ListedCover) -> HypothesisClass:
    assert isinstance(cover.functions, HypothesisClass), "a cover of public points belongs to its class"
    return cover.functions


@value
class RepresentativeDomain(UnlabelledStage[Domain]):
    """The cover of the public points as queries, and one point for each set of points that all of them label alike.

    representative: the place of each hypothesis in its cell, the set of parameters with the same dichotomy: 'midpoint',
    'lower' or 'upper'.  Of intervals 'lower' has the fewest cells: as their right ends are public points, these and the
    gaps after them make m + 1 cells instead of 2 m - 1.
    """

    representative: str = checked(check_representative, default="midpoint")

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> Domain:
        return domain_of(points, points, hypothesis_class, self.representative)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> Domain:
        """Return the domain; its cells are not enumerated again."""
        return restored_domain(arrays, hypothesis_class)


def domain_of(points: Points, public: Points, hypothesis_class: HypothesisClass, representative: str) -> Domain:
    """Return the domain of the cover of points (m, d), with the number of public points in each cell.

    Raise ValueError, with the size and the largest m that fits for certain, if it would take more memory than is
    allowed.
    """
    try:
        cover = hypothesis_class.cover(points, representative).listed()
        representatives = hypothesis_class.representative_domain(cover.parameters)
        if not hypothesis_class.exact_ends:
            rows = -(-len(cover) * len(representatives) // (8 * LABELS_A_BYTE))
            what = f"{len(cover):,} queries on {len(representatives):,} cells have {{}} words of labels"
            check_listing(rows, 1, "take fewer public points", what)
    except WorkError as error:
        if not error.memory:
            raise
        try:
            most = largest_that_fits(hypothesis_class)
        except ValueError:  # of a dual VC dimension that is not known
            raise error from None
        message = f"{error}; {len(points)} points, for certain up to {most} distinct ones fit"
        raise WorkError(message, memory=True) from None
    domain = Domain(cover, representatives, np.zeros(len(representatives), np.int64))
    domain.public[:] = domain.counts(public)  # by the cells that it keeps
    return domain


def restored_domain(arrays: Arrays, hypothesis_class: HypothesisClass) -> Domain:
    """Return the domain with these arrays."""
    cover = ListedCover(hypothesis_class, arrays["points"], arrays["parameters"])
    return Domain(cover, arrays["representatives"], arrays["public"])


def largest_that_fits(hypothesis_class: HypothesisClass) -> int:
    """Return the largest m for which growth(m) queries on as many cells as there can be fit in memory, as allowed.

    With dual VC dimension p, M queries have at most sum_{i <= p} C(M, i) cells (BCM20 claim 3).
    """
    most = in_force().bytes

    def fits(m: int) -> bool:
        queries = hypothesis_class.growth(m)
        if hypothesis_class.exact_ends:  # runs of cells: a few numbers each
            return 32 * queries <= most
        cells = sauer(queries, hypothesis_class.dual_vc_dimension)
        return queries * cells <= LABELS_A_BYTE * most

    return largest_size(fits)
