"""Distance of two minimisers under one Gaussian process: a bound of ours, with the best constant (BBD24 proposition 1).

Let F be a class whose functions have norm at most 1, w the Gaussian process with covariance <f, g>_m, and f and f' the
minimisers of m + eta w and m' + eta w under the same w, with sup |m - m'| <= tau.  Then

    E ||f - f'||^2 <= (2 tau / eta) E max(-w(f), -w(f')) <= 2 tau W / eta,    W = E sup w.

Nothing is asked of the norms, of the means or of the class.  Proof: docs/findings.md, BBD24, "Theorem A".

width: W.  tau: largest change of a mean.  eta: factor of w, in the scale of sums.
"""

import math

from semipriv.core import checks


def squared_distance(tau: float, eta: float, width: float) -> float:
    """Return 2 tau width / eta, at most 4, a bound on E ||f - f'||^2.

    >>> squared_distance(0.5, 10.0, 2.0)
    0.2
    """
    _check(tau, eta, width)
    return min(4.0, 2 * tau * width / eta)


def tail(tau: float, radius: float, eta: float, width: float) -> float:
    """Return 2 tau width / (radius^2 eta), at most 1, a bound on P[||f - f'|| > radius].

    >>> tail(0.5, 1.0, 10.0, 2.0)
    0.2
    """
    checks.positive("radius", radius)
    square, far = squared_distance(tau, eta, width), radius**2 if radius < 1e150 else math.inf
    return min(1.0, square / far) if far else float(square > 0)


def expected_distance(eta: float, width: float) -> float:
    """Return sqrt(2 width / eta), at most 2, a bound on E ||f - f'|| if one record is replaced: tau = 1.

    >>> expected_distance(16.0, 2.0)
    0.5
    """
    return math.sqrt(squared_distance(1.0, eta, width))


def _check(tau: float, eta: float, width: float) -> None:
    checks.between("tau", tau, 0, math.inf, closed="l")
    checks.positive("eta", eta)
    checks.between("width", width, 0, math.inf, closed="l")
