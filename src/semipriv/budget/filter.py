"""What a data set may spend, and whether a request still fits.

Notation: a path is all that is published, y = (y_1, y_2, ...).  The event of the t-th request may depend on what was
published before.  P and Q are the laws of the path on two neighbours, and the budget is kept if the sum over all paths
of max(0, P(y) - e^epsilon Q(y)) is at most delta, for all neighbours.

**Theorem.** Let alpha > 1 and failures in [0, delta] be fixed before anything is published.  Let every path end with

    (F)  sum of deltas <= failures,  and
    (A)  sum of epsilons <= epsilon,  or
    (B)  sum of Renyi costs of order alpha <= epsilon - ln(1 - 1/alpha) - ln(1 / (alpha d)) / (alpha - 1),

where d = delta - failures.  Then the budget is kept, whoever chooses the requests.  (On paths with an event that has no
epsilon, (A) is false; if d = 0, (B) is.)

Proof.  For a pair of neighbours, let each event say whether it failed (``Approximate``); that takes nothing from the
adversary.  On a path the deltas of the requests add up to at most ``failures``; by induction from the last request to
the first, so does the probability under P that one fails.  Paths with a failure thus add at most ``failures`` to the
sum.  Let p and q be the laws of the answers that did not fail; P and Q are their products over t, times the same
chances 1 - delta_t.

A path without failure that ends in (A) has P(y) <= e^(sum of epsilons) Q(y) <= e^epsilon Q(y), and adds 0.

One that ends in (B): since max(0, 1 - e^-z) <= c e^((alpha - 1) z), c = (1 - 1/alpha)^(alpha - 1) / alpha, it adds at
most c e^(-(alpha - 1) epsilon) Q(y) (P(y) / Q(y))^alpha.  Let r_t be the Renyi cost of request t, and
w(y) = product of q_t (p_t / q_t)^alpha e^(-(alpha - 1) r_t).  By induction from the last request to the first, w adds
up to at most 1 over all paths, as every factor does, given what was published before.  On these paths the sum of r_t
is at most the bound, so each adds at most d w(y), and all together at most d.

What is summed is >= 0: the paths of (A), those of (B) and those with a failure add up to at most 0 + d + failures =
delta, though some paths end in (A) and others in (B).  QED  ((B) alone: Feldman and Zrnic 2021, theorem 4.3, for the
Renyi filter; Whitehouse et al. 2023 for failures.)

Both alpha and ``failures`` must be fixed: an alpha, or a share of delta, that depends on what was published is not
covered by this proof, as the weights w belong to one alpha, and failures happen under P, not under w.  The default
alpha is the one at which a single release with the whole budget fits.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from semipriv import checks
from semipriv.budget.amounts import amount, parameter, positive_amount
from semipriv.fields import checked, size, value
from semipriv.privacy.composition import optimal_composition
from semipriv.privacy.events import BoundedRange, Composed, Event, guarantee_of, whole
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.zcdp import ZeroConcentrated, best_excess, conversion
from semipriv.rounding import Bracket, outward, rounded_up


@dataclass(frozen=True)
class Account:
    """One account of a budget: how much it holds, and how much is spent of it; None if it cannot pay any more.

    name: 'epsilon', 'renyi' (a Renyi divergence of a fixed order), 'failures' (deltas) or 'releases' (a number).
    """

    name: str
    total: Fraction
    spent: Fraction | None

    @property
    def left(self) -> Fraction | None:
        """What is left."""
        return None if self.spent is None else self.total - self.spent


class BudgetError(ValueError):
    """A request that does not fit: with the accounts before it, and the largest parameters that would fit."""

    def __init__(self, message: str, accounts: "tuple[Account, ...]", largest: Mapping[str, Fraction]) -> None:
        super().__init__(message)
        self.accounts = accounts
        self.largest = dict(largest)


class Rule(ABC):
    """Decides which requests fit, from the events of those that were granted."""

    neighbours: Neighbours

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """The guarantee of all granted requests together, whoever chose them; rounded up."""

    @abstractmethod
    def fits(self, granted: Sequence[Event], asked: Event) -> bool:
        """Return whether a request fits after those that were granted."""

    @abstractmethod
    def accounts(self, granted: Sequence[Event]) -> tuple[Account, ...]:
        """Return what is spent."""

    @abstractmethod
    def so_far(self, granted: Sequence[Event]) -> Guarantee:
        """Return the guarantee of granted requests if they had all been chosen in advance."""

    @abstractmethod
    def largest(self, granted: Sequence[Event], asked: Event) -> dict[str, Fraction]:
        """Return the parameters of the largest event of the same kind that would fit: a request for them is granted.

        'epsilon' for one with an epsilon, else 'rho'; 'delta' if it may fail.
        """

    @abstractmethod
    def described(self) -> dict[str, Any]:
        """Return the rule as values of JSON."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The total, in words."""


def _neighbours(name: str, given: Any) -> Neighbours:
    return Neighbours(given)


def _delta(name: str, given: Any) -> Fraction:
    found = amount(name, given)
    if found >= 1:
        raise ValueError(f"{name} = {given!r}: must be < 1")
    return found


def _order(name: str, given: Any) -> Fraction | None:
    if given is None:
        return None
    found = amount(name, given)
    if found <= 1:
        raise ValueError(f"{name} = {given!r}: must be > 1")
    return found


@value
class Budget(Rule):
    """A filter: each request may depend on earlier answers, in its epsilon as well.  The module has theorem and proof.

    epsilon: > 0; delta: in [0, 1); both exact, see ``amount``.  failures: the part of delta that is set aside for
    events that may fail, (epsilon, delta)-DP ones of which nothing better is known.  order: alpha > 1 of the theorem;
    None: the best one for a single release.

    >>> from semipriv.privacy.events import Pure
    >>> tenth, rest = Pure(Fraction(1, 10)), Pure(Fraction(9, 10))
    >>> Budget(1).fits([tenth], rest), Budget(1).fits([tenth, rest], Pure(5e-324))
    (True, False)
    """

    epsilon: Fraction = checked(positive_amount)
    delta: Fraction = checked(_delta, default=Fraction(0))
    neighbours: Neighbours = checked(_neighbours, default=Neighbours.REPLACE_PRIVATE_EXAMPLE)
    failures: Fraction = checked(amount, default=Fraction(0))
    order: Fraction | None = checked(
        _order,
        default=attrs.Factory(lambda self: _best_order(self.epsilon, self.delta - self.failures), takes_self=True),
    )

    def __attrs_post_init__(self) -> None:
        if self.failures > self.delta:
            raise ValueError(f"failures = {shown(self.failures)}: must be <= delta = {shown(self.delta)}")
        if (self.order is None) != (self.failures == self.delta):
            raise ValueError("order: is for a delta that is larger than failures")

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)."""
        return Guarantee(rounded_up(self.epsilon), rounded_up(self.delta), self.neighbours)

    @cached_property
    def limit(self) -> Fraction:
        """The bound of (B), rounded down; 0 if there is none."""
        if self.order is None:
            return Fraction(0)
        excess = self.order - 1
        return max(Fraction(0), Fraction((self.epsilon - conversion(excess, self.delta - self.failures)).low))

    def fits(self, granted: Sequence[Event], asked: Event) -> bool:
        """Return whether (F), and (A) or (B), hold with the request.  All sums are exact."""
        accounts = {account.name: account.left for account in self.accounts([*granted, asked])}
        failures = accounts.pop("failures", Fraction(0))
        assert failures is not None
        return failures >= 0 and any(left is not None and left >= 0 for left in accounts.values())

    def accounts(self, granted: Sequence[Event]) -> tuple[Account, ...]:
        """Return the sums of (A), (B) and (F), the latter two where there are any."""
        epsilons = [event.pure for event in granted]
        spent = None if None in epsilons else sum((e for e in epsilons if e is not None), Fraction(0))
        found = [Account("epsilon", self.epsilon, spent)]
        if self.order is not None:
            order = self.order
            found.append(Account("renyi", self.limit, sum((event.renyi(order) for event in granted), Fraction(0))))
        failures = sum((event.delta for event in granted), Fraction(0))
        if failures or self.failures:
            found.append(Account("failures", self.failures, failures))
        return tuple(found)

    def so_far(self, granted: Sequence[Event]) -> Guarantee:
        """Return the better one of the sum of epsilons and the conversion of the sum of rhos."""
        event = Composed([(event, 1) for event in granted])
        found = []
        if event.pure is not None:
            found.append(Guarantee(rounded_up(event.pure), rounded_up(event.delta), self.neighbours))
        if self.delta > event.delta:
            found.append(guarantee_of(event, self.guarantee))
        return min(found, key=lambda guarantee: guarantee.epsilon)

    def largest(self, granted: Sequence[Event], asked: Event) -> dict[str, Fraction]:
        """Solve (A), (B) and (F) for the request; square roots are rounded down."""
        left = {account.name: account.left or Fraction(0) for account in self.accounts(granted)}
        renyi = max(Fraction(0), left.get("renyi", Fraction(0)))
        delta = {"delta": max(Fraction(0), left.get("failures", self.failures))} if asked.delta else {}
        if asked.pure is None:
            return {"rho": Fraction(0) if self.order is None else renyi / self.order, **delta}
        square = 8 if isinstance(asked, BoundedRange) else 2  # rho = epsilon^2 / square
        root = Fraction(0) if self.order is None else Fraction(Bracket.of(square * renyi / self.order).sqrt().low)
        return {"epsilon": max(Fraction(0), left["epsilon"], renyi, root), **delta}

    def described(self) -> dict[str, Any]:
        """Return all numbers as exact fractions."""
        numbers = {name: None if (n := getattr(self, name)) is None else str(n) for name in _NUMBERS}
        return {"rule": "budget", **numbers, "neighbours": self.neighbours.value}

    @property
    def words(self) -> str:
        """Epsilon, and delta if there is one."""
        return f"epsilon {shown(self.epsilon)}" + (f", delta {shown(self.delta)}" if self.delta else "")


_NUMBERS = ("epsilon", "delta", "failures", "order")


def _best_order(epsilon: Fraction, delta: Fraction) -> Fraction | None:
    """Return the order at which one release with rho = whole(epsilon, delta) fits; None for delta = 0."""
    whole_, chance = parameter(epsilon), parameter(delta)
    if not chance or not whole_:
        return None
    return 1 + Fraction(best_excess(ZeroConcentrated.within(Guarantee(whole_, chance)).rho, chance))


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
    delta: Fraction = checked(_delta, default=Fraction(0))

    def __attrs_post_init__(self) -> None:
        checks.positive("epsilon", self.each.epsilon)
        _ = self.guarantee

    @property
    def neighbours(self) -> Neighbours:  # type: ignore[override]
        """Those of each."""
        return self.each.neighbours

    @cached_property
    def guarantee(self) -> Guarantee:
        """The optimal composition, at delta rounded down."""
        return optimal_composition(self.each, self.count, parameter(self.delta))

    def fits(self, granted: Sequence[Event], asked: Event) -> bool:
        """Return whether one is left, and whether the request is within ``each``."""
        return len(granted) < self.count and _within(asked, self.each)

    def accounts(self, granted: Sequence[Event]) -> tuple[Account, ...]:
        """Return the number of releases."""
        return (Account("releases", Fraction(self.count), Fraction(len(granted))),)

    def so_far(self, granted: Sequence[Event]) -> Guarantee:
        """Return the optimal composition of so many."""
        if not granted:
            return Guarantee(0.0, 0.0, self.neighbours)
        return optimal_composition(self.each, len(granted), parameter(self.delta))

    def largest(self, granted: Sequence[Event], asked: Event) -> dict[str, Fraction]:
        """Return ``each`` while releases are left, else 0."""
        some = int(len(granted) < self.count)
        delta = {"delta": some * Fraction(self.each.delta)} if asked.delta else {}
        if asked.pure is None:
            return {"rho": some * whole(self.each) if self.each.delta else Fraction(0), **delta}
        return {"epsilon": some * Fraction(self.each.epsilon), **delta}

    def described(self) -> dict[str, Any]:
        """Return all numbers as exact fractions."""
        each = {"epsilon": str(Fraction(self.each.epsilon)), "delta": str(Fraction(self.each.delta))}
        own = {"each": each, "count": self.count, "delta": str(self.delta)}
        return {"rule": "equal releases", **own, "neighbours": self.neighbours.value}

    @property
    def words(self) -> str:
        """The number of releases, what each may cost, and what they cost together."""
        each = f"epsilon {self.each.epsilon!r}" + (f", delta {self.each.delta!r}" if self.each.delta else "")
        together = f"epsilon {self.guarantee.epsilon:.6g}" + (f", delta {shown(self.delta)}" if self.delta else "")
        return f"{self.count} releases of {each} ({together} together)"


def _within(event: Event, each: Guarantee) -> bool:
    if event.pure is not None and event.pure <= Fraction(each.epsilon) and event.delta <= Fraction(each.delta):
        return True
    if Fraction(each.delta) <= event.delta:
        return False
    return guarantee_of(event, each).epsilon <= each.epsilon


def rule(description: Mapping[str, Any]) -> Rule:
    """Return the rule that ``described`` described; raise ValueError for another."""
    given = dict(description)
    name, neighbours = given.pop("rule"), Neighbours(given.pop("neighbours"))
    if name == "budget":
        return Budget(**given, neighbours=neighbours)
    if name != "equal releases":
        raise ValueError(f"rule = {name!r}: must be 'budget' or 'equal releases'")
    each = {key: Fraction(number) for key, number in given["each"].items()}
    return EqualReleases(Guarantee(**each, neighbours=neighbours), given["count"], given["delta"])


def shown(number: Fraction, digits: int = 17, *, up: bool = False) -> str:
    """Return an amount >= 0 as decimal text that is never more than it (up: never less): exact if digits suffice.

    >>> shown(Fraction(1, 10)), shown(Fraction(2, 3), 6), shown(Fraction(2, 3), 6, up=True), shown(Fraction(1, 10**6))
    ('0.1', '0.666666', '0.666667', '0.000001')
    """
    context = outward(digits)[up]
    found = context.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize(context)
    return f"{found:f}" if -7 < found.adjusted() < 17 else str(found)
