"""What decides which requests of a data set fit, and the accounts that it keeps."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from semipriv.core.errors import PublicError
from semipriv.core.rounding import outward, rounded_up
from semipriv.privacy.budget.amounts import amount
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Neighbours

MOST = 10**9
"""More equal requests are not counted."""


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


class BudgetError(PublicError):
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

    @property
    @abstractmethod
    def most(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta of the guarantee as exact numbers."""

    def fits(self, granted: Sequence[Event], asked: Event) -> bool:
        """Return whether a request fits after those that were granted.  All sums are exact."""
        return self.pays(self.accounts(granted), asked, 1)

    def pays(self, accounts: Sequence[Account], asked: Event, times: int) -> bool:
        """Return whether accounts pay for a request ``times`` times, one after the other."""
        return self.allows(asked) and self.enough(added(accounts, self.accounts([asked]), times))

    def affordable(self, accounts: Sequence[Account], asked: Event) -> int:
        """Return how many of a request still fit, one after the other; MOST if there are more."""
        if self.pays(accounts, asked, MOST):
            return MOST
        fit, too_many = 0, MOST
        while too_many - fit > 1:
            middle = (fit + too_many) // 2
            fit, too_many = (middle, too_many) if self.pays(accounts, asked, middle) else (fit, middle)
        return fit

    @abstractmethod
    def allows(self, asked: Event) -> bool:
        """Return whether the rule covers a request, whatever is left."""

    @abstractmethod
    def enough(self, accounts: Sequence[Account]) -> bool:
        """Return whether what is spent of the accounts is within the total."""

    @abstractmethod
    def deciding(self, accounts: Sequence[Account], asked: Event) -> tuple[Account, ...]:
        """Return the account that lets in the largest request of this kind, and that of deltas if there is one."""

    @abstractmethod
    def accounts(self, granted: Sequence[Event]) -> tuple[Account, ...]:
        """Return what is spent."""

    @abstractmethod
    def so_far(self, granted: Sequence[Event]) -> Guarantee:
        """Return the guarantee of granted requests if they had all been chosen in advance."""

    @abstractmethod
    def largest(self, accounts: Sequence[Account], asked: Event) -> dict[str, Fraction]:
        """Return the parameters of the largest event of the same kind that would fit: a request for them is granted.

        'epsilon' for one with an epsilon, else 'rho'; 'delta' if it may fail.
        """

    def largest_that_leaves_open(self, accounts: Sequence[Account], asked: Event) -> dict[str, Fraction]:
        """Return the parameters of the largest one after which something else may still be granted."""
        return self.largest(accounts, asked)

    @abstractmethod
    def described(self) -> dict[str, Any]:
        """Return the rule as values of JSON."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The total, in words."""


def added(accounts: Sequence[Account], costs: Sequence[Account], times: int) -> tuple[Account, ...]:
    """Return accounts after ``times`` requests, each of which costs what is spent of ``costs``: sums are exact."""
    by_name = {account.name: account for account in accounts}
    for cost in costs:
        before = by_name[cost.name].spent if cost.name in by_name else Fraction(0)
        spent = None if before is None or cost.spent is None else before + times * cost.spent
        by_name[cost.name] = Account(cost.name, cost.total, spent)
    return tuple(by_name.values())


def delta_amount(name: str, given: Any) -> Fraction:
    """Return a delta: an exact amount below 1, else raise ValueError."""
    delta = amount(name, given)
    if rounded_up(delta) >= 1:
        raise ValueError(f"{name} = {given!r}: must be < 1, and not so near to it that it is rounded to 1")
    return delta


def shown(number: Fraction, digits: int = 17, *, up: bool = False) -> str:
    """Return an amount >= 0 as decimal text that is never more than it (up: never less): exact if digits suffice.

    >>> shown(Fraction(1, 10)), shown(Fraction(2, 3), 6), shown(Fraction(2, 3), 6, up=True), shown(Fraction(1, 10**6))
    ('0.1', '0.666666', '0.666667', '0.000001')
    """
    context = outward(digits)[up]
    decimal = context.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize(context)
    return f"{decimal:f}" if -7 < decimal.adjusted() < 17 else str(decimal)
