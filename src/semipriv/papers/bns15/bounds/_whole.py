"""Numbers of examples as integers: rounded up, or refused."""

import math
import sys
from decimal import Decimal


def examples(number: float | Decimal) -> int:
    """Return a number of examples, rounded up.

    Raise ValueError for one beyond all floats, which no data set has.

    >>> examples(2.5)
    3
    """
    if not number <= sys.float_info.max:
        raise ValueError("more than 1e308 examples would be needed: alpha, beta or epsilon is too extreme")
    return math.ceil(number)
