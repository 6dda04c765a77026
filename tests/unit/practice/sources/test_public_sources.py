"""Public rows from a database or from an address are those of the same table in a file."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import releases

from semipriv.practice.asking.request import load
from semipriv.practice.engine.reading import read_public
from semipriv.practice.engine.whole import release
from semipriv.settings.reading import ConfigError


def places(folder: Path) -> dict[str, dict[str, Any]]:
    """The public rows of a project as a file, behind an address, and in a database, in another order there."""
    people = releases.people(9, 1)
    people.to_parquet(folder / "public.parquet", index=False)
    with duckdb.connect(str(folder / "p.duckdb")) as connection:
        connection.execute(f"create table p as select * from '{folder / 'public.parquet'}' order by dollars")
    return {
        "file": {"path": str(folder / "public.parquet")},
        "address": {"path": f"file://{folder / 'public.parquet'}"},
        "table": {"database": f"duckdb://{folder / 'p.duckdb'}", "table": "p"},
        "query": {"database": f"duckdb://{folder / 'p.duckdb'}", "query": "select age, dollars from p"},
    }


def test_public_rows_are_the_same_wherever_they_are(tmp_path: Path) -> None:
    releases.project(tmp_path)
    read = {}
    for name, place in places(tmp_path).items():
        request = load(releases.request(tmp_path, f"{name}.yaml", public=place))
        read[name] = read_public(request)
        assert read_public(load(tmp_path / f"{name}.yaml")).digest == read[name].digest
        if request.public is not None:
            request.public.close()
    assert len(read) == 4
    rows = [sorted(map(tuple, records.points.tolist())) for records in read.values()]
    assert all(points == rows[0] for points in rows)
    assert np.array_equal(read["table"].points, read["query"].points)
    assert read["table"].digest == read["query"].digest, "of an order of its own"


@pytest.mark.parametrize("name", ["address", "table"])
def test_a_release_with_public_rows_from_elsewhere_is_made_once(tmp_path: Path, name: str) -> None:
    releases.project(tmp_path)
    path = releases.request(tmp_path, public=places(tmp_path)[name])
    release(load(path))
    charged = releases.kinds(tmp_path)
    release(load(path))
    assert releases.kinds(tmp_path) == charged


@pytest.mark.parametrize(
    ("public", "message"),
    [
        ({}, "public: needs path, or database, or column, and one of them alone"),
        ({"path": "a.csv", "column": "x", "value": "1"}, "public: needs path, or database, or column, and one of them"),
        ({"database": "duckdb://x"}, "public: needs table, or query, and not both"),
        ({"column": "x"}, "public: needs column and value together"),
        ({"column": "x", "value": "1", "decimal": ","}, "public.decimal: is of a file, and there is none"),
        ({"path": "s3://b/p", "decimal": ","}, "public.decimal: is of a file, and there is none"),
        ({"path": "a.csv", "schema": "s"}, "public.schema: is of a database, and path is a file"),
    ],
)
def test_public_rows_have_one_place(tmp_path: Path, public: dict[str, Any], message: str) -> None:
    path = releases.project(tmp_path, public=public)
    with pytest.raises(ConfigError, match=message):
        load(path)
