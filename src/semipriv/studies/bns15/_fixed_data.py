"""Fixed entries below 2^b, the i-th of n at the quantile (i - 1/2) / n of a law: nothing is drawn."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from semipriv.queries.sanitizers._layer_law import LayerLaw
from semipriv.queries.sanitizers._layers import PrefixLayers

Quantile = Callable[[int, Fraction, float], int]
"""(bits, share in (0, 1), alpha) -> integer below 2^bits."""
_MOST = 30
"""TWO-ATOMS lies below 2^30."""


def _power(bits: int, share: Fraction, alpha: float) -> int:
    """Return 2^(b share), rounded down: floats for 53 binary digits of it."""
    whole, rest = divmod(bits * share, 1)
    digits = int(2.0 ** (float(rest) + 53))
    return digits << (int(whole) - 53) if whole >= 53 else digits >> (53 - int(whole))


def _two_atoms(bits: int, share: Fraction, alpha: float) -> int:
    """Return 0 with mass 1/2, 1 with mass 5 alpha / 4, then uniform integers up to 2^30."""
    atoms = Fraction(1, 2) + Fraction(alpha) * Fraction(5, 4)
    if share <= atoms:
        return int(share > Fraction(1, 2))
    return 2 + int((share - atoms) / (1 - atoms) * (2 ** min(bits, _MOST) - 2))


FIXED: dict[str, Quantile] = {
    "TWO-ATOMS": _two_atoms,
    "CORNER": lambda bits, share, alpha: int(2 ** min(bits, 4) * share),
    "POWER": _power,
    "UNIF": lambda bits, share, alpha: int(2**bits * share),
    "one point": lambda bits, share, alpha: 2 ** (bits - 1),
}
"""By name; CORNER is uniform below 2^4, so that the last gap is nearly the whole domain."""


def entries(law: str, bits: int, n: int, alpha: float) -> list[int]:
    """Return n fixed entries of a law."""
    return [FIXED[law](bits, Fraction(2 * i + 1, 2 * n), alpha) for i in range(n)]


@cache
def failure(law: str, bits: int, n: int, size: int, alpha: float, rate: Fraction) -> float:
    """Return the probability that some prefix is off by alpha or more, for alpha n a whole number.

    Exactly, up to rounding: u >= alpha n of the net mechanism with that rate, epsilon / 2 for the honest one.
    """
    layers = PrefixLayers.of(entries(law, bits, n, alpha), bits, size)
    return LayerLaw(layers, rate).tail(round(alpha * n))
