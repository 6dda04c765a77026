"""Models of releases: labels as declared, and synthetic tables in no order, with exact counts."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from semipriv.classes.base import Hypothesis
from semipriv.classes.thresholds import Thresholds
from semipriv.core.work import WorkError, limits
from semipriv.learners.outputs._drawing import systematic
from semipriv.learners.outputs.weighted_rows import WeightedRows
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.labels import Label
from semipriv.practice.columns.schema import Records
from semipriv.practice.published import model
from semipriv.practice.published.model import Model

AGES = Records([feature("age", {"integers": [0, 99]}), feature("sex", {"categories": ["F", "M"]})])


def weighted(seed: int) -> Model:
    """Model of 200 weighted public rows, the youngest first."""
    rows = np.stack([np.arange(200) // 2, np.arange(200) % 2], axis=1)
    weights = np.random.default_rng(seed).dirichlet(np.full(200, 0.3))
    return Model("ages", AGES, WeightedRows(AGES.schema, rows, weights, np.full(200, 1 / 200)), {"n_private": 4_000})


@pytest.mark.parametrize("seed", range(3))
def test_the_first_rows_of_a_synthetic_table_are_a_sample_of_all(seed: int) -> None:
    model = weighted(seed)
    table = model.synthetic(4_000)
    ages = table["age"].to_numpy()
    for part in (ages[:1000], ages[-1000:], ages[::4]):
        assert abs(part.mean() - ages.mean()) < 5 * ages.std() / np.sqrt(1000)
    assert abs(np.corrcoef(np.arange(len(ages)), ages)[0, 1]) < 5 / np.sqrt(len(ages))
    again = Model.from_json({**_json(model)}).synthetic(4_000)
    assert again.equals(table), "a function of the file"


def test_the_order_does_not_change_how_often_a_row_is_there() -> None:
    model = weighted(0)
    for size in (1, 2, 77, 4_000):
        must = Counter(map(tuple, model.output.rows[systematic(model.output.weights, size)].tolist()))
        counts = Counter(tuple(map(int, point)) for point in model.points(size))
        assert counts == must


def test_a_table_that_is_made_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = weighted(0).synthetic(4_000)
    monkeypatch.setattr(model, "_PART", 333)
    parts = weighted(0).synthetic(4_000)
    assert parts.column(0).num_chunks == 13
    assert parts.equals(whole)


def test_rows_of_another_number_keep_the_limits_and_those_of_the_release_do_not() -> None:
    """These were allowed before anything was charged."""
    made = weighted(0)
    with limits(memory=1e-4):
        assert made.synthetic(4_000).num_rows == 4_000
        with pytest.raises(WorkError, match=r"4,001 synthetic rows to make, .*: make fewer rows, or allow it"):
            made.synthetic(4_001)


def test_a_synthetic_table_says_how_many_rows_differ_and_where_they_come_from() -> None:
    model = weighted(1)
    rows = [tuple(row.values()) for row in model.synthetic(4_000).to_pylist()]
    summary = model.synthetic_summary()
    assert summary is not None
    assert (summary["rows"], summary["distinct_rows"]) == (4_000, len(set(rows)))
    assert summary["rows_are"].startswith("public rows")


def _json(model: Model) -> Mapping[str, Any]:
    from semipriv.practice.columns import strict

    content: Mapping[str, Any] = strict.loads(model.to_bytes())
    return content


@pytest.mark.parametrize(
    ("one", "zero", "labels", "kind"),
    [
        (["ill"], ["well"], ["well", "ill"], "U"),
        ([1], [0], [0, 1], "i"),
        ([0], [1], [1, 0], "i"),
        ([2.5], [1], [1.0, 2.5], "f"),
        (["ill", "dead"], ["well"], ["well", "ill or dead"], "U"),
        ([1, 2.5], [0], ["0", "1 or 2.5"], "U"),
        ({"at_least": 3}, {"below": 3}, ["below 3", "at_least 3"], "U"),
    ],
)
def test_predictions_are_the_declared_labels(one: Any, zero: Any, labels: list[Any], kind: str) -> None:
    records = Records([feature("x", {"range": [0, 10]})], Label("y", one, zero))
    model = Model("half", records, Hypothesis(Thresholds(), np.array([0.5])), {"n_private": 1})
    for own in (model, Model.from_json(_json(model))):
        predicted = own.predict({"x": [0.0, 10.0]})
        assert predicted.tolist() == labels
        assert predicted.dtype.kind == kind
        assert own.sides({"x": [0.0, 10.0]}).tolist() == [0, 1]
