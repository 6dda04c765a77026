"""Weights of the public rows, fitted to all noisy marginals at once.

With public shares pi of the rows, noisy shares v of the cells of the measured marginals, the 0/1 matrix A of cells by
rows, noise of scale sigma on counts of n records, and kappa, the number of records that the public shares are worth:

    minimise  kappa KL(w || pi) + n^2 |A w - v|^2 / (2 sigma^2)  over w >= 0 with sum 1.

Divided by kappa, with r = kappa sigma^2 / n^2, it is KL(w || pi) + |A w - v|^2 / (2 r), whose dual is smooth and has no
constraint: minimise, over one number z of each cell,

    f(z) = ln sum_i pi_i exp(-(A' z)_i) + r |z|^2 / 2 + v z,    w_i(z) proportional to pi_i exp(-(A' z)_i).

Its gradient is g = r z + v - A w(z).  The primal value at w(z) plus f(z) is |g|^2 / (2 r), and KL is 1-strongly convex
in L1, so that

    |w(z) - w*|_1 <= |g|_2 / sqrt(r):

a bound on the error of every answer, known at every step.  The prior and the fit to marginals are those of PMW^Pub (Liu
et al. 2021), which instead updates one query at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from semipriv.core.types import Floats, Integers

_MOST = 5_000
"""Most steps of L-BFGS."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What the fit is given.

    cells: the 0/1 matrix A (k, s) of the cells that hold a public row.  A cell without one changes the objective by a
    constant, and is left out.  values: (k,), the noisy shares v.  prior: (s,), pi > 0.  ridge: r > 0.
    """

    cells: "scipy.sparse.csr_array"
    values: Floats
    prior: Floats
    ridge: float

    @cached_property
    def _log_prior(self) -> Floats:
        return np.log(self.prior)

    @cached_property
    def _rows(self) -> "scipy.sparse.csr_array":
        """A', stored by public rows: each step multiplies by it."""
        return self.cells.T.tocsr()

    def weights(self, z: Floats) -> Floats:
        """Return w(z), (s,)."""
        return self._weights(z)[1]

    def dual(self, z: Floats) -> tuple[float, Floats]:
        """Return f(z) and its gradient (k,)."""
        log_sum, w = self._weights(z)
        value = log_sum + self.ridge * float(z @ z) / 2 + float(self.values @ z)
        return value, self.ridge * z + self.values - self.cells @ w

    def primal(self, w: Floats) -> float:
        """Return KL(w || pi) + |A w - v|^2 / (2 r)."""
        residual = self.cells @ w - self.values
        return float(scipy.special.rel_entr(w, self.prior).sum() + residual @ residual / (2 * self.ridge))

    def error(self, gradient: Floats) -> float:
        """Return the bound on |w(z) - w*|_1, from the gradient at z."""
        return float(np.sqrt(gradient @ gradient / self.ridge))

    def _weights(self, z: Floats) -> tuple[float, Floats]:
        exponent = self._log_prior - self._rows @ z
        top = exponent.max()
        e = np.exp(exponent - top)
        total = e.sum()
        return float(top + np.log(total)), e / total


def problem(measured: Sequence[tuple[Integers, Floats]], prior: Floats, ridge: float) -> Problem:
    """Return the problem of marginals, each given by the cell of every public row (s,) and the shares of its cells."""
    rows, values, start = [], [], 0
    for cell, shares in measured:
        held, place = np.unique(cell, return_inverse=True)
        rows.append(start + place)
        values.append(shares[held])
        start += len(held)
    s, q = len(prior), len(rows)
    entries = (np.ones(q * s), (np.concatenate(rows), np.tile(np.arange(s), q)))
    return Problem(scipy.sparse.csr_array(entries, shape=(start, s)), np.concatenate(values), prior, ridge)


@dataclass(frozen=True, eq=False)
class Fit:
    """The weights (s,), a bound on their L1 distance from the best ones, and the dual numbers z (k,) behind them."""

    weights: Floats
    error: float
    dual: Floats


def fit(given: Problem, tolerance: float, start: Floats | None = None) -> Fit:
    """Minimise the dual by L-BFGS until the weights are within ``tolerance`` in L1, proven; say what was reached.

    start: z to start from, for the first cells; the others start at 0.  Each number is scaled by the root of the
    curvature at the prior, r + share (1 - share).  Where rounding or 5,000 steps end it earlier, ``error`` says so.
    """
    z = np.zeros(len(given.values))
    if start is not None:
        z[: len(start)] = start
    share = given.cells @ given.prior
    unit = 1 / np.sqrt(given.ridge + share * (1 - share))
    error, best = np.inf, z

    def scaled(x: Floats) -> tuple[float, Floats]:
        nonlocal error, best
        at = x * unit
        value, gradient = given.dual(at)
        if given.error(gradient) < error:
            error, best = given.error(gradient), at
        return value, gradient * unit

    def stop(intermediate_result: object) -> None:
        if error <= tolerance:
            raise StopIteration

    options = {"maxiter": _MOST, "maxfun": 2 * _MOST, "ftol": 0.0, "gtol": 0.0, "maxcor": 20}
    scipy.optimize.minimize(scaled, z / unit, jac=True, method="L-BFGS-B", callback=stop, options=options)
    return Fit(given.weights(best), error, best)
