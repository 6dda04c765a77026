"""Amplification by sampling: a private mechanism that runs on a random part of the data.

All proofs compare two runs: one reads the replaced example, the other reads *another example of the data* in its place.
So the guarantee must cover replacing the one by the other.  REPLACE_PRIVATE_EXAMPLE does.  REPLACE_ENTRY does if
entries are drawn among slots of the same kind, labelled or unlabelled, and each kind at most at the stated rate.
REPLACE_PRIVATE_FEATURES is refused: the other example may have another label, and then the two runs are no neighbours.
The sampled positions must not be published and must not depend on the data.

The results hold for the two ways of drawing below only.  A mechanism that fills places with examples until they run out
is neither of them; the reduction of ABM19 (claim 4.5) is one.  Its runs that use fewer examples differ in several
places, so that only the mechanism's own guarantee follows.
"""

import math

import numpy as np
from scipy.special import betainc, betaincc

from semipriv import checks
from semipriv.privacy.guarantee import Guarantee, Neighbours

EXCHANGEABLE = frozenset({Neighbours.REPLACE_PRIVATE_EXAMPLE, Neighbours.REPLACE_ENTRY})
"""Relations under which one example of the data may stand in the place of another."""

_TINY = 1e-250
"""Smaller positive epsilons are rounded up to this one: their products would underflow."""
_ROUNDING = 1e-12
"""Above the relative rounding errors of exponentials and binomial tails; ``with_replacement`` is rounded up by it."""


def without_replacement(guarantee: Guarantee, rate: float) -> Guarantee:
    """Return the guarantee on a uniform subset of m of n examples, drawn without replacement, q = m / n in (0, 1]:

        epsilon' = ln(1 + q (e^epsilon - 1)),  delta' = q delta.

    No smaller numbers hold for every mechanism (Balle, Barthe and Gaboardi 2018, theorem 9).  The mechanism must treat
    its input as a multiset, or the subset must be shuffled (BNS15 remark 4.4).  rate: q.

    >>> round(without_replacement(Guarantee(1.0), 0.01).epsilon, 5)
    0.01704
    """
    epsilon, rate = _exchangeable(guarantee).epsilon, checks.between("rate", rate, 0, 1, closed="h")
    return Guarantee(_log_mixture(rate, epsilon), rate * guarantee.delta, guarantee.neighbours)


def without_replacement_bns15(guarantee: Guarantee, rate: float) -> Guarantee:
    """Return the same with the constants of BNS15 claim 4.3: (q (3 + e^epsilon), 4 q delta), with q the rate.

    Raises ValueError if q (3 + e^epsilon) > 1, which the claim does not cover.

    >>> round(without_replacement_bns15(Guarantee(1.0), 0.01).epsilon, 5)
    0.05718
    """
    rate = checks.between("rate", rate, 0, 1, closed="h")
    own = _exchangeable(guarantee).epsilon
    amplified = rate * (3 + math.exp(own)) if own < 700 else math.inf
    if amplified > 1 + _ROUNDING:
        raise ValueError(f"rate = {rate!r}: must be <= 1 / (3 + e^{own!r}) (BNS15 claim 4.3)")
    return Guarantee(amplified, 4 * rate * guarantee.delta, guarantee.neighbours)


def with_replacement(guarantee: Guarantee, draws: int, total: int) -> Guarantee:
    """Return the guarantee on ``draws`` independent uniform draws from ``total`` examples, with replacement.

    The replaced example is drawn k times; k is binomial with probabilities P[k].  Let x_k and y_k be the probabilities
    of an event given k copies under either data set, and p its probability given none, common to both.  Let w_k =
    (e^(k epsilon) - 1) / (e^epsilon - 1).  By group privacy x_k <= e^(k epsilon) y_k + w_k delta; the same inequality
    holds for x_k against p, and for p against y_k.  For a factor l, the largest x_k - l y_k under these three is

        max(e^(k epsilon) - l, 1 - l e^(-k epsilon)) p + max(1, l e^(-k epsilon)) w_k delta.

    So epsilon' = ln l for the l at which the first summand averages to 0 over k, and delta' is the average of the
    second.  The maxima switch at k = ln(l) / epsilon, which leaves binomial tails: O(1) a step for any sizes.  The
    result is that of ``without_replacement`` for one draw, and below ``with_replacement_closed_form`` for more; it is
    rounded up by 1e-12.  For draws = total, epsilon' is larger than epsilon: resampling keeps privacy, but costs some.
    Raises ValueError if delta' reaches 1.

    >>> resampled = with_replacement(Guarantee(1.0), draws=10**6, total=10**6)
    >>> round(math.exp(resampled.epsilon), 3)
    6.441
    """
    draws, total = checks.size("draws", draws), checks.size("total", total)
    epsilon, delta, share = _exchangeable(guarantee).epsilon, guarantee.delta, 1 / total
    if 0 < epsilon < _TINY:
        epsilon = _TINY
    if epsilon == 0:
        return Guarantee(0.0, draws * share * delta, guarantee.neighbours)
    # E[e^(k epsilon)], E[e^(-k epsilon)], and the shares of the binomials that they tilt P into
    up, down = _log_mixture(share, epsilon), _log_mixture(share, -epsilon)
    share_up = math.exp(min(0.0, epsilon + math.log(share) - up))
    share_down = math.exp(min(0.0, -epsilon + math.log(share) - down))
    log_factor, switch = draws * up, -1
    while (k := min(int(log_factor / epsilon), draws)) > switch:  # Dinkelbach: the largest of the ratios over k
        switch = k
        tail, head = _log_tail(k, draws, share), _log_head(k, draws, share)
        high, low = _log_tail(k, draws, share_up) + draws * up, _log_head(k, draws, share_down) + draws * down
        log_factor = max(log_factor, float(np.logaddexp(high, head) - np.logaddexp(tail, low)))
    log_factor = min(log_factor * (1 + _ROUNDING) + 1e-14, draws * (up - down))
    gain, loss = np.logaddexp(high, log_factor + head), np.logaddexp(tail, log_factor + low)
    log_sum = float(gain + np.log(-np.expm1(min(0.0, loss - gain)) + 4 * _ROUNDING)) - _log_expm1(epsilon)
    # each summand is at most l k e^((k - 1) epsilon): no cancellation where epsilon is tiny
    log_coarse = log_factor + math.log(draws * share) + (draws - 1) * up
    return _grown(guarantee, log_factor, min(log_sum, log_coarse))


def with_replacement_closed_form(guarantee: Guarantee, draws: int, total: int) -> Guarantee:
    """Return a simpler bound for the same: each data set is compared with runs that never draw the replaced example.

        epsilon' = ln(u / v),  delta' = (u - 1 + (1 - v) u / v) / (e^epsilon - 1) delta,
        u = (1 + (e^epsilon - 1) / total)^draws,  v = (1 - (1 - e^-epsilon) / total)^draws.

    >>> round(with_replacement_closed_form(Guarantee(1.0), 10, 10).epsilon, 4)
    2.2386
    """
    draws, total = checks.size("draws", draws), checks.size("total", total)
    epsilon = _exchangeable(guarantee).epsilon
    if 0 < epsilon < _TINY:
        epsilon = _TINY
    if epsilon == 0:
        return Guarantee(0.0, 2 * draws / total * guarantee.delta, guarantee.neighbours)
    up, down = (draws * _log_mixture(1 / total, e) for e in (epsilon, -epsilon))
    log_sum = float(np.logaddexp(_log_expm1(up), up + _log_expm1(-down)))
    return _grown(guarantee, up - down, log_sum - _log_expm1(epsilon))


def with_replacement_bns15(guarantee: Guarantee) -> Guarantee:
    """Return (ln 244, 2467 delta), BNS15 claim 4.5 for as many draws as examples; ValueError unless epsilon <= 1."""
    if _exchangeable(guarantee).epsilon > 1:
        raise ValueError(f"epsilon = {guarantee.epsilon!r}: must be <= 1 (BNS15 claim 4.5)")
    return Guarantee(math.log(244), 2467 * guarantee.delta, guarantee.neighbours)


def _exchangeable(guarantee: Guarantee) -> Guarantee:
    if guarantee.neighbours not in EXCHANGEABLE:
        allowed = " and ".join(sorted(EXCHANGEABLE))
        raise ValueError(f"neighbours = {guarantee.neighbours.value}: sampling amplifies only for {allowed}")
    return guarantee


def _grown(guarantee: Guarantee, epsilon: float, log_growth: float) -> Guarantee:
    """Return the guarantee at epsilon with delta e^log_growth; raise ValueError if that reaches 1."""
    if guarantee.delta == 0:
        return Guarantee(epsilon, 0.0, guarantee.neighbours)
    log_delta = math.log(guarantee.delta) + log_growth
    if log_delta >= 0:
        raise ValueError(f"delta = {guarantee.delta!r}: grows by e^{log_growth:.6g} to 1 or more in the sampled run")
    return Guarantee(epsilon, math.exp(log_delta), guarantee.neighbours)


def _log_mixture(rate: float, epsilon: float) -> float:
    """Return ln(1 - rate + rate e^epsilon), without overflow, for epsilon of either sign."""
    if rate == 1:
        return epsilon
    if epsilon < 500:
        return math.log1p(rate * math.expm1(epsilon))
    return epsilon + math.log(rate + (1 - rate) * math.exp(-epsilon))


def _log_expm1(value: float) -> float:
    return math.log(math.expm1(value)) if value < 500 else value


def _log_tail(k: int, draws: int, share: float) -> float:
    """Return ln P[Bin(draws, share) > k]."""
    return _log(betainc(k + 1, draws - k, share)) if k < draws else -math.inf


def _log_head(k: int, draws: int, share: float) -> float:
    """Return ln P[Bin(draws, share) <= k]."""
    return _log(betaincc(k + 1, draws - k, share)) if k < draws else 0.0


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
