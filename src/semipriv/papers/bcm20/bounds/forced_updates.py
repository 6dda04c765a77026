"""BCM20 lemma 7: how many updates multiplicative weights cannot do without, whatever the noise."""

import math
from fractions import Fraction

from semipriv.core import checks

__all__ = ["book_updates", "forced_updates"]

_SLACK = 1e-9
"""By how much, relatively, every step is made easier, so that rounding cannot add an update."""


def book_updates(accuracy: float, cells: int) -> int:
    """Return ceil(4 ln K / a^2), the updates that PMW has in Dwork and Roth 2014.

    >>> book_updates(0.99, 10**6)
    57
    """
    checks.between("accuracy", accuracy, 0, 1)
    return math.ceil(4 * Fraction(math.log(checks.size("cells", cells))) / Fraction(accuracy) ** 2)


def forced_updates(error: float, rate: float, cells: int) -> int:
    """Return a number of updates: with fewer, multiplicative weights err by more than ``error`` on K - 1 prefixes.

    All records are in the last of K ordered cells, weights are uniform at first, and the queries are the prefixes of
    1, ..., K - 1 cells in this order, whose shares are 0.  An update multiplies the weights of a prefix by exp(-rate)
    or exp(rate) and normalises.  The answer to a prefix that is not updated is its weight.  However updates are placed,
    with whatever signs, fewer of them leave a prefix that is not updated and has a weight above ``error``.

    Let S be the weight of the prefix over that of the last cell.  A further cell adds 1 to S, an update multiplies S by
    exp(-rate) at best, and a prefix of j cells that is not updated needs S <= (K - j) error / (1 - error), as the cells
    outside have the weight of the last one.  All steps are monotone in S; so it is best to update where S is above
    that, and nowhere else, and this is what is counted.

    >>> forced_updates(0.495, 0.495, 10**6)
    58
    """
    checks.between("error", error, 0, 1)
    checks.positive("rate", rate)
    most, fall = error / (1 - error) * (1 + _SLACK), math.exp(-rate) * (1 - _SLACK)
    inside, outside, updates = 0.0, checks.size("cells", cells), 0
    while True:
        further = max(1, math.floor((most * outside - inside) / (1 + most)) + 1)
        if further >= outside:
            return updates
        inside, outside, updates = (inside + further) * fall, outside - further, updates + 1
