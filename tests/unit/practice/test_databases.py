"""A table in a database gives the integers that its file gives, and nothing but counts leaves it."""

import re
from collections.abc import Iterator
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

from semipriv.practice import counting
from semipriv.practice.engine import partials_of, reserve, stage
from semipriv.practice.request import load
from semipriv.practice.stored import Stored
from semipriv.practice.whole import release

duckdb = pytest.importorskip("duckdb", reason="databases are an extra: python -m pip install 'semipriv[database]'")
EDGES = [0.0, -0.0, 100.0, 100.1, -1e-300, 1e300, -1e300, 5e-324, 30.0, np.nextafter(30.0, 0), np.nextafter(30.0, 99)]
N = 400


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
            "sex": pa.array(rng.choice(["F", "M", "", "ä", "M ", "o'k", 'a"b; drop table t;--'], N)),
            "maybe": pa.array(rng.choice(["a", "b", None], N)),
            "code": pa.array(rng.choice([0, 1, 10, -1], N), pa.int32()),
            "day": pa.array(rng.integers(0, 20000, N).astype("datetime64[D]")),
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
    psycopg = pytest.importorskip("psycopg")
    kinds = {
        "id": "bigint", "x": "float8", "small": "real", "n": "bigint", "big": "bigint", "paid": "numeric",
        "sex": "text", "maybe": "varchar", "code": "int", "day": "date", "ill": "text", "y": "float8",
    }  # fmt: skip
    cells = pq.read_table(folder / "clinic.parquet")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("drop table if exists clinic")
        connection.execute(f"create table clinic ({', '.join(f'{n} {k}' for n, k in kinds.items())})")
        with connection.cursor() as cursor, cursor.copy("copy clinic from stdin") as copy:
            for row in cells.to_pylist():
                copy.write_row([row[name] for name in kinds])
    return {"database": address, "table": "clinic"}


@pytest.fixture(params=["duckdb", "postgresql"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    pq.write_table(table(), tmp_path / "clinic.parquet")
    if request.param == "duckdb":
        return into_duckdb(tmp_path)
    return into_postgres(tmp_path, request.getfixturevalue("server"))


def public(folder: Path) -> None:
    rng = np.random.default_rng(3)
    pd.DataFrame(
        {
            "x": [30.0, 60.0, *(rng.random(10) * 100)],
            "small": rng.random(12) * 100,
            "n": rng.integers(0, 100, 12),
            "big": rng.integers(0, 100, 12),
            "paid": (rng.random(12) * 100).round(3),
            "sex": rng.choice(["F", "M", "ä"], 12),
            "maybe": rng.choice(["a", "b"], 12),
            "code": rng.choice([0, 1, 10], 12),
            "day": pd.date_range("1980-01-01", periods=12, freq="997D").astype(str),
            "ill": rng.choice(["yes", "no"], 12),
            "y": rng.choice([0.0, 1.0, 2.5, 7.0], 12),
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
    "sex": {"categories": ["F", "M", "", "ä", "M ", "o'k", 'a"b; drop table t;--']},
    "maybe": {"categories": ["b"] + ["z"], "unknown": "other"},
    "code": {"categories": ["1", "10", "x"], "unknown": "none"},
    "n": {"integers": [90, 99], "unknown": 95},
}
VALUES = {"column": "y", "one": {"at_least": 2.5}, "zero": [0, 1]}
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
        "features": {"small": X, "n": {"integers": [0, 100], "unknown": 7}},
        "class": {"name": "rectangles"},
        "learner": {"name": "sspp", "epsilon": 1},
    },
    "prefixes": {
        "features": {"x": X},
        "label": None,
        "class": {"name": "thresholds"},
        "learner": {"name": "query_release", "epsilon": 1},
    },
    "marginals": {
        "features": TEXTS,
        "label": None,
        "class": None,
        "learner": {"name": "table_release", "epsilon": 1, "delta": 0},
    },
}
STREAMED: dict[str, dict[str, Any]] = {
    "halfspaces": {"features": {"x": X, "small": X}},
    "dates": {
        "features": {"day": {"range": ["1970-01-01", "2024-01-01"], "unit": "day"}},
        "class": {"name": "thresholds"},
        "learner": {"name": "sspp", "epsilon": 1},
    },
}


def integers(path: Path) -> list[dict[str, Any]]:
    """All sums of a request, which charges."""
    made = stage(load(path))
    sums = [one.sums for one in partials_of(made, reserve(made))]
    made.request.private.close()
    return [arrays for part in sums for arrays in part]


def project(folder: Path, **more: Any) -> Path:
    if not (folder / "ledgers").exists():
        (folder / "ledgers").mkdir()
        public(folder)
    ledger = folder / "ledgers" / f"{len(list((folder / 'ledgers').iterdir()))}.jsonl"
    releases.Ledger.create(ledger, releases.Budget(epsilon=10, delta="1e-5"), "a clinic")
    given = {
        "class": {"name": "halfspaces"},
        "learner": {"name": "sspp", "epsilon": 0.5},
        "ledger": str(ledger),
        **more,
    }
    return releases.request(folder, **given)


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
    if what in COUNTED:
        monkeypatch.setattr(Stored, "chunks", None)
    found = integers(project(tmp_path, **{**asked, "private": {**stored, **order}}))
    assert [sorted(one) for one in found] == [sorted(one) for one in expected]
    for one, other in zip(found, expected, strict=True):
        for name in other:
            assert np.array_equal(one[name], other[name]), name
