"""A noisy dyadic tree over the integers below 2^b, and its quantiles: pure, and no mechanism of BNS15."""

import math
from bisect import bisect_left
from fractions import Fraction

from semipriv.classes.base import HypothesisClass
from semipriv.fields import value
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.queries.sanitizers._line import line_of
from semipriv.queries.sanitizers.base import Sanitizer
from semipriv.randomness import Randomness
from semipriv.samples import Points

__all__ = ["Tree"]


@value
class Tree(Sanitizer):
    """Counts of halves, quarters, ... with discrete Laplace noise of scale 2 b / epsilon; k quantiles by descent.

    Replacing an entry changes two counts of each of the b levels by 1.  A count is drawn when a descent meets it, and
    kept.  The i-th point is found with the target (i - 1/2) n / k: left if the noisy count of the left half reaches it,
    else right, with that count less.  It stands in for the sanitizers with approximate privacy that corollary 3.4
    cites: about b^1.5 entries in place of 8^(log* b).
    """

    theorem = "substitute for corollary 3.4's, pure"

    @property
    def short_title(self) -> str:
        """The name."""
        return "noisy tree"

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless symmetric differences are runs of integers."""
        line_of(hypothesis_class)

    def points_wanted(self, hypothesis_class: HypothesisClass, alpha: float) -> int:
        """Return ceil(f / alpha), f prefixes in a symmetric difference."""
        return math.ceil(line_of(hypothesis_class)[1] / alpha)

    def needed(self, hypothesis_class: HypothesisClass, size: int, epsilon: float, alpha: float, beta: float) -> None:
        """Return None: no size is proven here."""

    def sanitize(
        self, points: Points, hypothesis_class: HypothesisClass, size: int, epsilon: float, randomness: Randomness
    ) -> Points:
        """Release k quantiles, in increasing order."""
        line = line_of(hypothesis_class)[0]
        data = line.decode(hypothesis_class.validated(points, "unlabelled entries"))
        return line.encode(quantiles(sorted(data), line.bits, size, epsilon, randomness))


def quantiles(data: list[int], bits: int, size: int, epsilon: float, randomness: Randomness) -> list[int]:
    """Return k noisy quantiles of sorted integers below 2^bits, in increasing order."""
    noise = DiscreteLaplace(2 * bits / Fraction(epsilon))
    counts: dict[tuple[int, int], int] = {}

    def noisy(start: int, width: int) -> int:
        """Return the noisy count of [start, start + width), the same whenever it is asked for."""
        if (start, width) not in counts:
            count = bisect_left(data, start + width) - bisect_left(data, start)
            counts[start, width] = count + int(noise.sample(randomness, 1)[0])
        return counts[start, width]

    found = []
    for i in range(size):
        start, width, target = 0, 2**bits, (2 * i + 1) * len(data)  # in units of 1 / (2 k)
        while width > 1:
            width //= 2
            left = 2 * size * noisy(start, width)
            if target > left:
                start, target = start + width, target - left
        found.append(start)
    return sorted(found)
