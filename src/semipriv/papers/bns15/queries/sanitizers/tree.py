"""A noisy dyadic tree over the integers below 2^b, and its quantiles: pure, and no mechanism of BNS15."""

import math
from fractions import Fraction

from semipriv.classes.base import HypothesisClass
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points
from semipriv.papers.bns15.queries.sanitizers._line import LineSanitizer, line_of
from semipriv.papers.bns15.queries.sanitizers._quantiles import (
    counted,
    middle_ranks,
    noise,
    quantile_distribution,
    quantiles,
)
from semipriv.queries.sanitizers.base import FiniteSanitizer

__all__ = ["Tree"]


@value
class Tree(LineSanitizer, FiniteSanitizer):
    """Counts of halves, quarters, ... with discrete Laplace noise of scale (2 b - 1) / epsilon; quantiles by descent.

    Replacing an entry changes the counts of left halves by at most 2 b - 1 in all; no others are used
    (``sanitizers._quantiles``).  A count is drawn when a descent meets it, and kept.  The i-th point
    is found with the target (i - 1/2) n / k: left if the noisy count of the left half reaches it, else right, with that
    count less.  It stands in for the sanitizers with approximate privacy that corollary 3.4 cites: about b^1.5 entries
    instead of 8^(log* b).
    """

    theorem = "substitute for corollary 3.4's, pure"

    short_title = "noisy tree"

    def needed(self, hypothesis_class: HypothesisClass, size: int, epsilon: float, alpha: float, beta: float) -> None:
        """Return None: no size is proven here."""

    def sanitize(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float, randomness: Randomness
    ) -> Points:
        """Release k quantiles, in increasing order."""
        line = line_of(hypothesis_class)[0]
        data = line.decode(hypothesis_class.validated(points, "unlabelled entries"))
        noises = noise(line.bits, Fraction(epsilon))
        return line.encode(quantiles(sorted(data), line.bits, middle_ranks(len(data), size), noises, randomness))

    def output_distribution(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float
    ) -> list[tuple[Points, float]]:
        """Return the distribution by enumeration of all outcomes of the descents."""
        line = line_of(hypothesis_class)[0]
        data = line.decode(hypothesis_class.validated(points, "unlabelled entries"))
        ranks, noises = tuple(middle_ranks(len(data), size)), noise(line.bits, Fraction(epsilon))
        outcomes = quantile_distribution(counted(data, line.bits), ranks, noises)
        return [(line.encode(outcome), math.log(chance)) for outcome, chance in outcomes if chance > 0]
