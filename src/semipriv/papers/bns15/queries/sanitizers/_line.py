"""Classes of the integers below 2^b whose symmetric differences are a few runs of integers: prefixes answer them."""

from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds


def line_of(hypothesis_class: HypothesisClass) -> tuple[DiscreteThresholds, int]:
    """Return thresholds of the same integers, and the number of prefixes of which a symmetric difference is made.

    Two thresholds differ on a run, the difference of 2 prefixes; two intervals on at most 2 runs.  If shares of
    prefixes are off by at most a, those of symmetric differences are off by at most so many times a.

    Raise ValueError for other classes.
    """
    if isinstance(hypothesis_class, DiscreteThresholds):
        return DiscreteThresholds(hypothesis_class.bits), 2
    if isinstance(hypothesis_class, DiscreteRectangles) and hypothesis_class.dimension == 1:
        return DiscreteThresholds(hypothesis_class.bits), 4
    raise ValueError(
        "hypothesis_class: must be discrete thresholds, or discrete rectangles of dimension 1, for a sanitizer of "
        f"prefixes; is {hypothesis_class!r}"
    )
