"""What a refusal says: total, spent, asked, left, and the largest cost that would fit."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from semipriv.core.rounding import rounded_down
from semipriv.privacy.budget.amounts import parameter
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.gaussian_budget import GaussianBudget
from semipriv.privacy.budget.rule import Account, BudgetError, Rule, shown
from semipriv.privacy.events import Concentrated, Event, guarantee_of, resized, whole, with_rho
from semipriv.privacy.guarantee import Guarantee

_DIGITS = 6
"""Digits of sums, which are read and not typed in again."""
LAST = "if nothing else is ever released"
"""Of a release by (C) of the filters: after it nothing else is granted."""
_TIE = 1 + Fraction(1, 10**6)
"""A release is told to close an account if it is larger than others by more than this factor."""
_NEAR, _TRIED = 2.0**-24, 12
"""The largest epsilon of a release is searched until its rho is as near to what is left, or so often."""
_GAUSSIAN = "gaussian", "changed"
"""Accounts of a budget for Gaussian noise alone."""


def refusal(rule: Rule, accounts: tuple[Account, ...], asked: Event, period: str = "") -> BudgetError:
    """Return the error for a request that does not fit into what is left of accounts; period: theirs, if any."""
    largest = rule.largest(accounts, asked)
    costs = {account.name: account.spent for account in rule.accounts([asked])}
    called = names(rule)
    listed = [account for account in accounts if _is_told(account, costs[account.name], asked)]
    sums = "; ".join(f"{called[account.name]}: {', '.join(_words(account, costs[account.name]))}" for account in listed)
    fits = ", ".join(f"{name} {shown(number)}" for name, number in largest.items())
    over, most = f"over budget{f' of {period}' if period else ''}", f"{fits}{_equivalent(rule, largest, asked)}"
    open_ = rule.largest_that_leaves_open(accounts, asked)
    last = f", {LAST}" if any(largest[name] > _TIE * open_[name] for name in largest) else ""
    message = f"{over}: total {rule.words}; {sums}; the largest that would fit{last}: {most}"
    return BudgetError(message, accounts, largest)


def _is_told(account: Account, asked: Fraction | None, event: Event) -> bool:
    """Return whether an account matters: that of deltas if there are any, that of changed values if it decides."""
    if account.name == "changed":
        return account.left is not None and asked is not None and account.left < asked
    return account.name != "failures" or bool(account.spent or event.delta)


def names(rule: Rule) -> Mapping[str, str]:
    """Return what the accounts of a rule are called."""
    order = rule.order if isinstance(rule, Budget) else None
    renyi = "" if order is None else f" of order {float(order):.{_DIGITS}g}"
    return {
        "epsilon": "sum of epsilons",
        "renyi": f"Renyi divergence{renyi}",
        "failures": "sum of deltas",
        "releases": "releases",
        "gaussian": "sum of rhos of Gaussian noise",
        "changed": "values that may change",
    }


def _words(account: Account, asked: Fraction | None) -> Iterator[str]:
    yield f"total {shown(account.total, _DIGITS)}"
    if account.spent is None or account.left is None:
        alone = "one release was granted alone, by an account of its own"
        yield f"closed, since {alone if account.name in _GAUSSIAN else 'a granted release has no epsilon'}"
        return
    if account.left < 0:
        yield "closed, since another account paid for more"
        return
    yield f"spent {up_to(account.spent, account.total)}"
    nothing = "asked what is not such noise, or too narrow" if account.name in _GAUSSIAN else "asked no epsilon"
    yield nothing if asked is None else f"asked {shown(asked, _DIGITS, up=True)}"
    yield f"left {shown(max(Fraction(0), account.left), _DIGITS)}"


def _equivalent(rule: Rule, largest: Mapping[str, Fraction], asked: Event) -> str:
    """Return which epsilon, at the budget's delta, a release with the largest rho may have."""
    if why := never(rule, asked):
        return f" ({why})"
    delta, rho = parameter(spare_delta(rule)), largest.get("rho")
    if not rho:
        return ""
    epsilon = released_epsilon(rho, delta, asked, most_epsilon(rule))
    return f" (a release with delta {delta!r} and epsilon {epsilon!r})"


def never(rule: Rule, asked: Event) -> str:
    """Return why a rule pays for no release of the kind of an event, whatever is left of it; '' if it may pay for one.

    >>> from semipriv.privacy.events import Pure
    >>> never(Budget(1), Concentrated(1))[:29], never(Budget(1), Pure(2))
    ('what is paid by rho needs a b', '')
    """
    if isinstance(rule, GaussianBudget) and (asked.gaussian is None or asked.delta):
        return "this budget pays for Gaussian noise alone: other releases need a budget of their own"
    if isinstance(rule, Budget) and asked.pure is None and not spare_delta(rule):
        return "what is paid by rho needs a budget with a delta larger than failures: open one, or ask for delta 0"
    return ""


def most_epsilon(rule: Rule) -> float:
    """Return the most epsilon of one release, rounded down."""
    return rule.each.epsilon if isinstance(rule, EqualReleases) else rounded_down(rule.most[0])


def spare_delta(rule: Rule) -> Fraction:
    """Return the delta with which the rho of one release is converted."""
    if isinstance(rule, EqualReleases):
        return Fraction(rule.each.delta)
    if isinstance(rule, GaussianBudget):
        return rule.delta
    return rule.delta - rule.failures if isinstance(rule, Budget) else Fraction(0)


def released_epsilon(rho: Fraction, delta: float, kind: Event | None = None, most: float = math.inf) -> float:
    """Return the largest epsilon <= most such that a release of (epsilon, delta) costs at most rho; 0 if there is none.

    kind: of which the release is (``resized``); None: its rho is the ``whole`` of its budget.
    """

    def cost(epsilon: float) -> Fraction:
        budget = Guarantee(epsilon, delta)
        return whole(budget) if kind is None else resized(kind, budget).rho

    if most < math.inf and cost(most) <= rho:
        return most
    sized = Concentrated(rho) if kind is None else with_rho(kind, rho)
    epsilon, step = min(guarantee_of(sized, Guarantee(0.0, delta)).epsilon, most), 2.0**-50
    for _ in range(_TRIED):
        spent = cost(epsilon) if epsilon else Fraction(0)
        if not spent or abs(ratio := float(rho / spent) - 1) < _NEAR:
            break
        epsilon = min(epsilon * math.sqrt(1 + ratio), most)  # a rho grows about as epsilon^2
    near = epsilon
    while epsilon > 0 and cost(epsilon) > rho:
        epsilon, step = max(0.0, near * (1 - step)), 16 * step
    return epsilon


def account_texts(account: Account) -> tuple[str, str, str]:
    """Return total, spent and left of an account as decimal text: spent rounded up, left down.

    One that cannot pay any more is closed: what was spent of it does not matter, since another account paid.
    """
    total = shown(account.total, _DIGITS)
    if account.spent is None or account.left is None or account.left < 0:
        return total, "-", "closed"
    return total, up_to(account.spent, account.total), shown(account.left, _DIGITS)


def up_to(spent: Fraction, total: Fraction) -> str:
    """Return what is spent of a total as decimal text, rounded up, but never above the text of the total.

    >>> up_to(Fraction(1, 7), Fraction(1, 3)), up_to(Fraction(1, 3), Fraction(1, 3))
    ('0.142858', '0.333333')
    """
    text, most = shown(spent, _DIGITS, up=True), shown(total, _DIGITS)
    return most if Fraction(text) > Fraction(most) else text
