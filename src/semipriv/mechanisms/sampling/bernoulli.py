"""Exact coins, with integers only (Canonne, Kamath and Steinke 2020, section 5)."""

from fractions import Fraction
from itertools import count
from numbers import Rational
from typing import Any

from semipriv.core.randomness import Secure

__all__ = ["bernoulli", "bernoulli_exponential"]


def bernoulli(probability: Fraction, randomness: Secure) -> bool:
    """Return True with exactly the given rational probability in [0, 1].

    Raises ValueError for a number outside [0, 1] and for a float.

    >>> bernoulli(Fraction(1), Secure()), bernoulli(Fraction(0), Secure())
    (True, False)
    """
    numerator, denominator = _ratio("probability", probability)
    if not 0 <= numerator <= denominator:
        raise ValueError(f"probability = {probability}: must be in [0, 1]")
    return randomness.below(denominator) < numerator


def bernoulli_exponential(exponent: Fraction, randomness: Secure) -> bool:
    """Return True with probability exactly exp(-exponent), for a rational exponent >= 0.

    For exponent n + x with x in [0, 1): n coins of exp(-1) and one of exp(-x) are thrown until one fails.  These are
    1.6 coins on average, however large n is (algorithm 1).  Raises ValueError for a negative number and for a float.

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
    """Return True with probability exp(-x), x = numerator / denominator in [0, 1].

    Throw coins of x / 1, x / 2, x / 3, ... until one fails: it is the k-th with probability x^(k-1) / (k-1)! -
    x^k / k!; over odd k these sum to exp(-x).
    """
    first_failure = next(k for k in count(1) if randomness.below(k * denominator) >= numerator)
    return first_failure % 2 == 1


def _ratio(name: str, value: Any) -> tuple[int, int]:
    """Return numerator and denominator as Python integers, also for NumPy's integers."""
    if not isinstance(value, Rational):
        raise ValueError(f"{name} = {value!r}: must be a rational number, a float is not exact")
    return int(value.numerator), int(value.denominator)
