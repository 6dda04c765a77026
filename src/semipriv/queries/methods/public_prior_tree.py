"""A tree of noisy counts beside public points: least squares with a prior, whose weight the noisy counts decide."""

import numpy as np

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.types import Floats, Integers
from semipriv.queries.base import Method
from semipriv.queries.consistency import Consistent
from semipriv.queries.hierarchy import Tree
from semipriv.queries.least_squares import estimate, run_variances
from semipriv.queries.public_shares import public_shares
from semipriv.queries.workloads import Runs

__all__ = ["PublicPriorTree"]

DOUBT = 0.02
"""Prior probability that public points say nothing."""
STEPS = 8
"""How many weights of each prior are tried, each a quarter of the one before."""


@value
class PublicPriorTree(Consistent):
    """Noisy counts of all nodes of a tree over ordered cells, with the shares of public points as a prior.

    A prior (pi, kappa) has independent counts of the cells with means n pi_i and variances n^2 pi_i / kappa; given
    their sum these are the moments of shares from a Dirichlet law, as kappa points of shares pi leave it.  With m
    public points, priors are their shares (``public_shares``) with kappa = m, m / 4, ..., m / 4^7, and equal shares
    with kappa = K, ..., K / 4^7, in case that the populations differ.  Their probabilities are 1/2 for kappa = m, .48
    for the other weights of public points, .02 for equal shares; times the density of the noisy counts under each.  The
    estimate is the mean of the least squares of all priors by these.  So if public and private rows are of one
    population, m points are worth m; if not, the noisy counts say so.  Of private rows the noisy counts alone are read:
    all of it is post-processing, and costs nothing.

    Standard deviations are of the posterior law: they lean on the priors.

    Args:
        levels: of the tree below its root, at most ceil log2 K; None: those with the least mean variance of prefixes
            under discrete Laplace noise.
    """

    short_title = "tree with a public prior"
    reads_public = True

    def beside(self, public: Integers) -> Method:
        """Return the method with public points by cell."""
        return _Beside(self.levels, public=public)

    def _public(self, cells: int) -> Integers:
        """Return public points by cell: none."""
        return np.zeros(cells, np.int64)

    def _estimate(
        self, tree: Tree, measured: list[Floats], variance: float, n: int, queries: Runs
    ) -> tuple[Floats, Floats, dict[str, float]]:
        public = self._public(queries.cells)
        priors = _priors(public, tree)
        estimates = [estimate(tree, measured, variance, n, n * pi, n**2 * pi / kappa) for pi, kappa, _ in priors]
        logs = np.array([one.evidence + np.log(chance) for one, (_, _, chance) in zip(estimates, priors, strict=True)])
        chances = np.exp(logs - logs.max())
        chances /= chances.sum()
        cells = chances @ np.array([one.counts for one in estimates])
        mean, variances = queries.sums(cells), np.zeros(queries.size)
        for chance, one, (pi, kappa, _) in zip(chances, estimates, priors, strict=True):
            if chance > 1e-6:
                spread = run_variances(tree, variance, n**2 * pi / kappa, queries.start, queries.stop)
                variances += chance * (spread + (queries.sums(one.counts) - mean) ** 2)
        worth = sum(chance * kappa for chance, (_, kappa, _) in list(zip(chances, priors, strict=True))[:-STEPS])
        return cells, variances, {"public_worth": float(worth)}


@value(eq=False)
class _Beside(PublicPriorTree):
    """The method with public points by cell, (K,)."""

    public: Integers = checked(checks.array, kw_only=True)

    def _public(self, cells: int) -> Integers:
        return self.public


def _priors(public: Integers, tree: Tree) -> list[tuple[Floats, float, float]]:
    """Return pi (K,), kappa and the probability of each prior; the last ``STEPS`` are the equal shares."""
    cells, m = len(public), int(public.sum())
    quarters = 4.0 ** -np.arange(STEPS)
    equal = [(np.full(cells, 1 / cells), cells * q, (DOUBT if m else 1.0) / STEPS) for q in quarters]
    if not m:
        return equal
    shares = public_shares(public, tree)
    rest = (1 - DOUBT - 0.5) / (STEPS - 1)
    return [(shares, m * q, 0.5 if i == 0 else rest) for i, q in enumerate(quarters)] + equal
