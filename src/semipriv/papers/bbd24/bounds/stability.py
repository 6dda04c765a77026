"""Stability of perturbed minimisers by BBD24's appendices A and B: as printed, and for constant norms as proved here.

width: E sup w, the mean of the largest value of the Gaussian process w over the class.  least: the least E w(f)^2, 1
for functions of constant norm.  tau: largest change of a mean function; eta: factor of w.  eta is in the scale of sums.
"""

import math

from semipriv.core import checks


def _check(**numbers: float) -> None:
    """Refuse what is not finite, a negative tau or width, and other numbers that are not positive."""
    for name, value in numbers.items():
        if name in ("tau", "width"):
            checks.between(name, value, 0, math.inf, closed="l")
        else:
            checks.positive(name, value)


def _over(numerator: float, denominator: float) -> float:
    """Return one / other, infinite where the denominator is below the float range."""
    return numerator / denominator if denominator else math.inf if numerator else 0.0


def printed_distance_tail(tau: float, radius: float, eta: float, width: float, power: int, least: float = 1.0) -> float:
    """Return 8 tau width / (radius^power eta least), proposition 1; the power is illegible, 2 or 4.

    >>> [round(printed_distance_tail(0.1, 2.0, 10.0, 1.0, power), 4) for power in (2, 4)]
    [0.02, 0.005]
    """
    _check(tau=tau, width=width, radius=radius, eta=eta, least=least)
    checks.size("power", power)
    return _over(8 * tau * width, float(radius) ** power * eta * least)


def near_minimum_tail(tau: float, share: float, eta: float, width: float, least: float = 1.0) -> float:
    """Return (c / (eta least)) (width + c / (2 eta)) with c = tau / share, theorem 5 with its second-order term.

    It bounds the chance that some function with K(s, t) <= (1 - share) K(t, t) comes within tau of the minimum at t.
    Proved for constant norms only.  width: E max(0, sup w).

    >>> round(near_minimum_tail(0.1, 2.0, 10.0, 1.0), 6)
    0.005012
    """
    _check(tau=tau, width=width, share=share, eta=eta, least=least)
    c = tau / share
    return _over(c, eta * least) * (width + c / (2 * eta)) if c else 0.0


def printed_near_minimum_tail(
    tau: float, share: float, eta: float, width: float, power: int = 2, least: float = 1.0
) -> float:
    """Return tau width / (share^(power / 2) eta least), theorem 5 as printed; the power of rho is illegible, 2 or 4."""
    _check(tau=tau, width=width, share=share, eta=eta, least=least)
    checks.size("power", power)
    return _over(tau * width, share ** (power / 2) * eta * least)


def printed_expected_distance(eta: float, width: float, least: float = 1.0) -> float:
    """Return (9 width / (least eta))^(1/3), lemma 7.

    >>> printed_expected_distance(9.0, 1.0)
    1.0
    """
    _check(width=width, eta=eta, least=least)
    return math.cbrt(9 * width / (least * eta))


def printed_stability(eta: float, width: float, count: int, delta: float, root: int, least: float = 1.0) -> float:
    """Return (9 width / (least eta))^(1/3) + (ln(1/delta) / count)^(1/root), lemma 1; the root is illegible, 2 or 4.

    >>> [round(printed_stability(9e3, 1.0, 10_000, 0.05, root), 4) for root in (2, 4)]
    [0.1173, 0.2316]
    """
    checks.size("count", count)
    checks.between("delta", delta, 0, 1)
    checks.size("root", root)
    return printed_expected_distance(eta, width, least) + float((math.log(1 / delta) / count) ** (1 / root))
