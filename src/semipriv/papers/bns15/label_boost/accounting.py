"""Privacy of LabelBoost (BNS15 algorithm 3): one tree of what it does to the entries, and three accountants.

The innermost mechanism is the base learner: it runs on examples drawn with replacement (step 4) from a subset (step
3) of what rounds of thinning and relabelling left (step 2).  It depends on sizes alone, hence not on the data.
Neighbours are ``REPLACE_ENTRY``: one entry is replaced, and which slots are labelled stays.

>>> from semipriv.papers.bns15.label_boost.schedule import PAPER, schedule
>>> tree = label_boost(schedule(PAPER, 5_247_892, 17_837, 0.2, 0.2, 1), BaseLearner(1.0, 1e-9))
>>> {name: round(guarantee(tree, name).epsilon, 3) for name in ACCOUNTANTS}
{'paper': 0.823, 'exact': 0.096, 'sharp': 0.059}
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from semipriv.core import checks
from semipriv.core.fields import checked, delta, positive, size, value
from semipriv.core.rounding import Bracket
from semipriv.papers.bns15.label_boost.schedule import Schedule
from semipriv.privacy.amplification import (
    with_replacement_bns15,
    with_replacement_by_position,
    without_replacement,
    without_replacement_bns15,
)
from semipriv.privacy.guarantee import Guarantee, Neighbours


# ---------------------------------------------------------------------------------------------------- mechanisms
class Mechanism:
    """A step of LabelBoost with all that follows it, as a mechanism on the entries that it is given."""


def _mechanism(name: str, given: Any) -> Mechanism:
    if not isinstance(given, Mechanism):
        raise ValueError(f"{name} = {given!r}: must be a mechanism")
    return given


def _parts(name: str, given: Any) -> tuple[tuple[int, int], ...]:
    parts = tuple((checks.size(f"{name}: kept", kept), checks.size(f"{name}: total", n)) for kept, n in given)
    if not parts or any(kept > total for kept, total in parts):
        raise ValueError(f"{name} = {parts!r}: must be pairs (kept, total) with kept <= total, at least one")
    return parts


@value
class BaseLearner(Mechanism):
    """A base learner with its own guarantee, for the replacement of an entry; epsilon > 0."""

    epsilon: float = positive()
    delta: float = delta(default=0.0)


@value
class Resampled(Mechanism):
    """``draws`` independent uniform draws from ``total`` entries, with replacement (step 4)."""

    then: Mechanism = checked(_mechanism)
    draws: int = size()
    total: int = size()


@value
class Subsampled(Mechanism):
    """A uniform subset of each part, shuffled; parts: (kept, total) of each (step 3, and theorem 4.14's wrapper)."""

    then: Mechanism = checked(_mechanism)
    parts: Sequence[tuple[int, int]] = checked(_parts)


@value
class Relabelled(Mechanism):
    """A round (step 2): the parts that it reads are thinned, then relabelled by LabelBoostProcedure (algorithm 2).

    An entry that it does not read passes by.  parts: (kept, total) of the labelled and of the unlabelled part.
    epsilon: eps0, of the exponential mechanism that chooses the labels.
    """

    then: Mechanism = checked(_mechanism)
    parts: Sequence[tuple[int, int]] = checked(_parts)
    epsilon: float = positive(default=1.0)


def label_boost(sizes: Schedule, learner: Mechanism) -> Mechanism:
    """Return the tree of LabelBoost with these sizes around a base learner; raise ValueError if the sizes fail."""
    if sizes.failure:
        raise ValueError(f"n_labelled = {sizes.labelled:,} after {len(sizes.rounds)} rounds: {sizes.failure}")
    tree: Mechanism = Subsampled(Resampled(learner, sizes.final, sizes.final), [(sizes.final, sizes.labelled)])
    for step in reversed(sizes.rounds):
        parts = [(step.kept_labelled, step.labelled), (step.kept_unlabelled, step.read)]
        tree = Relabelled(tree, [(kept, total) for kept, total in parts if kept], sizes.constants.eps0)
    return tree


# ---------------------------------------------------------------------------------------------------- accountants
@dataclass(frozen=True)
class Accountant:
    """How each step changes a guarantee; each function raises ValueError where it does not apply.

    resampled: takes draws and total.  subsampled: takes the rate.  relabelled: takes eps0.
    """

    resampled: Callable[[Guarantee, int, int], Guarantee]
    subsampled: Callable[[Guarantee, Fraction], Guarantee]
    relabelled: Callable[[Guarantee, float], Guarantee]


def _printed_resampling(inner: Guarantee, draws: int, total: int) -> Guarantee:
    if draws != total:
        raise ValueError(f"draws = {draws}: must be total = {total} (BNS15 claim 4.5)")
    return with_replacement_bns15(inner)


def relabelled_bns15(inner: Guarantee, eps0: float) -> Guarantee:
    """Return (epsilon + 3, 4 e delta), BNS15 lemma 4.1; raise ValueError unless eps0 = 1."""
    if eps0 != 1:
        raise ValueError(f"eps0 = {eps0!r}: must be 1 (BNS15 lemma 4.1)")
    return _times(inner, Bracket.of(3), 4 * Bracket.of(1).exp())


def relabelled(inner: Guarantee, eps0: float) -> Guarantee:
    """Return (epsilon + ln 4 + eps0, 4 e^eps0 delta): what lemma 4.1's proof gives, before it is rounded.

    >>> round(relabelled(Guarantee(1.0), 1.0).epsilon, 3)
    3.386
    """
    return _times(inner, Bracket.of(4).ln() + eps0, 4 * Bracket.of(eps0).exp())


def relabelled_sharp(inner: Guarantee, eps0: float) -> Guarantee:
    """Return (epsilon + ln M, delta) with M = (1 + e^(eps0 / 2))^2.

    Group the labels of S and T by their restriction z to the points that both neighbours have.  The weight of a group
    before it is normalised lies between b and b (1 + e^(eps0/2)), b being its weight without the replaced example, or,
    if that is unlabelled, between b and 2 b.  So the probabilities w_1(z), w_2(z) of a group differ by a factor M at
    most: 1 + e^(eps0/2) for the weight, and as much for the normalisation.  Given z, the relabelled data of both runs
    are neighbours, or equal, whatever label the replaced example gets, so that what follows gives an event probability
    a_1(z) <= e^epsilon a_2(z) + delta.  The sum of w_1 (e^epsilon a_2 + delta) is at most M e^epsilon times that of
    w_2 a_2, plus delta: the w_1 sum to 1, so that delta does not grow.

    >>> round(relabelled_sharp(Guarantee(1.0), 1.0).epsilon, 3)
    2.948
    """
    extra = 2 * (1 + (Bracket.of(eps0) / 2).exp()).ln()
    return Guarantee((inner.epsilon + extra).up, inner.delta, inner.neighbours)


def _times(inner: Guarantee, extra: Bracket, growth: Bracket) -> Guarantee:
    """Return the guarantee with epsilon + extra and growth delta; raise ValueError if that reaches 1."""
    grown = (inner.delta * growth).up
    if grown >= 1:
        raise ValueError(f"delta = {inner.delta!r}: grows to 1 or more in a round")
    return Guarantee((inner.epsilon + extra).up, grown, inner.neighbours)


ACCOUNTANTS: Mapping[str, Accountant] = {
    "paper": Accountant(_printed_resampling, without_replacement_bns15, relabelled_bns15),
    "exact": Accountant(with_replacement_by_position, without_replacement, relabelled),
    "sharp": Accountant(with_replacement_by_position, without_replacement, relabelled_sharp),
}
"""paper: the printed constants of claims 4.3, 4.5 and lemma 4.1, which need a base epsilon <= 1 (claim 4.5), q (3 +
e^epsilon) <= 1 at each keep ratio q (claim 4.3) and eps0 = 1 (lemma 4.1).  exact: the exact factors of sampling, and
that of lemma 4.1's proof.  sharp: the same with the smaller factor of ``relabelled_sharp``."""


def guarantee(mechanism: Mechanism, accountant: str) -> Guarantee:
    """Return what a mechanism keeps private, by the accountant of that name.

    Raise ValueError for an unknown name, and where a step does not meet what the accountant needs.

    >>> round(guarantee(Subsampled(BaseLearner(1.0), [(1, 100)]), "exact").epsilon, 4)
    0.017
    """
    if accountant not in ACCOUNTANTS:
        raise ValueError(f"accountant = {accountant!r}: must be one of {list(ACCOUNTANTS)}")
    return _read(mechanism, ACCOUNTANTS[accountant])


def _read(mechanism: Mechanism, by: Accountant) -> Guarantee:
    match mechanism:
        case BaseLearner():
            return Guarantee(mechanism.epsilon, mechanism.delta, Neighbours.REPLACE_ENTRY)
        case Resampled():
            return by.resampled(_read(mechanism.then, by), mechanism.draws, mechanism.total)
        case Subsampled():
            return by.subsampled(_read(mechanism.then, by), _rate(mechanism.parts))
        case Relabelled():
            passed = _read(mechanism.then, by)
            read = by.subsampled(by.relabelled(passed, mechanism.epsilon), _rate(mechanism.parts))
            return Guarantee(max(passed.epsilon, read.epsilon), max(passed.delta, read.delta), passed.neighbours)
        case _:
            raise ValueError(f"mechanism = {mechanism!r}: is unknown")


def _rate(parts: Sequence[tuple[int, int]]) -> Fraction:
    """Return the largest share that is kept of a part."""
    return max(Fraction(kept, total) for kept, total in parts)
