"""A tree of noisy counts beside public points: least squares with a prior, as far as the noisy counts bear it out."""

from dataclasses import dataclass

import numpy as np

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.types import Floats, Integers
from semipriv.queries.base import Method
from semipriv.queries.consistency import Consistent, monotone
from semipriv.queries.hierarchy import Tree
from semipriv.queries.least_squares import estimate, run_variances, unbiased
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
    their sum these are the moments of shares from a Dirichlet distribution, as kappa points of shares pi leave it.
    With m public points, priors are their shares (``public_shares``) with kappa = m, m / 4, ..., m / 4^7, and equal
    shares with kappa = K, ..., K / 4^7, in case that the populations differ.  Their probabilities are 1/2 for kappa =
    m, .48 for the other weights of public points, .02 for equal shares; times the density of the noisy counts under
    each.  The posterior mean P is the mean of the least squares of all priors by these.

    The answer lies between P and the least squares T without a prior (``ConsistentTree``): T + t (P - T), with

        t = min(1, V / D),  D = mean (T - P)^2,  V = mean (var T - var P), or 0 if that is negative,

    means over all prefixes, variances of the noise and of the posterior distribution.  This t has the least mean
    squared error by Stein's unbiased estimate, which holds for normal noise, whatever the counts and the public points
    are.  T and P are combined once the prefixes of each are nondecreasing.  So if public and private rows are of one
    population, m points are worth m; if not, T is what remains.  Of private rows the noisy counts alone are read: all
    of it is post-processing, and costs nothing.

    The square of the standard deviations is (1 - t) var T + t var P: for t = 1 they lean on the prior.

    Args:
        levels: of the tree below its root, at most ceil log2 K; None: those with the least mean variance of prefixes
            under discrete Laplace noise.

    Source:
        Stein 1981 for the estimate of the error; the rest is ours (docs/findings.md, "One column, from no paper").
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
        cells = queries.cells
        plain, unknown = unbiased(tree, measured, variance, n, cells), np.full(cells, np.inf)
        belief = posterior(tree, measured, variance, n, self._public(cells))
        every = Runs(cells, np.zeros(cells - 1, np.int64), np.arange(1, cells))
        apart = every.sums(belief.counts - plain)
        noise = run_variances(tree, variance, unknown, every.start, every.stop)
        t = share_of_prior(float(apart @ apart), float(np.sum(noise - belief.variances(every))))
        spread = run_variances(tree, variance, unknown, queries.start, queries.stop)
        spread += t * (belief.variances(queries) - spread)
        prefixes = np.minimum((1 - t) * monotone(plain, n) + t * monotone(belief.counts, n), n)
        prefixes[-1] = n
        return prefixes, spread, {"public_worth": belief.worth, "share_of_prior": t}


@value(eq=False)
class _Beside(PublicPriorTree):
    """The method with public points by cell, (K,)."""

    public: Integers = checked(checks.array, kw_only=True)

    def _public(self, cells: int) -> Integers:
        return self.public


def share_of_prior(distance: float, gain: float) -> float:
    """Return t in [0, 1] with the least t^2 D - 2 t V.  distance: D >= 0.  gain: V; t = 0 where it is negative.

    >>> share_of_prior(4.0, 1.0), share_of_prior(1.0, 4.0), share_of_prior(0.0, 0.0), share_of_prior(1.0, -1.0)
    (0.25, 1.0, 1.0, 0.0)
    """
    return 1.0 if gain >= distance else max(gain, 0.0) / distance


@dataclass(frozen=True)
class Posterior:
    """What noisy counts and priors say together: a mixture of the least squares of all priors.

    chances: (P,) of the priors, given the noisy counts.  estimates: (P, K).  spreads: (P, K), tau of the cells.
    worth: how many public points those of the mixture stand for, in the mean.
    """

    tree: Tree
    noise: float
    chances: Floats
    estimates: Floats
    spreads: Floats
    worth: float

    @property
    def counts(self) -> Floats:
        """The mean, (K,)."""
        return self.chances @ self.estimates

    def variances(self, queries: Runs) -> Floats:
        """Return the variances of the sums of the queries' cells, (M,): within the priors, and between them."""
        mean, variances = queries.sums(self.counts), np.zeros(queries.size)
        for chance, counts, spread in zip(self.chances, self.estimates, self.spreads, strict=True):
            if chance > 1e-6:
                within = run_variances(self.tree, self.noise, spread, queries.start, queries.stop)
                variances += chance * (within + (queries.sums(counts) - mean) ** 2)
        return variances


def posterior(tree: Tree, measured: list[Floats], variance: float, n: int, public: Integers) -> Posterior:
    """Return the posterior distribution of the counts of n rows.

    measured: noisy counts, ordered as by ``node_counts``.  variance: of the noise.  public: points by cell, (K,).
    """
    priors = _priors(public, tree)
    spreads = np.array([n**2 * pi / kappa for pi, kappa, _ in priors])
    fits = [
        estimate(tree, measured, variance, n, n * pi, spread)
        for (pi, _, _), spread in zip(priors, spreads, strict=True)
    ]
    logs = np.array([fit.evidence + np.log(chance) for fit, (_, _, chance) in zip(fits, priors, strict=True)])
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    worth = sum(chance * kappa for chance, (_, kappa, _) in list(zip(chances, priors, strict=True))[:-STEPS])
    return Posterior(tree, variance, chances, np.array([fit.counts for fit in fits]), spreads, float(worth))


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
