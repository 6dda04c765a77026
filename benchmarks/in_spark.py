"""A table in Spark, local[2], beside the best queries that are written by hand for Spark: a table on standard output.

    make bench-spark

Rows are those of ``databases.py``, in a file of Parquet.  By hand: the query of SQL, or Bucketizer of pyspark.ml, which
bisects cuts in compiled code, and a GROUP BY; four columns at a time where that costs less than pairs.  Both give the
same counts, which is checked.  "by group" has counts, sums and sums of squares of any floats by ward in 96 bins; its
plain query has counts and sums by ward alone.  The synthetic table is a whole release: checks, two digests, the counts,
the draw and its files.  Times are seconds of processor time, of the JVM and of this process: they depend less on what
else the machine does.  They are medians of turns (work, by hand, work, ...), after one of each that is not timed; of
the largest size a single turn, by programs that are warm.
The exit status is 1 if a demand is missed.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import databases
import duckdb
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
import pytest
import yaml
from databases import CATEGORIES, CODES, LABEL, NUMBERS, cuts, number
from pyspark.ml.feature import Bucketizer
from pyspark.sql import SparkSession, functions

from semipriv.learners.statistics.shapes import cuts as report_cuts
from semipriv.practice.asking.request import load
from semipriv.practice.columns.coding import Coding, Question, Summing, together
from semipriv.practice.columns.features import feature
from semipriv.practice.databases.spark import Spark
from semipriv.practice.engine.whole import release
from semipriv.practice.sources.stored import Stored
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger
from semipriv.queries.unit_mass import break_of

SIZES = (100_000, 1_000_000, 10_000_000)
TURNS = 3
AT_MOST = 1.3
"""How many times as long as the query by hand the work may take, on the largest table."""
SETTINGS = "--driver-memory 2g --conf spark.ui.showConsoleProgress=false pyspark-shell"

Found = Counter[tuple[int, ...]]


@attrs.frozen
class Work:
    """What is timed: both give counts by codes, and the rows that leave Spark.  checked: whether counts are equal."""

    name: str
    own: Callable[[Stored], tuple[list[Found], int]]
    by_hand: Callable[[Stored], list[Found]]
    demanded: bool = True
    checked: bool = True


def asked(source: Stored, columns: Sequence[tuple[str, Coding]], summing: Summing | None = None) -> tuple[Found, int]:
    """The numbers of rows by codes."""
    query = source.session.database.counting(source.session.table, columns, summing)
    answer = source.session.database.read(query.asked)
    (batch,) = query.read(answer)
    counts: Found = Counter()
    for *codes, rows in zip(*(codes_of.tolist() for codes_of in batch.codes), batch.rows.tolist(), strict=True):
        counts[tuple(codes)] += rows
    return counts, answer.num_rows


def every(source: Stored, questions: Iterable[Sequence[tuple[str, Coding]]]) -> tuple[list[Found], int]:
    answers = [asked(source, question) for question in questions]
    return [counts for counts, _ in answers], sum(rows for _, rows in answers)


def frame(source: Stored):
    return source.session.database.backend._session.sql(source.query)


def grouped(rows, *columns: str) -> Found:
    grouped = rows.groupBy(*columns).count().collect()
    return Counter({tuple(int(code) for code in row[:-1]): row[-1] for row in grouped})


def bucketed(source: Stored, column: str, k: int) -> Found:
    ends = [-np.inf, *cuts(k).tolist(), np.inf]
    place = Bucketizer(splits=ends, inputCol=column, outputCol="place", handleInvalid="keep")
    return grouped(place.transform(frame(source)), "y", "place")


PAIRS = [Question(pair, [np.arange(1.0, 10.0)] * 2) for pair in combinations(range(CATEGORIES), 2)]
TWELVE = {f"c{i}": {"categories": [str(j) for j in range(10)], "unknown": "none"} for i in range(CATEGORIES)}
FOURS = [list(marginal.axes) for marginal, _ in together(PAIRS)]
WARD = feature("ward", {"categories": [f"ward {i}" for i in range(10)], "unknown": "other"})
STAY = feature("stay", {"range": [0, 60], "unknown": 0})
BY_GROUP = [("ward", WARD.coding(np.arange(1.0, 11.0))), ("stay", STAY.coding(break_of(report_cuts(None, 96))))]


def pairs_by_hand(source: Stored) -> list[Found]:
    return [grouped(frame(source), *(f"c{i}" for i in four)) for four in FOURS]


def statistics(source: Stored) -> tuple[list[Found], int]:
    counts, rows = asked(source, BY_GROUP, Summing("stay", STAY.amount, 2))
    return [counts], rows


def statistics_by_hand(source: Stored) -> list[Found]:
    """Counts, sums and sums of squares by ward and bin."""
    ends = [-np.inf, *BY_GROUP[1][1].cuts.tolist(), np.inf]
    place = Bucketizer(splits=ends, inputCol="stay", outputCol="place", handleInvalid="keep")
    rows = place.transform(frame(source)).withColumn("ward", functions.substring("ward", 6, 1).cast("int"))
    moments = rows.groupBy("ward", "place").agg(
        functions.count("*"), functions.sum("stay"), functions.sum(functions.col("stay") * functions.col("stay"))
    )
    return [Counter({(int(w), int(p)): n for w, p, n, *_ in moments.collect()})]


def released(source: Stored) -> tuple[list[Found], int]:
    """A synthetic table of twelve columns, from the request to its files."""
    left, read = [], Spark.read

    def watched(self: Spark, asked: ir.Table) -> pa.Table:
        left.append(answer := read(self, asked))
        return answer

    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        patch.setattr(Spark, "read", watched)
        codes = np.random.default_rng(1).integers(0, 10, (60, CATEGORIES))
        np.savetxt(folder / "public.csv", codes, "%d", ",", header=",".join(TWELVE), comments="")
        Ledger.create(folder / "l.jsonl", Budget(epsilon=1), "made up")
        request = {
            "release": "twelve", "results": str(folder / "results"), "ledger": str(folder / "l.jsonl"),
            "private": {"database": source.address, "query": source.query}, "one_row_a_person": True, "size": "public",
            "public": {"path": str(folder / "public.csv"), "source": "made up", "licence": "CC0", "date": "2026-01-01"},
            "features": TWELVE, "learner": {"name": "table_release", "epsilon": 1, "delta": 0},
        }  # fmt: skip
        (folder / "r.yaml").write_text(yaml.safe_dump(request))
        outcome = release(load(folder / "r.yaml"))
        assert not outcome.released.extras["database"]["streamed"]
    return [], sum(batch.num_rows for batch in left)


def plain(source: Stored) -> list[Found]:
    frame(source).groupBy("ward").agg(functions.count("*"), functions.sum("stay")).collect()
    return []


WORKS = [
    Work(
        "1,000 thresholds by label",
        lambda source: every(source, [[("y", LABEL), ("x0", number(1000))]]),
        lambda source: [bucketed(source, "x0", 1000)],
    ),
    Work(
        "stumps of 100 thresholds on 20 columns",
        lambda source: every(source, [[("y", LABEL), (f"x{j}", number(100))] for j in range(NUMBERS)]),
        lambda source: [bucketed(source, f"x{j}", 100) for j in range(NUMBERS)],
    ),
    Work(
        "66 marginals of 12 columns",
        lambda source: every(source, [[(f"c{i}", CODES) for i in four] for four in FOURS]),
        pairs_by_hand,
    ),
    Work("synthetic table of 12 columns", released, pairs_by_hand, demanded=False, checked=False),
    Work("statistics by group", statistics, statistics_by_hand),
    Work("statistics by group, plain query", statistics, plain, demanded=False, checked=False),
]


def table(n: int) -> Stored:
    path = databases.folder() / f"{n}.parquet"
    if not path.exists():
        with duckdb.connect() as connection:
            connection.execute("set threads = 1; set memory_limit = '2GB'")
            connection.execute(f"copy ({databases.rows(n)}) to '{path}' (format parquet, row_group_size 500000)")
    return Stored("spark://local[2]", query=f"select * from parquet.`{path}`")


def processor() -> float:
    """Seconds of processor time of this process, and of the JVM, which is its child."""
    session = SparkSession.getActiveSession()
    assert session is not None
    child = session.sparkContext._gateway.proc.pid
    user, system = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:13]
    return time.process_time() + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def timed(work: Callable[[], object]) -> tuple[float, object]:
    start = processor()
    result = work()
    return processor() - start, result


def measured(work: Work, n: int, source: Stored) -> tuple[float, float, int]:
    """Seconds of the work, of the query by hand, and the rows that left."""
    turns = []
    for turn in range(1 if n == max(SIZES) else TURNS + 1):
        own, (counts, rows) = timed(lambda: work.own(source))
        hand, expected = timed(lambda: work.by_hand(source))
        assert not work.checked or counts == expected, f"{work.name}: other counts"
        turns += [(own, hand)] if turn or n == max(SIZES) else []
    own, hand = np.median(turns, axis=0)
    return float(own), float(hand), rows


def main(sizes: Sequence[int]) -> None:
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", SETTINGS)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    missed, before = [], {}
    print("| what | rows | seconds | by hand | times | growth | rows that leave |\n|---|---|---|---|---|---|---|")
    for n in sizes:
        source = table(n)
        source.rows()  # the session starts before time is taken
        for work in WORKS:
            own, hand, rows = measured(work, n, source)
            growth = (
                f"{np.log10(own / before[work.name][1]) / np.log10(n / before[work.name][0]):.2f}"
                if (work.name in before)
                else ""
            )
            before[work.name] = (n, own)
            print(
                f"| {work.name} | {n:.0e} | {own:.2f} | {hand:.2f} | {own / hand:.2f} | {growth} | {rows} |", flush=True
            )
            if work.demanded and n == max(SIZES) and own > AT_MOST * hand:
                missed.append(work.name)
    if missed:
        sys.exit(f"more than {AT_MOST} times the query by hand: {', '.join(missed)}")


if __name__ == "__main__":
    main([int(float(argument)) for argument in sys.argv[1:]] or SIZES)
