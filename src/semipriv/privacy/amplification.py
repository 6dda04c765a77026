"""Amplification by sampling: a private mechanism that runs on a random part of the data.

All proofs compare two runs: one reads the replaced example, the other reads *another example of the data* in its place.
So the guarantee must cover replacing the one by the other.  REPLACE_PRIVATE_EXAMPLE does.  REPLACE_ENTRY does if
entries are drawn among slots of the same kind, labelled or unlabelled, and each kind at most at the stated rate.
REPLACE_PERSON does if persons are drawn, each with all their rows.
REPLACE_PRIVATE_FEATURES is refused: the other example may have another label, and the two runs are not neighbours then.
The sampled positions must not be published and must not depend on the data.

The results hold for the two ways of drawing below only.  A mechanism that fills places with examples until they run out
is neither of them; the reduction of ABM19 (claim 4.5) is one.  Its runs that use fewer examples differ in several
places, so that only the mechanism's own guarantee follows.

All results are rounded up once, from 50 digits: none is below its formula.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from semipriv.core import checks
from semipriv.core.rounding import STEEP, Bracket, rational, rounded_up
from semipriv.privacy.composition import group_privacy
from semipriv.privacy.guarantee import Guarantee, Neighbours

EXCHANGEABLE = frozenset({Neighbours.REPLACE_PRIVATE_EXAMPLE, Neighbours.REPLACE_ENTRY, Neighbours.REPLACE_PERSON})
"""Relations under which one example of the data may stand instead of another."""

_COPIES = 10_000
"""Most numbers of copies of one example that ``with_replacement`` looks at, one by one."""
_USELESS = 60
"""Up to this epsilon N_s and M_s of ``with_replacement`` are within a factor e^60 of 1: 20 of 50 digits are left."""
_SLACK = 1e-12
"""A rate this much above the limit of BNS15 claim 4.3 is taken: the limit is often computed, and what is returned is
above ``without_replacement`` at any rate."""


def without_replacement(guarantee: Guarantee, rate: float | Fraction) -> Guarantee:
    """Return the guarantee on a uniform subset of m of n examples, drawn without replacement, q = m / n in (0, 1]:

        epsilon' = ln(1 + q (e^epsilon - 1)),  delta' = q delta.

    No smaller numbers hold for every mechanism (Balle, Barthe and Gaboardi 2018, theorem 9).  The mechanism must treat
    its input as a multiset, or the subset must be shuffled (BNS15 remark 4.4).  rate: q, exactly as given; if m / n is
    no float, Fraction(m, n).

    >>> round(without_replacement(Guarantee(1.0), 0.01).epsilon, 5)
    0.01704
    """
    share = _rate(rate)
    epsilon = _log_mixture(share, _exchangeable(guarantee).epsilon).up if share < 1 else guarantee.epsilon
    return Guarantee(epsilon, rounded_up(share * Fraction(guarantee.delta)), guarantee.neighbours)


def without_replacement_bns15(guarantee: Guarantee, rate: float | Fraction) -> Guarantee:
    """Return the same with the constants of BNS15 claim 4.3: (q (3 + e^epsilon), 4 q delta), with q the rate.

    Raises ValueError if q (3 + e^epsilon) > 1, which the claim does not cover.

    >>> round(without_replacement_bns15(Guarantee(1.0), 0.01).epsilon, 5)
    0.05718
    """
    share, epsilon = _rate(rate), _exchangeable(guarantee).epsilon
    amplified = (share * (3 + Bracket.of(epsilon).exp())).up if epsilon < 700 else math.inf
    if amplified > 1 + _SLACK:
        raise ValueError(f"rate = {rate!r}: must be <= 1 / (3 + e^{epsilon!r}) (BNS15 claim 4.3)")
    return Guarantee(amplified, rounded_up(4 * share * Fraction(guarantee.delta)), guarantee.neighbours)


@cache
def partly_labelled_subset(guarantee: Guarantee, rate: float | Fraction, *, moves: bool) -> Guarantee:
    """Return the guarantee of algorithm 4 of BNS15: a uniform subset, of which a fixed number of entries get labels.

        epsilon' = ln(1 + q (e^(2 epsilon) - 1)),  delta' = q (1 + e^epsilon) delta.

    A run that reads the replaced entry is compared with one that reads another entry of the data in its place.  If
    labels go to the entries of smallest index (moves), the labelled part may then lose it while the unlabelled part
    gets the other one, and a third entry moves between them: each part differs in one entry, which is group privacy for
    two.  Otherwise one part differs in one entry, and the result is that of ``without_replacement``.  Labelled and
    unlabelled entries are shuffled, each among themselves, or the mechanism treats them as multisets.  Raises
    ValueError if (1 + e^epsilon) delta reaches 1.

    >>> round(partly_labelled_subset(Guarantee(1.0), 0.01, moves=True).epsilon, 5)
    0.06193
    """
    if not moves:
        return without_replacement(guarantee, rate)
    epsilon, delta = group_privacy(_exchangeable(guarantee), 2)
    if delta >= 1:
        raise ValueError(f"delta = {guarantee.delta!r}: (1 + e^{guarantee.epsilon!r}) delta must be below 1")
    return without_replacement(Guarantee(epsilon, delta, guarantee.neighbours), rate)


def with_replacement(guarantee: Guarantee, draws: int, total: int) -> Guarantee:
    """Return the guarantee on ``draws`` independent uniform draws from ``total`` examples, with replacement.

    The replaced example is drawn k times; k is binomial with probabilities P[k].  Let x_k and y_k be the probabilities
    of an event given k copies under either data set, and p its probability given none, common to both.  Let w_k =
    (e^(k epsilon) - 1) / (e^epsilon - 1).  By group privacy x_k <= e^(k epsilon) y_k + w_k delta; the same inequality
    holds for x_k against p, and for p against y_k.  For a factor l, the largest x_k - l y_k under these three is

        max(e^(k epsilon) - l, 1 - l e^(-k epsilon)) p + max(1, l e^(-k epsilon)) w_k delta.

    It is the largest over s of the same with the maxima taken at the first entries for k > s, at the second for k <= s.
    So epsilon' = ln l for the l at which the first summand averages to 0 over k: with N_s = E[e^(k epsilon); k > s] +
    P[k <= s] and M_s = P[k > s] + E[e^(-k epsilon); k <= s], l is the largest N_s / M_s.  And delta' is delta times the
    largest (N_s - 1 + l (1 - M_s)) / (e^epsilon - 1).  No s above ln(l) / epsilon need be looked at, and l is at most
    that of ``with_replacement_closed_form``.  That form is returned if these are more than 10,000, which takes about
    5,000 draws for each example, and if its epsilon exceeds 60.  For draws = total, epsilon' is larger than epsilon:
    resampling keeps privacy, but costs some; it is never above draws epsilon.  Raises ValueError if delta' reaches 1.

    >>> resampled = with_replacement(Guarantee(1.0), draws=10**6, total=10**6)
    >>> round(math.exp(resampled.epsilon), 3)
    6.441
    """
    draws, total = checks.size("draws", draws), checks.size("total", total)
    epsilon, share = Fraction(_exchangeable(guarantee).epsilon), Fraction(1, total)
    if not epsilon:
        return Guarantee(0.0, rounded_up(draws * share * Fraction(guarantee.delta)), guarantee.neighbours)
    largest = _closed(share, epsilon, draws).up
    most = min(draws, math.ceil(Fraction(largest) / epsilon))
    if most > _COPIES or largest > _USELESS:
        return with_replacement_closed_form(guarantee, draws, total)
    sums = list(_sums(share, epsilon, draws, most))
    excess = max(((gained + lost) / (1 - lost)).high for gained, lost in sums)  # of l above 1
    resampled = min(Bracket.of(excess).log1p().up, rounded_up(draws * epsilon))
    beyond_one = Bracket.of(resampled).expm1()
    growth = max((gained + (1 + beyond_one) * lost).high for gained, lost in sums)
    return _grown(guarantee, resampled, Bracket.of(growth) / Bracket.of(epsilon).expm1())


def with_replacement_closed_form(guarantee: Guarantee, draws: int, total: int) -> Guarantee:
    """Return a simpler bound for the same: each data set is compared with runs that never draw the replaced example.

        epsilon' = ln(u / v),  delta' = (u - 1 + (1 - v) u / v) / (e^epsilon - 1) delta,
        u = (1 + (e^epsilon - 1) / total)^draws,  v = (1 - (1 - e^-epsilon) / total)^draws.

    >>> round(with_replacement_closed_form(Guarantee(1.0), 10, 10).epsilon, 4)
    2.2386
    """
    draws, share = checks.size("draws", draws), Fraction(1, checks.size("total", total))
    epsilon = Fraction(_exchangeable(guarantee).epsilon)
    if not epsilon:
        return Guarantee(0.0, rounded_up(2 * draws * share * Fraction(guarantee.delta)), guarantee.neighbours)
    resampled = _closed(share, epsilon, draws).up
    if guarantee.delta == 0:
        return Guarantee(resampled, 0.0, guarantee.neighbours)
    if draws * epsilon > STEEP:
        raise ValueError(f"epsilon = {guarantee.epsilon!r}: must be <= 1e15 / draws if delta > 0")
    log_u, log_v = (draws * _log_mixture(share, exponent) for exponent in (epsilon, -epsilon))
    growth = log_u.expm1() + log_u.exp() * (-log_v).expm1()
    return _grown(guarantee, resampled, growth / Bracket.of(epsilon).expm1())


def with_replacement_by_position(guarantee: Guarantee, draws: int, total: int) -> Guarantee:
    """Return the guarantee on the same draws, as a list: position by position.

        epsilon' = draws ln(1 + (e^epsilon - 1) / total),
        delta' = ((1 + (e^epsilon - 1) / total)^draws - 1) / (e^epsilon - 1) delta.

    Let the first i positions be drawn from one data set, the others from its neighbour.  From i - 1 to i only position
    i changes.  Given the other positions it is a subset of one example, which ``without_replacement`` covers with q = 1
    / total, and a list of one needs no shuffle.  The steps add up as in group privacy.  No smaller epsilon' holds for
    every mechanism, if delta = 0: one that says 1 with probability c e^(k epsilon) on k copies of an example comes as
    near as one wants, as c goes to 0.  It is never above that of ``with_replacement``; delta' may be.  Raises
    ValueError if delta' reaches 1.

    >>> resampled = with_replacement_by_position(Guarantee(1.0, 1e-6), draws=10**6, total=10**6)
    >>> round(resampled.epsilon, 4), round(resampled.delta * 1e6, 4)
    (1.7183, 2.6625)
    """
    draws, share = checks.size("draws", draws), Fraction(1, checks.size("total", total))
    epsilon = Fraction(_exchangeable(guarantee).epsilon)
    if not epsilon:
        return Guarantee(0.0, rounded_up(draws * share * Fraction(guarantee.delta)), guarantee.neighbours)
    growing = draws * _log_mixture(share, epsilon)
    if guarantee.delta == 0:
        return Guarantee(growing.up, 0.0, guarantee.neighbours)
    if growing.high > STEEP:
        raise ValueError(f"epsilon = {guarantee.epsilon!r}: resampled is above 1e15, too large for delta > 0")
    return _grown(guarantee, growing.up, growing.expm1() / Bracket.of(epsilon).expm1())


def with_replacement_bns15(guarantee: Guarantee) -> Guarantee:
    """Return (ln 244, 2467 delta), BNS15 claim 4.5 for as many draws as examples; ValueError unless epsilon <= 1."""
    if _exchangeable(guarantee).epsilon > 1:
        raise ValueError(f"epsilon = {guarantee.epsilon!r}: must be <= 1 (BNS15 claim 4.5)")
    return Guarantee(Bracket.of(244).ln().up, rounded_up(2467 * Fraction(guarantee.delta)), guarantee.neighbours)


def _exchangeable(guarantee: Guarantee) -> Guarantee:
    if guarantee.neighbours not in EXCHANGEABLE:
        allowed = " and ".join(sorted(EXCHANGEABLE))
        raise ValueError(f"neighbours = {guarantee.neighbours.value}: sampling amplifies only for {allowed}")
    return guarantee


def _rate(rate: float | Fraction) -> Fraction:
    """Return a rate in (0, 1] exactly."""
    checks.between("rate", rate, 0, 1, closed="h")
    return min(Fraction(1), rational("rate", rate))


def _grown(guarantee: Guarantee, epsilon: float, growth: Bracket) -> Guarantee:
    """Return the guarantee at epsilon with delta times growth; raise ValueError if that reaches 1."""
    delta = (guarantee.delta * growth).up
    if delta >= 1:
        power = float(growth.ln().high)
        raise ValueError(f"delta = {guarantee.delta!r}: grows by e^{power:.6g} to 1 or more in the sampled run")
    return Guarantee(epsilon, delta, guarantee.neighbours)


def _log_mixture(share: Fraction, epsilon: Fraction | float) -> Bracket:
    """Return ln(1 - share + share e^epsilon) for epsilon of either sign."""
    exponent = Bracket.of(epsilon)
    if share == 1:
        return exponent
    if epsilon < 500:
        return (share * exponent.expm1()).log1p()
    return exponent + (share + (1 - share) * (-exponent).exp()).ln()


def _closed(share: Fraction, epsilon: Fraction, draws: int) -> Bracket:
    """Return ln(u / v) of the closed form."""
    return draws * (_log_mixture(share, epsilon) - _log_mixture(share, -epsilon))


def _sums(share: Fraction, epsilon: Fraction, draws: int, most: int) -> Iterator[tuple[Bracket, Bracket]]:
    """Yield N_s - 1 and 1 - M_s of ``with_replacement`` for s = 0, ..., most <= draws.

    They are E[e^(k epsilon) - 1; k > s] and E[1 - e^(-k epsilon); k <= s]: no cancellation where epsilon is tiny.
    """
    growth, decay = Bracket.of(epsilon).expm1(), -Bracket.of(-epsilon).expm1()
    gained, lost = (draws * _log_mixture(share, epsilon)).expm1(), Bracket.of(0)
    gain, loss = Bracket.of(0), Bracket.of(0)  # e^(k epsilon) - 1 and 1 - e^(-k epsilon)
    for probability in _binomial(share, draws, most):
        gained, lost = gained - probability * gain, lost + probability * loss
        yield gained, lost
        gain, loss = gain + growth + gain * growth, loss + decay - loss * decay


def _binomial(share: Fraction, draws: int, most: int) -> Iterator[Bracket]:
    """Yield the probabilities of 0, ..., most successes in that many draws."""
    if share == 1:
        yield from (Bracket.of(int(k == draws)) for k in range(most + 1))
        return
    odds = share / (1 - share)
    probability = (draws * Bracket.of(-share).log1p()).exp()
    for k in range(most + 1):
        yield probability
        probability = probability * (odds * Fraction(draws - k, k + 1))
