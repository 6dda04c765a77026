"""A budget for requests that are all Gaussian noise: together they are accounted exactly.

**Theorem.** Let epsilon, delta and the limit (rho, least, changed) be fixed before anything is published, and let
``composed_epsilon`` of the limit at delta be at most epsilon.  Let every path end with

    (G)  nothing but Gaussian noise, of scales of at least ``least``, of which the rhos add up to at most ``rho``, and
         the squared sensitivities to at most ``changed``.

Then the requests are (epsilon, delta)-DP together, whoever chooses them and their scales by earlier answers: by the
theorem of `semipriv.privacy.gaussians`.  Or let it be fixed before anything is published that (C) of
`semipriv.privacy.budget.filter` holds: one event is all that is granted.  It is if the first event that reads the data
does not fit by (G) but by (C); then the account is closed.

This is a rule of its own, since no proof is known for a filter of which some paths end by (G) and others by (A) or (B).
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from semipriv.core.fields import checked, value
from semipriv.core.rounding import rounded_up
from semipriv.privacy.budget.amounts import parameter, positive_amount
from semipriv.privacy.budget.rule import Account, Rule, delta_amount, shown
from semipriv.privacy.events import Composed, Event, Gaussians, guarantee_of, resized, with_rho
from semipriv.privacy.gaussians import composed_epsilon, largest_rho
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.zcdp import ZeroConcentrated

_SINGLE, _CHANGED = 2, 2**40
"""A request on values that move by this in squared L2 may spend all; values that may change, of all requests."""


@value
class GaussianBudget(Rule):
    """A filter for Gaussian noise alone; the module has theorem and proof.

    epsilon: > 0; delta: in (0, 1); both exact, see ``amount``.  Where the exact account gains nothing, it is refused.
    rho, least: the limit, as a ledger keeps it that was opened with it; None: the largest rho that is found.

    >>> from semipriv.privacy.events import GaussianEvent
    >>> tenth = Composed([(GaussianEvent(19.2), 2)])
    >>> GaussianBudget(1, "1e-6").fits([tenth] * 9, tenth)
    True
    """

    epsilon: Fraction = checked(positive_amount)
    delta: Fraction = checked(delta_amount)
    neighbours: Neighbours = attrs.field(default=Neighbours.REPLACE_PRIVATE_EXAMPLE, converter=Neighbours)
    rho: Fraction | None = attrs.field(default=None, converter=attrs.converters.optional(Fraction))
    least: Fraction | None = attrs.field(default=None, converter=attrs.converters.optional(Fraction))

    def __attrs_post_init__(self) -> None:
        if not self.delta:
            raise ValueError("delta = 0: must be > 0 for Gaussian noise")
        object.__setattr__(self, "rho", self.limit.rho)
        object.__setattr__(self, "least", Fraction(self.limit.least))

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)."""
        return Guarantee(rounded_up(self.epsilon), rounded_up(self.delta), self.neighbours)

    @property
    def most(self) -> tuple[Fraction, Fraction]:
        """(epsilon, delta)."""
        return self.epsilon, self.delta

    @cached_property
    def _whole(self) -> Guarantee:
        """(epsilon, delta), rounded down."""
        return Guarantee(parameter(self.epsilon), parameter(self.delta))

    @cached_property
    def limit(self) -> Gaussians:
        """What all requests together may be at most."""
        own, kept = self._whole, Fraction(_CHANGED)
        if self.rho is not None and self.least is not None:
            spent = composed_epsilon(self.rho, self.least, kept, own.delta)
            if spent is None or spent > own.epsilon:
                raise ValueError(f"rho = {self.rho}, least = {self.least}: are not within {self.words}")
            return Gaussians(self.rho, self.least, kept)
        noise = largest_rho(own.epsilon, own.delta, _SINGLE, _CHANGED)
        if noise is None or noise[0] <= ZeroConcentrated.within(own).rho:
            raise ValueError(
                f"epsilon = {shown(self.epsilon)}, delta = {shown(self.delta)}: the exact account of Gaussian noise "
                "gains nothing here: open a budget for all kinds of releases"
            )
        return Gaussians(*noise, kept)

    def allows(self, asked: Event) -> bool:
        """Return whether the request is Gaussian noise that is wide enough, or reads nothing."""
        if not asked.rho and not asked.delta:
            return True
        return not asked.delta and asked.gaussian is not None and asked.gaussian.least >= self.limit.least

    def pays(self, accounts: Sequence[Account], asked: Event, times: int) -> bool:
        """Return whether accounts pay for a request ``times`` times, or for this one alone, by (C)."""
        if not asked.rho and not asked.delta:  # what reads nothing is free
            return True
        if super().pays(accounts, asked, times):
            return True
        alone = times == 1 and self._fresh(accounts) and not asked.delta and asked.gaussian is not None
        return alone and guarantee_of(asked, self._whole).epsilon <= self.epsilon

    def enough(self, accounts: Sequence[Account]) -> bool:
        """Return whether the sums of (G) are within the limit."""
        return all(account.left is not None and account.left >= 0 for account in accounts)

    def deciding(self, accounts: Sequence[Account], asked: Event) -> tuple[Account, ...]:
        """Return the sum of rhos."""
        return tuple(account for account in accounts if account.name == "gaussian")

    def accounts(self, granted: Sequence[Event]) -> tuple[Account, ...]:
        """Return the sums of (G); None once it does not cover an event."""
        known = [noise for event in granted if (noise := event.gaussian) is not None]
        closed = not all(map(self.allows, granted))
        rho = None if closed else sum((noise.rho for noise in known), Fraction(0))
        changed = None if closed else sum((noise.changed for noise in known), Fraction(0))
        return Account("gaussian", self.limit.rho, rho), Account("changed", self.limit.changed, changed)

    def so_far(self, granted: Sequence[Event]) -> Guarantee:
        """Return the exact composition; the total, if that is less."""
        spent = guarantee_of(Composed([(event, 1) for event in granted]), self.guarantee)
        return min(spent, self.guarantee, key=lambda guarantee: guarantee.epsilon)

    def largest(self, accounts: Sequence[Account], asked: Event) -> dict[str, Fraction]:
        """Return the largest rho: that of the sums, or that of (C)."""
        amounts = self.largest_that_leaves_open(accounts, asked)
        if asked.delta or asked.gaussian is None or not self._fresh(accounts):
            return amounts
        return {"rho": max(amounts["rho"], resized(asked, self._whole).rho)}

    def largest_that_leaves_open(self, accounts: Sequence[Account], asked: Event) -> dict[str, Fraction]:
        """Return the largest rho by (G): what is left of the sum, of scales that are wide enough."""
        if asked.delta or asked.gaussian is None:
            return {"rho": Fraction(0)}
        left = {account.name: max(Fraction(0), account.left or Fraction(0)) for account in accounts}
        rho = left["gaussian"] if asked.gaussian.changed <= left["changed"] else Fraction(0)
        if rho and with_rho(asked, rho).gaussian.least < self.limit.least:  # type: ignore[union-attr]
            wide = asked.gaussian.rho * (Fraction(asked.gaussian.least) / Fraction(self.limit.least)) ** 2
            rho = min(rho, wide * (1 - Fraction(1, 2**50)))
        return {"rho": rho}

    def _fresh(self, accounts: Sequence[Account]) -> bool:
        return all(account.spent == 0 for account in accounts)

    def described(self) -> dict[str, Any]:
        """Return all numbers as exact fractions."""
        numbers = {"epsilon": str(self.epsilon), "delta": str(self.delta)}
        numbers |= {"rho": str(self.rho), "least": str(self.least)}
        return {"rule": "gaussian budget", **numbers, "neighbours": self.neighbours.value}

    @property
    def words(self) -> str:
        """Epsilon and delta, and for what."""
        return f"epsilon {shown(self.epsilon)}, delta {shown(self.delta)}, for Gaussian noise alone"
