"""Sanitizers of classes of the integers below 2^b whose symmetric differences are a few runs: prefixes answer them."""

import math

from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.queries.sanitizers.base import Sanitizer


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


class LineSanitizer(Sanitizer):
    """A sanitizer that answers prefixes."""

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless symmetric differences are runs of integers."""
        line_of(hypothesis_class)

    def points_wanted(self, hypothesis_class: HypothesisClass, alpha: float) -> int:
        """Return ceil(f / alpha), f prefixes in a symmetric difference: then half of alpha is lost to the points."""
        return math.ceil(line_of(hypothesis_class)[1] / alpha)
