"""Every fit with Secure is charged in full, also those of a grid search; a named request is drawn once."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from semipriv.core.randomness import Secure
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.privacy.budget.ledger import Budget, BudgetError, Ledger, LedgerError
from semipriv.privacy.events import restored
from semipriv.privacy.guarantee import Neighbours

X = np.arange(24, dtype=float)[:, None]
Y = (X[:, 0] >= 12).astype(int)


@pytest.fixture
def ledger(tmp_path) -> str:
    path = tmp_path / "clinic.jsonl"
    Ledger.create(path, Budget(1))  # pure: epsilons add up, whatever better account a learner has
    return str(path)


def spent(path: str) -> Fraction | None:
    return next(a.spent for a in Ledger.open(path).summary().accounts if a.name == "epsilon")


def model(path: str, **others) -> SemiPrivateClassifier:
    settings = {"hypothesis_class": "thresholds", "public": 7, "ranges": (0, 24), "randomness": Secure()}
    return SemiPrivateClassifier(**{"learner": "sspp", "epsilon": "0.1", "ledger": path, **settings, **others})


def charged(path: str) -> int:
    return sum(entry.kind == "reserved" for entry in Ledger.open(path).entries)


def test_ten_tenths_fit_one_and_the_next_is_refused(ledger) -> None:
    """Clones share the path; a tenth is charged as at most a tenth."""
    first = model(ledger)
    for _ in range(10):
        assert clone(first).fit(X, Y).release_.certified().epsilon <= 0.1
    assert Fraction(1) - Fraction(1, 10**14) < spent(ledger) <= 1
    with pytest.raises(BudgetError):
        first.fit(X, Y)
    assert (charged(ledger), hasattr(first, "release_")) == (10, False)


def test_a_discriminant_of_columns_is_charged_part_by_part(tmp_path) -> None:
    """From DataFrames; the tree of its uses is in the ledger, so that a budget with delta is charged less."""
    coins = np.random.default_rng(3)
    rows = pd.DataFrame(coins.normal(size=(3_000, 5)), columns=list("abcde"))
    labels = np.where(rows @ [1.0, -1.0, 0.5, 0.0, 2.0] > 0, "yes", "no")
    budgets = {}
    for name, budget in (("pure", Budget(1)), ("rhos", Budget(1, "1e-6"))):
        path = tmp_path / f"{name}.jsonl"
        Ledger.create(path, budget)
        settings = {"public": rows[:100], "classes": ("no", "yes"), "hypothesis_class": "halfspaces"}
        estimator = model(str(path), learner="public_metric_discriminant", epsilon="0.5", ranges=None, **settings)
        estimator.fit(rows[100:], labels[100:])
        assert (estimator.predict(rows) == labels).mean() > 0.85
        (entry,) = [entry for entry in Ledger.open(path).entries if entry.kind == "reserved"]
        event = restored(entry.payload["event"])
        assert event.pure == Fraction("0.5")
        assert len(event.parts) > 2
        budgets[name] = event.rho
    assert budgets["pure"] == budgets["rhos"] < Fraction("0.5") ** 2 / 4


def test_cross_validation_is_charged_for_each_fold(ledger) -> None:
    cross_val_score(model(ledger), X, Y, cv=KFold(3), error_score="raise")
    assert charged(ledger) == 3


def test_a_grid_search_is_charged_in_full_or_refused(ledger) -> None:
    grid = {"epsilon": ["0.05", "0.1"]}
    search = GridSearchCV(model(ledger), grid, cv=KFold(3), error_score="raise").fit(X, Y)
    assert charged(ledger) == 2 * 3 + 1, "the best one is fitted again"
    refit = Fraction(search.best_params_["epsilon"])
    assert abs(spent(ledger) - (3 * Fraction("0.15") + refit)) < Fraction(1, 10**14)
    with pytest.raises(BudgetError):
        GridSearchCV(model(ledger), {"epsilon": ["0.2", "0.1"]}, cv=KFold(3), error_score="raise").fit(X, Y)
    assert spent(ledger) <= 1


def test_a_refused_fit_is_charged_for_nothing(ledger) -> None:
    for change, message in [
        ({"classes": (1, 2)}, "declared"),
        ({"public": None}, "public"),
        ({"public_labels": Y}, "unlabelled public points"),
        ({"hypothesis_class": "halfplanes"}, "unknown class"),
        ({"epsilon": "-1"}, "epsilon"),
    ]:
        with pytest.raises(ValueError, match=message):
            model(ledger, **change).fit(X, Y)
    assert charged(ledger) == 0


def test_a_named_request_is_drawn_once_and_stands_for_its_rows(ledger) -> None:
    named = model(ledger, request="visits")
    first = named.fit(X, Y).to_json()
    assert {clone(named).fit(X, Y).to_json() for _ in range(20)} == {first}
    assert charged(ledger) == 1
    with pytest.raises(ValueError, match="from other private rows"):
        clone(named).fit(X + 1, Y)
    with pytest.raises(ValueError, match="from other private rows"):
        clone(named).fit(X, 1 - Y)
    clone(named).set_params(epsilon="0.2").fit(X, Y)
    clone(named).set_params(public=8).fit(X, Y)
    assert charged(ledger) == 3, "another distribution is another request"


def test_neighbours_must_be_the_budgets(tmp_path) -> None:
    path = tmp_path / "features.jsonl"
    Ledger.create(path, Budget(1, neighbours=Neighbours.REPLACE_PRIVATE_FEATURES))
    with pytest.raises(LedgerError, match="they do not add up"):
        model(str(path)).fit(X, Y)


def test_a_private_table_is_charged(tmp_path) -> None:
    ledger = str(tmp_path / "tables.jsonl")
    Ledger.create(ledger, Budget(1, "1e-6"))
    table = pd.DataFrame({"sex": ["F", "M"] * 20, "region": [0, 1, 2, 0] * 10})
    schema = {"sex": ["F", "M"], "region": 3}
    settings = {"delta": 1e-7, "randomness": Secure(), "ledger": ledger, "request": "table"}
    resampler = PrivateTable(schema, table[:20], epsilon="0.4", **settings)
    resampler.fit(table)
    assert resampler.release_.certified().delta == 1e-7
    assert charged(ledger) == 1
    assert clone(resampler).fit(table).to_json() == resampler.to_json()
    with pytest.raises(ValueError, match="from other private rows"):
        clone(resampler).fit(table[::-1])


def test_the_ledger_holds_no_private_number(ledger) -> None:
    rows = 0.1 + 20 * np.random.default_rng(1).random((24, 1))
    model(ledger, request="visits").fit(rows, Y)
    with open(ledger) as lines:
        text = "".join(json.dumps(json.loads(line)) for line in lines)
    assert not any(f"{number!r}" in text or f"{number / 24!r}" in text for number in rows.ravel().tolist())
