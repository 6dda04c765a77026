"""What a data set may spend, and whether a request still fits.

Notation: a path is all that is published, y = (y_1, y_2, ...).  The event of the t-th request may depend on what was
published before.  P and Q are the distributions of the path on two neighbours, and the budget is kept if the sum over
all paths of max(0, P(y) - e^epsilon Q(y)) is at most delta, for all neighbours.

**Theorem.** Let alpha > 1 and failures in [0, delta] be fixed before anything is published.  Let every path end with

    (F)  sum of deltas <= failures,  and
    (A)  sum of epsilons <= epsilon,  or
    (B)  sum of Renyi costs of order alpha <= epsilon - ln(1 - 1/alpha) - ln(1 / (alpha d)) / (alpha - 1),

where d = delta - failures.  Then the budget is kept, whoever chooses the requests.  (On paths with an event that has no
epsilon, (A) is false; if d = 0, (B) is.)  Or let it be fixed before anything is published that

    (C)  one event that never fails and is (epsilon, d)-DP by its own account (``guarantee_of``) is all that is granted.

Proof.  For a pair of neighbours, let each event say whether it failed (``Approximate``); that takes nothing from the
adversary.  On a path the deltas of the requests add up to at most ``failures``; by induction from the last request to
the first, so does the probability under P that one fails.  Paths with a failure thus add at most ``failures`` to the
sum.  Let p and q be the distributions of the answers that did not fail; P and Q are their products over t, times the
same chances 1 - delta_t.

A path without failure that ends in (A) has P(y) <= e^(sum of epsilons) Q(y) <= e^epsilon Q(y), and adds 0.

One that ends in (B): since max(0, 1 - e^-z) <= c e^((alpha - 1) z), c = (1 - 1/alpha)^(alpha - 1) / alpha, it adds at
most c e^(-(alpha - 1) epsilon) Q(y) (P(y) / Q(y))^alpha.  Let r_t be the Renyi cost of request t, and
w(y) = product of q_t (p_t / q_t)^alpha e^(-(alpha - 1) r_t).  By induction from the last request to the first, w adds
up to at most 1 over all paths, as every factor does, given what was published before.  On these paths the sum of r_t
is at most the bound, so each adds at most d w(y), and all together at most d.

What is summed is >= 0: the paths of (A), those of (B) and those with a failure add up to at most 0 + d + failures =
delta, though some paths end in (A) and others in (B).  QED  ((B) alone: Feldman and Zrnic 2021, theorem 4.3, for the
Renyi filter; Whitehouse et al. 2023 for failures.)

(C) needs no proof: P and Q are the distributions of one mechanism, and of what follows from its output.  A request is
granted by (C) only if nothing that reads the data was granted before, and it fits neither by (A) nor by (B).  Then both
are exceeded once and for all: nothing else that reads the data is granted.  So a release may spend the whole budget at
the smaller noise of `semipriv.privacy.gaussians`, with errors on rows that are held out beside it.  Several such
releases are accounted by (B).  Where all releases are Gaussian noise, `semipriv.privacy.budget.gaussian_budget`
accounts them exactly; no proof is known for a filter in which some paths end by it and others by (B).

Both alpha and ``failures`` must be fixed: an alpha, or a share of delta, that depends on what was published is not
covered by this proof, as the weights w belong to one alpha, and failures happen under P, not under w.  The default
alpha is the one at which a single release with the whole budget fits.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from semipriv.core.fields import checked, value
from semipriv.core.rounding import Bracket, rounded_down, rounded_up
from semipriv.privacy.budget.amounts import amount, parameter, positive_amount
from semipriv.privacy.budget.rule import Account, Rule, delta_amount, shown
from semipriv.privacy.events import BoundedRange, Composed, Event, guarantee_of, resized
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.zcdp import ZeroConcentrated, best_excess, conversion


def _order(name: str, given: Any) -> Fraction | None:
    if given is None:
        return None
    order = amount(name, given)
    if order <= 1:
        raise ValueError(f"{name} = {given!r}: must be > 1")
    return order


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
    delta: Fraction = checked(delta_amount, default=Fraction(0))
    neighbours: Neighbours = attrs.field(default=Neighbours.REPLACE_PRIVATE_EXAMPLE, converter=Neighbours)
    failures: Fraction = checked(amount, default=Fraction(0))
    order: Fraction | None = checked(
        _order,
        default=attrs.Factory(lambda self: _best_order(self.epsilon, self.delta - self.failures), takes_self=True),
    )

    def __attrs_post_init__(self) -> None:
        if self.failures > self.delta:
            raise ValueError(f"failures = {shown(self.failures)}: must be <= delta = {shown(self.delta)}")
        if self.order is None and self.failures < self.delta:
            raise ValueError(
                f"epsilon = {shown(self.epsilon)} and delta - failures = {shown(self.delta - self.failures)}: are too "
                "small for a Renyi account: give more, or failures = delta"
            )
        if self.order is not None and self.failures == self.delta:
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

    @property
    def most(self) -> tuple[Fraction, Fraction]:
        """(epsilon, delta)."""
        return self.epsilon, self.delta

    def allows(self, asked: Event) -> bool:
        """Return True."""
        return True

    def pays(self, accounts: Sequence[Account], asked: Event, times: int) -> bool:
        """Return whether accounts pay for a request ``times`` times, or for this one alone, by (C)."""
        if (not asked.rho and not asked.delta) or super().pays(accounts, asked, times):  # what reads nothing is free
            return True
        alone = self._alone(accounts, asked)
        return times == 1 and alone is not None and guarantee_of(asked, alone).epsilon <= self.epsilon

    def _alone(self, accounts: Sequence[Account], asked: Event) -> Guarantee | None:
        """Return what (C) grants; None if something was granted before, or without a delta for it."""
        chance = parameter(max(Fraction(0), self.delta - self.failures))
        if asked.delta or not chance or any(account.spent != 0 for account in accounts):
            return None
        return Guarantee(parameter(self.epsilon), chance)

    def enough(self, accounts: Sequence[Account]) -> bool:
        """Return whether (F), and (A) or (B), hold."""
        left = {account.name: account.left for account in accounts}
        failures = left.pop("failures", Fraction(0))
        assert failures is not None
        return failures >= 0 and any(rest is not None and rest >= 0 for rest in left.values())

    def accounts(self, granted: Sequence[Event]) -> tuple[Account, ...]:
        """Return the sums of (A), (B) and (F), the latter two where there are any."""
        epsilons = [event.pure for event in granted]
        spent = None if None in epsilons else sum((e for e in epsilons if e is not None), Fraction(0))
        accounts = [Account("epsilon", self.epsilon, spent)]
        if self.order is not None:
            order = self.order
            accounts.append(Account("renyi", self.limit, sum((event.renyi(order) for event in granted), Fraction(0))))
        failures = sum((event.delta for event in granted), Fraction(0))
        if failures or self.failures:
            accounts.append(Account("failures", self.failures, failures))
        return tuple(accounts)

    def so_far(self, granted: Sequence[Event]) -> Guarantee:
        """Return the best of: the sum of epsilons; the conversion of the sum of rhos; the sum of both, where events
        without an epsilon are converted and the others add up; and the total, if the requests are within it.
        """
        event = Composed([(event, 1) for event in granted])
        pure = Composed([(event, 1) for event in granted if event.pure is not None])
        rest = Composed([(event, 1) for event in granted if event.pure is None])
        bounds = [self.guarantee] if self.enough(self.accounts(granted)) else []
        if event.pure is not None:
            bounds.append(Guarantee(rounded_up(event.pure), rounded_up(event.delta), self.neighbours))
        if self.delta > event.delta:
            bounds.append(guarantee_of(event, self.guarantee))
            assert pure.pure is not None
            alone = guarantee_of(rest, Guarantee(0.0, rounded_down(self.delta - pure.delta))).epsilon
            bounds.append(Guarantee(rounded_up(pure.pure + Fraction(alone)), rounded_up(self.delta), self.neighbours))
        return min(bounds, key=lambda guarantee: (guarantee.epsilon, guarantee.delta))

    def largest(self, accounts: Sequence[Account], asked: Event) -> dict[str, Fraction]:
        """Solve (A), (B), (F) and (C) for the request; square roots are rounded down."""
        amounts, alone = self.largest_that_leaves_open(accounts, asked), self._alone(accounts, asked)
        if "rho" in amounts and alone is not None:
            return {**amounts, "rho": max(amounts["rho"], resized(asked, alone).rho)}
        return amounts

    def largest_that_leaves_open(self, accounts: Sequence[Account], asked: Event) -> dict[str, Fraction]:
        """Solve (A), (B) and (F) for the request."""
        left = {account.name: account.left or Fraction(0) for account in accounts}
        delta = {"delta": max(Fraction(0), left.get("failures", self.failures))} if asked.delta else {}
        if asked.pure is None:
            renyi = max(Fraction(0), left.get("renyi", Fraction(0)))
            return {"rho": Fraction(0) if self.order is None else renyi / self.order, **delta}
        return {"epsilon": max(Fraction(0), left["epsilon"], self._by_renyi(accounts, asked)), **delta}

    def deciding(self, accounts: Sequence[Account], asked: Event) -> tuple[Account, ...]:
        """Return (A) if its epsilons buy as much as (B), else (B); and (F) if deltas are set aside or spent."""
        by_name = {account.name: account for account in accounts}
        failures = (by_name["failures"],) if "failures" in by_name else ()
        sums = by_name["epsilon"]
        if "renyi" not in by_name:
            return sums, *failures
        closed = asked.pure is None or sums.left is None or sums.left < self._by_renyi(accounts, asked)
        return by_name["renyi" if closed else "epsilon"], *failures

    def _by_renyi(self, accounts: Sequence[Account], asked: Event) -> Fraction:
        """Return the largest epsilon that (B) pays, rounded down."""
        left = next((account.left for account in accounts if account.name == "renyi"), None)
        if self.order is None or left is None or left <= 0:
            return Fraction(0)
        square = 8 if isinstance(asked, BoundedRange) else 2  # rho = epsilon^2 / square
        return max(left, Fraction(Bracket.of(square * left / self.order).sqrt().low))

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
    whole_, chance = parameter(epsilon), parameter(max(Fraction(0), delta))
    if not chance:
        return None
    rho = ZeroConcentrated.within(Guarantee(whole_, chance)).rho
    return 1 + Fraction(best_excess(rho, chance)) if rho else None
