"""Sizes of the net mechanism for prefixes, with explicit constants: BNS15 theorem A.3 hides them."""

import math

from semipriv.core import checks
from semipriv.papers.bns15.bounds._whole import examples


def net_size(alpha: float, beta: float, epsilon: float, bits: int, size: int) -> int:
    """Return the least n with 1 / (2 k) + 2 / n + (2 / (epsilon n)) (k b ln 2 + ln(1 / beta)) <= alpha.

    From so many integers below 2^b on, the net mechanism with k = ``size`` points has shares of all prefixes off by at
    most alpha with probability 1 - beta.  The points at the quantiles (i - 1/2) / k have a score of at most n / (2 k) +
    1, and are one of 2^(b k) tuples; so a score of t or more has probability at most 2^(b k) exp(-(epsilon / 2) (t - n
    / (2 k) - 1)), and an error above alpha means a score above n alpha - 1.

    Raise ValueError unless size > 1 / (2 alpha).

    >>> net_size(0.2, 0.1, 1.0, 8, 5)
    621
    """
    checks.size("bits", bits)
    checks.size("size", size)
    checks.between("alpha", alpha, 0, 1)
    checks.between("beta", beta, 0, 1)
    checks.positive("epsilon", epsilon)
    if 2 * size * alpha <= 1:
        raise ValueError(f"size = {size}: must be > {1 / (2 * alpha):g} for alpha = {alpha:g}")
    spread = 2 + 2 / epsilon * (size * bits * math.log(2) - math.log(beta))
    return examples(spread / (alpha - 1 / (2 * size)))
