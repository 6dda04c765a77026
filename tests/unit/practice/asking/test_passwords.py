"""No message repeats a password or a token, wherever in a request somebody put it."""

from pathlib import Path
from typing import Any

import pytest
import releases

from semipriv.practice.asking.request import load

pytest.importorskip("psycopg", reason="databases are an extra: python -m pip install 'semipriv[database]'")
S = "s3cr3t"
PLACES: list[dict[str, Any]] = [
    {"database": {"password": S}},
    {"database": [S]},
    {"path": {"token": S}},
    {"database": "postgresql://h/d", "table": {"password": S}},
    {"database": "duckdb://", "query": {"password": S}},
    {"database": "postgresql://h/d", "table": "t", "password": S},
    {"path": "clinic.csv", "password": S},
    {"database": f"duckdb://md:x?motherduck_token={S}", "table": "t"},
    {"database": f"duckdb://{S}@x", "table": "t"},
    {"database": f"postgresql://me:{S}@h/d", "table": "t"},
    {"database": f"postgresql://me:{S}@h:99999999/d d", "table": "t"},
    {"database": f"postgresql://h/d?password={S}", "table": "t"},
    {"database": f"postgresql://h/d?passfile={S}", "table": "t"},
    {"database": f"postgresql://h/d?ssl={S}", "table": "t"},
    {"database": f"postgresql://h/{S}@x%zz", "table": "t"},
    {"database": f"host=h password={S}", "table": "t"},
    {"database": f"spark://me:{S}@h", "table": "t"},
    {"database": f"spark://h?token={S}", "table": "t"},
    {"database": f"mysql://me:{S}@h/d", "table": "t"},
    {"database": f"PostgreSQL://me:{S}@h/d", "table": "t"},
    {"path": f"s3://key:{S}@b/x"},
    {"path": f"s3://b/x?secret_key={S}&region=x"},
    {"path": f"s3://b/x?{S}"},
    {"path": f"https://me:{S}@h/x.csv"},
    {"path": f"https://h/x.parquet?sig={S}"},
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("key", ["private", "public", "unlabelled"])
def test_it_is_refused_and_not_repeated(tmp_path: Path, key: str, place: dict[str, Any]) -> None:
    releases.lay_out(tmp_path)
    path = releases.lay_out(tmp_path, {**releases.THRESHOLDS, key: place})
    with pytest.raises(ValueError, match=r"release\.yaml: .{20,}") as caught:
        load(path)
    error: BaseException | None = caught.value
    while error is not None:
        assert S not in str(error)
        error = error.__cause__
