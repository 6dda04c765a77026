"""A fit says of which period its rows are, and charges the account of that period, and no other one."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from semipriv.core.randomness import Secure, Simulation
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.practice.estimators.regressor import SemiPrivateRegressor
from semipriv.practice.estimators.statistics import Statistics
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import BudgetError, Ledger, LedgerError
from semipriv.privacy.budget.periods import Periods
from semipriv.queries.schema import Schema

COINS = np.random.default_rng(8)
ROWS, PUBLIC = COINS.random((200, 2)), COINS.random((40, 2))
TABLE = pd.DataFrame({"ward": ["A", "B"] * 100, "sex": ["F", "F", "M", "M"] * 50})


def fit(kind: str, **settings: Any) -> Any:
    given = {"randomness": Secure(), **settings}
    if kind == "classifier":
        return SemiPrivateClassifier("sspp", public=PUBLIC, **given).fit(ROWS, (ROWS[:, 0] > 0.5).astype(int))
    if kind == "regressor":
        return SemiPrivateRegressor(public=PUBLIC, response_range=(0, 1), **given).fit(ROWS, ROWS[:, 0])
    if kind == "table":
        return PrivateTable(Schema({"ward": ["A", "B"], "sex": ["F", "M"]}), public=TABLE[:8], **given).fit(TABLE)
    features = {"ward": {"categories": ["A", "B"], "unknown": "other"}}
    asked = [{"statistic": "count", "by": "ward"}]
    return Statistics(asked, features, one_row_a_person=True, **given).fit(TABLE)


@pytest.mark.parametrize("kind", ["classifier", "regressor", "table", "statistics"])
def test_each_period_has_its_own_account(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "months.jsonl"
    Ledger.create(path, Budget("0.5"), periods=Periods("month"))
    settings: dict[str, Any] = {"epsilon": "0.4", "ledger": path}
    with pytest.raises(ValueError, match=r"period: is None, and .* keeps an account for each month: say of which"):
        fit(kind, **settings)
    with pytest.raises(LedgerError, match="period = '2026-W48': must be a month, as 2026-11"):
        fit(kind, period="2026-W48", **settings)
    fit(kind, period="2026-10", **settings)
    first = fit(kind, period="2026-11", request="november", **settings)
    with pytest.raises(BudgetError, match="over budget of 2026-11"):
        fit(kind, period=["2026-11", "2026-12"], **settings)
    again = fit(kind, period="2026-11", request="november", **settings)
    assert again.to_json() == first.to_json(), "the same request costs nothing"
    standings = Ledger.open(path).summary().standings
    assert [standing.period for standing in standings] == ["2026-10", "2026-11"]
    assert all(0 < standing.accounts[0].spent <= Fraction(2, 5) for standing in standings)


def test_a_period_without_an_account_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    Ledger.create(path, Budget(1))
    with pytest.raises(LedgerError, match="period: the ledger has one account for all time"):
        fit("classifier", epsilon="0.1", ledger=path, period="2026-11")
    assert not Ledger.open(path).charges
    with pytest.raises(ValueError, match="period = '2026-11': names an account of a ledger, and ledger is None"):
        fit("classifier", epsilon="0.1", period="2026-11", randomness=Simulation(1))
    for wrong in (202611, [], ["2026-11", None]):
        with pytest.raises(ValueError, match=r"period = .*must be a name such as '2026-11', or a list of names"):
            fit("classifier", epsilon="0.1", ledger=path, period=wrong)
