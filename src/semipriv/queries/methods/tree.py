"""The dyadic tree: noisy counts of halves, quarters, ... of ordered cells (Dwork et al. 2010; Chan et al. 2011)."""

from semipriv.core.fields import value
from semipriv.queries.hierarchy import Hierarchical, Tree

__all__ = ["DyadicTree"]


@value
class DyadicTree(Hierarchical):
    """Levels of 2, 4, ..., 2^L nodes over K ordered cells, L = ceil log2 K >= 1: at most L noisy nodes in a prefix.

    Only for queries that are runs of cells.  The noise of a prefix has a variance of at most L times that of a node,
    so that errors grow as log^1.5 K.
    """

    short_title = "dyadic tree"

    def tree(self, cells: int) -> Tree:
        """Return the binary tree."""
        return Tree(2, max(1, (cells - 1).bit_length()))
