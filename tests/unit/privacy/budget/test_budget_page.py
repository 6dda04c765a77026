"""The refusal that the page on budgets shows is what the ledger says; its commands are run beside those of others."""

from fractions import Fraction

from places import ROOT

from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.refusal import refusal
from semipriv.privacy.events import Pure

PAGE = (ROOT / "docs/budget.md").read_text()


def test_the_refusal_is_what_the_ledger_says() -> None:
    error = refusal(Budget(1), Budget(1).accounts([Pure(Fraction("0.8"))]), Pure(Fraction("0.5")))
    assert str(error) in PAGE.splitlines()
