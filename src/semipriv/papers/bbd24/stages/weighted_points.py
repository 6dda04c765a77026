"""The distinct public points, and how far noise on them must reach (BBD24 algorithm 4)."""

import numpy as np

from semipriv.classes.base import HypothesisClass, Shift
from semipriv.core.arrays import Arrays
from semipriv.core.fields import one_of, value
from semipriv.core.samples import Points, distinct
from semipriv.learners.stages.base import UnlabelledStage
from semipriv.mechanisms.perturbed_minimum import distinct_sums

__all__ = ["PATTERNS", "WeightedPoints", "WeightedPointsPrepared"]

PATTERNS = ("all", "nonempty")
"""Patterns of public points that may win: all, or those with a one."""


@value(eq=False)
class WeightedPointsPrepared:
    """Distinct public points (m, d), the shift of their weights, and integers (m,) that order equal patterns."""

    hypothesis_class: HypothesisClass
    points: Points
    shift: Shift
    ties: tuple[int, ...]

    def arrays(self) -> Arrays:
        """Return points, shift (2,) and ties (m,)."""
        shift, ties = np.array([self.shift.absolute, self.shift.squared]), np.array(self.ties, np.int64)
        return {"points": self.points, "shift": shift, "ties": ties}


@value
class WeightedPoints(UnlabelledStage[WeightedPointsPrepared]):
    """Merge equal public points: noise is drawn once for each place.

    shifts: 'all' (2 on every point, the paper's) or 'teaching' (2 on a teaching set of the pattern, what the class
    proves).  ordered: whether patterns get integers that order those of equal noisy mistakes; they are listed for that.
    patterns: 'all', or 'nonempty', those with a one: their teaching sets may be smaller.  Raise ValueError if public
    points have no such pattern.
    """

    shifts: str = one_of(["all", "teaching"], "weighted points")
    ordered: bool
    patterns: str = one_of(PATTERNS, "weighted points", default="all")

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> WeightedPointsPrepared:
        known = distinct(points)
        nonempty = self.patterns == "nonempty"
        if nonempty and len(known) and not hypothesis_class.minimal_labels(known, np.ones(len(known), np.int8)).any():
            raise ValueError(f"public points: no hypothesis of {hypothesis_class!r} labels one of them 1")
        proved = hypothesis_class.nonempty_teaching_shift if nonempty else hypothesis_class.teaching_shift
        shift = Shift.of_teaching(len(known)) if self.shifts == "all" else proved(known)
        ties = (0,) * len(known)
        if self.ordered and len(known):
            ties = tuple(distinct_sums(hypothesis_class.cover(known).listed().dichotomies()))
        return WeightedPointsPrepared(hypothesis_class, known, shift, ties)

    def restore(self, arrays: Arrays, hypothesis_class: HypothesisClass) -> WeightedPointsPrepared:
        """Return the points; nothing is listed again."""
        shift = Shift(*arrays["shift"].tolist())
        return WeightedPointsPrepared(hypothesis_class, arrays["points"], shift, tuple(arrays["ties"].tolist()))


@value
class WeightedDomain(WeightedPoints):
    """The same for the whole domain of a finite class; public points are not used."""

    def _unlabelled(self, points: Points, hypothesis_class: HypothesisClass) -> WeightedPointsPrepared:
        domain = hypothesis_class.whole_domain
        assert domain is not None, "checked by the learner"
        return super()._unlabelled(domain, hypothesis_class)
