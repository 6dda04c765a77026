"""The public stage of a table release: public rows, rows of their tree, and what they say about the marginals.

Without public rows the tree is that of equal shares, which follows from the declared columns alone.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semipriv.core.arrays import Arrays
from semipriv.core.randomness import Simulation
from semipriv.core.rows import distinct_rows
from semipriv.core.types import Bools, Floats, Integers
from semipriv.queries.chow_liu import LARGEST, Tree, chow_liu, informations
from semipriv.queries.marginals import Workload, joint
from semipriv.queries.schema import Codes, Schema

__all__ = ["Support", "support"]

TREE_ROWS = 8_000
"""Rows that are drawn of the tree."""
EQUAL_ROWS = 1_000
"""Rows of equal shares that are kept, without public rows."""
MOST_PLACES = 5 * 10**7
"""Rows times marginals that a fit may hold, 4 bytes each: of more public rows, a part that is spread evenly is kept."""
_FEWEST = 10
"""Public rows below which the tree is all that is trusted."""


@dataclass(frozen=True, eq=False)
class Support:
    """Rows that a release may weigh.  Public data only; without public rows all are drawn of equal shares.

    rows: (s, c), distinct, in order.  public, grown: (s,), how often each is among the public rows, and among those
    that were drawn of the tree.  weights: (Q,), what each marginal of the workload counts.  zeros: which rows cannot
    be, each a mapping of columns to the places of their values.  share: of the tree in the mixture with the public rows
    that is nearest to their population.
    """

    workload: Workload
    weights: Floats
    zeros: tuple[dict[int, tuple[int, ...]], ...]
    rows: Codes
    public: Integers
    grown: Integers
    tree: Tree
    share: float

    def arrays(self) -> Arrays:
        """Return the rows, and how often each is there."""
        return {"rows": self.rows, "public": self.public, "grown": self.grown}

    @property
    def n_public(self) -> int:
        """Number of public rows."""
        return int(self.public.sum())

    @cached_property
    def by_information(self) -> Integers:
        """The marginals in the order in which they are measured if not all are: (Q,).

        First those that hold an edge of the tree, which touch every column; then by the mutual information of their
        pairs in the public rows, the largest first.
        """
        edges = {tuple(sorted(edge)) for edge in self.tree.edges}
        groups = self.workload.groups
        pairs = [[(a, b) for a in group for b in group if a < b] for group in groups]
        informations = np.array([sum((self.tree.informations[pair] for pair in of), 0.0) for of in pairs])
        on_tree = np.array([any(pair in edges for pair in of) for of in pairs])
        return np.lexsort((-informations, ~on_tree))

    def possible(self, rows: Codes) -> Bools:
        """Return which rows (n, c) are none of the zeros, (n,)."""
        return _possible(rows, self.zeros)


def support(
    workload: Workload, weights: Floats, zeros: tuple[dict[int, tuple[int, ...]], ...], codes: Codes, grow: bool
) -> Support:
    """Return the support of public rows (n, c); grow: whether rows of their tree join them.

    Raise ValueError for a public row that is declared impossible, columns of which no tree fits, and, without public
    rows, if none is possible that is drawn.
    """
    possible = _possible(codes, zeros)
    if not possible.all():
        raise ValueError(f"public table: row {int(np.argmin(possible))}: is declared impossible by zeros")
    schema, most = workload.schema, max(1_000, MOST_PLACES // len(workload.groups))
    if not len(codes):
        return _equal(workload, weights, zeros, most)
    distinct, tree = distinct_rows(codes), _tree(codes, schema)
    rows, public = _spread(distinct.rows, distinct.counts, most)
    drawn, share = np.empty((0, codes.shape[1]), np.int64), 0.0
    if grow:  # what these coins decide is a function of public rows
        coins = Simulation(0).spawn("rows of the tree").generator
        drawn = tree.draw(min(TREE_ROWS, most), coins)
        share = tree_share(workload, codes, drawn, coins)
        drawn = drawn[_possible(drawn, zeros)]
    both = distinct_rows(np.concatenate([rows, drawn]))
    counts = np.zeros(len(both.rows), np.int64)
    counts[both.place[: len(rows)]] = public
    grown = np.bincount(both.place[len(rows) :], minlength=len(both.rows))
    return Support(workload, weights, zeros, np.asfortranarray(both.rows), counts, grown, tree, share)


def _equal(workload: Workload, weights: Floats, zeros: tuple[dict[int, tuple[int, ...]], ...], most: int) -> Support:
    """Return the support without public rows: rows of equal shares, as far as they are possible."""
    schema = workload.schema
    sizes = schema.sizes
    first = int(np.argmin(sizes))
    cells = sizes[first] * (sum(sizes) - sizes[first])
    if cells > LARGEST:
        raise ValueError(f"a tree of the columns has {cells:,} cells, at most {LARGEST:,} fit: declare coarser columns")
    edges = [(first, i) for i in range(len(sizes)) if i != first]
    tables = [np.full((sizes[first], sizes[i]), 1 / sizes[i]) for _, i in edges]
    tree = Tree(np.zeros((len(sizes), len(sizes))), first, np.full(sizes[first], 1 / sizes[first]), edges, tables)
    drawn = tree.draw(min(TREE_ROWS, most), Simulation(0).spawn("rows of the tree").generator)
    drawn = drawn[_possible(drawn, zeros)]
    if not len(drawn):
        raise ValueError("zeros: leave no row that is possible among those that are drawn: give public rows")
    distinct = distinct_rows(drawn[:EQUAL_ROWS])
    none = np.zeros(len(distinct.rows), np.int64)
    return Support(workload, weights, zeros, np.asfortranarray(distinct.rows), none, distinct.counts, tree, 1.0)


def tree_share(workload: Workload, codes: Codes, drawn: Codes, coins: np.random.Generator) -> float:
    """Return the share of a tree that mixes best with its public rows (n, c), by their marginals, in [0, 1].

    With e the shares of the rows, t those of the rows drawn of their tree and p the population's, |(1 - a) e + a t - p|
    is least for a = <e - p, e - t> / |e - t|^2.  Halves of the rows tell the first product: the other half stands for
    p, as its error has the mean 0 and is independent; with half of the rows the product is twice that of all.
    """
    schema, halves = workload.schema, np.array_split(coins.permutation(len(codes)), 2)
    if len(codes) < _FEWEST:
        return 1.0
    own = [codes[half] for half in halves]
    trees = [_tree(rows, schema).draw(len(drawn), coins) for rows in own]
    product, square = 0.0, 0.0
    for group in workload.groups:
        e, t, e0, e1, t0, t1 = (_shares(rows, group, schema) for rows in (codes, drawn, *own, *trees))
        product += float(((e0 - e1) * (e0 - t0)).sum() + ((e1 - e0) * (e1 - t1)).sum()) / 4
        square += float(((e - t) ** 2).sum())
    return float(np.clip(product / square, 0.0, 1.0)) if square > 0 else 0.0


def _shares(rows: Codes, group: tuple[int, ...], schema: Schema) -> Floats:
    cells = int(np.prod([schema.sizes[i] for i in group]))
    return np.bincount(joint(rows, group, schema), minlength=cells) / len(rows)


def _tree(codes: Codes, schema: Schema) -> Tree:
    distinct = distinct_rows(codes)
    return chow_liu(distinct.rows, distinct.counts, schema, informations(codes, schema))


def _possible(rows: Codes, zeros: tuple[dict[int, tuple[int, ...]], ...]) -> Bools:
    """Return which rows (n, c) are none of the zeros, (n,)."""
    possible = np.ones(len(rows), bool)
    for zero in zeros:
        possible &= ~np.all([np.isin(rows[:, i], places) for i, places in zero.items()], axis=0)
    return possible


def _spread(rows: Codes, counts: Integers, most: int) -> tuple[Codes, Integers]:
    """Return at most so many of distinct rows in order, spread evenly by their counts, which stand for all of them."""
    if len(rows) <= most:
        return rows, counts
    reached = np.cumsum(counts)
    place = np.searchsorted(reached, (np.arange(most) + 0.5) * reached[-1] / most)
    kept, times = np.unique(place, return_counts=True)
    copies = np.diff(np.rint(np.linspace(0, reached[-1], most + 1)).astype(np.int64))
    totals = np.add.reduceat(copies, np.concatenate([[0], np.cumsum(times)[:-1]]))
    return rows[kept], totals
