"""BCM20: how many points a representative domain has (claim 3), and shattered sets by exhaustion (fact 4)."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import checks


def cells_printed(queries: int, p: int) -> float:
    """Return claim 3's bound (e M / p)^p on the cells of M queries of dual VC dimension p; 2^M for M < p."""
    if checks.size("queries", queries) < checks.size("dual VC dimension", p):
        return 2.0**queries
    return (math.e * queries / p) ** p


def cells_sum(queries: int, p: int) -> int:
    """Return sum_{i <= p} C(M, i), the sharper bound of Sauer's lemma.

    >>> cells_sum(16, 2), round(cells_printed(16, 2), 1)
    (137, 472.9)
    """
    checks.size("dual VC dimension", p, 0)
    if not queries >= 1:  # it may be beyond all floats
        raise ValueError(f"queries = {queries!r}: must be >= 1")
    return sum(math.comb(queries, i) for i in range(p + 1))


def largest_shattered(labels: ArrayLike) -> int:
    """Return the largest number of rows (M, K) that take all 2^s label vectors on the columns, by exhaustion.

    With a row for each query and a column for each cell it is the dual VC dimension; of the transposed table, the VC
    dimension.  A set of rows is extended only by later rows that, with every row already in it, were not ruled out
    before.  Rows are big integers of K bits, and the parts of a set the cells with each of its label vectors.
    """
    table = checks.array("labels", labels).astype(np.bool_)
    if table.ndim != 2:
        raise ValueError(f"labels: must be (M, K), got shape {table.shape}")
    rows = [int.from_bytes(np.packbits(row).tobytes(), "big") for row in table]
    whole = int.from_bytes(np.packbits(np.ones(table.shape[1], np.bool_)).tobytes(), "big")
    return _extended([whole], rows, 0, max(table.shape[1], 1).bit_length() - 1)


def _extended(parts: Sequence[int], candidates: Sequence[int], best: int, most: int) -> int:
    """Return the largest number of candidates that cut all parts together, or ``best`` if it is larger.

    most: no more are possible, since s rows need 2^s columns.
    """
    if best >= most:
        return best
    cutting = candidates
    for part in parts:
        cutting = [row for row in cutting if 0 != row & part != part]
    for i, row in enumerate(cutting):
        if len(cutting) - i <= best or best >= most:  # no larger set is left
            break
        halves = [half for part in parts for half in (part & row, part & ~row)]
        best = max(best, 1 + _extended(halves, cutting[i + 1 :], max(best - 1, 0), most - 1))
    return best
