"""Fixed entries below 2^b, the i-th of n at the quantile (i - 1/2) / n of a distribution: nothing is drawn."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from semipriv.papers.bns15.queries.sanitizers._layer_distribution import LayerDistribution
from semipriv.papers.bns15.queries.sanitizers._layers import PrefixLayers

Quantile = Callable[[int, int, int, Fraction], int]
"""(bits, numerator and denominator of a share in (0, 1), alpha) -> integer below 2^bits; in whole numbers."""
_MOST = 30
"""TWO-ATOMS lies below 2^30."""


def _power(bits: int, part: int, whole: int, alpha: Fraction) -> int:
    """Return 2^(b share), rounded down: floats for 53 binary digits of it."""
    power, rest = divmod(bits * part, whole)
    digits = int(2.0 ** (rest / whole + 53))
    return digits << (power - 53) if power >= 53 else digits >> (53 - power)


@cache
def _mass_of_atoms(alpha: Fraction) -> Fraction:
    return Fraction(1, 2) + alpha * Fraction(5, 4)


def _two_atoms(bits: int, part: int, whole: int, alpha: Fraction) -> int:
    """Return 0 with mass 1/2, 1 with mass 5 alpha / 4, then uniform integers up to 2^30."""
    atoms = _mass_of_atoms(alpha)
    beyond = part * atoms.denominator - whole * atoms.numerator
    if beyond <= 0:
        return int(2 * part > whole)
    left = whole * (atoms.denominator - atoms.numerator)
    return 2 + beyond * (2 ** min(bits, _MOST) - 2) // left


FIXED: dict[str, Quantile] = {
    "TWO-ATOMS": _two_atoms,
    "CORNER": lambda bits, part, whole, alpha: 2 ** min(bits, 4) * part // whole,
    "POWER": _power,
    "UNIF": lambda bits, part, whole, alpha: 2**bits * part // whole,
    "one point": lambda bits, part, whole, alpha: 2 ** (bits - 1),
}
"""By name; CORNER is uniform below 2^4, so that the last gap is nearly the whole domain."""


def entries(distribution: str, bits: int, n: int, alpha: float) -> list[int]:
    """Return n fixed entries of a distribution."""
    exact = Fraction(alpha)
    return [FIXED[distribution](bits, 2 * i + 1, 2 * n, exact) for i in range(n)]


@cache
def failure(distribution: str, bits: int, n: int, size: int, alpha: float, rate: Fraction) -> float:
    """Return the probability that some prefix is off by alpha or more, for alpha n a whole number.

    Exactly, up to rounding: u >= alpha n of the net mechanism with that rate, epsilon / 2 for the honest one.
    """
    layers = PrefixLayers.of(entries(distribution, bits, n, alpha), bits, size)
    return LayerDistribution(layers, rate).tail(round(alpha * n))
