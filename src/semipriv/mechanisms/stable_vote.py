"""The winner of a vote, published if it wins by enough that no one vote decides (stability; BBD24, robust oracles)."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TypeVar

from semipriv.core.fields import between, positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.rounding import Bracket
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace

__all__ = ["StableVote"]

T = TypeVar("T", bound=Hashable)


@value
class StableVote:
    """The most frequent vote if (c_1 - c_2) + noise >= 2 + t, else None: (epsilon, delta)-DP for replacing one vote.

    c_1 >= c_2 are the two largest counts, and the noise is discrete Laplace of scale 2 / epsilon, as c_1 - c_2 moves by
    at most 2.  t is the least integer with P[noise >= t] <= delta.  If neighbours have different winners, or one of
    them has a tie, c_1 - c_2 <= 2 for both: then a winner is published with probability at most delta.
    """

    epsilon: float = positive()
    delta: float = between(0, 1)

    @property
    def noise(self) -> DiscreteLaplace:
        """The noise on the lead."""
        return DiscreteLaplace(2 / Fraction(self.epsilon))

    @property
    def tail(self) -> int:
        """The least integer t with P[noise >= t] = q^t / (1 + q) <= delta, q = exp(-epsilon / 2), rounded up.

        >>> StableVote(1.0, 1e-6).tail
        27
        """
        rate = Bracket.of(Fraction(self.epsilon) / 2)
        least = (-(Bracket.of(Fraction(self.delta)).ln() + (-rate).exp().log1p())) / rate
        return max(1, math.ceil(least.high))

    def winner(self, votes: Sequence[T | None], randomness: Randomness) -> T | None:
        """Return the winner or None; votes of None are not counted."""
        counts = Counter(vote for vote in votes if vote is not None).most_common(2)
        counted = [count for _, count in counts] + [0, 0]
        lead = counted[0] - counted[1]
        published = lead + self.noise.sample(randomness) >= 2 + self.tail
        return counts[0][0] if published and lead else None
