"""Least absolute deviations on the unit ball with a quadratic regulariser, to a certified gap: an interior point."""

import numpy as np

from semipriv.core.types import Floats
from semipriv.geometry.ball import Spectrum, minimisers

_STEPS = 2_000
"""Most steps of Newton: about sixty are needed."""


def least_absolute(features: Floats, responses: Floats, public: Spectrum, eta: float, gap: float) -> Floats:
    """Return a w, ||w|| <= 1, that minimises sum |<w, x> - y| / 2 + eta w^T S w up to ``gap``: (p,).

    features: (n, p).  public: spectrum of S.  Newton's method minimises the sum of sqrt-smoothed deviations, the
    regulariser and -mu ln(1 - ||w||^2) for ever smaller mu.  Slopes u of the smoothed deviations, moved along with each
    step, are a dual point, so that the gap is certified, and not estimated.  Raise ArithmeticError if rounding keeps
    it above ``gap``.
    """
    p = features.shape[1]
    matrix = eta * (public.vectors * public.values) @ public.vectors.T
    quadratic = Spectrum(eta * public.values, public.vectors)
    w, mu = np.zeros(p), 1.0
    for _ in range(_STEPS):
        slack = features @ w - responses
        reach = np.sqrt(4 * mu * mu + slack * slack)
        width = 2 * mu + reach
        room = 1.0 - float(w @ w)
        slope = features.T @ (slack / width) / 2 + 2 * matrix @ w + 2 * mu * w / room
        bend = mu / (reach * width)
        hessian = (features.T * bend) @ features + 2 * matrix
        hessian += 2 * mu / room * (np.eye(p) + 2 * np.outer(w, w) / room)
        step = np.asarray(np.linalg.lstsq(hessian, -slope, rcond=None)[0], np.float64)  # curvatures from mu to 1 / mu
        slopes = np.clip(slack / width + 2 * bend * (features @ step), -1.0, 1.0)
        if -float(slope @ step) <= 1e-2 * mu and (len(slack) + 1) * mu > gap / 4:
            mu /= 8
            continue
        w = w + _length(features, slack, matrix, w, step, mu) * step
        if certified(features, responses, quadratic, w, slopes) <= gap:
            return w
    raise ArithmeticError(f"least absolute deviations: rounding keeps the gap above {gap:g}")


def certified(features: Floats, responses: Floats, quadratic: Spectrum, w: Floats, slopes: Floats) -> float:
    """Return how far the objective at w is at most above its minimum, by slopes u in [-1, 1]^n: sums of parts >= 0.

    |r| >= u r for each deviation, and sum u r / 2 + w^T A w is minimised in closed form: at v with A v + nu v = b it is
    smaller by (w - v)^T A (w - v) + 2 nu (1 - <w, v>) than at w.
    """
    slack = features @ w - responses
    b = -(features.T @ slopes) / 4
    v = minimisers(quadratic, b)
    values, turned = quadratic.values, (w - v) @ quadratic.vectors
    rest = b - (quadratic.vectors * values) @ (quadratic.vectors.T @ v)
    nu = max(0.0, float(rest @ v))
    deviations = float((np.abs(slack) - slopes * slack).sum()) / 2
    return deviations + float(values @ (turned * turned)) + 2 * nu * max(0.0, 1.0 - float(w @ v))


def _length(features: Floats, slack: Floats, matrix: Floats, w: Floats, step: Floats, mu: float) -> float:
    """Return a step length by bisection on the sign of the slope along the step: the objective is convex."""
    along, low, high = features @ step, 0.0, 1.0

    def slope(t: float) -> float:
        moved, at = slack + t * along, w + t * step
        room = 1.0 - float(at @ at)
        if room <= 0:
            return np.inf
        inner = moved / (2 * mu + np.sqrt(4 * mu * mu + moved * moved))
        return float(along @ inner / 2 + 2 * at @ (matrix @ step) + 2 * mu * (at @ step) / room)

    if slope(high) <= 0:
        return high
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) <= 0 else (low, middle)
    return low if low > 0 else high / 2
