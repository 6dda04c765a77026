"""Means of minimisers of randomly perturbed objectives (BBD24 algorithm 2): f = mean_j argmin sum_D l + eta w^j.

w^j(f) = m^(-1/2) sum_i xi_i f(Z_i) is a Gaussian process on the functions, with covariance <f, g>_m =
(1/m) sum_i f(Z_i) g(Z_i).  It is drawn as R g with R R^T the covariance and g standard normal: the same distribution
with as few normals as functions, or as points, whichever are fewer.  Draws go in chunks, so that none but their mean is
kept.
"""

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.types import Floats
from semipriv.geometry.ball import Spectrum, minimisers

_CHUNK = 1 << 20
"""Numbers that are held at once."""


def root(values: ArrayLike) -> Floats:
    """Return R (k, r) with R R^T = V V^T / m, r = min(k, m), for the values V (k, m) of k functions at m points."""
    table = np.asarray(values, np.float64)
    k, m = table.shape
    if m <= k:
        return table / np.sqrt(max(m, 1))
    spectrum = Spectrum.of(table @ table.T / m)
    return np.asarray(spectrum.vectors * np.sqrt(spectrum.values))


def chosen(losses: ArrayLike, deviation: Floats, eta: float, draws: int, generator: np.random.Generator) -> Floats:
    """Return how often each of N functions minimises loss + eta w over independent draws of w, as shares: (N,).

    losses: (N,), sums over the private sample.  deviation: ``root`` of the values at public points, (N, r).  The first
    of several minimisers counts.
    """
    sums = np.asarray(losses, np.float64)
    counts = np.zeros(len(sums), np.int64)
    for size in chunks(draws, len(sums)):
        drawn = generator.standard_normal((size, deviation.shape[1])) @ deviation.T
        counts += np.bincount(np.argmin(sums + eta * drawn, axis=1), minlength=len(sums))
    return counts / draws


def mean_on_ball(
    spectrum: Spectrum, moment: ArrayLike, deviation: Floats, eta: float, draws: int, generator: np.random.Generator
) -> Floats:
    """Return the mean of the minimisers of w^T A w - 2 b^T w + eta <w, R g> over ||w|| <= 1 and draws of g: (p,).

    spectrum: of A = X^T X / 4.  moment: b = X^T y / 4.  deviation: ``root`` of Z^T, (p, r).  The squared losses
    (<w, x> - y)^2 / 4 of a sample are in sum w^T A w - 2 b^T w and a constant.
    """
    b = np.asarray(moment, np.float64)
    total = np.zeros(len(b))
    for size in chunks(draws, len(b)):
        drawn = generator.standard_normal((size, deviation.shape[1])) @ deviation.T
        total += minimisers(spectrum, b - (eta / 2) * drawn).sum(axis=0)
    return total / draws


def chunks(draws: int, width: int) -> list[int]:
    """Return the sizes of the parts in which draws of ``width`` numbers are made; they depend on nothing else."""
    most = max(1, _CHUNK // max(width, 1))
    whole, rest = divmod(draws, most)
    return [most] * whole + [rest] * (rest > 0)
