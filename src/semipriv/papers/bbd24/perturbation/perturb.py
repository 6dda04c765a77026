"""Perturb (BBD24 algorithm 1): the nearest function to noisy values on public points, from these alone."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from semipriv.core.types import Floats
from semipriv.geometry.ball import Spectrum, minimisers


def on_ball(spectrum: Spectrum, public: Floats, target: ArrayLike) -> Floats:
    """Return the shortest w with ||w|| <= 1 that minimises ||Z w - t||^2: (p,).

    spectrum: of Z^T Z / m.  public: Z (m, p).  target: t (m,).
    """
    return minimisers(spectrum, spectrum.in_range(np.asarray(target) @ public / max(len(public), 1)))


def nearest(values: Floats, target: ArrayLike) -> int:
    """Return the first k for which ||V_k - t|| is smallest, for the values V (N, m) of N functions."""
    distance = values - np.asarray(target)
    return int(np.argmin((distance * distance).sum(axis=1)))


def mixture(values: Floats, target: ArrayLike) -> tuple[Floats, int]:
    """Return the weights p (N,) of the mixture that minimises ||p V - t||^2, and how often the oracle was called.

    Frank-Wolfe, fully corrective: from the nearest function on, the oracle finds the function with the smallest
    <V_k, p V - t>, and p becomes the best mixture of those found, until none is better.  Each step is one call with
    linear signed losses.  It ends: no set of functions occurs twice.
    """
    goal = np.asarray(target, np.float64)
    weights = np.zeros(len(values))
    active = [nearest(values, goal)]
    weights[active[0]] = 1.0
    calls = 1
    while True:
        rest = weights @ values - goal
        scores = values @ rest
        best, calls = int(np.argmin(scores)), calls + 1
        if best in active or weights @ scores - scores[best] <= 1e-14 * float(1 + rest @ rest):
            return weights, calls
        active = [*np.flatnonzero(weights).tolist(), best]
        weights[:] = 0.0
        weights[active] = _simplex(values[active] - goal)


def _simplex(rows: Floats) -> Floats:
    """Return the p >= 0 with sum 1 that minimises ||p rows||: (k, m) -> (k,).

    The minimiser over p >= 0 of ||p rows||^2 + s^2 (1 - sum p)^2 is a multiple of it for every s > 0: for p = c q with
    sum q = 1 the best c leaves s^2 v / (s^2 + v), v = ||q rows||^2, which rises in v.
    """
    scale = float(np.sqrt((rows * rows).sum(axis=1).min())) or 1.0
    system = np.vstack([rows.T, np.full(len(rows), scale)])
    weights, _ = scipy.optimize.nnls(system, np.append(np.zeros(rows.shape[1]), scale))
    return np.asarray(weights / weights.sum())
