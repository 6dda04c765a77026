"""What can still be bought of a budget: the largest release of a kind, and how many of the same."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from semipriv.privacy.budget.amounts import parameter
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.gaussian_budget import GaussianBudget
from semipriv.privacy.budget.refusal import names, released_epsilon, spare_delta, up_to
from semipriv.privacy.budget.rule import MOST, Account, Rule, shown
from semipriv.privacy.events import Approximate, Concentrated, Event, Gaussians, Pure
from semipriv.privacy.guarantee import Guarantee

_DIGITS = 6
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
    """

    largest: Mapping[str, Fraction]
    epsilon: Fraction | None
    delta: Fraction
    same: int

    @property
    def words(self) -> str:
        """The largest one, in words; digits are rounded down, so what they say is granted."""
        if not all(self.largest.values()):
            return "nothing"
        numbers = ", ".join(f"{name} {shown(number, _DIGITS)}" for name, number in self.largest.items())
        if self.epsilon is None:
            return f"{numbers} at most"
        return f"{numbers} at most, as epsilon {shown(self.epsilon, _DIGITS)} with delta {shown(self.delta, _DIGITS)}"

    @property
    def times(self) -> str:
        """How many of the same, in words."""
        if not self.same:
            return "not once"
        return f"{self.same:,} time{'s' * (self.same > 1)}" + " or more" * (self.same == MOST)

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON: exact fractions."""
        numbers = dict(self.largest) if self.epsilon is None else {**self.largest, "epsilon": self.epsilon}
        return {"largest": {name: str(number) for name, number in numbers.items()}, "same": self.same}


def offer(rule: Rule, accounts: Sequence[Account], kind: Event) -> Offer:
    """Return what is left of accounts for releases of the kind of an event."""
    largest, delta = rule.largest(accounts, kind), spare_delta(rule)
    rho = largest.get("rho")
    own = kind if kind.gaussian is not None else None
    epsilon = Fraction(released_epsilon(rho, parameter(delta), own)) if rho and delta else None
    return Offer(largest, epsilon, delta, rule.more(accounts, kind))


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
    return "; ".join(words) or "nothing"


def so_far_words(rule: Rule, so_far: Guarantee) -> str:
    """Return a guarantee that is within the total, in words, none of its numbers above the total's."""
    pairs = zip(("epsilon", "delta"), (so_far.epsilon, so_far.delta), rule.most, strict=True)
    return ", ".join(f"{name} {up_to(Fraction(number), most)}" for name, number, most in pairs)
