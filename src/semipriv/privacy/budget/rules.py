"""The rules of budgets, as a ledger describes them."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.rule import Rule
from semipriv.privacy.guarantee import Guarantee, Neighbours


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
