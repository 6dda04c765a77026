"""Composition of guarantees: several mechanisms on the same data, or on parts that share no example.

The mechanisms may be chosen adaptively, each seeing the outputs of the earlier ones; their guarantees are fixed in
advance.  All functions refuse to mix neighbour relations.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from scipy.special import gammaln

from semipriv import checks
from semipriv.privacy.guarantee import Guarantee, common_neighbours
from semipriv.privacy.search import smallest


def basic_composition(guarantees: Iterable[Guarantee]) -> Guarantee:
    """Return (sum of epsilons, sum of deltas) for mechanisms on the same data (Dwork et al. 2006).

    Raises ValueError if neighbours differ, if there is no guarantee, and if the deltas reach 1.

    >>> basic_composition([Guarantee(0.5), Guarantee(0.25, 1e-6)]).epsilon
    0.75
    """
    parts = list(guarantees)
    neighbours = common_neighbours(*(part.neighbours for part in parts))
    return Guarantee(math.fsum(p.epsilon for p in parts), math.fsum(p.delta for p in parts), neighbours)


def advanced_composition(guarantees: Iterable[Guarantee], slack: float) -> Guarantee:
    """Return the guarantee of advanced composition (Dwork, Rothblum and Vadhan 2010, theorem III.3):

        epsilon = sqrt(2 ln(1 / slack) sum epsilon_i^2) + sum epsilon_i (e^epsilon_i - 1),  delta = sum delta_i + slack,

    for slack in (0, 1).  Epsilons may differ.  Larger than by basic composition if mechanisms are few.

    >>> round(advanced_composition([Guarantee(0.01)] * 10_000, 1e-6).epsilon, 3)
    6.262
    """
    parts, slack = list(guarantees), checks.between("slack", slack, 0, 1)
    neighbours = common_neighbours(*(part.neighbours for part in parts))
    largest = max(part.epsilon for part in parts)
    if largest > 500:
        raise ValueError(f"epsilon = {largest!r}: must be <= 500 for advanced composition")
    spread = math.sqrt(-2 * math.log(slack) * math.fsum(p.epsilon**2 for p in parts))
    drift = math.fsum(p.epsilon * math.expm1(p.epsilon) for p in parts)
    return Guarantee(spread + drift, math.fsum([*(p.delta for p in parts), slack]), neighbours)


def optimal_delta(guarantee: Guarantee, count: int, epsilon: float) -> float:
    """Return the smallest delta such that any ``count`` mechanisms with the guarantee are together (epsilon, delta)-DP.

    Let (e, d) be the guarantee, and l binomial of ``count`` trials with probability 1 / (1 + e^e).  Then delta is

        1 - (1 - d)^count (1 - E[max(0, 1 - exp(epsilon - (count - 2 l) e))]),

    It is attained by randomised response that reveals its input with probability d, since every (e, d)-DP mechanism is
    a post-processing of that one (Kairouz, Oh and Viswanath 2015, theorem 3.3, for a grid of epsilons; the same holds
    between them).  Memory O(count); relative rounding error below 1e-15 (2 + count ln count).

    >>> round(optimal_delta(Guarantee(0.1), 30, 1.0), 5)
    0.01056
    """
    count, epsilon = checks.size("count", count), checks.between("epsilon", epsilon, 0, math.inf, closed="l")
    own = guarantee.epsilon
    other = np.arange(count + 1.0)
    log_mass = gammaln(count + 1) - gammaln(other + 1) - gammaln(count - other + 1)
    log_mass += -other * np.logaddexp(0, own) - (count - other) * np.logaddexp(0, -own)
    excess = -np.expm1(np.minimum(0, epsilon - (count - 2 * other) * own))
    revealed = -math.expm1(count * math.log1p(-guarantee.delta))
    return float(revealed + (1 - revealed) * (np.exp(log_mass) @ excess))


def optimal_composition(guarantee: Guarantee, count: int, delta: float) -> Guarantee:
    """Return the smallest epsilon at this delta for any ``count`` mechanisms with the guarantee; see ``optimal_delta``.

    delta: in [1 - (1 - guarantee.delta)^count, 1), else ValueError.  At the lower end the epsilons add up.  The result
    is never too small by rounding.

    >>> round(optimal_composition(Guarantee(0.01), 10_000, 1e-6).epsilon, 3)
    4.886
    """
    count, delta = checks.size("count", count), checks.delta("delta", delta)
    largest = count * guarantee.epsilon
    least = optimal_delta(guarantee, count, largest)
    if delta < least:
        raise ValueError(f"delta = {delta!r}: must be >= 1 - (1 - {guarantee.delta!r})^{count} = {least!r}")
    rounding = 1e-15 * (2 + count * math.log(count))

    def holds(epsilon: float) -> bool:
        return optimal_delta(guarantee, count, epsilon) * (1 + rounding) <= delta

    epsilon = 0.0 if holds(0.0) else smallest(holds, 0.0, largest)
    return Guarantee(epsilon, delta, guarantee.neighbours)


def parallel_composition(guarantees: Sequence[Guarantee], parts: Sequence[range]) -> Guarantee:
    """Return (largest epsilon, largest delta), if mechanism i reads only the examples with indices in parts[i].

    parts: ranges of step 1 that share no index, else ValueError.  They are ranges of *indices*; examples may be
    permuted before, publicly or at random.  A replaced example stays in its slot.  So one part changes, by one
    replacement, and the other mechanisms read the same as before.  A partition by the *content* of the examples is not
    covered: replacing an example may then move it to another part, so that two parts change, and in size.

    >>> parallel_composition([Guarantee(1.0), Guarantee(0.5, 1e-6)], [range(0, 100), range(100, 400)])
    Guarantee(epsilon=1.0, delta=1e-06, neighbours=<Neighbours.REPLACE_PRIVATE_EXAMPLE: 'replace_private_example'>)
    """
    if len(guarantees) != len(parts):
        raise ValueError(f"{len(guarantees)} guarantees for {len(parts)} parts: must be one each")
    neighbours = common_neighbours(*(guarantee.neighbours for guarantee in guarantees))
    for part in parts:
        if not isinstance(part, range) or part.step != 1 or part.start < 0:
            raise ValueError(f"parts: {part!r} must be a range of indices >= 0 with step 1")
    for before, after in pairwise(sorted((part for part in parts if part), key=lambda part: part.start)):
        if after.start < before.stop:
            raise ValueError(f"parts: {before!r} and {after!r} share index {after.start}")
    return Guarantee(max(g.epsilon for g in guarantees), max(g.delta for g in guarantees), neighbours)


def group_privacy(guarantee: Guarantee, size: int) -> tuple[float, float]:
    """Return epsilon and delta for data sets that differ by ``size`` replacements:

        epsilon' = size epsilon,  delta' = min(1, delta (e^(size epsilon) - 1) / (e^epsilon - 1)).

    The result is a pair of numbers and no Guarantee, since the data sets are no neighbours (Dwork et al. 2006; Dwork
    and Roth 2014, theorem 2.2, for delta = 0).

    >>> group_privacy(Guarantee(0.5), 3)
    (1.5, 0.0)
    """
    size = checks.size("size", size)
    epsilon, delta = guarantee.epsilon, guarantee.delta
    if delta == 0 or epsilon == 0:
        return size * epsilon, min(1.0, size * delta)
    log_sum = (size - 1) * epsilon + math.log(math.expm1(-size * epsilon) / math.expm1(-epsilon))
    return size * epsilon, math.exp(min(0.0, math.log(delta) + log_sum))
