"""What is no amount, budget, total or request: the call, and the words of the error."""

import math
import re
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import refused

from semipriv.privacy.budget.amounts import amount, positive_amount
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.pricing import requests, total

NO_AMOUNTS = [
    -0.1, "-1", -1, Fraction(-1, 3), math.nan, math.inf, -math.inf, "nan", "inf", Decimal("NaN"), Decimal("Infinity"),
    True, False, None, "", "1/0", "1/3/4", "0x1", "1_000", "1e99999", "1e400", "1e-400", "1e9999", 10**400,
    Fraction(1, 10**400), 1e308,
    "9" * 2000, "١", [1], 1j, b"1", "1 2", "1.5/2",
]  # fmt: skip


def asked(**row: Any) -> object:
    return requests([row], None, Fraction)


REFUSED = [
    (lambda: positive_amount("epsilon", 0), "epsilon = 0: must be > 0"),
    (lambda: Budget(1, delta=1), "^delta = 1: must be < 1"),
    (lambda: Budget(1, delta=-1), "^delta = -1: must be >= 0"),
    (lambda: Budget(1, delta="1e-6", failures="1e-5"), "^failures = 0.00001: must be <= delta = 0.000001"),
    (lambda: Budget(1, failures="1e-5"), "^failures = 0.00001: must be <= delta = 0"),
    (lambda: Budget(1, delta="1e-400"), "^delta = '1e-400': must be 0 or between 5e-324 and 1e300"),
    (lambda: Budget("1e9999"), "^epsilon = '1e9999': must be 0 or between"),
    (lambda: Budget(1, delta="0." + "9" * 30), "^delta = .*: must be < 1, and not so near to it"),
    (lambda: Budget("1e-300", "1e-300"), "are too small for a Renyi account"),
    (lambda: Budget(1, "1e-6", order="1e999"), "^order = '1e999': must be"),
    (
        lambda: total({"each": 0.1, "count": 10**9, "delta": "1e-6"}),
        "^count = 1000000000: must be <= 100000 ",
    ),
    (lambda: total({"each": "1e299", "count": 100}), "^count = 100: so many releases of epsilon 9.* exceed 1e300"),
    (lambda: Budget(1, order=2), "^order: is for a delta that is larger than failures"),
    (lambda: Budget(1, "1e-6", order=1), r"order = .*: must be > 1"),
    (lambda: Budget(1, "1e-6", order="0.5"), r"order = .*: must be > 1"),
    (lambda: total({}), "give epsilon, or each and count"),
    (lambda: total({"each": 0.1}), "each needs count"),
    (lambda: total({"each": 0.1, "count": 11, "epsilon": 1}), "11 releases .* are more"),
    (lambda: total({"epsilon": -1}), "epsilon = -1: must be >= 0"),
    (lambda: total({"epsilon": 1, "size": 2}), "unknown key of total 'size'"),
    (lambda: total({"epsilon": 1, "neighbours": "rows"}), "unknown neighbours 'rows'"),
    (lambda: asked(epsilon=1), "request 1: must be a mapping with a name"),
    *(
        (
            partial(asked, name=name, epsilon=1),
            f"request 1: name = {re.escape(repr(name))}: must be text in one line",
        )
        for name in (None, "", " ", 3, [1], {"a": 1}, True, date(2026, 1, 1))
    ),
    (lambda: asked(name="a\nb", epsilon=1), "must be text in one line"),
    (lambda: asked(name="a", epsilon=1, delta=2), "request 'a': delta = 2: must be < 1"),
    (lambda: asked(name="a", epsilon="1e400", delta=0.1, kind="concentrated"), "epsilon = '1e400': must be 0 or"),
    (lambda: asked(name="a", epsilon=1e-300, delta=1e-300, kind="concentrated"), "are too small, no rho is left"),
    (lambda: asked(name="a", rho="1e400"), "request 'a': rho = '1e400': must be 0 or"),
    (lambda: requests([{"name": "a", "weight": "1e400"}], Budget(1), Fraction), "weight = '1e400': must be 0 or"),
    (lambda: asked(name="a"), "request 'a': must have one of epsilon, weight, rho, learner"),
    (lambda: asked(name="a", epsilon=1, rho=1), "must have one of"),
    (lambda: asked(name="a", epsilon=0), "request 'a': epsilon = 0: must be > 0"),
    (lambda: asked(name="a", epsilon="nan"), "must be a finite number"),
    (lambda: asked(name="a", epsilon=1, kind="best"), "unknown kind 'best'"),
    (lambda: asked(name="a", epsilon=1, kind="concentrated"), "delta = .*must be > 0"),
    (lambda: asked(name="a", epsilon=1, kind="exponential", delta=0.1), "must be 0 for kind"),
    (lambda: asked(name="a", epsilons=1), "did you mean 'epsilon'"),
    (lambda: asked(name="a", weight=1), "weight: needs total"),
    (
        lambda: requests([{"name": "a", "epsilon": 1}, {"name": "b", "weight": 3}], Budget(1), Fraction),
        "leave nothing",
    ),
]
NO_AMOUNT = [
    (call, "^epsilon = ")
    for given in NO_AMOUNTS
    for call in (partial(amount, "epsilon", given), partial(Budget, given))
]


@refused.each({"budgets": REFUSED, "amounts": NO_AMOUNT})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
