"""Weights of given rows, fitted to noisy cells of marginals: Newton's method on the dual, without a matrix.

With prior shares pi of s rows, noisy shares v of k cells, the 0/1 matrix A (k, s) of which rows are in which cell, and
a ridge r of each cell,

    minimise  KL(w || pi) + sum_c ((A w)_c - v_c)^2 / (2 r_c)  over w >= 0 with sum 1.

Its dual is smooth and has no constraint: minimise, over one number z of each cell,

    f(z) = ln sum_i pi_i exp(-(A' z)_i) + sum_c r_c z_c^2 / 2 + v z,    w_i(z) proportional to pi_i exp(-(A' z)_i).

Its gradient is g = r z + v - A w(z), its Hessian diag(r) + A (diag w - w w') A'.  The primal value at w(z) plus f(z) is
sum_c g_c^2 / (2 r_c), and KL is 1-strongly convex in L1, so that

    |w(z) - w*|_1 <= (sum_c g_c^2 / r_c)^(1/2):

a bound on the error of every answer, known at every step.  A row is in one cell of each of T marginals, so a product
with A or A' takes s T additions; nothing here calls a BLAS, whose threads would cost more than they bring.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.kernels import njit
from semipriv.core.types import Floats, Integers

__all__ = ["Cells", "Fit", "Places", "Problem", "fit", "place_type"]

_FIRST, _BETWEEN, _STEP = 3.0, 0.3, 4.0
"""Of the larger ridges: the error at the start of the first one, the error within each is solved, their quotient."""
_LARGEST, _IDLE = 1e100, 10
_FARTHEST = 2.0
"""Distance in L1 of any two weights, which bounds what no finite number does."""
_AIM = 0.5
"""What a step need not solve, over the tolerance: the error that a step leaves is about what it does not solve."""
_SEARCHES = 40
"""Most steps of the search for a length."""
_LIGHT, _FEW = 1e-14, 0.5
"""Weights that do not change a double are left out of a step where at most this share of the rows is heavier."""


Places = NDArray[np.unsignedinteger[Any]]


def place_type(cells: int) -> type[np.uint16 | np.uint32]:
    """Return the type of places among so many cells of a marginal: the narrower, the faster they are read."""
    return np.uint16 if cells <= 2**16 else np.uint32


@dataclass(frozen=True, eq=False)
class Cells:
    """Which cells the rows are in.

    places: (s, T), of ``place_type``, the place of each row among the cells of each marginal, best in Fortran's order,
    in which it is read.  starts: (T + 1,), the first cell of each marginal, and the number k of all.
    """

    places: Places
    starts: Integers

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", np.asfortranarray(self.places))

    @property
    def size(self) -> int:
        """The number of cells k."""
        return int(self.starts[-1])

    def sums(self, weights: Floats) -> Floats:
        """Return A w, (k,)."""
        sums = np.zeros(self.size)
        _add(self.places, self.starts, weights, sums)
        return sums

    def along(self, z: Floats) -> Floats:
        """Return A' z, (s,)."""
        values = np.empty(len(self.places))
        _gather(self.places, self.starts, z, values)
        return values


@dataclass(frozen=True, eq=False)
class Problem:
    """What is fitted.  values, ridge: (k,), v and r > 0.  log_prior: (s,), ln pi up to a constant."""

    cells: Cells
    values: Floats
    ridge: Floats
    log_prior: Floats

    @cached_property
    def prior(self) -> Floats:
        """The shares pi, (s,)."""
        return _normalised(self.log_prior)[1]

    def at(self, z: Floats) -> tuple[float, Floats, Floats, Floats]:
        """Return f(z), its gradient (k,), w(z) and A w(z)."""
        log_sum, w = _normalised(self.log_prior - self.cells.along(z))
        shares = self.cells.sums(w)
        value = log_sum + float((self.ridge * z * z).sum()) / 2 + float((self.values * z).sum())
        return value - _normalised(self.log_prior)[0], self.ridge * z + self.values - shares, w, shares

    def primal(self, w: Floats) -> float:
        """Return the primal value at w."""
        positive = w > 0
        gain = float((w[positive] * np.log(w[positive] / self.prior[positive])).sum())
        residual = self.cells.sums(w) - self.values
        return gain + float((residual**2 / self.ridge).sum()) / 2

    def error(self, gradient: Floats) -> float:
        """Return the bound on |w(z) - w*|_1, from the gradient at z."""
        return float(np.sqrt((gradient**2 / self.ridge).sum()))


@dataclass(frozen=True, eq=False)
class Fit:
    """The weights (s,), a bound on their L1 distance from the best ones, and the dual numbers z (k,) behind them.

    log_sum: ln sum_i pi_i exp(-(A' z)_i), of pi as it was given.  products: how many Hessians times a vector it took.
    """

    weights: Floats
    error: float
    dual: Floats
    log_sum: float
    products: int


def fit(given: Problem, tolerance: float, start: Floats | None = None, most: int = 2_000) -> Fit:
    """Minimise the dual until the weights are within ``tolerance`` in L1, proven, or ``most`` products are spent.

    Where the ridge is small the dual is steep and its Hessian ill-conditioned.  So problems with a larger ridge, each
    that of the one before / 4, are solved first, within .3, each from the last one's z.  What is spent before the last
    one is reached, or a ridge for which floats do not suffice, gives the weights of a larger ridge, and ``error`` says
    how far they may be from the best ones.

    start: z to start from.
    """
    z = np.zeros(given.cells.size) if start is None else start
    first = given.error(given.at(z)[1]) / _FIRST
    larger, products, reached = max(1.0, min(first * first, _LARGEST)), 0, None
    while True:
        now, goal = replace(given, ridge=larger * given.ridge), tolerance if larger == 1 else _BETWEEN
        with np.errstate(over="ignore", invalid="ignore"):  # a step beyond the range of floats is none
            solution = _solved(now, goal, z, most - products)
        products += solution.products
        if reached is not None and not solution.error <= goal and products < most:
            solution, larger = reached, np.inf  # rounding ended it: the last ridge for which floats suffice
            break
        z, reached = solution.dual, solution
        if larger == 1 or products >= most:
            break
        larger = max(1.0, larger / _STEP)
    with np.errstate(over="ignore", invalid="ignore"):
        error = solution.error if larger == 1 else given.error(given.at(solution.dual)[1])
    return Fit(solution.weights, error if error < _FARTHEST else _FARTHEST, solution.dual, solution.log_sum, products)


def _solved(given: Problem, tolerance: float, start: Floats, most: int) -> Fit:
    """Minimise the dual by Newton's method from ``start``.

    A step solves H d = -g by conjugate gradients, preconditioned by the diagonal r + share (1 - share), up to a part of
    the error that falls with it, or half of the tolerance.  Then the best step length along d is found, for which A' d
    alone is needed.  Ten steps that bring nothing are the end: what is left is rounding.
    """
    z, exponent = start, given.log_prior - given.cells.along(start)
    spent, idle, best = 0, 0, (np.inf, z, exponent)
    while True:
        w = _normalised(exponent)[1]
        shares = given.cells.sums(w)
        gradient = given.ridge * z + given.values - shares
        error = given.error(gradient)
        idle = 0 if error < best[0] else idle + 1
        if error < best[0]:
            best = error, z, exponent
        if not error > tolerance or spent >= most or idle > _IDLE:
            break
        scale = given.ridge + np.maximum(shares * (1 - shares), 0.0)
        goal = max(min(0.25, np.sqrt(error)) * error, _AIM * tolerance)
        places, heavy = given.cells.places, w
        if (w > _LIGHT).mean() <= _FEW:
            places, heavy = np.asfortranarray(places[w > _LIGHT]), w[w > _LIGHT]
        step, used = _newton(
            places, given.cells.starts, heavy, shares, given.ridge, -gradient, scale, goal, most - spent
        )
        spent += used
        if not np.abs(step).max(initial=0.0) < _LARGEST:  # of a matrix that is singular up to rounding
            break
        change = given.cells.along(step)
        length = _length(exponent, change, z, step, given)
        if not used or not 0 < length < np.inf:
            break
        z, exponent = z + length * step, exponent - length * change
    error, z, exponent = best
    log_sum, w = _normalised(exponent)
    return Fit(w, error, z, log_sum, spent)


def _normalised(exponent: Floats) -> tuple[float, Floats]:
    """Return ln sum exp, and shares proportional to exp."""
    top = float(exponent.max())
    e = np.exp(exponent - top)
    total = float(e.sum())
    return top + np.log(total), e / total


def _length(exponent: Floats, change: Floats, z: Floats, step: Floats, given: Problem) -> float:
    """Return the length a that minimises f(z + a step) within a hundredth, by Newton's method kept within brackets."""
    square = float((given.ridge * step * step).sum())
    slope = float(((given.ridge * z + given.values) * step).sum())
    low, high, a = 0.0, np.inf, 1.0
    for _ in range(_SEARCHES):
        w = _normalised(exponent - a * change)[1]
        mean = float((w * change).sum())
        first, second = slope + a * square - mean, square + float((w * (change - mean) ** 2).sum())
        low, high = (a, high) if first < 0 else (low, a)
        following = a - first / second if second > 0 else np.inf
        if not low < following < high:
            following = (low + high) / 2 if np.isfinite(high) else 2 * a
        if abs(following - a) <= a / 100:
            return following
        a = following
    return low


# ---------------------------------------------------------------------------------------------------- kernels
# Marginal after marginal, whose cells stay in the caches, and four at once: no addition waits for the one before.
@njit(cache=True)
def _gather(places, starts, z, result):  # type: ignore[no-untyped-def]
    rows, marginals = places.shape
    result[:] = 0.0
    for t in range(0, marginals - 3, 4):
        a, b, c, d = z[starts[t] :], z[starts[t + 1] :], z[starts[t + 2] :], z[starts[t + 3] :]
        for i in range(rows):
            result[i] = result[i] + a[places[i, t]] + b[places[i, t + 1]] + c[places[i, t + 2]] + d[places[i, t + 3]]
    for t in range(marginals - marginals % 4, marginals):
        a = z[starts[t] :]
        for i in range(rows):
            result[i] += a[places[i, t]]


@njit(cache=True)
def _add(places, starts, weights, result):  # type: ignore[no-untyped-def]
    rows, marginals = places.shape
    for t in range(0, marginals - 3, 4):
        a, b, c, d = (
            result[starts[t] :],
            result[starts[t + 1] :],
            result[starts[t + 2] :],
            result[starts[t + 3] :],
        )
        for i in range(rows):
            a[places[i, t]] += weights[i]
            b[places[i, t + 1]] += weights[i]
            c[places[i, t + 2]] += weights[i]
            d[places[i, t + 3]] += weights[i]
    for t in range(marginals - marginals % 4, marginals):
        a = result[starts[t] :]
        for i in range(rows):
            a[places[i, t]] += weights[i]


@njit(cache=True)
def _newton(places, starts, w, shares, ridge, target, scale, goal, most):  # type: ignore[no-untyped-def]
    """Solve (diag r + A (diag w - w w') A') d = target by preconditioned conjugate gradients.

    The end is where what is left, (sum_c rest_c^2 / r_c)^(1/2), is at most the goal, or ``most`` products are spent.
    """
    rows, k = len(places), len(target)
    d, rest, total = np.zeros(k), target.copy(), np.empty(rows)
    direction, product = rest / scale, np.empty(k)
    now, left, used = 0.0, 0.0, 0
    for c in range(k):
        now += rest[c] * rest[c] / scale[c]
        left += rest[c] * rest[c] / ridge[c]
    while left > goal * goal and used < most:
        mean = 0.0
        for c in range(k):
            product[c] = ridge[c] * direction[c]
        _gather(places, starts, direction, total)
        for i in range(rows):
            total[i] *= w[i]
            mean += total[i]
        _add(places, starts, total, product)
        curved = 0.0
        for c in range(k):
            product[c] -= mean * shares[c]
            curved += direction[c] * product[c]
        used += 1
        if not curved > 0:
            break
        length, then, left = now / curved, 0.0, 0.0
        for c in range(k):
            d[c] += length * direction[c]
            rest[c] -= length * product[c]
            then += rest[c] * rest[c] / scale[c]
            left += rest[c] * rest[c] / ridge[c]
        for c in range(k):
            direction[c] = rest[c] / scale[c] + then / now * direction[c]
        now = then
    return d, used
