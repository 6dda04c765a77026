"""What is no amount, budget, total or request: the call, and the words of the error."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from semipriv.budget.amounts import amount, positive_amount
from semipriv.budget.filter import Budget
from semipriv.budget.pricing import requests, total

NO_AMOUNTS = [
    -0.1, "-1", -1, Fraction(-1, 3), math.nan, math.inf, -math.inf, "nan", "inf", Decimal("NaN"), Decimal("Infinity"),
    True, False, None, "", "1/0", "1/3/4", "0x1", "1_000", "1e99999", "9" * 2000, "١", [1], 1j, b"1", "1 2", "1.5/2",
]  # fmt: skip


def asked(**row: Any) -> object:
    return requests([row], None, Fraction)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: positive_amount("epsilon", 0), "epsilon = 0: must be > 0"),
        (lambda: Budget(1, delta=1), "^delta = 1: must be < 1"),
        (lambda: Budget(1, delta=-1), "^delta = -1: must be >= 0"),
        (lambda: Budget(1, delta="1e-6", failures="1e-5"), r"^delta = .*: must be in \[0, 1\)"),
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
    ],
)
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", NO_AMOUNTS, ids=lambda value: repr(value)[:12])
def test_what_is_no_amount_is_refused(given: object) -> None:
    for call in (lambda: amount("epsilon", given), lambda: Budget(given)):
        with pytest.raises(ValueError, match=r"^epsilon = "):
            call()
