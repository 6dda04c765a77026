"""A synthetic table has the types of the public one where these hold every declared value, and no value changes."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from releases import lay_out

from semipriv.cli import main
from semipriv.core.errors import PublicError
from semipriv.core.randomness import Simulation
from semipriv.practice.columns.features import Integers, Range, feature
from semipriv.practice.columns.schema import Chunk, Records
from semipriv.practice.estimators.private_table import PrivateTable
from semipriv.practice.published.tables import check_declared, is_exact, typed, types_of, written
from semipriv.practice.published.verify import verify

TYPES = [
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
    *(pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.decimal128(5, 2), pa.decimal128(38, 0)),
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.null(), pa.json_(), pa.list_(pa.int8())),
    *(pa.dictionary(pa.int8(), pa.string(), ordered) for ordered in (False, True)),
    *(pa.dictionary(pa.int8(), pa.int64()), pa.dictionary(pa.int32(), pa.large_string())),
    *(pa.date32(), pa.date64(), pa.time32("s"), pa.duration("s"), pa.timestamp("ms", "UTC")),
    *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
]
DECLARED: dict[str, dict[str, Any]] = {
    "two integers": {"integers": [0, 1]},
    "integers": {"integers": [-5, 200]},
    "large integers": {"integers": [-(2**53), 2**53]},
    "numbers": {"range": [-1.5, 1e6]},
    "numbers of little": {"range": [0, 1]},
    "days": {"integers": ["2023-01-01", "2023-03-01"], "unit": "day"},
    "a wide range of days": {"range": ["0001-01-01", "9999-12-31"], "unit": "day"},
    "hours": {"range": ["2023-01-01", "2023-01-03"], "unit": "hour"},
    "seconds": {"integers": ["1969-12-31T23:59:58", "1970-01-01T00:00:05"], "unit": "second"},
    "texts": {"categories": ["F", "M", "ÿ"]},
    "texts of numbers": {"categories": ["01", "1.5", "2"]},
    "texts of truth": {"categories": ["true", "false"]},
    "texts of days": {"categories": ["2023-01-01", "2023-01-02"], "unknown": "never"},
    "listed integers": {"categories": [1, 300, -2]},
    "bins": {"bins": [0, 10, 20, 300]},
    "bins of halves": {"bins": [0, 1, 2], "unknown": "none"},
    "bins beyond": {"bins": [0, 2.0**63, 2.0**64]},
    "bins far below": {"bins": [-3e19, -1e19, 0], "unknown": "none"},
    "bins of the largest floats": {"bins": [0, 1e300, 1.5e308]},
    "bins of days": {"bins": ["2023-01-01", "2023-01-02", "2023-02-01"], "unit": "day"},
    "bins of minutes": {"bins": ["2023-01-01", "2023-01-02", "2023-02-01"], "unit": "minute", "unknown": "none"},
}


def every(kind: str) -> tuple[Records, pa.Table]:
    """Records of one column, and a table of its declared values: all of a list, many of a range."""
    column = feature("x", DECLARED[kind])
    low, high = column.ends
    if isinstance(column, Range | Integers):
        places = np.r_[low, high, low + np.random.default_rng(0).random(200) * (high - low)]
        places = np.r_[places, np.rint(places), np.clip([low + 1, high - 1], low, high)]
    else:
        places = np.arange(low, high + 1)
    records = Records([column])
    return records, records.table(places[:, None])


@pytest.mark.parametrize("kind", DECLARED)
def test_the_typed_table_has_the_values_of_the_untyped_one(kind: str) -> None:
    """Whatever the type of the public column is: total, without a change, and the same when the file is read again."""
    records, table = every(kind)
    kept = set()
    for known in TYPES:
        types = types_of(records, {"x": known})
        typed_table = typed(table, types)
        check_declared(typed_table, records)
        again = pq.read_table(BytesIO(written(typed_table, ".parquet")))
        assert {field.name: str(field.type) for field in again.schema} == types, known
        assert again["x"].cast(table["x"].type).equals(table["x"]), known
        assert is_exact(written(typed_table, ".parquet"), typed_table)
        chunk = Chunk("x", again, np.arange(1, table.num_rows + 1))
        if table["x"].null_count == 0:
            before = Chunk("x", table, chunk.numbers)
            np.testing.assert_array_equal(records.encode(chunk)[0], records.encode(before)[0])
        if types["x"] != types_of(records, {})["x"]:
            kept.add(types["x"])
    assert kept or kind.startswith(("numbers", "bins beyond", "bins of the largest")), "some type is kept"


@pytest.mark.parametrize("known", [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.float16(), pa.bool_()], ids=str)
@pytest.mark.parametrize(
    "ends",
    [
        *((0, 1), (0, 2), (-1, 0), (0, 127), (-128, 127), (-128, 128), (-129, 0), (0, 255), (0, 256)),
        *((0, 2048), (0, 2049), (-2048, 2048), (-2049, 5), (2000, 2100), (2048, 2050), (4090, 4096), (60_000, 65_535)),
    ],
)
def test_a_type_is_kept_exactly_if_it_holds_all_integers_between(known: pa.DataType, ends: tuple[int, int]) -> None:
    low, high = ends
    values = np.arange(low, high + 1)
    with np.errstate(all="ignore"):
        holds = bool(np.all(values.astype(known.to_pandas_dtype()).astype(np.float64) == values))
    records = Records([feature("x", {"integers": [low, high]})])
    assert types_of(records, {"x": known}) == {"x": str(known if holds else pa.int64())}


@pytest.mark.parametrize(
    ("declared", "cells"),
    [
        ({"range": [0, 1]}, [0.5, np.nextafter(1.0, 2.0)]),
        ({"integers": [0, 3]}, [4]),
        ({"integers": [0, 3]}, [1.5]),
        ({"integers": [0, 3]}, [None]),
        ({"categories": ["F", "M"]}, ["F", "nobody"]),
        ({"categories": ["F", "M"]}, [None]),
        ({"bins": [0, 10, 20]}, [5, 6]),
        ({"bins": [0, 10, 20]}, [5, None]),
        ({"integers": ["2023-01-01", "2023-01-02"], "unit": "day"}, ["2023-01-03"]),
    ],
)
def test_a_cell_that_is_not_declared_is_not_published(declared: dict[str, Any], cells: list[Any]) -> None:
    records = Records([feature("x", declared)])
    with pytest.raises(PublicError, match="column 'x' has a cell that is not declared"):
        check_declared(pa.table({"x": cells}), records)


PANDAS = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("Int8", "Int64", "UInt8", "Float32", "Float64", "boolean", "string", "str"),
    *("float16", "float32", "float64", "bool", "category", "object", "int8[pyarrow]", "double[pyarrow]"),
]
SCHEMAS: dict[str, Any] = {
    "two": range(2),
    "ages": range(200),
    "years": range(1990, 2300),
    "steps": range(-300, 4000, 100),
    "beyond": range(2**53 - 2, 2**53 + 4),
    "texts": ["1", "2", "0"],
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_table_of_the_estimator_has_declared_values_of_any_type(name: str) -> None:
    """Public columns of each type that can hold two of the values; the private ones have all."""
    values = list(SCHEMAS[name])
    private = pd.DataFrame({"x": values * 3, "y": ["a", "b", "a"] * len(values)})
    tried = 0
    for kind in PANDAS:
        public = pd.DataFrame({"x": values[:2] * 3, "y": ["a"] * 3 + ["b"] * 3})
        try:
            public["x"] = public["x"].astype(kind)
            release = PrivateTable(
                {"x": SCHEMAS[name], "y": ["a", "b"]}, public, epsilon=50.0, randomness=Simulation(1), tree=0, rounds=0
            )
            fitted = release.fit(private)
        except (ValueError, TypeError, OverflowError, RuntimeWarning):  # the values are no public column of this type
            assert kind not in ("int64", "category", "object") or name == "texts"
            continue
        sampled, tried = fitted.sample(), tried + 1
        assert set(sampled["x"]) <= set(values), kind
        types = fitted.types_
        fitted.types_ = {}
        assert sampled["x"].tolist() == fitted.sample()["x"].tolist(), kind
        fitted.types_ = types
        again = PrivateTable.from_json(fitted.to_json())
        pd.testing.assert_frame_equal(again.sample(), sampled)
    assert tried >= 3


def test_a_fitted_table_with_a_type_that_changes_values_is_no_such_table() -> None:
    public = pd.DataFrame({"x": [0, 150]})
    release = PrivateTable({"x": range(200)}, public, epsilon=1.0, ways=1, randomness=Simulation(1))
    text = release.fit(pd.DataFrame({"x": [0, 150, 199]})).to_json()
    assert '"x":"int64"' in text
    with pytest.raises(ValueError, match="column 'x': its type does not hold all declared values"):
        PrivateTable.from_json(text.replace('"x":"int64"', '"x":"int8"'))


def test_a_release_of_narrow_public_types_is_within_its_declaration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The way of the command: ages beyond int8, times that are no nanoseconds, numbers beyond 2^63."""
    declared = {
        "age": {"integers": [0, 199]},
        "born": {"integers": ["1600-01-01", "1600-01-09"], "unit": "day"},
        "money": {"bins": [0, 1e19, 2e19]},
    }
    learner = {"name": "table_release", "epsilon": 1, "delta": "1e-6", "ways": 1, "tree": 0, "rounds": 0}
    path = lay_out(tmp_path, {"features": declared, "learner": learner, "label": None})
    text, rng = path.read_text(), np.random.default_rng(1)
    for name, n, most in (("public", 30, 100), ("private", 300, 200)):
        age = pa.array(rng.integers(0, most, n), pa.int8() if name == "public" else pa.int64())
        money = pa.array(rng.choice([5e18, 1.5e19], n), pa.float32())
        born = pa.array(rng.integers(-135_140, -135_132, n).astype(np.int32), pa.int32()).cast(pa.date32())
        born = born if name == "private" else pa.array(born.cast(pa.string()), pa.string())
        pq.write_table(pa.table({"age": age, "born": born, "money": money}), tmp_path / f"{name}.parquet")
        text = text.replace(f"{name}.csv", f"{name}.parquet")
    path.write_text(text)
    assert main(["release", str(path)]) == 0, capsys.readouterr().err
    folder = tmp_path / "results/releases/visits"
    columns = pq.read_table(folder / "synthetic.parquet").to_pydict()
    assert set(columns["age"]) <= set(range(200))
    assert max(columns["age"]) <= 199
    assert set(columns["born"]) <= {f"1600-01-0{day}" for day in range(1, 10)}
    assert all(1e18 < amount < 2e19 for amount in columns["money"])
    assert all(check.passed for check in verify(folder, tmp_path / "ledger.jsonl"))
