"""Quantiles by private choice from qualities that rise, then fall: approximate privacy, few entries for many bits."""

import math
from fractions import Fraction

from semipriv.classes.base import HypothesisClass
from semipriv.core import fields
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Points
from semipriv.papers.bns15.queries.sanitizers._line import LineSanitizer, line_of
from semipriv.papers.bns15.queries.sanitizers._quantiles import middle_ranks
from semipriv.papers.bns15.queries.sanitizers._rec_concave import Rank, RecConcave, levels
from semipriv.privacy.guarantee import Guarantee, Neighbours

__all__ = ["QuasiConcave"]

HALF = Fraction(1, 2)
"""Share of the promise that a choice may lose."""


@fields.value
class QuasiConcave(LineSanitizer):
    """Each of k quantiles by RecConcave (Beimel, Nissim and Stemmer 2013) with epsilon / k and delta / k.

    Its need depends on the bits through the depth of the recursion, about log*: 0 up to 5 bits, 1 up to 32, 2 for all
    more that a machine can hold.  A choice of depth N makes 3 N + 1 draws, each with that share of epsilon, and 2 N of
    them have a share of delta.  The draws are exact; where no run stands out, the middle of the domain is released.
    Basic composition over k: for more than a few points the noisy tree needs fewer entries.

    Args:
        delta: in (0, 1); it is spent only from 6 bits on.
    """

    delta: float = fields.between(0, 1, default=1e-6)

    theorem = "sanitizer of corollary 3.4, by RecConcave"

    short_title = "RecConcave"

    def guarantee(self, epsilon: float) -> Guarantee:
        """Return (epsilon, delta) for replacing one entry."""
        return Guarantee(epsilon, self.delta, Neighbours.REPLACE_ENTRY)

    def needed(self, hypothesis_class: HypothesisClass, size: int, epsilon: float, alpha: float, beta: float) -> None:
        """Return None: no size is proven here."""

    def sanitize(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float, randomness: Randomness
    ) -> Points:
        """Release k quantiles, in increasing order; from no entries the middle of the domain, k times."""
        line = line_of(hypothesis_class)[0]
        data = tuple(sorted(line.decode(hypothesis_class.validated(points, "unlabelled entries"))))
        recursion, promise = chooser(line.bits, size, epsilon, self.delta), max(2, len(data) // size)
        released = []
        for rank in middle_ranks(len(data), size) if data else [0] * size:
            quality = Rank(data, line.bits, rank, promise)
            chosen = recursion.choose(quality, promise, HALF, randomness) if data else None
            released.append(2 ** (line.bits - 1) if chosen is None else chosen)
        return line.encode(sorted(released))


def chooser(bits: int, size: int, epsilon: float, delta: float) -> RecConcave:
    """Return the recursion with the shares of epsilon and delta of one of k quantiles."""
    depth = levels(2**bits)
    share = delta / (size * max(1, 2 * depth))
    return RecConcave(Fraction(epsilon) / (size * (3 * depth + 1)), math.nextafter(share, 0))
