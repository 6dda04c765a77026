"""A tree of noisy counts made consistent by least squares (Hay et al. 2010; Qardaji, Yang and Li 2013)."""

import numpy as np

from semipriv.core.fields import value
from semipriv.core.types import Floats
from semipriv.queries.consistency import Consistent, monotone
from semipriv.queries.hierarchy import Tree
from semipriv.queries.least_squares import run_variances, unbiased
from semipriv.queries.workloads import Runs

__all__ = ["ConsistentTree"]


@value
class ConsistentTree(Consistent):
    """Noisy counts of all nodes of a b-ary tree over ordered cells, and the least squares of them.

    For runs of cells: prefixes, ranges, histograms, quantiles.  It uses no public point.  Its standard deviations are
    those of the least squares under the noise, whatever the counts are; after that prefixes are made nondecreasing.

    Args:
        levels: of the tree below its root, at most ceil log2 K; None: those with the least mean variance of prefixes
            under discrete Laplace noise.

    Source:
        Hay et al. 2010; Qardaji, Yang and Li 2013.
    """

    short_title = "tree with consistency"

    def _estimate(
        self, tree: Tree, measured: list[Floats], variance: float, n: int, queries: Runs
    ) -> tuple[Floats, Floats, dict[str, float]]:
        cells = unbiased(tree, measured, variance, n, queries.cells)
        unknown = np.full(queries.cells, np.inf)
        return monotone(cells, n), run_variances(tree, variance, unknown, queries.start, queries.stop), {}
