"""Prices of a list of requests, before any data are there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from semipriv.core import checks
from semipriv.core.registry import check_name
from semipriv.core.rounding import rounded_up
from semipriv.privacy.budget.amounts import amount, parameter, positive_amount
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.gaussian_budget import GaussianBudget
from semipriv.privacy.budget.refusal import refusal
from semipriv.privacy.budget.rule import BudgetError, Rule, added, delta_amount, shown
from semipriv.privacy.events import Approximate, BoundedRange, Composed, Concentrated, Event, Pure, guarantee_of, whole
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.zcdp import best_excess

KINDS = ("pure", "exponential", "concentrated")
"""What a request of an epsilon may be: any epsilon-DP mechanism (or (epsilon, delta)-DP, of which nothing better is
known), the exponential mechanism, or a release that spends the rho of its (epsilon, delta)."""
_KEYS = ("name", "epsilon", "weight", "delta", "rho", "kind", "count", "learner")
_SIZES = ("epsilon", "weight", "rho", "learner")


@dataclass(frozen=True)
class Asked:
    """One line of a list: an event, ``count`` times.  epsilon: what it asks for, if that is what was asked for."""

    name: str
    event: Event
    count: int
    epsilon: Fraction | None = None


@dataclass(frozen=True)
class Priced:
    """A line with its cost, ``count`` times together, by account; fits: after the lines before, None without a rule."""

    asked: Asked
    costs: Mapping[str, Fraction | None]
    fits: bool | None


def total(given: Mapping[str, Any]) -> Rule:
    """Return the rule of a mapping: a Budget, or EqualReleases if it has ``each`` and ``count``, or GaussianBudget.

    The last one is for ``gaussian`` that is True, beside epsilon and delta alone.

    Amounts are exact.  ``each`` is rounded down to a float, as parameters of mechanisms are.  Where ``epsilon`` stands
    beside ``each``, the releases together must be within it, else ValueError.
    """
    options = {key: value for key, value in given.items() if value is not None}
    names = ["epsilon", "delta", "failures", "order", "each", "count", "neighbours", "gaussian"]
    for key in options:
        check_name("key of total", key, names)
    neighbours = Neighbours(
        check_name("neighbours", str(options.pop("neighbours", Neighbours.REPLACE_PRIVATE_EXAMPLE)), list(Neighbours))
    )
    if checks.boolean("gaussian", options.pop("gaussian", False)):
        for key in ("epsilon", "delta"):
            if key not in options:
                raise ValueError(
                    f"total: gaussian needs {key}: Gaussian noise has an epsilon at a delta, as 1e-6, alone"
                )
        if extra := sorted(options.keys() - {"epsilon", "delta"}):
            raise ValueError(f"total: gaussian goes with epsilon and delta alone, leave out {', '.join(extra)}")
        return GaussianBudget(**options, neighbours=neighbours)
    if "each" not in options and "count" not in options:
        if "epsilon" not in options:
            raise ValueError("total: give epsilon, or each and count")
        return Budget(**options, neighbours=neighbours)
    if {"each", "count"} - options.keys() or {"failures", "order"} & options.keys():
        raise ValueError("total: each needs count, and neither failures nor order")
    guarantee = Guarantee(parameter(positive_amount("each", options["each"])), 0.0, neighbours)
    equal = EqualReleases(guarantee, options["count"], options.get("delta", 0))
    if "epsilon" in options and equal.guarantee.epsilon > positive_amount("epsilon", options["epsilon"]):
        raise ValueError(f"epsilon = {options['epsilon']}: {equal.words} are more")
    return equal


def requests(
    given: Sequence[Any], rule: Rule | None, event_of_learner: Callable[[Mapping[str, Any]], Event]
) -> list[Asked]:
    """Return the requests of a list of mappings, each with a ``name`` and one of:

    ``epsilon``, with ``delta`` and ``kind``; ``weight``, a share of what the epsilons leave of the total; ``rho``;
    ``learner``, as in an experiment.  ``count``: how often.  Raise ValueError naming the request for anything else.
    """
    rows = [_checked(number, row) for number, row in enumerate(given, 1)]
    fixed = {i: _asked(row, event_of_learner) for i, row in enumerate(rows) if "weight" not in row}
    if len(fixed) == len(rows):
        return list(fixed.values())
    unit = _left(list(fixed.values()), rule) / sum(_weight(row) for row in rows if "weight" in row)
    return [
        fixed[i] if i in fixed else _asked({**row, "epsilon": unit * _weight(row) / _count(row)}, event_of_learner)
        for i, row in enumerate(rows)
    ]


def price(asked: Sequence[Asked], rule: Rule | None) -> list[Priced]:
    """Return the cost of each: 'epsilon', 'rho' and 'delta', and that of each account of the rule."""
    accounts = () if rule is None else rule.accounts([])
    priced = []
    for request in asked:
        pure = None if request.event.pure is None else request.count * request.event.pure
        costs = {
            "epsilon": pure,
            "rho": request.count * request.event.rho,
            "delta": request.count * request.event.delta,
        }
        fits = None
        if rule is not None:
            costs_of_one = rule.accounts([request.event])
            costs |= {account.name: account.spent for account in added(rule.accounts([]), costs_of_one, request.count)}
            fits = rule.pays(accounts, request.event, request.count)
            accounts = added(accounts, costs_of_one, request.count)
        priced.append(Priced(request, costs, fits))
    return priced


def missing(rows: Sequence[Priced], rule: Rule) -> tuple[Asked, BudgetError] | None:
    """Return the first request that does not fit after those before it, and what its refusal says; None if all do."""
    accounts = rule.accounts([])
    for row in rows:
        request = row.asked
        if not row.fits:
            fit = min(request.count, rule.affordable(accounts, request.event))
            accounts = added(accounts, rule.accounts([request.event]), fit)
            return request, refusal(rule, accounts, request.event)
        accounts = added(accounts, rule.accounts([request.event]), request.count)
    return None


def better_order(asked: Sequence[Asked], budget: Budget) -> Fraction | None:
    """Return an order of the Renyi account with which all requests fit; None if none was found.

    Tried are the order that is best for all requests without an epsilon, and orders between 1.01 and 10^5.
    """
    events = Composed([(request.event, request.count) for request in asked])
    chance = parameter(budget.delta - budget.failures)
    rho = sum((request.count * request.event.rho for request in asked if request.event.pure is None), Fraction(0))
    if not chance or budget.order is None:
        return None
    tried = [1 + Fraction(best_excess(rounded_up(rho), chance))] if rho else []
    tried += [1 + Fraction(10 ** (place / 20)).limit_denominator(1000) for place in range(-40, 101)]
    for order in tried:
        tried_budget = Budget(budget.epsilon, budget.delta, budget.neighbours, budget.failures, order)
        if tried_budget.enough(tried_budget.accounts([events])):  # one by one, so not by (C)
            return order
    return None


def _checked(number: int, row: Any) -> Mapping[str, Any]:
    if not isinstance(row, dict) or "name" not in row:
        raise ValueError(f"request {number}: must be a mapping with a name")
    if not isinstance(row["name"], str) or not row["name"].strip() or not row["name"].isprintable():
        raise ValueError(f"request {number}: name = {row['name']!r}: must be text in one line (in quotes)")
    for key in row:
        check_name(f"key of request {row['name']!r}", key, list(_KEYS))
    if len([key for key in _SIZES if key in row]) != 1:
        raise ValueError(f"request {row['name']!r}: must have one of {', '.join(_SIZES)}")
    return row


def _weight(row: Mapping[str, Any]) -> Fraction:
    return positive_amount(f"request {row['name']!r}: weight", row["weight"])


def _count(row: Mapping[str, Any]) -> int:
    return checks.size(f"request {row['name']!r}: count", row.get("count", 1))


def _asked(row: Mapping[str, Any], event_of_learner: Callable[[Mapping[str, Any]], Event]) -> Asked:
    name, count = row["name"], _count(row)
    try:
        if "epsilon" in row:
            epsilon = positive_amount("epsilon", row["epsilon"])
            return Asked(name, _event(row, epsilon), count, epsilon)
        if "rho" in row:
            return Asked(name, Concentrated(positive_amount("rho", row["rho"])), count)
        return Asked(name, event_of_learner(checks.mapping("learner", row["learner"])), count)
    except ValueError as error:
        raise ValueError(f"request {name!r}: {error}") from None


def _left(fixed: Sequence[Asked], rule: Rule | None) -> Fraction:
    """Return the epsilon that the other requests leave of the total for weights."""
    if not isinstance(rule, Budget):
        raise ValueError("weight: needs total: {epsilon: ...}, of which it is a share")
    left = rule.epsilon
    for request in fixed:
        epsilon = request.epsilon if request.epsilon is not None else request.event.pure
        if epsilon is None:
            epsilon = Fraction(guarantee_of(request.event, rule.guarantee).epsilon)
        left -= request.count * epsilon
    if left <= 0:
        raise ValueError("weight: the other requests leave nothing of the total's epsilon")
    return left


def _event(row: Mapping[str, Any], epsilon: Fraction) -> Event:
    kind, delta = check_name("kind", row.get("kind", "pure"), list(KINDS)), amount("delta", row.get("delta", 0))
    if kind == "concentrated":
        rho = whole(Guarantee(parameter(epsilon), parameter(positive_amount("delta", delta))))
        if not rho:
            raise ValueError(f"epsilon = {shown(epsilon)}, delta = {shown(delta)}: are too small, no rho is left")
        return Concentrated(rho)
    delta_amount("delta", row.get("delta", 0))
    if delta:
        if kind != "pure":
            raise ValueError(f"delta = {row['delta']!r}: must be 0 for kind {kind!r}")
        return Approximate(epsilon, delta)
    return BoundedRange(epsilon) if kind == "exponential" else Pure(epsilon)
