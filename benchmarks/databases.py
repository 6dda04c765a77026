"""A table in DuckDB: counts by public codes, beside the same rows read as a stream, and queries written by hand.

1e7 rows of twelve columns of ten categories, twenty numbers and a label, made by an expression; and stays of ten wards,
in whole days, in hours, and in days that are floats.
"""

import atexit
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import mkdtemp

import duckdb
import numpy as np
from benchmark import Benchmark, Made, generator, size

from semipriv.learners.statistics.shapes import cuts as report_cuts
from semipriv.practice.columns.coding import Coding, Listed, Steps, Summing
from semipriv.practice.columns.features import feature
from semipriv.practice.columns.labels import Label
from semipriv.practice.sources.stored import Stored
from semipriv.queries.unit_mass import break_of

CATEGORIES, NUMBERS, THREADS = 12, 20, 2
LABEL = Label("y", [1], [0]).coding
CODES = feature("c", {"categories": [str(i) for i in range(10)]}).coding(np.arange(1.0, 10.0))


@cache
def folder() -> Path:
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder)
    return folder


def rows(n: int) -> str:
    """The query that makes n rows."""
    categories = [f"((hash(i * 13 + {j}) >> 20) % 10)::tinyint as c{j}" for j in range(CATEGORIES)]
    numbers = [f"(hash(i * 7 + {j}) >> 11) / 9007199254740992.0 as x{j}" for j in range(NUMBERS)]
    label = "(hash(i * 5 + 3) % 2)::tinyint as y"
    stays = ["'ward ' || (hash(i * 11) % 10) as ward", "(hash(i * 7 + 1) % 61)::integer as days"]
    stays += ["60 * (hash(i * 7 + 2) >> 11) / 9007199254740992.0 as stay", "(hash(i * 3) % 61)::double as whole"]
    return f"select {', '.join([*categories, *numbers, label, *stays])} from range({n}) as r(i)"


@cache
def table(n: int) -> Stored:
    """A table of n rows in a file."""
    path = folder() / f"{n}.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"create table t as {rows(n)}")
    table = Stored(f"duckdb://{path}", "t")
    table.session.database.backend.raw_sql(f"set threads = {THREADS}")
    return table


def counted(source: Stored, columns: Sequence[tuple[str, Coding]]) -> np.ndarray:
    """The numbers of rows by codes."""
    query = source.session.database.counting(source.session.table, columns)
    (answer,) = query.read(source.session.database.read(query.asked))
    counts = np.zeros([int(codes.max()) + 1 for codes in answer.codes], np.int64)
    np.add.at(counts, tuple(answer.codes), answer.rows)
    return counts


def asked(source: Stored, text: str) -> list[tuple]:
    return source.session.database.backend.raw_sql(text).fetchall()


def cuts(k: int) -> np.ndarray:
    return np.sort(generator().random(k))


def number(k: int) -> Steps:
    return Steps(cuts(k), np.arange(k + 1), False, -1)


def streamed(source: Stored, columns: Sequence[str], k: int) -> np.ndarray:
    """The rows, read and counted by NumPy."""
    counts, ends = np.zeros((len(columns), 2 * (k + 1)), np.int64), cuts(k)
    for batch in source.session.stream(["y", *columns], None):
        label, *numbers = (column.to_numpy() for column in batch.columns)
        for i, code in enumerate(numbers):
            place = np.searchsorted(ends, code, "right") + (k + 1) * label.astype(np.int64)
            counts[i] += np.bincount(place, minlength=2 * (k + 1))
    return counts


def thresholds(by_hand: bool) -> Callable[[float], Made]:
    def make(factor: float) -> Made:
        source, k = table(size(1e7, factor)), 1000
        bins = (-cuts(k)[::-1]).tolist()
        text = f"select y, histogram(-x0, {bins}::double[]) from semipriv_file.t group by y"

        def baseline() -> object:
            return asked(source, text) if by_hand else streamed(source, ["x0"], k)

        return Made(lambda: counted(source, [("y", LABEL), ("x0", number(k))]), baseline, count=k)

    return make


def stumps(factor: float) -> Made:
    source, k, columns = table(size(1e7, factor)), 100, [f"x{j}" for j in range(NUMBERS)]
    return Made(
        lambda: [counted(source, [("y", LABEL), (name, number(k))]) for name in columns],
        lambda: streamed(source, columns, k),
        count=k * NUMBERS,
    )


def marginals(factor: float) -> Made:
    """All pairs of twelve columns."""
    source, pairs = table(size(1e7, factor)), list(combinations(range(CATEGORIES), 2))
    assert isinstance(CODES, Listed)
    return Made(
        lambda: [counted(source, [(f"c{a}", CODES), (f"c{b}", CODES)]) for a, b in pairs],
        lambda: [asked(source, f"select c{a}, c{b}, count(*) from semipriv_file.t group by all") for a, b in pairs],
        count=100 * len(pairs),
    )


def report(column: str) -> Callable[[float], Made]:
    """Counts, sums and sums of squares by ward, in 96 bins and apart where a number is missing."""
    by = feature("ward", {"categories": [f"ward {i}" for i in range(10)], "unknown": "other"})
    number = feature(column, {"range": [0, 60], "unknown": 0, "indicator": True})
    coded = [
        ("ward", by.coding(np.arange(1.0, 11.0))),
        (column, number.coding(np.array([0.5]), 1)),
        (column, number.coding(break_of(report_cuts(None, 96)))),
    ]

    def make(factor: float) -> Made:
        source = table(size(1e7, factor))
        summed, text = Summing(column, number.amount, 2), f"select ward, count(*), sum({column}) from semipriv_file.t"

        def work() -> object:
            query = source.session.database.counting(source.session.table, coded, summed)
            return query.read(source.session.database.read(query.asked))

        return Made(work, lambda: asked(source, f"{text} group by ward"), count=96 * 10)

    return make


def growth(factor: float) -> list[tuple[int, Callable[[], np.ndarray]]]:
    """Thresholds for 1e6 and 1e7 rows."""
    sizes = [size(n, factor) for n in (1e6, 1e7)]
    return [(n, thresholds(True)(n / 1e7).work) for n in sizes]


STREAM, HAND = "rows read as a stream, counted by NumPy", "the same query of DuckDB, written by hand"
PLAIN = "count and sum by ward, written by hand"
BENCHMARKS = (
    Benchmark("database of 1e7 rows: 1,000 thresholds by label", STREAM, thresholds(False), target=1.5, repeats=3),
    Benchmark(
        "database of 1e7 rows: 1,000 thresholds by label, beside the best query",
        HAND,
        thresholds(True),
        target=1 / 1.2,
        repeats=5,
        growth=growth,
    ),
    Benchmark("database of 1e7 rows: stumps of 100 thresholds on 20 columns", STREAM, stumps, target=1.0, repeats=1),
    Benchmark("database of 1e7 rows: 66 marginals of 12 columns", HAND, marginals, target=0.5, repeats=1),
    Benchmark("database of 1e7 rows: a report of whole days by ward", PLAIN, report("days"), target=0.25, repeats=3),
    Benchmark("database of 1e7 rows: a report of whole days as floats", PLAIN, report("whole"), target=0.08, repeats=3),
    Benchmark("database of 1e7 rows: a report of any floats", PLAIN, report("stay"), target=0.03, repeats=3),
)
