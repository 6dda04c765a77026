"""Requests are checked wholly before a private byte is read, and their rows are read as they say."""

import copy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.asking.request import load
from semipriv.practice.columns.schema import PrivateTableError
from semipriv.practice.engine.reading import entries, examples, read_public, rows
from semipriv.settings.faults import Faults
from semipriv.settings.reading import ConfigError

BASE: dict[str, Any] = {
    "release": "visits",
    "ledger": "ledgers/clinic.jsonl",
    "private": {"path": "clinic.csv"},
    "public": {"path": "public.csv", "source": "us"},
    "one_row_a_person": True,
    "size": "public",
    "features": {"dollars": {"range": [0, 10]}, "age": {"range": "public"}},
    "label": {"column": "visits", "one": {"at_least": 3}, "zero": {"below": 3}, "unknown": "refuse"},
    "class": {"name": "halfspaces", "dimension": 2},
    "learner": {"name": "sspp", "epsilon": "1/3"},
}
PRIVATE = "dollars,age,visits,who\n1,30,2,private\n20,90,5,private\n3,20,0,public\n4,60,3,private\n5,40,4,public\n"
DROP: Any = object()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("clinic.csv").write_text(PRIVATE)
    Path("public.csv").write_text("age,dollars\n20,1\n70,2\n45,9\n")
    return tmp_path


def written(changes: dict[str, Any], base: dict[str, Any] = BASE) -> str:
    """Write the request with some keys, given by dots, replaced or dropped."""
    settings = copy.deepcopy(base)
    for key, value in changes.items():
        *path, last = key.split(".")
        inner = settings
        for part in path:
            inner = inner[part]
        inner.pop(last, None) if value is DROP else inner.update({last: value})
    Path("release.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))
    return "release.yaml"


def read(changes: dict[str, Any], *, held_out: bool = False) -> tuple[np.ndarray, np.ndarray]:
    request = load(written(changes))
    public = read_public(request)
    (part,) = request.private.parts
    points, labels = zip(*examples(request, public.records, part, held_out=held_out), strict=True)
    return np.concatenate(points), np.concatenate(labels)


def test_a_request_is_loaded_and_its_rows_are_read() -> None:
    request = load(written({}))
    public = read_public(request)
    candidate = request.candidate
    assert str(candidate.epsilon) == "1/3"
    assert candidate.learner.epsilon <= candidate.epsilon < np.nextafter(candidate.learner.epsilon, 1)
    low, high = 0, 95  # 20 to 70, and half of this width on each side, but not below 0
    assert public.records.features[1].limits == (low, high)
    assert public.points.tolist() == [[0.1, 20 / high], [0.2, 70 / high], [0.9, 45 / high]]
    assert len(candidate.prepare(public)) == 8
    (part,) = request.private.parts
    assert rows(request, part) == (5, 0)
    points, labels = read({})
    assert points.tolist() == [[x, age / high] for x, age in ((0.1, 30), (1, 90), (0.3, 20), (0.4, 60), (0.5, 40))]
    assert labels.tolist() == [0, 1, 0, 1, 1]


def test_the_learner_runs_with_no_more_than_is_paid() -> None:
    """The float 0.1 is more than a tenth."""
    candidate = load(written({"learner.epsilon": 0.1})).candidate
    assert Fraction(candidate.learner.epsilon) < candidate.epsilon == Fraction(1, 10) < Fraction(0.1)


def test_the_identity_follows_what_decides_the_distribution() -> None:
    request = load(written({}))
    own = request.identity(read_public(request))
    assert "clinic" not in str(own)
    Path("public.csv").write_text("age,dollars\n20,1\n70,2\n45,8\n")
    assert load("release.yaml").identity(read_public(request)) != own
    again = load(written({"learner.epsilon": 0.5}))
    assert again.identity(read_public(again))["candidates"] != own["candidates"]


def test_statuses_tell_public_rows_and_positions_those_held_out() -> None:
    status = {"public": {"column": "who", "value": "public"}}
    request = load(written(status))
    assert read_public(request).points.tolist() == [[0.3, 0.25], [0.5, 0.75]], "ages 20 and 40 of 10 to 50"
    assert rows(request, request.private.parts[0]) == (3, 0)
    assert read(status)[0].tolist() == [[0.1, 0.5], [1, 1], [0.4, 1]]
    held = {"held_out": {"share": 0.5, "epsilon": 1}}
    assert rows(load(written(held)), Path("clinic.csv")) == (3, 2)
    assert read(held, held_out=True)[0].tolist() == [[1, 90 / 95], [0.4, 60 / 95]]
    both = status | held
    assert rows(load(written(both)), Path("clinic.csv")) == (1, 2)
    assert len(read(both)[0]) == 1
    before = read_public(load(written(status))).digest
    Path("clinic.csv").write_text(PRIVATE.replace("20,90,5,private", "19,1,0,private"))
    assert read_public(load(written(status))).digest == before, "a private row does not move a public digest"


def test_a_column_of_another_type_is_named_without_a_cell() -> None:
    columns = {"dollars": [1.0, 3.0], "age": [30, 40], "visits": [2, 3], "who": [[7], [1]], "ill": [True, False]}
    pq.write_table(pa.table(columns), "clinic.parquet")
    pq.write_table(pa.table({"dollars": [[1.0]], "age": [3]}), "public.parquet")
    status = {"private.path": "clinic.parquet", "public": {"column": "who", "value": "1"}}
    for changes, words in (
        (status, "clinic.parquet: column 'who' has the type list, must be texts"),
        (
            {"private.path": "clinic.parquet", "label.one": ["a"], "label.zero": ["b"], "label.column": "who"},
            "'who' has",
        ),
        ({"public.path": "public.parquet"}, "public.parquet: column 'dollars' has the type list, must be numbers"),
        (
            {"private.path": "clinic.parquet", "label.one": ["yes"], "label.zero": ["no"]},
            "clinic.parquet: column 'visits' has the type int64, so that no cell is one of the declared texts$",
        ),
        (
            {"private.path": "clinic.parquet", "label.column": "ill", "label.one": ["yes"], "label.zero": ["no"]},
            "'ill' has the type bool, whose cells are the texts true and false: declare them$",
        ),
        (
            {"private.path": "clinic.parquet", "features.age": {"categories": ["old", "young"]}},
            "clinic.parquet: column 'age' has the type int64, so that no cell is one of the declared texts",
        ),
    ):
        with pytest.raises(ConfigError, match=words):
            load(written(changes))


def test_a_table_of_unlabelled_rows_is_looked_at_as_the_private_one() -> None:
    pq.write_table(pa.table({"dollars": [{"SECRET": 1}]}), "more.parquet")
    generic = {"name": "generic_learner", "epsilon": 1, "sanitizer": {"name": "net"}, "size": 2, "n_unlabelled": 2}
    changes = {
        "features": {"dollars": {"integers": [0, 10], "unknown": 0}},
        "class": {"name": "discrete_thresholds", "bits": 4},
        "learner": generic,
        "public": DROP,
    }
    with pytest.raises(ConfigError, match=r"more.parquet: column 'dollars' has the type struct, must be numbers$"):
        load(written({**changes, "unlabelled": {"path": "more.parquet"}}))
    with pytest.raises(ConfigError, match=r"private: clinic.csv and unlabelled: clinic.csv are one file"):
        load(written({**changes, "unlabelled": {"path": "clinic.csv"}}))


def test_a_status_that_is_missing_is_private() -> None:
    Path("clinic.csv").write_text("dollars,age,visits,who\n1,30,2,\n3,20,0,public\n5,40,4,public\n")
    assert len(read({"public": {"column": "who", "value": "public"}})[0]) == 1


def test_tables_of_categories_are_released_without_a_class() -> None:
    changes = {
        "features": {"dollars": {"integers": [0, 10]}, "age": {"integers": [0, 120]}},
        "label": DROP,
        "class": DROP,
        "learner": {"name": "table_release", "epsilon": 1, "delta": "1e-6"},
    }
    request = load(written(changes))
    assert isinstance(request.candidate.learner, TableRelease)
    prepared = request.candidate.prepare(read_public(request))
    assert prepared.rows[prepared.public > 0].tolist() == [[1, 20], [2, 70], [9, 45]]
    with pytest.raises(ConfigError, match=r"features.dollars: a table of marginals needs categories, integers or bins"):
        load(written({**changes, "features": BASE["features"]}))


def test_a_schema_may_be_taken_from_public_rows() -> None:
    Path("public.csv").write_text("age,dollars\n20,b\n70,a\n45,b\n")
    Path("clinic.csv").write_text("age,dollars\n10,b\n99,c\n")
    changes = {
        "features": {"dollars": {"categories": "public", "unknown": "?"}, "age": {"integers": "public"}},
        "label": DROP,
        "class": DROP,
        "learner": {"name": "table_release", "epsilon": 1, "delta": "1e-6"},
    }
    assert read(changes)[0].tolist() == [[2, 0], [0, 50]]
    features = read_public(load("release.yaml")).records.description()["features"]
    assert [feature.get("categories", feature.get("integers")) for feature in features] == [["?", "a", "b"], [20, 70]]
    with pytest.raises(PrivateTableError, match="column 'dollars', row 2: must be one of the declared categories"):
        read({**changes, "features.dollars": {"categories": "public", "unknown": "refuse"}})


def test_entries_are_the_first_unlabelled_rows() -> None:
    generic = {"name": "generic_learner", "epsilon": 1, "sanitizer": {"name": "net"}, "size": 2, "n_unlabelled": 2}
    changes = {
        "features": {"dollars": {"integers": [0, 10], "unknown": 0}},
        "class": {"name": "discrete_thresholds", "bits": 4},
        "learner": generic,
        "public": DROP,
        "unlabelled": {"path": "public.csv"},
    }
    request = load(written(changes))
    assert entries(request, read_public(request).records, 2).tolist() == [[1], [2]]
    with pytest.raises(ValueError, match="has 3 rows, the learner reads 4"):
        entries(request, request.records, 4)


def test_statuses_of_a_model_are_checked_by_row_only() -> None:
    half = {"name": "learn_half", "epsilon": 1, "grid": {"low": [0, 0], "high": [1, 1]}}
    public = {"path": "clinic.csv", "column": DROP}
    Path("labelled.csv").write_text("dollars,age,visits\n1,20,0\n2,70,1\n")
    changes = {"learner": half, "public": {**public, "path": "labelled.csv"}}
    changes["public"].pop("column")
    with pytest.raises(
        PrivateTableError, match=r"column 'visits', row 1: a private row must have the label 1"
    ) as error:
        read(changes)
    assert error.value.__context__ is None


BAD: list[tuple[dict[str, Any], str]] = [
    ({"private.path": "other.csv"}, r"private.path = 'other.csv'|other.csv: there is no such file"),
    ({"features.weight": {"range": [0, 1]}}, r"halfspaces|3, the class"),
    ({"features.dollars": {}}, "features.dollars: needs one of range, integers, categories, bins; nothing is inferred"),
    ({"features.dollars": {"rnge": [0, 1]}}, "unknown key of a feature 'rnge'"),
    ({"features": {}}, "at least one column"),
    ({"features.dollars.range": [10, 0]}, "low must be < high"),
    ({"one_row_a_person": False}, "must be true: neighbours differ in one row"),
    ({"one_row_a_person": DROP}, "needs person, the columns"),
    ({"size": "private"}, "must be public: neighbours replace a row"),
    ({"seed": 1}, "seed: a release takes its randomness from the operating system"),
    ({"learner.epsilon": 0}, "must be > 0"),
    ({"learner.epsilon": -1}, "must be >= 0"),
    ({"learner.epsilon": ".nan"}, "must be a finite number"),
    (
        {"learner.name": "empirical_risk_minimiser", "learner.epsilon": DROP},
        "is not private and protects nobody: it is a baseline",
    ),
    ({"learner": {"name": "rrspm", "epsilon": 1}}, "draws real-valued noise"),
    ({"learner": {"name": "public_labelled"}}, "reads no private row"),
    ({"learner": "auto"}, r"learner = 'auto': must be a mapping, such as \{name: auto, epsilon: 1\}"),
    ({"learner.name": "spp"}, "unknown learner 'spp': did you mean 'sspp'"),
    ({"learner.eps": 1}, "unknown parameter of learner 'sspp' 'eps'"),
    ({"class": DROP}, "needs class"),
    ({"class.dimension": 3}, "features: are 2, the class"),
    ({"class": {"name": "discrete_rectangles", "dimension": 2}}, "features: do not fit the class"),
    ({"label": DROP}, "needs label"),
    ({"label.zero": {"below": 5}}, "is both one and zero"),
    ({"label.zero": DROP}, "label: needs zero"),
    ({"label.column": "age"}, "column 'age' is both a feature and the label"),
    ({"label.column": "gone"}, "clinic.csv: column 'gone' is missing: its first line has 4 cells"),
    ({"public": DROP}, "needs public"),
    ({"public.path": "clinic.csv"}, "private: clinic.csv and public: clinic.csv are one file"),
    ({"public": {"column": "who"}}, "needs column and value together"),
    ({"public": {"column": "gone", "value": 1}}, "column 'gone' is missing"),
    ({"ledger": "results/l.jsonl"}, "must not be in results/"),
    ({"ledger": ""}, "ledger = '': must be a path"),
    ({"ledger": "a\0b"}, "ledger = 'a.*b': must be a path"),
    ({"results": " "}, "results = ' ': must be a path"),
    ({"private": {"path": ""}}, "private.path = '': must be a path"),
    ({"learner": {"name": "sspp", "epsilon": "1e9999"}}, "learner.epsilon = '1e9999': must be 0 or between"),
    ({"learner": {"name": "sspp", "epsilon": "1e-400"}}, "learner.epsilon = '1e-400': must be 0 or between"),
    ({"held_out": {"share": 0.3, "epsilon": 1}}, "must be 1/k"),
    ({"candidates": [{"learner": {"name": "sspp", "epsilon": 1}}]}, "needs learner or candidates, and not both"),
    ({"changed_table": "yes"}, "changed_table = 'yes': must be 'accept'$"),
    ({"unprotected_diagnostic": "perhaps"}, "unprotected_diagnostic = 'perhaps': must be true or false$"),
    ({"release": "../x"}, "must be a name of letters"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_a_wrong_request_is_refused_before_any_row_is_read(
    changes: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("semipriv.practice.sources.files.Files.chunks", None)
    with pytest.raises(ConfigError, match=message) as caught:
        load(written(changes))
    assert str(caught.value).startswith("release.yaml: ")


@pytest.mark.parametrize(
    ("table", "changes", "message"),
    [
        ("age,dollars\n", {}, "public.csv: has no public row"),
        ("age,cents\n20,1\n", {}, "column 'dollars' is missing"),
        ("age,dollars\n20,11\n70,-2\n", {}, r"column 'dollars': the range \[0, 10\] cuts off all public rows"),
        ("age,dollars\n20,1\n70,2\n", {"features.age": {"integers": [80, 90]}}, "cuts off all public rows"),
        (
            "age,dollars\n20,x\n70,2\n",
            {"features.dollars": {"range": [0, 10], "unknown": "refuse"}},
            "'dollars', row 1: must be",
        ),
    ],
)
def test_wrong_public_rows_are_refused(table: str, changes: dict[str, Any], message: str) -> None:
    Path("public.csv").write_text(table)
    with pytest.raises(ValueError, match=message):
        read_public(load(written(changes)))


@pytest.mark.parametrize("name", ["clinic.csv", "visits.TSV.gz", "clinic.parquet"])
def test_a_table_in_the_place_of_a_request_is_called_one(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name}: is a table, and a request is needed.*--example"):
        load(name)


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    """The fault that was met: a request with five faults took five runs."""
    changes = {
        "release": "a b",
        "purpose": "x",
        "size": DROP,
        "one_row_a_person": DROP,
        "features.dollars.range": [10, 0],
        "features.age": {"range": "public", "unit": "week"},
        "label.unknown": DROP,
    }
    with pytest.raises(ConfigError, match=r"^release\.yaml: 7 faults: ") as caught:
        load(written(changes))
    for part in (
        "(1) unknown key 'purpose'", "release = 'a b': must be", "key 'size' is missing", "needs person",
        "features.dollars: range = [10.0, 0.0]: low must be < high", "features.age: unknown unit 'week'",
        "label: needs unknown",
    ):  # fmt: skip
        assert part in str(caught.value)


def test_faults_of_parts_come_together_and_before_those_of_tables() -> None:
    Path("clinic.csv").write_text("other\n1\n")
    changes = {
        "learner.name": "fixed_gird", "ledger": "results/a.jsonl", "label.one": {"at_least": 1},
        "private.path": "clinic.doc", "person": {"columns": ["who"], "rows": "one"}, "one_row_a_person": DROP,
    }  # fmt: skip
    with pytest.raises(ConfigError, match="4 faults") as caught:
        load(written(changes))
    for part in ("fixed_grid", "ledger = ", "label", "private.path"):
        assert part in str(caught.value)
    with pytest.raises(ConfigError, match=r"3 faults: .*'dollars' is missing.*'age' is missing.*'visits' is missing"):
        load(written({}))


def test_an_error_of_another_library_is_not_collected() -> None:
    """Its text may hold a cell; ``message`` withholds it by its type, which a collected one would lose."""
    faults = Faults()

    def fails() -> None:
        raise pa.ArrowInvalid("cell 17.25")

    with pytest.raises(pa.ArrowInvalid):
        faults.of(fails)
    assert not faults.some
