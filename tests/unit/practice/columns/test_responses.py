"""A number of an own table: declared, released, certified, verified, and predicted in its units."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import releases
from hypothesis import example, given
from hypothesis import strategies as st
from releases import request

from semipriv.audit.properties.entropy import Seeded
from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Chunk, PrivateTableError
from semipriv.practice.engine import charging, whole
from semipriv.practice.engine import stages as engine
from semipriv.practice.engine.partial import Partial
from semipriv.practice.published.model import Model
from semipriv.practice.published.released import Released
from semipriv.practice.published.verify import verify
from semipriv.privacy.budget.ledger import Budget, Ledger

FEATURES = {"age": {"integers": [0, 120]}, "income": {"range": [0, 1e6]}, "site": {"categories": ["a", "b"]}}


def people(n: int, seed: int) -> pd.DataFrame:
    """Costs that rise with age, at one site more."""
    coins = np.random.default_rng(seed)
    age, site = coins.integers(18, 80, n), coins.choice(["a", "b"], n)
    income = coins.lognormal(10, 1, n)
    return pd.DataFrame(
        {"age": age, "income": income, "site": site, "cost": 20 + age + 15 * (site == "b") + coins.normal(0, 8, n)}
    )


def project(folder: Path, learner: str) -> Path:
    people(3_000, 0).to_csv(folder / "clinic.csv", index=False)
    people(120, 1).to_csv(folder / "public.csv", index=False)
    (folder / "ledgers").mkdir()
    Ledger.create(folder / "ledgers/clinic.jsonl", Budget(1), "a clinic")
    return request(folder, **asked(learner))


def asked(learner: str) -> dict[str, Any]:
    return {
        "features": FEATURES,
        "label": None,
        "response": {"column": "cost", "range": [0, 400], "unknown": "refuse"},
        "class": {"name": "linear", "dimension": 3},
        "learner": {"name": learner, "epsilon": "1"},
    }


def refusal(folder: Path, name: str = "public_ridge_regression", **changes: Any) -> str:
    path = request(folder, **(asked(name) | changes))
    with pytest.raises(ValueError, match=r"\w") as caught:
        whole.release(load(path))
    return str(caught.value)


def test_a_dry_run_simulates_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the public rows, with the unit of the error."""
    path = project(tmp_path, "public_gram_regression")
    assert main(["release", str(path), "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "a tenth of responses replaced by -1 or 1: at most 0.0" in printed
    assert "above the best, a squared error of responses moved to [-1, 1]" in printed


@pytest.mark.parametrize(
    ("learner", "parts"), [("public_ridge_regression", [1, 1]), ("public_gram_regression", [2, 1, 1])]
)
def test_a_number_is_released_once_and_verifies(tmp_path: Path, learner: str, parts: list[int]) -> None:
    path = project(tmp_path, learner)
    first = whole.release(load(path))
    folder = first.staged.request.folder
    assert sorted(file.name for file in first.files) == ["certificate.html", "certificate.json", "model.json"]
    assert [str(check) for check in verify(folder, first.staged.request.ledger) if not check.passed] == []
    predicate = json.loads((folder / "certificate.json").read_bytes())["predicate"]
    assert [times for _, times in predicate["event"]["parts"]] == parts
    assert predicate["schema"]["label"] == {"column": "cost", "range": [0.0, 400.0], "unknown": "refuse"}
    assert predicate["synthetic_table"] is None
    model, new = Model.load(folder / "model.json"), people(2_000, 2)
    error = new["cost"] - model.predict(new.drop(columns="cost"))
    assert (error**2).mean() < 0.3 * new["cost"].var()
    with pytest.raises(ValueError, match="predict no label"):
        model.sides(new)
    again = whole.release(load(path))
    assert again.replayed
    assert releases.ledger(tmp_path).summary().accounts[0].left == 0


@pytest.mark.parametrize("learner", ["public_ridge_regression", "public_gram_regression"])
def test_parts_make_the_release_of_the_whole(tmp_path: Path, learner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From private files of parts, which hold their numbers of rows alone: the learner's own release."""
    project(tmp_path, learner)
    (tmp_path / "parts").mkdir()
    for i in range(3):
        people(3_000, 0)[1_000 * i : 1_000 * (i + 1)].to_parquet(tmp_path / f"parts/{i}.parquet")
    path = request(tmp_path, **asked(learner), private={"path": str(tmp_path / "parts")})
    staged = engine.stage(load(path))
    reservation = charging.reserve(staged)
    for i in range(3):
        part = engine.tally(staged, reservation, i)
        assert isinstance(part, Partial)
        part.write(tmp_path / f"{i}.npz")
    partials = [Partial.read(tmp_path / f"{i}.npz", staged.digest, 1) for i in range(3)]
    assert sum(array.size for array in partials[0].sums[0].values()) == 1, "no row is kept"
    monkeypatch.setattr(engine, "Secure", lambda: Seeded(5))
    stored = Released.from_bytes(engine.draw(staged, reservation, partials)).output
    records = [staged.public.records.encode(Chunk(path, pa.Table.from_pandas(people(3_000, 0)), np.arange(3_000)))]
    same = staged.request.candidate.learner.release(staged.prepared[0], *records[0], Seeded(5))
    np.testing.assert_array_equal(stored.parameters, same.output.parameters)


def test_what_is_refused_costs_nothing(tmp_path: Path) -> None:
    project(tmp_path, "public_ridge_regression")
    label = {"column": "cost", "one": {"at_least": 50}, "zero": {"below": 50}, "unknown": 0}
    assert "needs response: the learner predicts a number; a label is none" in refusal(
        tmp_path, label=label, response=None
    )
    assert "needs response: the learner predicts a number" in refusal(tmp_path, response=None)
    assert "response: there is a label, a row has one or the other" in refusal(tmp_path, label=label)
    assert "needs label: the learner learns labels; a response is none" in refusal(
        tmp_path, "sspp", **{"class": {"name": "halfspaces", "dimension": 3}}
    )
    assert "features: are 3, the class Linear(dimension=2) has 2" in refusal(
        tmp_path, **{"class": {"name": "linear", "dimension": 2}}
    )
    assert "draws real-valued noise" in refusal(
        tmp_path, learner={"name": "sufficient_statistics", "epsilon": 1, "delta": "1e-6"}
    )
    assert "counts mistakes, the learner public_ridge_regression predicts no label" in refusal(
        tmp_path, unprotected_diagnostic=True
    )
    assert "too wide for 64-bit integers" in refusal(
        tmp_path, learner={"name": "public_ridge_regression", "epsilon": "1e-18"}
    )
    assert releases.kinds(tmp_path) == ["opened"]


def test_a_cell_that_is_no_number_is_named_or_has_a_place(tmp_path: Path) -> None:
    path = project(tmp_path, "public_ridge_regression")
    table = people(3_000, 0)
    table.loc[41, "cost"] = np.nan
    table.to_csv(tmp_path / "clinic.csv", index=False)
    with pytest.raises(
        PrivateTableError, match=r"column 'cost': 1 cell.s. missing or not as declared, the first in row 42"
    ):
        whole.release(load(path))
    path = request(
        tmp_path,
        **asked("public_ridge_regression")
        | {"release": "again", "ledger": str(tmp_path / "ledgers/other.jsonl")}
        | {"response": {"column": "cost", "range": [0, 400], "unknown": 70}},
    )
    Ledger.create(tmp_path / "ledgers/other.jsonl", Budget(1), "a clinic")
    assert not whole.release(load(path)).replayed


@given(st.integers(-99, 99), st.integers(1, 99), st.lists(st.floats(-1, 1), max_size=9))
@example(-30, 21, [])
def test_a_predicted_number_is_in_the_declared_range(low: int, length: int, responses: list[float]) -> None:
    """However sums round: a range as [-3, -0.9] would be left by one float at its end."""
    ends = low / 10, (low + length) / 10
    decoded = Response("x", ends).decode(np.array([-1.0, 1.0, *responses]))
    assert np.all((decoded >= ends[0]) & (decoded <= ends[1]))
