"""What can still be bought of a budget: the largest release of a kind, and how many of the same."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from semipriv.privacy.budget.amounts import parameter
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.gaussian_budget import GaussianBudget
from semipriv.privacy.budget.refusal import LAST, most_epsilon, names, released_epsilon, spare_delta, up_to
from semipriv.privacy.budget.rule import MOST, Account, Rule, shown
from semipriv.privacy.events import Approximate, Concentrated, Event, Gaussians, Pure
from semipriv.privacy.guarantee import Guarantee

_DIGITS = 6
NOTHING = "nothing"
"""What is said of accounts that buy nothing more of a kind."""
_KINDS = {
    "pure": ("a release with delta 0", Pure(1)),
    "concentrated": ("a release that spends a rho, as of queries", Concentrated(Fraction(1))),
    "approximate": ("a release that may fail", Approximate(1, Fraction(1, 2))),
    "gaussian": ("a release of Gaussian noise alone, as of counts", Gaussians(Fraction(1), 1, Fraction(2**24))),
}
"""Kinds of releases by name: what they are called, and one of them."""


@attrs.frozen(eq=False)
class Offer:
    """What accounts still pay for, of releases of one kind.

    largest: parameters of the largest one, as in ``Rule.largest``.  epsilon: for a rho, the epsilon, with ``delta``,
    of a release that spends it; None if there is no delta.  same: how many equal ones, MOST if there are more.
    closing: the larger one after which nothing else is granted; None if there is none.
    """

    largest: Mapping[str, Fraction]
    epsilon: Fraction | None
    delta: Fraction
    same: int
    closing: "Offer | None" = None

    @property
    def words(self) -> str:
        """The largest one, in words; digits are rounded down, so what they say is granted."""
        if not all(self.largest.values()) or self.epsilon == 0:
            return NOTHING if self.closing is None else f"{self.closing.words}, {LAST}"
        numbers = ", ".join(f"{name} {shown(number, _DIGITS)}" for name, number in self.largest.items())
        if self.epsilon is None:
            return f"{numbers} at most"
        with_delta = f"epsilon {shown(self.epsilon, _DIGITS)} with delta {shown(self.delta, _DIGITS)}"
        if self.closing is None:
            return f"{numbers} at most, as {with_delta}"
        return f"{numbers} at most, as {with_delta}; or {self.closing.words}, {LAST}"

    @property
    def times(self) -> str:
        """How many of the same, in words."""
        if not self.same:
            return "not once"
        return f"{self.same:,} time{'s' * (self.same > 1)}" + " or more" * (self.same == MOST)

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON: exact fractions."""
        numbers = dict(self.largest) if self.epsilon is None else {**self.largest, "epsilon": self.epsilon}
        largest = {name: str(number) for name, number in numbers.items()}
        closing = {} if self.closing is None else {"largest_that_closes": self.closing.to_dict()["largest"]}
        return {"largest": largest, **closing, "same": self.same}


def offer(rule: Rule, accounts: Sequence[Account], kind: Event) -> Offer:
    """Return what is left of accounts for releases of the kind of an event."""
    same = rule.affordable(accounts, kind)
    offered = _offered(rule, rule.largest_that_leaves_open(accounts, kind), kind, same)
    closing = _offered(rule, rule.largest(accounts, kind), kind, same)
    if closing.words == offered.words:
        return offered
    return attrs.evolve(offered, closing=closing)


def _offered(rule: Rule, largest: Mapping[str, Fraction], kind: Event, same: int) -> Offer:
    rho, delta = largest.get("rho"), spare_delta(rule)
    own = kind if kind.gaussian is not None else None
    epsilon = released_epsilon(rho, parameter(delta), own, most_epsilon(rule)) if rho and delta else None
    return Offer(largest, None if epsilon is None else _named(rule, epsilon), delta, same)


def _named(rule: Rule, epsilon: float) -> Fraction:
    """Return an epsilon as a person writes it who asks for all: exactly, though a release rounds it down to a float."""
    return rule.most[0] if not isinstance(rule, EqualReleases) and epsilon == most_epsilon(rule) else Fraction(epsilon)


def kinds(rule: Rule) -> dict[str, tuple[str, Event]]:
    """Return the kinds of releases that a rule may pay for, by name."""
    apart = isinstance(rule, Budget) and bool(rule.failures)
    if isinstance(rule, GaussianBudget):
        return {"gaussian": _KINDS["gaussian"]}
    offered = {"pure": True, "concentrated": bool(spare_delta(rule)), "approximate": apart, "gaussian": False}
    return {name: kind for name, kind in _KINDS.items() if offered[name]}


def offers(rule: Rule, accounts: Sequence[Account], last: Event | None) -> Iterator[tuple[str, str]]:
    """Yield what can still be bought, and how much; last: the event of the last request, if there is one."""
    for called, kind in kinds(rule).values():
        yield called, offer(rule, accounts, kind).words
    if last is not None:
        yield "the last release again", offer(rule, accounts, last).times


def left_words(rule: Rule, accounts: Sequence[Account], kind: Event) -> str:
    """Return what is left of the accounts that decide on releases of a kind."""
    called = names(rule)
    words = [
        f"{shown(max(Fraction(0), account.left), _DIGITS)} of {shown(account.total, _DIGITS)} ({called[account.name]})"
        for account in rule.deciding(accounts, kind)
        if account.left is not None and (account.name != "failures" or kind.delta)
    ]
    return "; ".join(words) or NOTHING


def so_far_words(rule: Rule, so_far: Guarantee) -> str:
    """Return a guarantee that is within the total, in words, none of its numbers above the total's."""
    pairs = zip(("epsilon", "delta"), (so_far.epsilon, so_far.delta), rule.most, strict=True)
    return ", ".join(f"{name} {up_to(Fraction(number), most)}" for name, number, most in pairs)
