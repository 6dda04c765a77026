"""What a data set may spend, and whether a request still fits."""

from fractions import Fraction

from semipriv.fields import value
from semipriv.privacy.guarantee import Guarantee, Neighbours


class BudgetError(ValueError):
    """A request that does not fit."""


@value
class Budget:
    """A filter: requests may be chosen adaptively, each with any epsilon."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    neighbours: Neighbours = Neighbours.REPLACE_PRIVATE_EXAMPLE


@value
class EqualReleases:
    """Declared in advance: at most ``count`` releases, each with at most the guarantee ``each``."""

    each: Guarantee
    count: int
    delta: Fraction = Fraction(0)
