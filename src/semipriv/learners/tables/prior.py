"""The prior of a table release: how much of it is a tree of the noisy marginals, and what it is worth.

The rules read noisy marginals whose noise is known, public rows, and fixed coins: post-processing, free in privacy.
"""

from dataclasses import dataclass

import numpy as np

from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats
from semipriv.learners.tables.noisy import Columns, Distance, Noisy, distance, noisy_tree, thinned
from semipriv.learners.tables.plan import Plan
from semipriv.learners.tables.support import Support
from semipriv.queries.chow_liu import Tree

__all__ = ["Prior", "prior"]

_DRAWS = 6
"""Times that noise is split in two, to judge a tree of the one half by the other."""
_NEAREST = 1e-5
"""Least squared error that is believed of a tree."""
_WORTH = 600.0
"""Records that a noisy tree is worth at most: what it lacks, beyond its pairs, no pair tells."""
_FEWEST, _MOST = 0.002, 0.98
"""Ends of the share of the noisy tree beside public rows."""
_FARTHEST = 2.0
"""Largest squared distance of two distributions: what noise puts further away is not believed."""
_SURE = 2.0
"""Deviations of noise within which public rows are taken for a sample of the private population."""


@dataclass(frozen=True, eq=False)
class Prior:
    """share: of the tree, that of the noisy marginals, in the prior.  kappa: how many records the prior is worth."""

    tree: Tree
    share: float
    kappa: float


def prior(support: Support, plan: Plan, noisy: Noisy) -> Prior:
    """Return the prior: of public rows and their tree the part 1 - b, of a tree of the noisy marginals the part b.

    A sample of m rows of the population has a squared error of about 1 / m in a marginal.  e, the error of public rows
    mixed with their tree, is taken for 1 / m unless the noisy marginals are more than two deviations further away; e_0,
    that of the noisy tree, is estimated by splitting the noise, with the deviation s.  Neither is believed to be above
    2, the largest squared distance of two distributions: so b tends to 0 as s grows, whatever the noise is.  Then with
    q = e / (e + e_0 + s)

        1 - b = (1 - q^2 / (2 - q^8)) (1 - (e / e_1)^2)_+,    kappa = max((1 - b) min(m, 3 / e), min(1 / e_0, 600)),

    with e_1 the error of equal shares in all cells, two deviations of noise above its estimate.  So b is about q^2 / 2
    while public rows are as good, and tends to 1 as they are far off: public rows that are no nearer than equal shares
    tell nothing, and are put away.  What is declared stands.
    Without public rows b is the largest one, the rest being equal shares, so that every record is possible.
    """
    own = noisy_tree(noisy)
    if plan.noisy is not None and plan.kappa is not None:
        return Prior(own, plan.noisy, plan.kappa)
    far = _own_distance(noisy)
    e_0, worth, share = float(np.clip(max(far.square, far.deviation / 4), _NEAREST, _FARTHEST)), 0.0, _MOST
    if support.n_public:
        m = support.n_public
        e = _public_error(distance(noisy, _mixed(support, plan, noisy)), 1 / m)
        q = e / (e + e_0 + far.deviation)
        reliance = max(0.0, 1 - (e / _equal_error(noisy)) ** 2)
        share, worth = float(np.clip(1 - reliance * (1 - q**2 / (2 - q**8)), _FEWEST, _MOST)), min(m, 3 / e)
    share = share if plan.noisy is None else plan.noisy
    if plan.kappa is not None:
        return Prior(own, share, plan.kappa)
    return Prior(own, share, max((1 - share) * worth, min(1 / e_0, _WORTH) if share else 0.0))


def _own_distance(noisy: Noisy) -> Distance:
    """Return that of trees of the one half of the noise, from the other half."""
    coins, distances = Simulation(0).spawn("halves of the noise").generator, list[Distance]()
    for _ in range(_DRAWS):
        half, other = thinned(noisy, coins)
        tree = noisy_tree(half)
        distances.append(distance(other, tree.margins(other.judged)))
    squares, deviations = (
        float(np.mean(numbers)) for numbers in zip(*((d.square, d.deviation) for d in distances), strict=True)
    )
    return Distance(squares, deviations / np.sqrt(_DRAWS))


def _mixed(support: Support, plan: Plan, noisy: Noisy) -> dict[Columns, Floats]:
    """Return the shares of public rows mixed with their tree."""
    held = support.public > 0
    cells = noisy.workload.shares(support.rows[held], support.public[held] / support.n_public)
    tree = support.tree.margins(noisy.judged)
    return {
        columns: (1 - plan.tree) * shares + plan.tree * tree[columns]
        for columns, shares in noisy.of_cells(cells).items()
    }


def _equal_error(noisy: Noisy) -> float:
    """Return the error of equal shares in all cells, > 0: the largest one within two deviations of noise."""
    equal = {columns: np.full(margin.shares.shape, 1 / margin.shares.size) for columns, margin in noisy.judged.items()}
    apart = distance(noisy, equal)
    return max(apart.square + _SURE * apart.deviation, _NEAREST)


def _public_error(measured: Distance, usual: float) -> float:
    """Return the error of public rows: the usual one, or what of the found one is beyond noise."""
    beyond = measured.square - usual
    moved = usual + np.sign(beyond) * max(0.0, abs(beyond) - _SURE * measured.deviation)
    return float(np.clip(moved, usual / 2, _FARTHEST))
