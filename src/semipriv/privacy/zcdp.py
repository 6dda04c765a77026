"""Zero-concentrated differential privacy: adds up under composition, converts to (epsilon, delta) at the end."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs

from semipriv.core import checks
from semipriv.core.rounding import Bracket, above, rational, rounded_up
from semipriv.privacy.guarantee import Guarantee, Neighbours, common_neighbours
from semipriv.privacy.search import smallest


def _rho(value: Any) -> float:
    checks.between("rho", value, 0, math.inf, closed="l")
    return above("rho", value)


@attrs.frozen
class ZeroConcentrated:
    """rho-zCDP: the Renyi divergence of order alpha of the outputs is <= rho alpha, for neighbours and all alpha > 1.

    All results are rounded up once, ``within`` down.

    Args:
        rho: finite and >= 0.
        neighbours: the pairs of data sets of which it speaks.

    Source:
        Bun and Steinke 2016, definition 1.1.

    Examples:
        >>> noise = ZeroConcentrated.of_gaussian(10.0, 1.0, Neighbours.REPLACE_PRIVATE_EXAMPLE)
        >>> bound = noise + ZeroConcentrated.from_pure(Guarantee(0.1))
        >>> round(bound.rho, 5), round(bound.guarantee(1e-6).epsilon, 5)
        (0.01, 0.62169)
    """

    rho: float = attrs.field(converter=_rho)
    neighbours: Neighbours = attrs.field(default=Neighbours.REPLACE_PRIVATE_EXAMPLE, converter=Neighbours)

    @classmethod
    def from_pure(cls, guarantee: Guarantee) -> "ZeroConcentrated":
        """Return rho = epsilon^2 / 2, for any mechanism with delta = 0.

        Args:
            guarantee: (epsilon, 0).

        Returns:
            The rho, for the same neighbours.

        Raises:
            ValueError: for delta > 0, which implies no rho.

        Source:
            Bun and Steinke 2016, proposition 1.4.
        """
        if guarantee.delta != 0:
            raise ValueError(f"delta = {guarantee.delta!r}: must be 0, an approximate guarantee implies no rho")
        return cls(rounded_up(Fraction(guarantee.epsilon) ** 2 / 2), guarantee.neighbours)

    @classmethod
    def of_exponential_mechanism(cls, epsilon: float | Fraction, neighbours: Neighbours) -> "ZeroConcentrated":
        """Return rho = epsilon^2 / 8, for the exponential mechanism only.

        That is P[i] proportional to exp(epsilon scores[i] / (2 sensitivity)).
        Its log-ratios ln P[i | S] - ln P[i | S'] lie in one interval of length epsilon (bounded range, Durfee and
        Rogers 2019): every exponent moves by at most epsilon / 2 either way, and the normaliser is common.  Then rho =
        epsilon^2 / 8 (Cesar and Rogers 2021; Dong, Durfee and Rogers 2020).  Other epsilon-DP mechanisms have
        log-ratios in [-epsilon, epsilon], an interval of twice that length, and need ``from_pure``.  The parameter is
        the mechanism's epsilon.  A Guarantee is refused, since it does not tell which mechanism it comes from.

        Permute-and-flip needs ``from_pure``.  Take scores (0, 0) against (1, -1), at sensitivity 1.  The output
        probabilities are (1/2, 1/2) and (1 - e^-epsilon / 2, e^-epsilon / 2), the log-ratios ln(2 - e^-epsilon) and
        -epsilon.  For small epsilon the divergence is epsilon^2 / 2, four times what this function would return.

        Args:
            epsilon: that of the mechanism, > 0.
            neighbours: those for which the mechanism's sensitivity was worked out; the number alone does not tell.

        Returns:
            The rho.

        Source:
            Durfee and Rogers 2019; Cesar and Rogers 2021; Dong, Durfee and Rogers 2020.
        """
        return cls(rounded_up(rational("epsilon", epsilon) ** 2 / 8), neighbours)

    @classmethod
    def of_gaussian(
        cls, sigma: float | Fraction, sensitivity: float | Fraction, neighbours: Neighbours
    ) -> "ZeroConcentrated":
        """Return rho = sensitivity^2 / (2 sigma^2), for independent N(0, sigma^2) noise on each coordinate.

        The same rho holds for discrete Gaussian noise on integers, if the sensitivity is an integer (Canonne, Kamath
        and Steinke 2020).

        Args:
            sigma: standard deviation of the noise on each coordinate, > 0.
            sensitivity: > 0, in L2, for these neighbours.
            neighbours: the pairs of data sets for which the sensitivity holds.

        Returns:
            The rho.

        Source:
            Bun and Steinke 2016, proposition 1.6.
        """
        return cls(gaussian_rho(sigma, sensitivity), neighbours)

    @classmethod
    def within(cls, guarantee: Guarantee, *, tight: bool = True) -> "ZeroConcentrated":
        """Return the largest rho that implies a guarantee, whose epsilon and delta must be > 0.

        If not tight, (sqrt(L + epsilon) - sqrt(L))^2 with L = ln(1 / delta), as the budgets of BCM20 are usually split.

        Args:
            guarantee: epsilon > 0, delta in (0, 1).
            tight: whether by the conversion of the method ``guarantee``.

        Returns:
            The rho, rounded down, for the same neighbours.

        Examples:
            >>> round(ZeroConcentrated.within(Guarantee(1.0, 1e-6), tight=False).rho, 5)
            0.01747
        """
        epsilon = checks.positive("epsilon", guarantee.epsilon)
        log_inverse = -Bracket.of(checks.between("delta", guarantee.delta, 0, 1)).ln()
        # (sqrt(L + e) - sqrt(L))^2 without cancellation
        root = epsilon / ((log_inverse + epsilon).sqrt() + log_inverse.sqrt())
        rho = (root * root).down
        return cls(_largest(rho, epsilon, guarantee.delta) if tight else rho, guarantee.neighbours)

    def __add__(self, other: "ZeroConcentrated") -> "ZeroConcentrated":
        """Compose two mechanisms on the same data: rhos add up (Bun and Steinke 2016, lemma 1.7).

        The second mechanism may depend on the output of the first.  Raises ValueError if neighbours differ.
        """
        rho = rounded_up(Fraction(self.rho) + Fraction(other.rho))
        return ZeroConcentrated(rho, common_neighbours(self.neighbours, other.neighbours))

    def repeated(self, count: int) -> "ZeroConcentrated":
        """Compose ``count`` >= 1 mechanisms of this rho.

        Args:
            count: number of mechanisms, >= 1.

        Returns:
            The sum of their rhos.
        """
        return ZeroConcentrated(rounded_up(checks.size("count", count) * Fraction(self.rho)), self.neighbours)

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta that Renyi divergences give at this epsilon >= 0:

            min over alpha > 1 of exp((alpha - 1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha / (alpha - 1)

        The logarithm is convex in alpha.  Every alpha is valid, so an inexact minimiser errs on the safe side; at that
        alpha the formula is rounded up.

        Args:
            epsilon: finite and >= 0.

        Returns:
            delta, at most 1.

        Source:
            Canonne, Kamath and Steinke 2020, proposition 12.
        """
        epsilon, rho = checks.between("epsilon", epsilon, 0, math.inf, closed="l"), self.rho
        if rho == 0:
            return 0.0

        def slope(log_order: float) -> float:  # in alpha, at alpha = 1 + exp(log_order)
            return (2 * math.exp(log_order) + 1) * rho - epsilon - _log1p_exp(-log_order)

        low, high = -max(0.0, 3 * rho - epsilon) - 1, max(0.0, math.log(epsilon + 1) - math.log(rho))
        x = math.exp(_root(slope, max(low, -_LARGEST), min(high, _LARGEST)))  # alpha - 1
        order = 1 + Bracket.of(x)
        exponent = x * (order * rho - epsilon) - Bracket.of(x).ln() - order * (1 / Bracket.of(x)).log1p()
        return min(1.0, exponent.exp().up) if exponent.high < 0 else 1.0

    def guarantee(self, delta: float, *, tight: bool = True) -> Guarantee:
        """Return the (epsilon, delta)-DP that it implies.

        If tight, epsilon is the least of alpha rho + ln(1 - 1/alpha) + ln(1 / (alpha delta)) / (alpha - 1) over alpha >
        1, as in ``delta``.  If not, it is rho + 2 sqrt(rho ln(1/delta)), never smaller.  A single Gaussian mechanism
        has a smaller exact epsilon: ``semipriv.privacy.gaussian``.

        Args:
            delta: in (0, 1).
            tight: whether epsilon is the least that Renyi divergences give.

        Returns:
            The guarantee, for the same neighbours.

        Source:
            Canonne, Kamath and Steinke 2020, proposition 12; Bun and Steinke 2016, proposition 1.3 (not tight).
        """
        delta = checks.between("delta", delta, 0, 1)
        loose = self.rho + 2 * (-(self.rho * Bracket.of(delta).ln())).sqrt()
        return Guarantee(_epsilon(self.rho, delta) if tight else loose.up, delta, self.neighbours)


def gaussian_rho(sigma: float | Fraction, sensitivity: float | Fraction) -> float:
    """Return sensitivity^2 / (2 sigma^2), rounded up; both > 0."""
    return rounded_up((rational("sensitivity", sensitivity) / rational("sigma", sigma)) ** 2 / 2)


_NEAR, _STEPS = 1e-13, 400
"""How near a root is found, in proportion to it, and most steps on the way."""
_LARGEST = 700.0
"""Logarithms of orders that are tried: their exponentials are floats."""


@lru_cache(maxsize=256)
def _largest(start: float, epsilon: float, delta: float) -> float:
    """Return the largest rho with ``_epsilon(rho, delta) <= epsilon``, searched from a smaller one; kept for trials."""
    low, high = start / 2, math.nextafter(2 * start, math.inf)
    while _epsilon(high, delta) <= epsilon:
        low, high = high, 2 * high
    return math.nextafter(smallest(lambda r: _epsilon(r, delta) > epsilon, low, high), 0)


def best_excess(rho: float, delta: float) -> float:
    """Return alpha - 1, about, of the order alpha at which rho > 0 and delta in (0, 1) give the tight epsilon.

    The derivative of that epsilon in alpha has the sign of rho (alpha - 1)^2 + ln alpha - ln(1/delta).
    """
    log_inverse = -math.log(delta)

    def slope(x: float) -> float:  # x = alpha - 1
        return rho * x * x + math.log1p(x) - log_inverse

    # each summand alone is large enough at one of these
    high = min(math.sqrt(log_inverse / rho) * (1 + 1e-9), 2 * math.expm1(min(log_inverse, _LARGEST)))
    return _root(slope, 0.0, high)


def conversion(excess: float | Fraction, delta: float | Fraction) -> Bracket:
    """Return what epsilon is larger than the Renyi divergence of order 1 + excess at this delta:

        ln(1 - 1/alpha) + ln(1 / (alpha delta)) / (alpha - 1),  alpha = 1 + excess

    (Canonne, Kamath and Steinke 2020, proposition 12).
    """
    x = Bracket.of(excess)
    return -((1 / x).log1p() + (Bracket.of(delta).ln() + x.log1p()) / x)


def _epsilon(rho: float, delta: float) -> float:
    """Return the tight epsilon."""
    if rho in (0, math.inf):
        return float(rho)
    excess = best_excess(rho, delta)
    return max(0.0, ((1 + Bracket.of(excess)) * rho + conversion(excess, delta)).up)


def _root(slope: Callable[[float], float], low: float, high: float) -> float:
    """Return about where an increasing function is 0, or the end of [low, high] that is nearest.

    By the Illinois method: the next place is where a chord is 0, and the weight of an end that stays is halved; the
    interval is halved where that is slow.  SciPy, which has such methods, takes longer to import than many jobs work.
    """
    below, above = slope(low), slope(high)
    if above <= 0:
        return high
    if below >= 0:
        return low
    width, last = high - low, 0
    for step in range(_STEPS):
        x = low + (high - low) * (below / (below - above))
        if step % 3 == 2:
            x = low + (high - low) / 2 if high - low > width / 4 else x
            width = high - low
        if not low < x < high:
            return low if -below < above else high
        value = slope(x)
        sign = 1 if value >= 0 else -1
        if value < 0:
            above = above / 2 if last == sign else above
            low, below = x, value
        else:
            below = below / 2 if last == sign else below
            high, above = x, value
        last = sign
        if value == 0 or high - low <= _NEAR * abs(x):
            return x
    return low + (high - low) / 2


def _log1p_exp(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))
