"""Own tables whose label has several classes: from the request to predictions."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import releases

from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.columns.labels import ClassLabel
from semipriv.practice.columns.schema import PrivateTableError
from semipriv.practice.engine import whole
from semipriv.practice.published.model import Model
from semipriv.practice.published.verify import read_certificate, verify
from semipriv.privacy.budget.ledger import Budget, Ledger

KINDS = np.array(["low", "middle", "high"])


def people(n: int, seed: int) -> pd.DataFrame:
    x = np.random.default_rng(seed).random((n, 2))
    kind = np.searchsorted([0.7, 1.3], x.sum(axis=1))
    return pd.DataFrame({"age": 100 * x[:, 0], "dollars": 1000 * x[:, 1], "kind": KINDS[kind], "code": kind * 5})


def project(folder: Path, labelled: bool = False, **changes: Any) -> Path:
    people(3_000, 0).to_csv(folder / "clinic.csv", index=False)
    people(100, 1).to_csv(folder / "public.csv", index=False)
    (folder / "ledgers").mkdir()
    Ledger.create(folder / "ledgers/clinic.jsonl", Budget(epsilon=5), "a clinic")
    learner = {"name": "public_model_multiclass" if labelled else "public_metric_multiclass", "epsilon": 1}
    return project_of(folder, "release.yaml", **{"learner": learner, **changes})


def project_of(folder: Path, name: str, **changes: Any) -> Path:
    """Another request of the same table."""
    asked = {
        "label": {"column": "kind", "classes": KINDS.tolist(), "unknown": "refuse"},
        "class": {"name": "linear_rules", "dimension": 2, "classes": 3},
        "learner": {"name": "public_metric_multiclass", "epsilon": 1},
        **changes,
    }
    return releases.request(folder, name, **asked)


def test_a_dry_run_simulates_several_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the public rows: a smaller error for more budget, and nothing is charged."""
    paths = [
        project(tmp_path),
        project_of(tmp_path, "more.yaml", learner={"name": "public_metric_multiclass", "epsilon": 3}),
    ]
    limits = []
    for path in paths:
        assert main(["release", str(path), "--dry-run", "--json"]) == 0
        limits.append(json.loads(capsys.readouterr().out)["simulation"]["limit"])
    assert 0.5 > limits[0] > limits[1] > 0
    assert main(["release", str(paths[0]), "--dry-run"]) == 0
    assert "a tenth of labels replaced by one of the others: at most " in capsys.readouterr().out
    assert len(Ledger.open(tmp_path / "ledgers/clinic.jsonl").entries) == 1


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize(
    "label",
    [
        {"column": "kind", "classes": ["low", "middle", "high"], "unknown": "refuse"},
        {"column": "code", "classes": [0, 5, 10], "unknown": "refuse"},
        {"column": "code", "classes": [{"below": 3}, [5, 6], {"above": 7.5}], "unknown": 5},
    ],
    ids=["texts", "integers", "sides"],
)
def test_a_table_of_several_classes_is_released(tmp_path: Path, labelled: bool, label: dict[str, Any]) -> None:
    """Charged, drawn, held-out mistakes counted, verified against the ledger, read back, and predicted with."""
    path = project(tmp_path, labelled, label=label, held_out={"share": 0.25, "epsilon": 1})
    outcome = whole.release(load(path))
    folder = outcome.staged.request.folder
    for paid in (None, outcome.staged.request.ledger):
        assert [str(check) for check in verify(folder, paid) if not check.passed] == []
    model, fresh = Model.load(folder / "model.json"), people(2_000, 7)
    own = ClassLabel(**label)
    truth, _ = own.encode(pa.chunked_array([pa.array(fresh[label["column"]])]))
    assert model.kind == "classifier"
    assert np.mean(model.sides(fresh) == truth) > 0.8
    predicted = model.predict(fresh[["age", "dollars"]])
    assert predicted.tolist() == [own.sides[side] for side in model.sides(fresh).tolist()]
    held = outcome.released.extras["held_out"]["mistakes"] / outcome.released.sizes["n_held_out"]
    assert held == pytest.approx(np.mean(model.sides(fresh) != truth), abs=0.06)
    again = whole.release(load(path))
    assert again.replayed


WRONG = [
    ({"label": {"column": "kind", "classes": ["low"], "unknown": "refuse"}}, r"must be a list of 2 to 100 classes"),
    ({"label": {"column": "kind", "classes": "low", "unknown": "refuse"}}, r"must be a list of 2 to 100 classes"),
    ({"label": {"column": "kind", "classes": ["low", "low", "high"], "unknown": "refuse"}}, r"'low' is in two of them"),
    (
        {"label": {"column": "kind", "classes": ["low", 1, "high"], "unknown": "refuse"}},
        "must all be texts or all be numbers",
    ),
    ({"label": {"column": "code", "classes": [0, {"above": 4}, 10], "unknown": "refuse"}}, "10.0 is in two of them"),
    ({"label": {"column": "kind", "classes": ["low", "middle"], "unknown": "refuse"}}, r"are 2, the class .* has 3"),
    ({"label": {"column": "kind", "classes": KINDS.tolist(), "unknown": "none"}}, "unknown = 'none': must be a value"),
    (
        {"label": {"column": "kind", "classes": KINDS.tolist(), "one": ["low"], "unknown": "refuse"}},
        "needs classes, or one and zero",
    ),
    (
        {"label": {"column": "kind", "one": ["low"], "zero": ["high"], "unknown": "refuse"}},
        "needs classes, instead of one and zero",
    ),
    ({"class": {"name": "halfspaces", "dimension": 2}}, r"the learner learns functions to \{0, ..., K - 1\}"),
    ({"class": {"name": "linear_rules", "dimension": 2, "classes": 1}}, "classes = 1: must be"),
    (
        {"learner": {"name": "sspp", "epsilon": 1}},
        r"functions to \{0, ..., K - 1\}|no cover|the learner learns|is not",
    ),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_a_wrong_request_is_refused_before_a_charge(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = project(tmp_path, **change)
    with pytest.raises(ValueError, match=message):
        whole.release(load(path))
    assert releases.kinds(tmp_path) == ["opened"]


def test_a_cell_outside_of_all_classes_is_refused_by_its_row(tmp_path: Path) -> None:
    """The message never says what is there."""
    path = project(tmp_path)
    table = people(3_000, 0)
    table.loc[41, "kind"] = "secret"
    table.to_csv(tmp_path / "clinic.csv", index=False)
    with pytest.raises(
        PrivateTableError, match=r"column 'kind': 1 cell.*, the first in row 42: the request refuses"
    ) as caught:
        whole.release(load(path))
    assert not re.search("secret", str(caught.value))


def test_too_few_rows_for_a_rule_are_told_before_and_after(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A public decision: a constant is the output, and both commands say so."""
    path = project(tmp_path, learner={"name": "public_metric_multiclass", "epsilon": "0.005"})
    for options in ([str(path), "--dry-run"], [str(path)]):
        assert main(["release", *options]) == 0
        printed = capsys.readouterr().out
        assert "the output is a constant (rows times epsilon must be at least 30 for 3 labels)" in printed
    model = Model.load(tmp_path / "results/releases/visits/model.json")
    assert len(set(model.predict(people(200, 3)).tolist())) == 1
    path = project_of(tmp_path, "more.yaml", release="more")
    assert main(["release", str(path), "--dry-run"]) == 0
    assert "NOTE" not in capsys.readouterr().out


def test_a_delta_that_is_of_no_use_is_not_spent(tmp_path: Path) -> None:
    """Few axes: Laplace noise is the smaller one, the release is pure, and a budget without a delta pays for it."""
    path = project(tmp_path, learner={"name": "public_metric_multiclass", "epsilon": "0.5", "delta": "1e-6"})
    outcome = whole.release(load(path))
    folder, paid = outcome.staged.request.folder, outcome.staged.request.ledger
    assert [str(check) for check in verify(folder, paid) if not check.passed] == []
    guarantee = read_certificate(folder)["predicate"]["guarantee"]
    assert guarantee["variant"] == "pure differential privacy"
    assert guarantee["exact"]["epsilon"] == "1/2"
    assert releases.ledger(tmp_path).summary().accounts[0].left == 4.5
