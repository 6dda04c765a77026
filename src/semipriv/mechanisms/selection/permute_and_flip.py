"""Permute-and-flip (McKenna and Sheldon 2020), never worse than the exponential mechanism."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.fields import value
from semipriv.core.kernels import njit
from semipriv.core.randomness import Randomness, Secure
from semipriv.core.rounding import outward
from semipriv.core.types import Floats, Indices, Integers
from semipriv.mechanisms.sampling.choice import HORIZON, Uniform, horizon
from semipriv.mechanisms.sampling.weights import exponential_chance
from semipriv.mechanisms.selection.base import Candidates, Pools, SelectionMechanism, T

__all__ = ["PermuteAndFlip"]

_ORDER = 32
_RACES = 100
"""Draws up to which races of the pools take less time than their probabilities."""
_BITS = 53
"""Binary digits of the uniform numbers of the first brackets: they are floats."""


@cache
def _legendre(order: int) -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return (nodes + 1) / 2, weights / 2


@value
class PermuteAndFlip(SelectionMechanism):
    """Visit the indices in random order and accept index i with probability q_i; the first accepted is the output.

    q_i = exp(-epsilon (max - scores[i]) / (2 sensitivity)).  Pure epsilon-DP.  With uniform arrival times t,

        P[i] = q_i * integral_0^1 prod_{j != i} (1 - t q_j) dt,

    which is integrated on geometrically growing panels by Gauss-Legendre rules, to about 1e-13 relative error.

    The exact sampler visits nobody: the output is distributed as report-noisy-max with exponential noise (Ding, Kifer,
    Steinke and Thakurta 2021), argmax_i E_i + ln q_i with independent P[E_i > x] = e^-x.  For the best index has noisy
    score E_i >= 0, so the largest one is >= 0; at x >= 0 the noisy score of i exceeds x with probability q_i e^-x; and

        P[i] = integral_0^infinity q_i e^-x prod_{j != i} (1 - q_j e^-x) dx

    is the distribution above for t = e^-x.  The largest of a pool's c independent E_i is -ln(1 - U^{1/c}) with U
    uniform, its place in the pool is uniform and independent of it: one uniform number a pool decides the race of the
    pools.

    Of listed scores only those with rate * gap <= 64 race, and this is exact.  Let the far candidates be the others.
    Their noisy scores are independent of the near ones, whose largest is >= 0, so a far one can only win if its own is
    >= 0: it *rises*, with probability q_i, independently of the others.  By the memoryless property

        P[E_i + ln q_i > x | E_i + ln q_i >= 0] = e^-x,

    whatever q_i is: given who rises, each far candidate that does races like one at gap 0, and the others are out.  So
    one first draws who rises (``rising``), then lets these race at gap 0 with the near ones.  Nobody rises, except with
    a chance of at most k e^-64: this takes one uniform number, and the far candidates are not looked at.

    At most 2^960 candidates.

    Source:
        McKenna and Sheldon 2020; Ding, Kifer, Steinke and Thakurta 2021 (as report-noisy-max).

    Examples:
        >>> np.exp(PermuteAndFlip(1.0).log_probabilities([0, -1, -2])).round(5)
        array([0.58717, 0.26608, 0.14675])
    """

    def pool_log_probabilities(self, gaps: Integers, counts: Integers) -> Floats:
        """Return ln q + ln integral_0^1 prod_pools (1 - t q_p)^(counts_p - [p is the own pool]) dt."""
        log_q = -self._float_rate * gaps
        q, number = np.exp(log_q), _floats(counts)
        nodes, weights = self._panels(float(number @ q))
        integral = np.zeros(len(q))
        for panel in range(0, len(nodes), _ORDER):  # one at a time, to bound the memory
            t, weight = nodes[panel : panel + _ORDER], weights[panel : panel + _ORDER]
            log_factor = np.log1p(-t[:, None] * q)  # (t, p); nodes are below 1, so every factor is positive
            log_product = log_factor @ number
            integral += weight @ np.exp(log_product[:, None] - log_factor)
        return np.asarray(log_q + np.log(integral), dtype=np.float64)

    def choose_pools(self, gaps: Integers, counts: Integers, randomness: Randomness, size: int) -> Indices:
        """Draw ``size`` pools independently: by races of the pools in floats, O(p) each; many by the distribution.

        Secure: ``exact_pool``.
        """
        if isinstance(randomness, Secure) or size > _RACES:
            return super().choose_pools(gaps, counts, randomness, size)
        number, penalty = _floats(counts), self._float_rate * gaps
        draws = (randomness.generator.random(len(gaps)) for _ in range(size))
        return np.array([np.argmax(_noise(uniform, number) - penalty) for uniform in draws], np.intp)

    def exact_pool(self, gaps: Integers, counts: Integers, randomness: Secure) -> int:
        """Draw by a race of the pools: with 53 bits of each uniform number, then more for those that may still win."""
        if len(gaps) == 1:
            return 0
        drawn = np.frombuffer(randomness.entropy(8 * len(gaps)), "<u8") >> (64 - _BITS)
        low, high = _float_brackets(drawn, gaps, counts, self.rate)
        left = np.flatnonzero(high >= low.max())
        uniforms = {int(p): Uniform(randomness, int(drawn[p]), _BITS) for p in left} if len(left) > 1 else {}
        width = _BITS
        while len(left) > 1:
            width *= 2
            brackets = []
            for p in map(int, left):
                uniforms[p].extend(width)
                brackets.append(noisy_score(uniforms[p], int(counts[p]), self.rate * int(gaps[p])))
            best = max(least for least, _ in brackets)
            left = left[[greatest >= best for _, greatest in brackets]]
        return int(left[0])

    def select(self, candidates: Candidates[T], randomness: Randomness) -> T:
        """Draw as any mechanism; of listed scores, under Secure, pool only those that are near the best."""
        listed: Any = candidates
        if isinstance(randomness, Secure) and isinstance(listed, Pools):
            near = listed.near(horizon(self.rate))
            if near is not None:
                gaps, counts, beyond = near
                far = partial(listed.beyond, int(gaps[-1]) + 1)
                risen = rising(beyond, far, self.rate, randomness) if beyond else []
                pool = self.exact_pool(*_with(risen, gaps, counts), randomness)
                chosen: Any = listed.member(
                    int(gaps[pool]) if pool < len(gaps) else risen[pool - len(gaps)], randomness
                )
                return chosen
        return super().select(candidates, randomness)

    @staticmethod
    def _panels(total: float) -> tuple[Floats, Floats]:
        """Return nodes and weights on [0, 1], fine near 0: there the integrand decays like exp(-t * total)."""
        count = max(1, int(np.ceil(np.log2(max(total, 1.0)))) + 1)
        edges = np.concatenate([[0.0], 2.0 ** -np.arange(count - 1, -1, -1.0)])
        nodes, weights = _legendre(_ORDER)
        width = np.diff(edges)[:, None]
        return (edges[:-1, None] + width * nodes).ravel(), (width * weights).ravel()


def _with(risen: list[int], gaps: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Return the pools, and after them one of gap 0 for each far candidate that rises."""
    if not risen:
        return gaps, counts
    return np.append(gaps, [0] * len(risen)), np.append(counts, [1] * len(risen))


def rising(
    number: int,
    far: Callable[[], tuple[Integers, Integers]],
    rate: Fraction,
    randomness: Secure,
    nearest: int = HORIZON,
) -> list[int]:
    """Draw which far candidates rise, each independently with probability exp(-rate * gap); return their gaps.

    number: of the far candidates, >= 1; far(): their pools, gaps and counts, asked only if 64 bits cannot decide;
    rate * gap > nearest for each.

    In order, candidate r is the first to rise with probability s_{r-1} - s_r, s_r = prod_{i <= r} (1 - q_i): it is the
    first r with U < 1 - s_r for a uniform number U, and if there is none, nobody rises.  Those after it rise
    independently of that, so they are drawn the same way, with a new number.  Each decision is exact: the number's
    digits and those of the bracket of 1 - s_r are doubled until they do not overlap.  1 - s_r is at most r e^-nearest.
    """
    risen: list[int] = []
    left: list[tuple[int, int]] | None = None
    while number:
        uniform = Uniform(randomness)
        uniform.extend(64)
        if uniform.numerator << 23 * nearest // 16 >= number << 64:  # U >= number 2^-(23/16 nearest); e > 2^(23/16)
            break
        if left is None:
            gaps, counts = far()
            left = list(zip(gaps.tolist(), counts.tolist(), strict=True))
        if not uniform.is_below(partial(exponential_chance, left, rate)):
            break
        first, last = 1, number
        while first < last:
            middle = (first + last) // 2
            if uniform.is_below(partial(exponential_chance, _split(left, middle)[0], rate)):
                last = middle
            else:
                first = middle + 1
        before, left = _split(left, first)
        risen.append(before[-1][0])
        number -= first
    return risen


def _split(pools: list[tuple[int, int]], size: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the pools (gap, count) of the first ``size`` candidates, 1 <= size, and of those after them."""
    head: list[tuple[int, int]] = []
    for p, (gap, count) in enumerate(pools):
        if size <= count:
            rest = [(gap, count - size)] if size < count else []
            return [*head, (gap, size)], rest + pools[p + 1 :]
        head.append((gap, count))
        size -= count
    return head, []


def _floats(counts: Integers) -> Floats:
    """Return counts as floats; ValueError for more than 2^960 in all: so -ln(U) / count is 0 or above 2^-1013, normal.

    How many candidates there are is public.  How many share a score is not: no refusal may depend on it.
    """
    if counts.dtype == object and sum(counts.tolist()) > 2**960:  # 64-bit counts add up to less
        raise ValueError("counts: permute-and-flip takes at most 2^960 candidates")
    return counts.astype(np.float64)


def _noise(uniform: NDArray[Any], number: Floats) -> NDArray[Any]:
    """Return -ln(1 - U^{1/number}), the largest of so many exponential variables, elementwise."""
    with np.errstate(divide="ignore"):  # U = 0 gives 0, U = 1 infinity
        return -np.log(-np.expm1(np.log(uniform) / number))


def _float_brackets(drawn: NDArray[Any], gaps: Integers, counts: Integers, rate: Fraction) -> tuple[Floats, Floats]:
    """Return bounds of -ln(1 - U^{1/count}) - rate * gap for U in [drawn, drawn + 1] / 2^53: (p,), (p,).

    np.log and np.expm1 are taken to be within 4 units in the last place, 2^-50; counts are rounded by 2^-53.  Then
    -ln(U) / count is within 2^-49 of itself, and 1 - U^{1/count}, whose logarithm it moves by at most as much, within
    2^-48: the noise x within 2^-47 + 2^-49 x.  The penalty rate * gap is within 2^-51 of itself + 2^-900, or beyond
    2^900 for a rate beyond: then its lower bound is too high, but far below that of the best score.  The difference is
    rounded once.
    """
    return _bracketed(drawn, gaps, _floats(counts), float(min(rate, Fraction(2**900))))


@njit(cache=True)
def _bracketed(drawn: NDArray[Any], gaps: Integers, number: Floats, rate: float) -> tuple[Floats, Floats]:
    low, high = np.empty(gaps.size), np.empty(gaps.size)
    for p in range(gaps.size):
        penalty = rate * gaps[p]
        least, greatest = 0.0, np.inf
        if drawn[p]:
            least = -np.log(-np.expm1(np.log(float(drawn[p]) * 2.0**-_BITS) / number[p]))
        if drawn[p] + np.uint64(1) < np.uint64(2**_BITS):
            greatest = -np.log(-np.expm1(np.log((drawn[p] + np.uint64(1)) * 2.0**-_BITS) / number[p]))
        low[p] = least - penalty - 2.0**-46 * (1 + least + penalty)
        high[p] = greatest - penalty + 2.0**-46 * (1 + greatest + penalty)
    return low, high


def noisy_score(uniform: Uniform, count: int, penalty: Fraction) -> tuple[Decimal, Decimal]:
    """Return bounds of -ln(1 - U^{1/count}) - penalty for what is known of U; penalty rational >= 0.

    With b bits of U, 1 - U^{1/count} is 0 or above 2^-b / count.  A few digits more than those of that number give it
    a small relative error.  If U may be 1, the upper bound is infinite.
    """
    whole = Decimal(2**uniform.width)
    down, up = outward((3 * (uniform.width + count.bit_length())) // 10 + len(str(int(penalty))) + 12)
    numerator, denominator = Decimal(penalty.numerator), Decimal(penalty.denominator)
    least, greatest = Decimal(0), Decimal("Infinity")
    if uniform.numerator:
        fraction = down.divide(uniform.numerator, whole)
        exponent = down.divide(down.next_minus(down.ln(fraction)), count)
        complement = up.subtract(1, down.next_minus(down.exp(exponent)))
        least = max(least, up.next_plus(up.ln(complement)).copy_negate())
    if uniform.numerator + 1 < whole:
        fraction = up.divide(uniform.numerator + 1, whole)
        exponent = up.divide(up.next_plus(up.ln(fraction)), count)
        complement = down.subtract(1, up.next_plus(up.exp(exponent)))
        if complement > 0:
            greatest = down.next_minus(down.ln(complement)).copy_negate()
    return (
        down.subtract(least, up.divide(numerator, denominator)),
        up.subtract(greatest, down.divide(numerator, denominator)),
    )
