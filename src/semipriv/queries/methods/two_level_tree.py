"""The two-level tree: noisy counts of about sqrt(K) blocks of ordered cells, and of the cells in them."""

import math

from semipriv.core.fields import value
from semipriv.queries.hierarchy import Hierarchical, Tree

__all__ = ["TwoLevelTree"]


@value
class TwoLevelTree(Hierarchical):
    """Blocks of B = ceil sqrt(K) cells: a prefix has fewer than B noisy blocks and fewer than B noisy cells.

    Only for queries that are runs of cells.  A record is in 2 nodes, not in log2 K, so that each has less noise: better
    than the dyadic tree for some tens of cells.
    """

    short_title = "two-level tree"

    def tree(self, cells: int) -> Tree:
        """Return the tree of two levels."""
        return Tree(max(2, math.isqrt(cells - 1) + 1), 2)
