"""Sums of numbers by group in a database are those of files, to the last bit, whatever is in a cell."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import postgres
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
import spark_here

from semipriv.audit.properties.entropy import Seeded
from semipriv.core.persons import shares
from semipriv.core.types import Integers
from semipriv.practice.asking.persons import PersonColumns
from semipriv.practice.asking.request import load
from semipriv.practice.columns.coding import Question
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.schema import Chunk, PrivateTableError, Records
from semipriv.practice.engine.counting import counted, queries
from semipriv.practice.engine.counting_plans import Named, stand_in
from semipriv.practice.engine.whole import release
from semipriv.practice.sources.stored import Stored
from semipriv.practice.sums.statistic import Statistic
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.guarantee import Neighbours
from semipriv.queries.unit_mass import UNITS, break_of, units

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
duckdb = pytest.importorskip("duckdb", reason=WHY)
psycopg = pytest.importorskip("psycopg", reason=WHY)
pytest.importorskip("semipriv.practice.databases.base", reason=WHY)
N, LARGEST = 700, float(np.finfo(np.float64).max)
ENDS: dict[str, tuple[float, float]] = {
    "stay": (0.0, 60.0),
    "odd": (0.1, 0.7),
    "exact": (0.0, 65536.0),
    "tall": (0.0, 1e300),
    "wide": (-1e300, 1e300),
    "widest": (-LARGEST, 0.0),
    "least": (0.0, 5e-324),
    "subnormal": (1e-310, 3e-310),
    "coarse": (1e16, 1e16 + 6),
    "small": (0.0, 60.0),
    "n": (0, 60),
    "big": (-(2.0**62), 2.0**63),
    "paid": (-1.5, 100.25),
}
MORE: dict[str, dict[str, Any]] = {
    "day": {"range": ["1969-12-01", "1971-03-01"], "unit": "day", "unknown": "1970-01-05"},
    "at": {"range": ["1969-12-30", "1970-02-03T11:00"], "unit": "hour", "unknown": "1970-01-05"},
    "alive": {"range": [0, 1], "unknown": 0.3},
}
KINDS = {
    "pid": "bigint", "ward": "text", "month": "smallint", "band": "float8", "keep": "float8", "small": "real",
    "n": "integer", "big": "bigint", "paid": "numeric", "day": "date", "at": "timestamp", "alive": "boolean",
    "text": "text",
}  # fmt: skip
DECLARED = {
    "ward": {"categories": ["A", "B", "C"], "unknown": "other"},
    "month": {"integers": [1, 12], "unknown": 1},
    "band": {"bins": [0, 10, 50, 100], "unknown": "none"},
}


def hostile(low: float, high: float, rng: np.random.Generator) -> np.ndarray:
    """Numbers at and next to ends, and to where one more unit counts, and what is no number, or hardly one."""
    column = feature("x", {"range": [low, high], "unknown": low})
    units_of = np.append([1, 2, 3, UNITS - 1, UNITS], rng.integers(1, UNITS + 1, 60))
    cuts = column.coding(np.unique(break_of(units_of))).cuts
    edges = np.concatenate([cuts, [low, high, 0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-320, LARGEST, -LARGEST, 30.0]])
    with np.errstate(over="ignore", under="ignore"):
        near = np.concatenate([edges, *(np.nextafter(edges, end) for end in (-np.inf, np.inf))])
    inside = low + rng.random(60) * (high - low)
    return rng.choice(np.concatenate([near[np.isfinite(near)], inside, np.repeat([np.nan, np.inf, -np.inf], 9)]), N)


@cache
def rows() -> pa.Table:
    rng = np.random.default_rng(3)
    columns: dict[str, Any] = {
        "pid": pa.array(rng.choice(np.repeat(np.arange(60), np.arange(60) + 1), N).astype(np.int64)),
        "ward": pa.array(rng.choice(["A", " B", "C ", "a", "", None], N)),
        "month": pa.array(rng.integers(0, 14, N).astype(np.int16), mask=rng.random(N) < 0.1),
        "band": pa.array(rng.choice([*np.arange(0, 110.0, 7), np.nan], N), from_pandas=False),
        "keep": pa.array(rng.random(N)),
    }
    for name, ends in ENDS.items():
        cells = hostile(*ends, rng)
        columns[name] = pa.array(cells, mask=rng.random(N) < 0.1, from_pandas=False)
    with np.errstate(over="ignore", invalid="ignore"):
        columns["small"] = pa.array(hostile(0.0, 60.0, rng).astype(np.float32), from_pandas=False)
    columns["n"] = pa.array(rng.integers(-5, 70, N).astype(np.int32), mask=rng.random(N) < 0.1)
    ends = [-(2**62), 2**53, 2**53 + 1, -(2**63), 2**63 - 1]
    columns["big"] = pa.array(
        [int(rng.integers(-(2**63), 2**63 - 1)) if k > 4 else ends[k] for k in rng.integers(0, 9, N)]
    )
    paid = [Decimal(int(k)).scaleb(-4) for k in rng.integers(-30_000, 1_010_000, N)]
    columns["paid"] = pa.array(paid, pa.decimal128(20, 4), mask=rng.random(N) < 0.1)
    columns["day"] = pa.array(rng.integers(-60, 500, N).astype("datetime64[D]"), mask=rng.random(N) < 0.1)
    columns["at"] = pa.array(rng.integers(-2 * 10**11, 3 * 10**12, N), pa.timestamp("us"), mask=rng.random(N) < 0.1)
    columns["alive"] = pa.array(rng.choice([True, False, None], N))
    columns["text"] = pa.array(rng.choice(["1.5", " 2e1 ", "x", "inf", None], N))
    return pa.table(columns)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if postgres.programs() is None:
        pytest.skip("NOT TESTED: PostgreSQL is not installed (Debian: postgresql)")
    with postgres.server() as address:
        with psycopg.connect(address, autocommit=True) as connection:
            kinds = ", ".join(f"{name} {KINDS.get(name, 'float8')}" for name in rows().column_names)
            connection.execute(f"create table t ({kinds})")
            with connection.cursor() as cursor, cursor.copy("copy t from stdin") as copy:
                for row in rows().to_pylist():
                    copy.write_row(list(row.values()))
        yield address


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("duckdb")
    pq.write_table(rows(), folder / "t.parquet")
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute(f"create table t as select * from '{folder / 't.parquet'}'")
    return f"duckdb://{folder / 't.duckdb'}"


@pytest.fixture(params=["duckdb", "postgresql", pytest.param("spark", marks=pytest.mark.spark)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The rows in each database, by its address."""
    if request.param == "spark":
        pq.write_table(rows(), tmp_path / "t.parquet")
        return spark_here.view("t", tmp_path / "t.parquet")
    return str(request.getfixturevalue("file" if request.param == "duckdb" else "server"))


class Summed(Statistic):
    """The answers to any questions."""

    def __init__(self, asked: Sequence[Question]) -> None:
        super().__init__(None, None)
        self.asked, self.sums = asked, [np.zeros(question.shape, np.int64) for question in asked]

    def questions(self) -> Sequence[Question]:
        return self.asked

    def _sum(self, points: Any, labels: Any, units: Any) -> None:
        self._answer([question.answer(points, None, units) for question in self.asked])

    def _answer(self, counts: Sequence[Integers]) -> None:
        self.sums = [own + counted for own, counted in zip(self.sums, counts, strict=True)]

    def _arrays(self) -> Any:
        raise NotImplementedError

    def _restore(self, arrays: Any) -> None:
        raise NotImplementedError

    def _release(self, randomness: Any, unlabelled: Any) -> Any:
        raise NotImplementedError


def declared(name: str) -> list[dict[str, Any]]:
    """The ways to declare a number: with a value, or with a value and an indicator."""
    if name in MORE:
        return [MORE[name], {**MORE[name], "indicator": True}]
    low, high = ENDS[name]
    return [
        {"range": [low, high], "unknown": low / 2 + high / 2},
        {"range": [low, high], "unknown": high, "indicator": True},
    ]


def asked(records: Records) -> list[Question]:
    """Few and many bins of the number, by one, two and no groups, with and without sums, and counts."""
    names = records.names
    number, rng = len(DECLARED), np.random.default_rng(5)
    indicator = [(number + 1, np.array([0.5]))] if len(names) > number + 1 else []
    groups = [(i, np.arange(1.0, records.features[i].ends[1] + 1)) for i in range(number)]
    few, many = (break_of(np.unique(np.append([1, UNITS], rng.integers(1, UNITS + 1, k)))) for k in (6, 40))

    def question_of(by: Sequence[int], cuts: Any, degree: int) -> Question:
        axes = [*(groups[i] for i in by), *indicator, (number, cuts)]
        return Question([axis for axis, _ in axes], [ends for _, ends in axes], number=number, degree=degree)

    counts = [Question([axis], [ends]) for axis, ends in groups]
    alone = Question([0], [groups[0][1]], number=number, degree=2)
    return [
        question_of([0], few, 2),
        question_of([1, 0], many, 1),
        question_of([], many, 2),
        question_of([2], many, 0),
        alone,
        *counts,
    ]


def sums_of(address: str, column: dict[str, Any], name: str, query: str | None, person: bool) -> tuple[Any, Any, int]:
    """Answers of the database, answers of the file, and how many statistics needed rows."""
    records = Records([*(feature(k, v) for k, v in DECLARED.items()), feature(name, column)])
    source = Stored(address, **({"table": "t"} if query is None else {"query": query}))
    request: Any = SimpleNamespace(private=source, held_out=None, status=None, ones_only=False)
    cells = rows()
    everyone = persons_of(cells)
    if query is not None:
        cells = cells.filter(pa.compute.less(cells["keep"], 0.3))
    summed, control = Summed(asked(records)), Summed(asked(records))
    points, labels = records.encode(Chunk("t", cells, np.arange(cells.num_rows)))
    if person:
        for statistic in (summed, control):
            statistic.of_persons(everyone.count, "average")
        left = persons_of(cells)
        control.add(points, labels, shares(left, control.order(points, labels), control.units, "key"))
        control.add(*stand_in(records), np.array([control.units * (everyone.count - left.count)]))
    else:
        control.add(points, labels)
    control.flush()
    waiting, _ = counted(request, records, [summed], Named(["pid"], "key") if person else None)
    source.close()
    return summed.sums, control.sums, len(waiting)


def persons_of(cells: pa.Table) -> Any:
    return PersonColumns(["pid"]).of([Chunk("t", cells, np.arange(1, cells.num_rows + 1))])


FILTER = "select * from t where keep < 0.3"


ALIKE = ("odd", "exact", "tall", "wide", "widest", "least", "subnormal", "coarse")
"""Numbers of the type of ``stay`` with other ends: these decide the units of a cell alone, which are compared below."""
SUMMED = [pytest.param(name, marks=pytest.mark.exhaustive if name in ALIKE else ()) for name in [*ENDS, *MORE]]


@pytest.mark.parametrize("name", SUMMED)
def test_sums_are_those_of_the_file(address: str, name: str) -> None:
    """Of rows, and with units of persons, some of whom a query leaves out."""
    for i, column in enumerate(declared(name)):
        both = [(None, bool(i)), (FILTER, not i)] if name in ("stay", "n") else [(FILTER, True) if i else (None, False)]
        for query, person in both:
            answers, expected, waiting = sums_of(address, column, name, query, person)
            assert waiting == 0
            for own, other in zip(answers, expected, strict=True):
                assert np.array_equal(own, other), (column, query, person)


def test_units_are_those_of_the_file_cell_by_cell(address: str) -> None:
    """Sums could hide two errors: here no cell is added to another."""
    source = Stored(address, "t")
    database, table = source.session.database, source.session.table
    for name in [*ENDS, *MORE]:
        column = feature(name, declared(name)[1])
        asked_for = table.select(pid=table.keep, u=database.units(table[name], column.amount))
        answer = database.read(asked_for).to_pydict()
        answered = dict(zip(answer["pid"], answer["u"], strict=True))
        places, known = column.encode(rows()[name])
        assert known.all()
        expected = dict(zip(rows()["keep"].to_pylist(), units(places).tolist(), strict=True))
        assert answered == expected, name
    source.close()


def test_texts_are_read_as_rows(address: str) -> None:
    """A database parses numbers otherwise than a reader of files."""
    source = Stored(address, "t")
    records = Records([feature("text", {"range": [0, 30], "unknown": 0, "indicator": True})])
    request: Any = SimpleNamespace(private=source, held_out=None, status=None, ones_only=False)
    summed = Summed([Question([0], [break_of([3])], number=0, degree=1)])
    assert queries(request, records, [summed]) == []
    assert counted(request, records, [summed])[0] == [summed]
    source.close()


def test_an_unknown_cell_that_nothing_stands_for_is_refused(address: str) -> None:
    source = Stored(address, "t")
    request: Any = SimpleNamespace(private=source, held_out=None, status=None, ones_only=False)
    for axes in ([1], [0]):
        records = Records([feature("ward", DECLARED["ward"]), feature("stay", {"range": [0, 60], "unknown": "refuse"})])
        summed = Summed([Question(axes, [break_of([3])], number=1, degree=2)])
        with pytest.raises(PrivateTableError, match="'stay': must be a finite number"):
            counted(request, records, [summed])
    source.close()


# ---------------------------------------------------------------------------------------------------- releases
STATISTICS = [
    {"statistic": "count", "by": ["ward"]},
    {"statistic": "mean", "column": "stay", "by": ["ward"]},
    {"statistic": "variance", "column": "stay", "by": ["ward", "month"]},
    {"statistic": "sum", "column": "n"},
    {"statistic": "quantiles", "column": "paid", "at": [0.25, 0.5], "by": ["ward"]},
]


def request_of(folder: Path, private: dict[str, Any], **changes: Any) -> Path:
    (folder / "ledgers").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    public = {"ward": rng.choice(["A", "B", "C"], 40), "month": rng.integers(1, 13, 40), "stay": rng.random(40) * 50}
    public |= {"n": rng.integers(0, 60, 40), "paid": rng.random(40) * 90}
    pd.DataFrame(public).to_csv(folder / "public.csv", index=False)
    ranges = {"stay": {"range": [0, 60]}, "n": {"range": [0, 60]}, "paid": {"range": [-1.5, 100.25], "unknown": 0}}
    features = {"ward": DECLARED["ward"], "month": DECLARED["month"], **ranges}
    learner = {"name": "statistics", "epsilon": 1, "statistics": STATISTICS}
    given = {"label": None, "class": None, "learner": learner, "features": features, "private": private}
    return releases.request(folder, **given, **changes)


@pytest.mark.parametrize("person", [False, True])
def test_a_release_is_that_of_the_file(
    tmp_path: Path, address: str, person: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same sums and the same draws make the same report, and no row leaves the database."""
    monkeypatch.setattr("semipriv.practice.engine.stages.Secure", lambda: Seeded(5))
    pq.write_table(rows(), tmp_path / "t.parquet")
    changes: dict[str, Any] = {"one_row_a_person": None, "person": {"columns": ["pid"]}} if person else {}
    neighbours = {"neighbours": Neighbours.REPLACE_PERSON} if person else {}
    reports = []
    for i, private in enumerate(({"path": str(tmp_path / "t.parquet")}, {"database": address, "table": "t"})):
        folder = tmp_path / str(i)
        path = request_of(folder, private, **changes)
        Ledger.create(folder / "ledgers/clinic.jsonl", Budget(epsilon=2, **neighbours), "a clinic")
        outcome = release(load(path))
        reports.append(outcome.released.output.arrays())
        if i:
            database = outcome.released.extras["database"]
            assert not database["streamed"]
            assert len(database["queries"]) == (1 if person else len(outcome.staged.statistics()[0].questions()))
    for name, numbers in reports[0].items():
        np.testing.assert_array_equal(numbers, reports[1][name], name)
