"""A budget for equal releases whose number is declared in advance."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from semipriv.core import checks
from semipriv.core.fields import checked, size, value
from semipriv.privacy.budget.amounts import LARGEST, parameter
from semipriv.privacy.budget.rule import Account, Rule, delta_amount, shown
from semipriv.privacy.composition import optimal_composition
from semipriv.privacy.events import Event, guarantee_of, resized
from semipriv.privacy.guarantee import Guarantee, Neighbours

MOST_TERMS = 10**5
"""Releases whose composition is computed at once."""


@value
class EqualReleases(Rule):
    """Declared in advance: at most ``count`` releases, each with at most the guarantee ``each``, delta in all.

    The total is the optimal composition of equal mechanisms (Kairouz, Oh and Viswanath 2015, theorem 3.3): the
    releases may depend on each other, their number and their guarantee are fixed.  A release that costs less counts as
    one.  If epsilons were chosen by earlier answers the theorem would not hold: that needs a ``Budget``.

    >>> round(EqualReleases(Guarantee(0.1), 100, 1e-6).guarantee.epsilon, 3)
    4.775
    """

    each: Guarantee
    count: int = size()
    delta: Fraction = checked(delta_amount, default=Fraction(0))

    def __attrs_post_init__(self) -> None:
        checks.positive("epsilon", self.each.epsilon)
        if self.delta and self.count > MOST_TERMS:
            raise ValueError(
                f"count = {self.count}: must be <= {MOST_TERMS} with a delta > 0, since the composition has that many "
                "terms; without a delta epsilons add up, and any count is allowed"
            )
        if self.count * Fraction(self.each.epsilon) > LARGEST:
            raise ValueError(f"count = {self.count}: so many releases of epsilon {self.each.epsilon!r} exceed 1e300")
        _ = self.guarantee

    @property
    def neighbours(self) -> Neighbours:  # type: ignore[override]
        """Those of each."""
        return self.each.neighbours

    @cached_property
    def guarantee(self) -> Guarantee:
        """The optimal composition, at delta rounded down."""
        return optimal_composition(self.each, self.count, parameter(self.delta))

    @property
    def most(self) -> tuple[Fraction, Fraction]:
        """Epsilon of the optimal composition, and delta."""
        return Fraction(self.guarantee.epsilon), self.delta

    def allows(self, asked: Event) -> bool:
        """Return whether the request is within ``each``."""
        return _within(asked, self.each)

    def enough(self, accounts: Sequence[Account]) -> bool:
        """Return whether the releases are as many as declared, or fewer."""
        return all(account.left is not None and account.left >= 0 for account in accounts)

    def deciding(self, accounts: Sequence[Account], asked: Event) -> tuple[Account, ...]:
        """Return the number of releases."""
        return tuple(accounts)

    def accounts(self, granted: Sequence[Event]) -> tuple[Account, ...]:
        """Return the number of releases."""
        return (Account("releases", Fraction(self.count), Fraction(len(granted))),)

    def so_far(self, granted: Sequence[Event]) -> Guarantee:
        """Return the optimal composition of as many releases."""
        if not granted:
            return Guarantee(0.0, 0.0, self.neighbours)
        return optimal_composition(self.each, len(granted), parameter(self.delta))

    def largest(self, accounts: Sequence[Account], asked: Event) -> dict[str, Fraction]:
        """Return ``each`` while releases are left, else 0."""
        some = int(all(account.left is not None and account.left >= 1 for account in accounts))
        delta = {"delta": some * Fraction(self.each.delta)} if asked.delta else {}
        if asked.pure is None:
            return {"rho": some * resized(asked, self.each).rho if self.each.delta else Fraction(0), **delta}
        return {"epsilon": some * Fraction(self.each.epsilon), **delta}

    def described(self) -> dict[str, Any]:
        """Return all numbers as exact fractions."""
        cost = {"epsilon": str(Fraction(self.each.epsilon)), "delta": str(Fraction(self.each.delta))}
        numbers = {"each": cost, "count": self.count, "delta": str(self.delta)}
        return {"rule": "equal releases", **numbers, "neighbours": self.neighbours.value}

    @property
    def words(self) -> str:
        """The number of releases, what each may cost, and what they cost together."""
        cost = f"epsilon {self.each.epsilon!r}" + (f", delta {self.each.delta!r}" if self.each.delta else "")
        together = f"epsilon {self.guarantee.epsilon:.6g}" + (f", delta {shown(self.delta)}" if self.delta else "")
        return f"{self.count} releases of {cost} ({together} together)"


def _within(event: Event, guarantee: Guarantee) -> bool:
    if (
        event.pure is not None
        and event.pure <= Fraction(guarantee.epsilon)
        and event.delta <= Fraction(guarantee.delta)
    ):
        return True
    if Fraction(guarantee.delta) <= event.delta:
        return False
    return guarantee_of(event, guarantee).epsilon <= guarantee.epsilon
