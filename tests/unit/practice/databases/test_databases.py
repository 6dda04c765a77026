"""A table in a database gives the integers that its file gives, and nothing but counts leaves it."""

import importlib
import itertools
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import postgres
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
import spark_here
import yaml

from semipriv.audit.properties.entropy import Seeded
from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.engine.charging import check, reserve
from semipriv.practice.engine.preview import preview
from semipriv.practice.engine.stages import draw, partials_of, stage
from semipriv.practice.engine.whole import release
from semipriv.practice.sources.stored import Stored
from semipriv.privacy.budget.ledger import Ledger, LedgerError

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
duckdb = pytest.importorskip("duckdb", reason=WHY)
psycopg = pytest.importorskip("psycopg", reason=WHY)
base = pytest.importorskip("semipriv.practice.databases.base", reason=WHY)
Database, DatabaseError = base.Database, base.DatabaseError
EDGES = [0.0, -0.0, 100.0, 100.1, -1e-300, 1e300, -1e300, 5e-324, 30.0, np.nextafter(30.0, 0), np.nextafter(30.0, 99)]
N = 400
SEX = ["F", "M", "", "ä", "M ", "\u2003M\t", "a\u0308", "o'k", 'a"b; drop table t;--']
"""Of which some are read as one: blanks around a cell, and how an accent is composed, do not matter."""
MAYBE = ["a", "b", None, "7", "7.0", " 7.00", "-0.0", "\u212a", "7.5", "07.0", "7.0\n.0", "1e0"]


def table() -> pa.Table:
    """Columns of all types that people have, with all edges of their ranges."""
    rng = np.random.default_rng(7)
    x = rng.choice([*EDGES, *rng.random(40) * 100, np.nan, np.inf, -np.inf], N)
    return pa.table(
        {
            "id": pa.array(rng.permutation(N).astype(np.int64)),
            "x": pa.array(x, from_pandas=False),
            "small": pa.array(np.where(np.isfinite(x), np.clip(x, -1e38, 1e38), x).astype(np.float32)),
            "n": pa.array(rng.integers(-5, 105, N), pa.int64(), mask=rng.random(N) < 0.1),
            "big": pa.array(rng.choice([2**53, 2**53 + 1, -(2**63), 2**63 - 1, 50], N), pa.int64()),
            "paid": pa.array([Decimal(int(k)) / 1000 for k in rng.integers(-3000, 103000, N)], pa.decimal128(20, 3)),
            "sex": pa.array(rng.choice(SEX, N)),
            "maybe": pa.array(rng.choice(MAYBE, N)),
            "code": pa.array(rng.choice([0, 1, 10, -1], N), pa.int32()),
            "day": pa.array(rng.integers(0, 20000, N).astype("datetime64[D]")),
            "at": pa.array(rng.integers(-(10**15), 2 * 10**15, N), pa.timestamp("us"), mask=rng.random(N) < 0.1),
            "alive": pa.array(rng.choice([True, False, None], N)),
            "ill": pa.array(rng.choice(["yes", "no"], N)),
            "y": pa.array(rng.choice([0.0, 1.0, 2.5, 7.0], N)),
        }
    )


def into_duckdb(folder: Path) -> dict[str, Any]:
    path = folder / "clinic.duckdb"
    if not path.exists():
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"create table clinic as select * from '{folder / 'clinic.parquet'}'")
    return {"database": f"duckdb://{path}", "table": "clinic"}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if postgres.programs() is None:
        pytest.skip("NOT TESTED: PostgreSQL is not installed (Debian: postgresql)")
    with postgres.server() as address:
        yield address


def into_postgres(folder: Path, address: str) -> dict[str, Any]:
    kinds = {
        "id": "bigint", "x": "float8", "small": "real", "n": "bigint", "big": "bigint", "paid": "numeric",
        "sex": "text", "maybe": "varchar", "code": "int", "day": "date",
        "at": "timestamp", "alive": "boolean", "ill": "text", "y": "float8",
    }  # fmt: skip
    cells = pq.read_table(folder / "clinic.parquet")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("drop table if exists clinic")
        connection.execute(f"create table clinic ({', '.join(f'{n} {k}' for n, k in kinds.items())})")
        with connection.cursor() as cursor, cursor.copy("copy clinic from stdin") as copy:
            for row in cells.to_pylist():
                copy.write_row([row[name] for name in kinds])
    return {"database": address, "table": "clinic"}


@pytest.fixture(params=["duckdb", "postgresql", pytest.param("spark", marks=pytest.mark.spark)])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """The table in each database."""
    pq.write_table(table(), tmp_path / "clinic.parquet")
    if request.param == "spark":
        spark_here.prepare()
        return {"database": spark_here.LOCAL, "query": f"select * from parquet.`{tmp_path / 'clinic.parquet'}`"}
    if request.param == "duckdb":
        return into_duckdb(tmp_path)
    return into_postgres(tmp_path, request.getfixturevalue("server"))


def public(folder: Path, m: int = 50) -> None:
    """Rows enough for more cuts than are compared one by one."""
    rng = np.random.default_rng(3)
    pd.DataFrame(
        {
            "x": [30.0, 60.0, *(rng.random(m - 2) * 100)],
            "small": rng.random(m) * 100,
            "n": rng.integers(0, 100, m),
            "big": rng.integers(0, 100, m),
            "paid": (rng.random(m) * 100).round(3),
            "sex": rng.choice(["F", "M", "ä"], m),
            "maybe": rng.choice(["a", "b"], m),
            "code": rng.choice([0, 1, 10], m),
            "day": pd.date_range("1980-01-01", periods=m, freq="297D").astype(str),
            "at": pd.date_range("1980-01-01 00:10", periods=m, freq="2970h").astype(str),
            "ill": rng.choice(["yes", "no"], m),
            "y": rng.choice([0.0, 1.0, 2.5, 7.0], m),
            "id": rng.integers(0, N, m),
        }
    ).to_csv(folder / "public.csv", index=False)


X = {"range": [0, 100], "unknown": 30}
NUMBERS = {
    "x": X,
    "small": X,
    "n": {"integers": [0, 100], "unknown": 7},
    "big": {"range": [-1e18, 1e18], "unknown": 0},
    "paid": {"range": [0, 100], "unknown": 1},
}
TEXTS = {
    "sex": {"categories": ["F", "M", "", "ä", "o'k", 'a"b; drop table t;--']},
    "maybe": {"categories": ["b", "z", 7, "0", "K"], "unknown": "other"},
    "code": {"categories": ["1", "10", "x"], "unknown": "none"},
    "n": {"integers": [90, 99], "unknown": 95},
    "paid": {"bins": 5, "unknown": "none"},
    "day": {"bins": ["1975-01-01", "1990-01-01", "2000-01-01"], "unit": "day"},
}
VALUES = {"column": "y", "one": {"at_least": 2.5}, "zero": [0, 1], "unknown": "refuse"}
COUNTED: dict[str, dict[str, Any]] = {
    "thresholds": {"features": {"x": X}, "class": {"name": "thresholds"}, "learner": {"name": "sspp", "epsilon": 1}},
    "thresholds of decimals": {
        "features": {"paid": {"range": [0, 90], "unknown": 3}},
        "class": {"name": "thresholds"},
        "learner": {"name": "sspp", "epsilon": 1},
    },
    "stumps": {
        "features": NUMBERS,
        "class": {"name": "decision_stumps"},
        "learner": {"name": "sspp", "epsilon": 1},
        "label": VALUES,
    },
    "intervals": {"features": {"x": X}, "class": {"name": "intervals"}, "learner": {"name": "sspp", "epsilon": 1}},
    "rectangles": {
        "features": {"y": {"range": [0, 10]}, "code": {"range": [-1, 10], "unknown": 3}},
        "class": {"name": "rectangles"},
        "learner": {"name": "sspp", "epsilon": 1},
    },
    "days": {
        "features": {"day": {"range": ["1975-01-01", "2020-01-01"], "unit": "day"}},
        "class": {"name": "thresholds"},
        "learner": {"name": "sspp", "epsilon": 1},
    },
    "hours and a boolean label": {
        "features": {"at": {"integers": ["1975-01-01", "2020-01-01"], "unit": "hour", "unknown": "1990-01-01"}},
        "label": {"column": "alive", "one": [1], "zero": [0], "unknown": 0},
        "class": {"name": "thresholds"},
        "learner": {"name": "sspp", "epsilon": 1},
    },
    "few cuts": {
        "features": {"code": {"range": [-1, 10], "unknown": 3}},
        "class": {"name": "thresholds"},
        "learner": {"name": "sspp", "epsilon": 1},
    },
    "prefixes": {
        "features": {"x": X},
        "label": None,
        "class": {"name": "thresholds"},
        "learner": {"name": "query_release", "epsilon": 1},
    },
    "marginals of whole floats": {
        "features": {"y": {"categories": [0, "1.0", 7], "unknown": "other"}, "code": TEXTS["code"]},
        "label": None,
        "class": None,
        "learner": {"name": "table_release", "epsilon": 1, "delta": 0},
    },
    "marginals of integers in many bins": {
        "features": {
            "n": {"bins": list(range(0, 101, 2)), "unknown": "none"},
            "id": {"bins": list(range(0, N + 7, 7))},
        },
        "label": None,
        "class": None,
        "learner": {"name": "table_release", "epsilon": 1, "delta": 0},
    },
    "marginals": {
        "features": TEXTS,
        "label": None,
        "class": None,
        "learner": {"name": "table_release", "epsilon": 1, "delta": 0},
    },
}
STREAMED: dict[str, dict[str, Any]] = {
    "rectangles of many cuts": {
        "features": {"small": X, "n": {"integers": [0, 100], "unknown": 7}},
        "class": {"name": "rectangles"},
        "learner": {"name": "sspp", "epsilon": 1},
    },
    "halfspaces": {"features": {"x": X, "small": X}},
}


def integers(path: Path) -> list[dict[str, Any]]:
    """All sums of a request, which charges."""
    staged = stage(load(path))
    sums = [partial.sums for partial in partials_of(staged, reserve(staged))]
    staged.request.private.close()
    return [arrays for part in sums for arrays in part]


def project(folder: Path, **changes: Any) -> Path:
    if not (folder / "ledgers").exists():
        (folder / "ledgers").mkdir()
        public(folder)
    ledger = folder / "ledgers" / f"{len(list((folder / 'ledgers').iterdir()))}.jsonl"
    releases.Ledger.create(ledger, releases.Budget(epsilon=10, delta="1e-5"), "a clinic")
    given = {
        "class": {"name": "halfspaces"},
        "learner": {"name": "sspp", "epsilon": 0.5},
        "ledger": str(ledger),
        **changes,
    }
    return releases.request(folder, **given)


@pytest.mark.parametrize("name", ["sspp", "public_metric_discriminant"])
def test_the_dry_run_tells_what_leaves_and_how_often_rows_are_read(tmp_path: Path, name: str) -> None:
    """As often as a release then reads them."""
    learner = {"name": name, "epsilon": 2}
    path = project(tmp_path, **{**RELEASED[name], "learner": learner, "private": laid(tmp_path)})
    leaving = preview(load(path)).leaving
    assert leaving is not None
    if name == "sspp":
        assert leaving == type(leaving)("counts")
        return
    streams, stream = [], Stored.chunks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stored, "chunks", lambda *given: streams.append(given) or stream(*given))
        release(load(path))
    refused = 1  # rows are read for cells that the request refuses, before the charge
    assert (leaving.what, leaving.reads, leaving.size) == ("rows", len(streams) - refused, 8 * N * 5)
    assert "nothing of semipriv runs there" in leaving.why


@pytest.mark.parametrize("what", [*COUNTED, *STREAMED])
def test_the_same_table_gives_the_same_integers(
    tmp_path: Path, stored: dict[str, Any], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where counts are all that is needed, no row leaves the database."""
    asked = {**COUNTED, **STREAMED}[what]
    order = {"order": "id"} if what == "halfspaces" else {}
    cells = pq.read_table(tmp_path / "clinic.parquet")
    pq.write_table(cells.sort_by("id"), tmp_path / "sorted.parquet")
    expected = integers(project(tmp_path, **{**asked, "private": {"path": str(tmp_path / "sorted.parquet")}}))
    if what in COUNTED or "spark" in stored["database"]:  # what Spark cannot count is summed up beside the rows
        monkeypatch.setattr(Stored, "chunks", None)
    counts = integers(project(tmp_path, **{**asked, "private": {**stored, **order}}))
    assert [sorted(rows) for rows in counts] == [sorted(rows) for rows in expected]
    for answer, other in zip(counts, expected, strict=True):
        for name in other:
            assert np.array_equal(answer[name], other[name]), name


MIXED = {"x": X, "n": NUMBERS["n"], "paid": NUMBERS["paid"], "code": {"categories": [0, 1, 10], "unknown": "none"}}
RULES = {
    "label": {"column": "y", "classes": [0, 1, 2.5, 7], "unknown": "refuse"},
    "class": {"name": "linear_rules", "classes": 4},
}
LINEAR = {"label": None, "response": {"column": "y", "range": [0, 7], "unknown": "refuse"}, "class": {"name": "linear"}}
HALFSPACES = {"label": VALUES, "class": {"name": "halfspaces"}}
RELEASED: dict[str, dict[str, Any]] = {
    "public_metric_discriminant": {"features": MIXED, **HALFSPACES},
    "public_model_discriminant": {"features": MIXED, **HALFSPACES},
    "public_metric_multiclass": {"features": MIXED, **RULES},
    "public_model_multiclass": {"features": MIXED, **RULES},
    "public_gram_regression": {"features": MIXED, **LINEAR},
    "public_ridge_regression": {"features": MIXED, **LINEAR},
    "grid_query_release": {"features": {"x": X}, "label": None, "class": {"name": "thresholds"}},
    "table_release": {"features": TEXTS, "label": None, "class": None},
    "sspp": {"features": NUMBERS, "label": VALUES, "class": {"name": "decision_stumps"}},
}
"""Learners of many columns among them, whose draws are made between their sums."""


def in_turn(names: Iterable[str]) -> Iterator[Any]:
    """Each case in one of two databases, in turn: in the other one it is exhaustive.  Spark has all of them."""
    for i, name in enumerate(names):
        for k, database in enumerate(("duckdb", "postgresql", "spark")):
            other = pytest.mark.spark if database == "spark" else pytest.mark.exhaustive
            yield pytest.param(database, name, marks=() if k == i % 2 else other)


@pytest.mark.parametrize(("stored", "name"), list(in_turn(RELEASED)), indirect=["stored"])
def test_the_same_coins_release_the_same_bytes(
    tmp_path: Path, stored: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From Parquet, and from the database; from CSV too, if it can say all cells."""
    monkeypatch.setattr("semipriv.practice.engine.stages.Secure", lambda: Seeded(5))
    cells = pq.read_table(tmp_path / "clinic.parquet").sort_by("id")
    pq.write_table(cells, tmp_path / "sorted.parquet")
    learner = {"name": name, "epsilon": 2, **({"delta": 0} if name == "table_release" else {})}
    if name == "grid_query_release":
        learner |= {"method": "public_prior_tree"}
    order = {} if name in ("grid_query_release", "table_release", "sspp") else {"order": "id"}
    places = [{"path": str(tmp_path / "sorted.parquet")}, {**stored, **order}]
    if name != "table_release":  # an empty text and a missing one are the same in CSV
        cells.to_pandas().drop(columns=["sex", "maybe"]).to_csv(tmp_path / "clinic.csv", index=False)
        places.append({"path": str(tmp_path / "clinic.csv")})
    released = []
    if "spark" in stored["database"]:
        monkeypatch.setattr(Stored, "chunks", None)  # sums leave the executors, and no row
    for place in places:
        asked = {**RELEASED[name], "learner": learner, "private": place}
        outcome = release(load(project(tmp_path, **asked)))
        model = json.loads(outcome.released.to_bytes())
        assert ("database" in model["more"]) == ("database" in place)
        model["more"].pop("database", None)
        model["more"].pop("sources", None)
        model.pop("table")  # a file of the kind of the private one
        released.append(model)
        shutil.rmtree(outcome.staged.request.folder)
    assert released[1:] == released[:1] * (len(released) - 1)


GROUPS = {"column": "sex", "categories": ["F", "M", "", "ä"], "unknown": "F", "epsilon": "0.5"}
TWO = [{key: COUNTED[name][key] for key in ("class", "learner")} for name in ("thresholds", "intervals")]
JUDGED: dict[str, dict[str, Any]] = {
    "thresholds in groups": {
        **COUNTED["thresholds"],
        "held_out": {"share": 0.25, "epsilon": 1, "groups": GROUPS},
    },
    "stumps": {**COUNTED["stumps"], "held_out": {"share": 0.5, "epsilon": 1}},
    "rectangles": {**COUNTED["rectangles"], "held_out": {"share": 0.1, "epsilon": 1}},
    "a choice, with public rows in the table": {
        "features": {"x": X},
        "class": None,
        "learner": None,
        "candidates": TWO,
        "public": {"column": "code", "value": "1"},
        "held_out": {"share": 0.2, "epsilon": 1, "choice": 1},
    },
    "a diagnostic": {**COUNTED["few cuts"], "unprotected_diagnostic": True},
}


@pytest.mark.parametrize("name", ["thresholds", "public_metric_discriminant", "public_metric_multiclass"])
def test_rows_that_stay_in_a_database_need_no_limits(tmp_path: Path, stored: dict[str, Any], name: str) -> None:
    """However many they are; rows that are read here are told as such, and refused if they are too many."""
    learner = {"learner": {"name": name, "epsilon": 2}}
    asked = COUNTED[name] if name in COUNTED else {**RELEASED[name], **learner}
    staged = stage(load(project(tmp_path, **asked, private=stored)))
    staged.sizes["n_private"] = 10**10
    with staged.request.limited() as steps:
        if name == "thresholds" or "spark" in stored["database"]:
            check(staged, Ledger.open(staged.request.ledger))
            assert all(step.seconds < 60 for step in steps.values())
        else:
            with pytest.raises(ValueError, match="limits"):
                check(staged, Ledger.open(staged.request.ledger))
    staged.request.close()


@pytest.mark.parametrize(("stored", "what"), list(in_turn(JUDGED)), indirect=["stored"])
def test_rows_that_judge_are_counted_where_they_are(
    tmp_path: Path, stored: dict[str, Any], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those held out are the rows that files hold out in this order, and mistakes are the same; no private row is read.

    The exact numbers are told with noise of the same coins, and those of a diagnostic without.
    """
    monkeypatch.setattr("semipriv.practice.engine.stages.Secure", lambda: Seeded(5))
    pq.write_table(table().sort_by("id"), tmp_path / "sorted.parquet")
    released, rows = [], []
    stream = Stored.chunks

    def watched(self: Stored, part: Any, columns: Any) -> Any:
        rows.append(list(columns))
        return stream(self, part, columns)

    monkeypatch.setattr(Stored, "chunks", watched)
    for place in ({"path": str(tmp_path / "sorted.parquet")}, {**stored, "order": "id"}):
        outcome = release(load(project(tmp_path, **JUDGED[what], private=place)))
        model = json.loads(outcome.released.to_bytes())
        streamed = model["more"].pop("database", {"streamed": None})["streamed"]
        model["more"].pop("sources", None)
        model.pop("table")
        released.append(model)
        shutil.rmtree(outcome.staged.request.folder)
    assert released[0] == released[1]
    assert streamed is False
    assert rows == ([["x", "code"]] * len(rows) if "public rows" in what else []), "the public ones alone"


# ---------------------------------------------------------------------------------------------------- one state
def laid(folder: Path, cells: pa.Table | None = None) -> dict[str, Any]:
    """The table in DuckDB, and public rows."""
    pq.write_table(table() if cells is None else cells, folder / "clinic.parquet")
    return into_duckdb(folder)


def test_a_release_from_the_request_to_its_files(tmp_path: Path, stored: dict[str, Any]) -> None:
    """It is verified, tells the database, and is published again from the ledger alone."""
    path = project(tmp_path, **COUNTED["marginals"], private=stored)
    outcome = release(load(path))
    certificate = json.loads((outcome.staged.request.folder / "certificate.json").read_text())["predicate"]["database"]
    asked = preview(load(path)).queries
    assert not asked, "all is stored"
    alone = "duckdb" in stored["database"]
    assert (len(certificate["queries"]) == 15) is alone, "pairs of six columns, some of them together"
    assert certificate["left_it"].startswith("numbers of rows alone")
    assert main(["verify", str(outcome.staged.request.folder), "--ledger", str(outcome.staged.request.ledger)]) == 0
    assert release(load(path)).replayed


def test_the_dry_run_shows_the_queries_that_are_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, and no row is asked for."""
    path = project(tmp_path, **COUNTED["stumps"], private=laid(tmp_path))
    queries = preview(load(path)).queries
    sent: list[str] = []
    read = Database.read
    monkeypatch.setattr(Database, "read", lambda self, asked: sent.append(self.sql(asked)) or read(self, asked))
    monkeypatch.setattr(Stored, "chunks", None)
    release(load(path))
    counting = [query for query in sent if "GROUP BY" in query]
    on_no_row = [query for query in counting if "FALSE" in query]
    counted = list(dict.fromkeys(query for query in counting if query not in on_no_row))
    assert counted == list(queries), "twice where cells are refused"
    assert len(on_no_row) == len(queries), "each is rehearsed before the charge"
    assert all("COUNT" in query for query in sent)


@pytest.mark.parametrize("unknown", [0, "refuse"])
def test_a_label_that_decides_nothing_is_asked_for_refused_cells_alone(tmp_path: Path, unknown: int | str) -> None:
    """A query costs a scan of its column."""
    asked = {**COUNTED["prefixes"], "label": {**VALUES, "unknown": unknown}}
    queries = preview(load(project(tmp_path, **asked, private=laid(tmp_path)))).queries
    assert len(queries) == 1 + (unknown == "refuse")


@pytest.mark.parametrize("held", [False, True])
def test_rows_are_numbered_where_some_are_held_out_and_nowhere_else(tmp_path: Path, held: bool) -> None:
    """To number rows is to sort them."""
    changes = {"held_out": {"share": 0.5, "epsilon": 1}} if held else {}
    private = {**laid(tmp_path), "order": "id"}
    queries = preview(load(project(tmp_path, **COUNTED["stumps"], **changes, private=private))).queries
    assert [("ROW_NUMBER" in query) for query in queries] == [held] * len(queries)


def test_all_queries_of_a_release_see_one_state(tmp_path: Path, server: str) -> None:
    """Rows that others add meanwhile are not there; the next release says that the table is another one."""
    pq.write_table(table(), tmp_path / "clinic.parquet")
    private = into_postgres(tmp_path, server)
    path = project(tmp_path, **COUNTED["thresholds"], private=private)
    staged = stage(load(path))
    assert staged.sizes["n_private"] == N
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("insert into clinic select * from clinic")
    reservation = reserve(staged)
    draw(staged, reservation, partials_of(staged, reservation))
    staged.request.private.close()
    changes = {"private": private, "ledger": str(staged.request.ledger), "release": "later"}
    again = releases.request(tmp_path, "later.yaml", **{**COUNTED["intervals"], **changes})
    with pytest.raises(LedgerError, match="changed_table: accept"):
        release(load(again))


def test_rows_that_change_between_the_jobs_of_a_release_are_found(tmp_path: Path, server: str) -> None:
    pq.write_table(table(), tmp_path / "clinic.parquet")
    private = {**into_postgres(tmp_path, server), "order": "id"}
    asked = {**COUNTED["thresholds"], "held_out": {"share": 0.5, "epsilon": 1}, "private": private}
    staged = stage(load(project(tmp_path, **asked)))
    reservation = reserve(staged)
    partials = partials_of(staged, reservation)
    staged.request.private.close()
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("update clinic set x = 1 where id = 3")
    with pytest.raises(ValueError, match="was changed while the release was made"):
        draw(staged, reservation, partials)
    staged.request.private.close()


def test_a_lost_connection_costs_no_second_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At whichever question it is lost: asked again, the request is charged once and drawn once."""
    private, honest, lost = laid(tmp_path), Database.guarded, 0
    for at in itertools.count(1):
        path = project(tmp_path, **COUNTED["thresholds"], private=private, release=f"r{at}")
        seen = itertools.count(1)

        def losing(self: Database, work: Any, seen: Any = seen, at: int = at) -> Any:
            if next(seen) == at:
                raise DatabaseError("the connection was lost")
            return honest(self, work)

        monkeypatch.setattr(Database, "guarded", losing)
        try:
            release(load(path))
        except ValueError as error:
            assert "the connection was lost" in str(error)  # noqa: PT017
            lost += 1
        monkeypatch.setattr(Database, "guarded", honest)
        release(load(path))
        ledger = load(path).ledger
        kinds = [entry.kind for entry in releases.Ledger.open(ledger).entries]
        assert kinds.count("reserved") == kinds.count("released") == 1, kinds
        if next(seen) <= at:
            break
    assert lost > 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("killed", ["client", "server"])
def test_kills_cost_no_second_charge_and_no_second_draw(tmp_path: Path, killed: str) -> None:
    """A client that is killed, or whose server is, at any time; whoever asks again gets the one draw."""
    if postgres.programs() is None:
        pytest.skip("NOT TESTED: PostgreSQL is not installed (Debian: postgresql)")
    pq.write_table(table(), tmp_path / "clinic.parquet")
    with postgres.server() as address:
        private = into_postgres(tmp_path, address)
        for i, seconds in enumerate(np.linspace(0.5, 4.0, 20 if killed == "client" else 6)):
            path = project(tmp_path, **COUNTED["thresholds"], private=private, release=f"r{i}")
            command = [sys.executable, "-m", "semipriv", "release", str(path)]
            started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(float(seconds))
            if killed == "client":
                started.kill()
            else:
                postgres.restart(address)
            started.wait(60)
            ledger = releases.Ledger.open(yaml.safe_load(path.read_text())["ledger"])
            before = [entry.payload for entry in ledger.entries if entry.kind == "released"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            ledger = releases.Ledger.open(ledger.path)
            kinds = [entry.kind for entry in ledger.entries]
            assert kinds.count("reserved") == kinds.count("released") == 1
            assert before in ([], [entry.payload for entry in ledger.entries if entry.kind == "released"])


# ---------------------------------------------------------------------------------------------------- refused
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no such table": ({"table": "patients"}, "has no such table"),
    "no such column": ({"query": "select id, ill from clinic", "table": None}, "column 'x' is missing: none of its 2"),
    "other capitals": ({"query": 'select x as "X ", ill from clinic', "table": None}, "other capitals, or blanks"),
    "two statements": ({"query": "select 1; drop table clinic", "table": None}, "must be one statement"),
    "a write": ({"query": "delete from clinic", "table": None}, "must be a SELECT"),
    "a hidden write": (
        {"query": "with d as (delete from t returning *) select * from d", "table": None},
        "query: ",
    ),
    "a table that is made": ({"query": "select * into more from clinic", "table": None}, "must only read"),
    "no SQL": ({"query": "select from where", "table": None}, "query: "),
    "table and query": ({"query": "select 1"}, "private: needs table, or query, and not both"),
    "neither": ({"table": None}, "private: needs table, or query, and not both"),
    "a path, too": ({"path": "clinic.csv"}, "private: needs path, or database, and not both"),
    "no such file": ({"database": "duckdb://nowhere.duckdb"}, "nowhere.duckdb: there is no such file"),
    "no such database": (
        {"database": "mysql://h/d"},
        "database: must start with one of duckdb://, postgresql://, spark://",
    ),
    "a password": ({"database": "postgresql://me:secret@h/d"}, "must not hold a password"),
    "options": ({"database": "postgresql://h/d?options=-c%20x"}, "not options"),
    "no such order": ({"order": "nothing"}, "order: column 'nothing' is missing"),
    "an order that repeats": ({"order": "ill"}, "order: column 'ill' must have another value in each row"),
    "a time that is none": ({"seconds": 0}, "private.seconds"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_request_is_refused_before_the_charge(tmp_path: Path, wrong: str) -> None:
    changes, message = WRONG[wrong]
    private = {key: value for key, value in {**laid(tmp_path), **changes}.items() if value is not None}
    path = project(tmp_path, **COUNTED["thresholds"], private=private)
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        release(load(path))
    assert "secret" not in str(raised.value)
    ledger = releases.Ledger.open(yaml.safe_load(path.read_text())["ledger"])
    assert [entry.kind for entry in ledger.entries] == ["opened"]


def test_places_are_needed_for_rows_that_are_held_out_and_for_learners_that_read_them(tmp_path: Path) -> None:
    private = laid(tmp_path)
    held = {**COUNTED["thresholds"], "held_out": {"share": 0.5, "epsilon": 1}}
    one_by_one = {**COUNTED["thresholds"], "learner": {"name": "rrspm", "epsilon": 1, "weights": "discrete_laplace"}}
    for asked in (held, one_by_one):
        with pytest.raises(ValueError, match=re.escape("private.order")):
            release(load(project(tmp_path, **asked, private=private)))
        assert release(load(project(tmp_path, **asked, private={**private, "order": "id"})))


@pytest.mark.parametrize("what", ["thresholds", "marginals"])
def test_a_cell_that_is_not_declared_is_not_told(tmp_path: Path, stored: dict[str, Any], what: str) -> None:
    """Whether its column is counted or only looked at."""
    label = {"column": "sex", "one": ["F"], "zero": ["M", "", "ä", "o'k"], "unknown": "refuse"}
    features = {"sex": {"categories": ["F", "M", "", "ä", "o'k"], "unknown": "refuse"}, "code": TEXTS["code"]}
    changes = {"label": label} if what == "thresholds" else {"features": features}
    with pytest.raises(ValueError, match=r"column 'sex': \d+ cell\(s\) missing or not as declared") as raised:
        release(load(project(tmp_path, **{**COUNTED[what], **changes}, private=stored)))
    assert "drop" not in str(raised.value)


def test_a_late_answer_is_not_waited_for(tmp_path: Path, server: str) -> None:
    pq.write_table(table(), tmp_path / "clinic.parquet")
    private = {**into_postgres(tmp_path, server), "seconds": 0.5}
    path = project(tmp_path, **COUNTED["thresholds"], private=private)
    with psycopg.connect(server) as other:
        other.execute("lock table clinic in access exclusive mode")
        with pytest.raises(ValueError, match="no answer within"):
            release(load(path))
    slow = importlib.import_module("semipriv.practice.databases.duckdb").ENGINE.opened("duckdb://", 0.5)
    with pytest.raises(ValueError, match=r"no answer within 0\.5 seconds"):
        slow.guarded(
            lambda: slow.backend.raw_sql("select sum(a.range * b.range) from range(10000000) a, range(1000000) b")
        )
    slow.close()


def test_a_server_that_says_no_is_told_by_its_kind(tmp_path: Path, server: str) -> None:
    pq.write_table(table(), tmp_path / "clinic.parquet")
    private = into_postgres(tmp_path, server)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("drop role if exists nobody")
        connection.execute("create role nobody login")
    nobody = private["database"].replace("tester", "nobody")
    away = private["database"].replace("host=/", "host=/nowhere/")
    for address, message in ((nobody, "no permission"), (away, "cannot be reached")):
        with pytest.raises(ValueError, match=message):
            release(load(project(tmp_path, **COUNTED["thresholds"], private={**private, "database": address})))


def test_names_are_quoted_wherever_they_stand(tmp_path: Path) -> None:
    odd = 'x"; drop table clinic;--'
    cells = table().select(["x", "ill"]).rename_columns([odd, "il'l"])
    pq.write_table(cells, tmp_path / "clinic.parquet")
    with duckdb.connect(str(tmp_path / "c.duckdb")) as connection:
        name = '"' + odd.replace('"', '""') + '"'
        connection.execute(f"create table {name} as select * from '{tmp_path / 'clinic.parquet'}'")
    private = {"database": f"duckdb://{tmp_path / 'c.duckdb'}", "table": odd}
    path = project(
        tmp_path, private=private, features={odd: X},
        label={"column": "il'l", "one": ["yes"], "zero": ["no"], "unknown": 0},
        **{key: COUNTED["thresholds"][key] for key in ("class", "learner")},
    )  # fmt: skip
    pd.read_csv(tmp_path / "public.csv").rename(columns={"x": odd}).to_csv(tmp_path / "public.csv", index=False)
    assert release(load(path))


def test_an_empty_table_and_a_query_over_files(tmp_path: Path) -> None:
    laid(tmp_path)
    files = {"database": "duckdb://", "query": f"select * from '{tmp_path / 'clinic.parquet'}'"}
    assert release(load(project(tmp_path, **COUNTED["thresholds"], private=files)))
    ended = {**files, "query": files["query"] + " where true;  "}
    assert release(load(project(tmp_path, **COUNTED["thresholds"], private=ended)))
    noted = {**files, "query": files["query"] + " -- all of it"}
    assert release(load(project(tmp_path, **COUNTED["thresholds"], private=noted)))
    none = {**files, "query": files["query"] + " where false"}
    with pytest.raises(ValueError, match="has no private row"):
        release(load(project(tmp_path, **COUNTED["thresholds"], private=none)))


@pytest.mark.parametrize(("place", "column"), [(4, "ward"), (4, "ill"), (3, "ill"), (3, None)])
def test_a_cell_of_a_row_that_judges_is_refused_before_the_charge(tmp_path: Path, place: int, column: str) -> None:
    """The label of any row, and the group of one that is held out; that of another row is not read."""
    cells = {"x": np.arange(1.0, 41), "ill": ["yes", "no"] * 20, "ward": ["F", "M"] * 20, "id": np.arange(40)}
    cells[column or "ward"][place - 1] = "?"
    pq.write_table(pa.table(cells), tmp_path / "clinic.parquet")
    private = {**into_duckdb(tmp_path), "order": "id"}
    groups = {**GROUPS, "column": "ward", "categories": ["F", "M"], "unknown": "refuse"}
    asked = {**COUNTED["thresholds"], "held_out": {"share": 0.25, "epsilon": 1, "groups": groups}}
    path = project(tmp_path, **asked, private=private)
    if column is None:
        assert release(load(path))
        return
    with pytest.raises(ValueError, match=rf"column '{column}': 1 cell\(s\) missing or not as declared"):
        release(load(path))
    ledger = releases.Ledger.open(yaml.safe_load(path.read_text())["ledger"])
    assert [entry.kind for entry in ledger.entries] == ["opened"]
