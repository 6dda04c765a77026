"""What a refusal says: total, spent, asked, left, and the largest cost that would fit."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from semipriv.budget.filter import Budget
from semipriv.budget.rule import Account, BudgetError, Rule, shown
from semipriv.privacy.events import Event, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.zcdp import ZeroConcentrated
from semipriv.rounding import rounded_down

_DIGITS = 6
"""Digits of sums that nobody types in again."""


def refusal(rule: Rule, granted: Sequence[Event], asked: Event) -> BudgetError:
    """Return the error for a request that does not fit after those that were granted."""
    accounts, largest = rule.accounts(granted), rule.largest(granted, asked)
    costs = {account.name: account.spent for account in rule.accounts([asked])}
    sums = "; ".join(_line(rule, account, costs[account.name]) for account in accounts if _matters(account, asked))
    fits = ", ".join(f"{name} {shown(number)}" for name, number in largest.items())
    message = f"over budget: total {rule.words}; {sums}; the largest that would fit: {fits}{_equivalent(rule, largest)}"
    return BudgetError(message, accounts, largest)


def names(rule: Rule) -> Mapping[str, str]:
    """Return what the accounts of a rule are called."""
    order = rule.order if isinstance(rule, Budget) else None
    renyi = "" if order is None else f" of order {float(order):.{_DIGITS}g}"
    return {
        "epsilon": "sum of epsilons",
        "renyi": f"Renyi divergence{renyi}",
        "failures": "sum of deltas",
        "releases": "releases",
    }


def _matters(account: Account, asked: Event) -> bool:
    return account.name != "failures" or bool(account.spent) or bool(asked.delta)


def _line(rule: Rule, account: Account, asked: Fraction | None) -> str:
    return f"{names(rule)[account.name]}: " + ", ".join(_words(account, asked))


def _words(account: Account, asked: Fraction | None) -> Iterator[str]:
    yield f"total {shown(account.total, _DIGITS)}"
    if account.spent is None or account.left is None:
        yield "closed, since a granted release has no epsilon"
        return
    yield f"spent {shown(account.spent, _DIGITS, up=True)}"
    yield "asked no epsilon" if asked is None else f"asked {shown(asked, _DIGITS, up=True)}"
    yield f"left {shown(max(Fraction(0), account.left), _DIGITS)}"


def _equivalent(rule: Rule, largest: Mapping[str, Fraction]) -> str:
    """Return which epsilon, at the budget's delta, a release with the largest rho may have."""
    delta = rule.guarantee.delta if not isinstance(rule, Budget) else rounded_down(rule.delta - rule.failures)
    rho = largest.get("rho")
    if not rho or not delta:
        return ""
    return f" (a release with delta {delta!r} and epsilon {released_epsilon(rho, delta)!r})"


def released_epsilon(rho: Fraction, delta: float) -> float:
    """Return the largest epsilon such that the ``whole`` of (epsilon, delta) is at most rho; 0 if there is none."""
    found = ZeroConcentrated(rounded_down(rho)).guarantee(delta).epsilon
    steps = 0
    while found > 0 and whole(Guarantee(found, delta)) > rho:
        found = rounded_down(Fraction(found) * (1 - Fraction(2**steps, 2**53)))
        steps += 1
    return found


def account_texts(account: Account) -> tuple[str, str, str]:
    """Return total, spent and left of an account as decimal text: spent rounded up, left down."""
    left = "-" if account.left is None else shown(max(Fraction(0), account.left), _DIGITS)
    spent = "-" if account.spent is None else shown(account.spent, _DIGITS, up=True)
    return shown(account.total, _DIGITS), spent, left
