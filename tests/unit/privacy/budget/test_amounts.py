"""Amounts are exact, and what is no amount is refused."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.privacy.budget import amounts
from semipriv.privacy.budget.amounts import amount, parameter
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.rule import shown
from semipriv.privacy.events import Pure


@pytest.mark.parametrize(
    ("given_", "exact"),
    [
        (0.1, "1/10"),
        ("0.1", "1/10"),
        (" 1e-6 ", "1/1000000"),
        ("1/3", "1/3"),
        (Decimal("0.30"), "3/10"),
        (Fraction(2, 7), "2/7"),
        (3, "3"),
        (np.float64(0.1), "1/10"),
        (np.int64(3), "3"),
        (5e-324, "5e-324"),
        ("5e-324", "5e-324"),
        (0, "0"),
        ("+.5", "1/2"),
    ],
)
def test_amounts_are_exact(given_: Any, exact: str) -> None:
    assert amount("epsilon", given_) == Fraction(exact)


@given(st.one_of(st.floats(), st.decimals(), st.fractions(), st.integers(), st.booleans(), st.text(max_size=8)))
@settings(max_examples=300, deadline=None)
def test_every_amount_is_exact_or_refused(value: Any) -> None:
    try:
        parsed_amount = amount("epsilon", value)
    except ValueError:
        if not isinstance(value, (str, bool)):
            number = Decimal(str(value)) if isinstance(value, (float, Decimal)) else Decimal(-1 if value < 0 else 0)
            beyond = abs(number.adjusted()) > 299 and not amounts.SMALLEST <= abs(Fraction(number)) <= amounts.LARGEST
            assert not number.is_finite() or number < 0 or beyond
        return
    assert parsed_amount >= 0
    assert not isinstance(value, bool)
    assert parsed_amount == Fraction(repr(value) if isinstance(value, float) else value)
    assert Fraction(parameter(parsed_amount)) <= parsed_amount
    for digits in (3, 17):
        assert (
            Fraction(shown(parsed_amount, digits)) <= parsed_amount <= Fraction(shown(parsed_amount, digits, up=True))
        )


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=100), st.integers(1, 12))
@settings(max_examples=50, deadline=None)
def test_shares_that_add_up_fit_and_not_a_hair_more(total: Fraction, parts: int) -> None:
    budget = Budget(total)
    granted = []
    for _ in range(parts):
        assert budget.fits(granted, Pure(total / parts))
        granted.append(Pure(total / parts))
    assert not budget.fits(granted, Pure(5e-324))


def test_a_tenth_and_nine_tenths_fit_into_one() -> None:
    """As amounts; and as the floats that mechanisms run with, which are rounded down."""
    a, b = amount("a", 0.1), amount("b", 0.9)
    assert Budget(1).fits([Pure(a)], Pure(b))
    assert Budget(1).fits([Pure(parameter(a))], Pure(parameter(b)))
    assert not Budget(1).fits([Pure(0.1)], Pure(0.9)), "the floats themselves are more than a tenth and nine tenths"
    assert sum([parameter(amount("a", "0.1"))] * 10) <= 1
