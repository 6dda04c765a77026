"""Exact coins, with integers only (Canonne, Kamath and Steinke 2020, section 5)."""

from fractions import Fraction
from itertools import count
from numbers import Rational
from typing import Any

from semipriv.randomness import Secure

__all__ = ["bernoulli", "bernoulli_exponential"]


def bernoulli(probability: Fraction, randomness: Secure) -> bool:
    """True with exactly the given rational probability in [0, 1]; raises ValueError for another, or a float.

    >>> bernoulli(Fraction(1), Secure()), bernoulli(Fraction(0), Secure())
    (True, False)
    """
    numerator, denominator = _ratio("probability", probability)
    if not 0 <= numerator <= denominator:
        raise ValueError(f"probability = {probability}: must be in [0, 1]")
    return randomness.below(denominator) < numerator


def bernoulli_exponential(exponent: Fraction, randomness: Secure) -> bool:
    """True with probability exactly exp(-exponent), exponent rational >= 0; raises ValueError for another, or a float.

    exp(-(n + x)) is n coins of exp(-1) and one of exp(-x), x in [0, 1), thrown until one fails: 1.6 coins on average
    however large n is (algorithm 1).

    >>> bernoulli_exponential(Fraction(0), Secure()), bernoulli_exponential(Fraction(10**100), Secure())
    (True, False)
    """
    numerator, denominator = _ratio("exponent", exponent)
    if numerator < 0:
        raise ValueError(f"exponent = {exponent}: must be >= 0")
    whole, rest = divmod(numerator, denominator)
    return all(_small_exponential(1, 1, randomness) for _ in range(whole)) and _small_exponential(
        rest, denominator, randomness
    )


def _small_exponential(numerator: int, denominator: int, randomness: Secure) -> bool:
    """Coin of exp(-x), x = numerator / denominator in [0, 1].

    The first of the coins of x / 1, x / 2, x / 3, ... that fails has number k with probability x^(k-1) / (k-1)! -
    x^k / k!; over odd k these sum to exp(-x).
    """
    first_failure = next(k for k in count(1) if randomness.below(k * denominator) >= numerator)
    return first_failure % 2 == 1


def _ratio(name: str, value: Any) -> tuple[int, int]:
    """Numerator and denominator as integers of any size, also of NumPy's integers."""
    if not isinstance(value, Rational):
        raise ValueError(f"{name} = {value!r}: must be a rational number, a float is not exact")
    return int(value.numerator), int(value.denominator)
