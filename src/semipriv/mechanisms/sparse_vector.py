"""The sparse vector technique: many questions whether a number is large, paid for by the few that are answered yes."""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np

from semipriv.core import checks
from semipriv.core.fields import between, checked, positive, size, value
from semipriv.core.logarithms import log_sum_exp
from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace

__all__ = ["SparseVector"]

_MOST_ANSWERS = 20
"""Most answers whose output distribution is listed: it has up to 2^20 outputs."""
_MOST_TERMS = 10**6
"""Most values of the threshold's noise that are summed over: 24 MB for each answer."""
_NEGLIGIBLE = math.log(1e-17)


def _integer(name: str, given: Any) -> int:
    try:
        if isinstance(given, (bool, np.bool_)):
            raise TypeError
        return index(given)
    except TypeError:
        raise ValueError(f"{name} = {given!r}: must be an integer") from None


@value
class SparseVector:
    """Say of each integer answer q_1, q_2, ... whether q_i + N_i >= threshold + R, and stop after ``cutoff`` times yes.

    R is discrete Laplace noise of scale D / epsilon_1, drawn once; the N_i are independent ones of scale
    2 c D / epsilon_2, or c D / epsilon_2 if queries are monotone; epsilon_1 = threshold_share * epsilon, epsilon_2 =
    epsilon - epsilon_1.  Pure epsilon-DP, however many answers there are (Lyu, Su and Li 2017, algorithm 7 without its
    numeric answers, theorems 4 and 5; c = 1 is Dwork and Roth 2014, theorem 3.23.  Their algorithm for c > 1, theorem
    3.25, draws R anew after each yes and pays for it c times).

    Proof.  Let a be a sequence of verdicts, q and q' the answers on neighbours (replace one example: some answers rise,
    others fall), F(x) = P[N < x].  Given R = r the verdicts are independent, so

        P[a | q] = sum_r P[R = r] prod_{i: no} F(t + r - q_i) prod_{i: yes} (1 - F(t + r - q_i)).

    Compare the term of r for q with the term of r + D for q'.  P[R = r] <= e^epsilon_1 P[R = r + D].  Each no: F grows,
    and t + r - q_i <= t + r + D - q'_i.  Each yes: the arguments differ by at most 2 D, over which 1 - F changes by a
    factor of at most exp(2 D / scale) = exp(epsilon_2 / c), and there are at most c of them.  Hence P[a | q] <=
    e^epsilon P[a | q'].  The next query may depend on the verdicts so far: the product is over the same queries.

    Monotone means that between any two neighbours all answers move in one direction.  If q' >= q, compare as above: for
    each yes the arguments differ by D - (q'_i - q_i), between 0 and D.  If q' <= q, compare the terms of one r: each no
    by q'_i <= q_i, each yes over at most D.  So half the noise does.  Counts are monotone when an example is added or
    removed, and not when one is replaced.

    Args:
        epsilon: privacy parameter, > 0.
        threshold: an integer, what answers are compared with.
        cutoff: number c >= 1 of positive verdicts; AboveThreshold is c = 1.
        sensitivity: integer D >= 1, the largest change of one answer between neighbours.
        threshold_share: the part of epsilon spent on the threshold, in (0, 1).
        monotone: whether between any two neighbours all answers move in one direction; True only if that is proven.

    Source:
        Lyu, Su and Li 2017, algorithm 7, theorems 4 and 5; Dwork and Roth 2014, theorem 3.23 (c = 1).

    Examples:
        >>> SparseVector(1.0, threshold=100, cutoff=3).query_noise
        DiscreteLaplace(scale=Fraction(12, 1))
    """

    epsilon: float = positive()
    threshold: int = checked(_integer)
    cutoff: int = size(default=1)
    sensitivity: int = size(default=1)
    threshold_share: float = between(0, 1, default=0.5)
    monotone: bool = checked(checks.boolean, default=False)

    @property
    def threshold_noise(self) -> DiscreteLaplace:
        """Noise of the threshold, of scale D / epsilon_1."""
        return DiscreteLaplace(self.sensitivity / (Fraction(self.threshold_share) * Fraction(self.epsilon)))

    @property
    def query_noise(self) -> DiscreteLaplace:
        """Noise of each answer, of scale 2 c D / epsilon_2, or c D / epsilon_2 for monotone queries."""
        shift = self.sensitivity * (1 if self.monotone else 2)
        return DiscreteLaplace(self.cutoff * shift / ((1 - Fraction(self.threshold_share)) * Fraction(self.epsilon)))

    def verdicts(self, answers: Iterable[int], randomness: Randomness) -> Iterator[bool]:
        """Say whether each answer is above the threshold, until ``cutoff`` are or the answers end.

        Answers are taken one at a time, each after the verdict on the one before has been given: they may depend on it.
        Simulation: noise from floats.  Secure: exactly the distribution of ``log_probabilities``.  Each call costs
            epsilon.

        Args:
            answers: integers, taken one at a time.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Yields:
            For each answer whether it is above, with noise on both sides.

        Raises:
            ValueError: for an answer that is not an integer.

        Examples:
            >>> from semipriv.core.randomness import Secure
            >>> list(SparseVector(1.0, threshold=0, cutoff=2).verdicts([-10**9, 10**9, -10**9, 10**9, 0, 0], Secure()))
            [False, True, False, True]
        """
        noisy_threshold = self.threshold + self.threshold_noise.sample(randomness)
        noise, left = self.query_noise, self.cutoff
        for row, answer in enumerate(answers):
            above = _integer(f"answers[{row}]", answer) + noise.sample(randomness) >= noisy_threshold
            yield above
            left -= above
            if not left:
                return

    def log_probabilities(self, answers: Iterable[int]) -> dict[tuple[bool, ...], float]:
        """Return the exact distribution of the verdicts, as natural logarithms.

        The exact distribution is a sum over the noise r of the threshold.  For r above 0 and all q_i - t, each no has
        probability >= 1/2; for r below them, each yes has.  Beyond them the terms fall off as e^(-epsilon_1 |r| / D),
        up to a factor of 2 for each answer: what is left out is below 2e-17 of the sum.

        Args:
            answers: up to 20 integers.

        Returns:
            The logarithm of the probability of each sequence of verdicts.

        Raises:
            ValueError: for more than 20 answers, for numbers that are not integers, and for more than 10^6 terms (a
                small epsilon_1 / D, answers far from the threshold).
        """
        numbers = [_integer(f"answers[{row}]", answer) for row, answer in enumerate(answers)]
        if len(numbers) > _MOST_ANSWERS:
            raise ValueError(f"answers: the distribution is listed for at most {_MOST_ANSWERS}, got {len(numbers)}")
        rate = 1 / float(self.threshold_noise.scale)
        margin = math.ceil((len(numbers) * math.log(2) - _NEGLIGIBLE - math.log(-math.expm1(-rate))) / rate) + 1
        turns = [0, *(answer - self.threshold for answer in numbers)]
        low, high = min(turns) - margin, max(turns) + margin
        if high - low >= _MOST_TERMS:
            raise ValueError(
                f"answers: the distribution is a sum over {high - low + 1} values of noise, at most {_MOST_TERMS}"
            )
        r = np.arange(low, high + 1)
        noise, steps = self.query_noise, []
        for answer in numbers:
            needed = self.threshold - answer + r  # yes when the noise is at least that
            steps.append((noise.log_cumulative(needed - 1), noise.log_cumulative(-needed)))
        distribution: dict[tuple[bool, ...], float] = {}
        beginnings: list[tuple[tuple[bool, ...], Floats]] = [((), self.threshold_noise.log_probability(r))]
        while beginnings:
            beginning, weights = beginnings.pop()  # weights: logarithm of the joint probability with each r
            if sum(beginning) == self.cutoff or len(beginning) == len(numbers):
                distribution[beginning] = log_sum_exp(weights)
            else:
                no, yes = steps[len(beginning)]
                beginnings += [((*beginning, True), weights + yes), ((*beginning, False), weights + no)]
        return distribution
