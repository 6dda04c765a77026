"""What a release asks of a warehouse: queries, bytes of the columns that they scan, and how its time grows with rows.

    .venv-bench/bin/python benchmarks/warehouse.py

Every query that a release sends to DuckDB is recorded, those of checks, counts and digests, too.  The engine's own plan
of each tells the columns that it scans.  A warehouse that stores columns charges for these, whatever it computes: so
bytes a row are the sum of the sizes of these columns over all queries.  Sizes of cells are those that BigQuery
publishes: 8 bytes of a number, 2 and the bytes of its letters of a text.  They are added up here, and no warehouse was
asked.  Exponents are those of the seconds on docs/database-speed.md.  Where time is charged for, the same queries are
sent once more, one by one, to a larger table on one thread: seconds are of processor time, so other work does not
matter.
All three tables of docs/warehouse.md are written anew.
"""

import json
import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import duckdb
import yaml
from page import written

from semipriv.practice.asking.request import load
from semipriv.practice.databases.duckdb import _FILE as ATTACHED
from semipriv.practice.databases.duckdb import DuckDB
from semipriv.practice.engine.whole import release
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.guarantee import Neighbours

NUMBERS, CATEGORIES = 20, 12
ROWS = 2000
"""Rows of which bytes a row are found: they do not depend on it."""
MANY = 1_000_000
"""Rows of which seconds are measured."""
CORES, DOLLARS, LEAST = 8, 3.0, 60.0
"""Of a warehouse that charges for seconds: cores, dollars an hour, and the seconds that are charged at least."""
SIZES = {"DOUBLE": 8, "BIGINT": 8, "TINYINT": 8}
"""Bytes of a cell by DuckDB's name of its type: what BigQuery stores it as."""
TERABYTE = 1e12
NAME = re.compile("[a-z][a-z0-9]*")
SIZE = re.compile("[0-9]e[0-9]+")
TABLES = {"database": ("DuckDB", ""), "report": ("DuckDB", "statistics by group, "), "seconds": ("Spark", "")}
"""Engine, and what the table is of, by the heading of its third column on docs/database-speed.md."""
BYTES = ("<!-- table of bytes: benchmarks/warehouse.py -->", "<!-- end of the table of bytes -->")
SECONDS = ("<!-- table of seconds: benchmarks/warehouse.py -->", "<!-- end of the table of seconds -->")
GROWTH = ("<!-- table of growth: benchmarks/warehouse.py -->", "<!-- end of the table of growth -->")

X = {"range": [0, 1], "unknown": 0}
COLUMNS = {f"x{j}": X for j in range(NUMBERS)}
CODES = {f"c{j}": {"categories": [f"code {i}" for i in range(10)], "unknown": "none"} for j in range(CATEGORIES)}
SSPP = {"name": "sspp", "epsilon": 1}
ILL = {"column": "ill", "one": [1], "zero": [0], "unknown": 0}
THRESHOLDS = {"features": {"x0": X}, "label": ILL, "class": {"name": "thresholds"}, "learner": SSPP}
REFUSED = {"features": {"x0": {**X, "unknown": "refuse"}}, "label": {**ILL, "unknown": "refuse"}}
STATISTICS = {"name": "statistics", "epsilon": 1, "statistics": [{"statistic": "mean", "column": "x0", "by": ["c0"]}]}
TABLE = {"name": "table_release", "epsilon": 1, "delta": 0}

RELEASES: Mapping[str, Mapping[str, Any]] = {
    "thresholds of one number": THRESHOLDS,
    "the same, with a declared version": {**THRESHOLDS, "version": "2026-10-31"},
    "the same, where unknown cells are refused": {**THRESHOLDS, **REFUSED},
    "the same, with several rows a person": {**THRESHOLDS, "person": {"columns": ["pid"]}},
    "decision stumps on 20 numbers": {**THRESHOLDS, "features": COLUMNS, "class": {"name": "decision_stumps"}},
    "mean of a number by group": {"features": {"x0": X, "c0": CODES["c0"]}, "learner": STATISTICS},
    "synthetic table of 12 columns": {"features": CODES, "learner": TABLE},
}
"""Requests by what they release, without places."""


def rows(n: int) -> str:
    """The query that makes n rows: 20 numbers, 12 texts, a label, and a person of each row."""
    numbers = [f"(hash(i * 7 + {j}) >> 11) / 9007199254740992.0 as x{j}" for j in range(NUMBERS)]
    texts = [f"'code ' || (hash(i * 13 + {j}) >> 20) % 10 as c{j}" for j in range(CATEGORIES)]
    others = ["(hash(i * 5) % 2)::tinyint as ill", "i // 3 as pid"]
    return f"select {', '.join([*numbers, *texts, *others])} from range({n}) as r(i)"


def stored_table(folder: Path, n: int) -> dict[str, float]:
    """Make a table of n rows, and public rows like its own; return the bytes of a cell of each column."""
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute("set threads = 2")
        connection.execute(f"create table t as {rows(n)}")
        kinds = {name: kind for name, kind, *_ in connection.execute("describe t").fetchall()}
        texts = [name for name, kind in kinds.items() if kind == "VARCHAR"]
        means = connection.execute(
            f"select {', '.join(f'avg(strlen({column}))' for column in texts)} from t"
        ).fetchone()
        public = connection.execute(f"select * from ({rows(60)})").df()
    public.to_csv(folder / "public.csv", index=False)
    lengths = dict(zip(texts, means or (), strict=True))
    return {name: 2 + lengths[name] if name in lengths else SIZES[kind] for name, kind in kinds.items()}


def requested(folder: Path, place: int, asked: Mapping[str, Any]) -> Path:
    """Write a request, with a ledger of its own."""
    person, ledger = "person" in asked, folder / f"{place}.jsonl"
    version = {"version": asked["version"]} if "version" in asked else {}
    neighbours = Neighbours.REPLACE_PERSON if person else Neighbours.REPLACE_PRIVATE_EXAMPLE
    Ledger.create(ledger, Budget(epsilon=2, neighbours=neighbours), "made up")
    request = {
        "release": f"release{place}", "results": str(folder / "results"), "ledger": str(ledger), "size": "public",
        "private": {"database": f"duckdb://{folder / 't.duckdb'}", "table": "t", **version},
        "public": {"path": str(folder / "public.csv"), "source": "made up", "licence": "CC0", "date": "2026-01-01"},
        **({} if person else {"one_row_a_person": True}),
        **{key: value for key, value in asked.items() if key != "version"},
    }  # fmt: skip
    path = folder / f"{place}.yaml"
    path.write_text(yaml.safe_dump(request))
    return path


def scans(plan: Sequence[Mapping[str, Any]]) -> Iterator[set[str]]:
    """Yield the columns of each scan of a table in a plan of DuckDB, those of its filters, too."""
    for step in plan:
        if step["name"].strip() == "SEQ_SCAN":
            extra = step["extra_info"]
            columns = extra.get("Projections", [])
            filters = extra.get("Filters", [])
            names = [columns] if isinstance(columns, str) else columns
            filtered = [
                NAME.findall(condition)[0] for condition in ([filters] if isinstance(filters, str) else filters)
            ]
            yield {column for column in [*names, *filtered] if column}
        yield from scans(step.get("children", []))


@attrs.frozen
class Scanned:
    """Queries that read the table, and the columns that each reads, one query after the other."""

    columns: list[set[str]] = attrs.field(factory=list)
    texts: list[str] = attrs.field(factory=list)

    def bytes(self, sizes: Mapping[str, float]) -> float:
        """Bytes that are scanned for a row."""
        return sum(sizes[name] for columns_ in self.columns for name in columns_)


@contextmanager
def recorded() -> Iterator[Scanned]:
    """Record what queries scan while it lasts: each is explained by the engine before it is sent."""
    scanned, attach = Scanned(), DuckDB._attach

    def watched(self: DuckDB, path: str) -> None:
        attach(self, path)
        send = self.backend.raw_sql

        def sent(text: Any, **options: Any) -> Any:
            if isinstance(text, str) and text.lstrip().lower().startswith(("select", "with")):
                (_, plan), = send(f"explain (format json) {text}").fetchall()  # fmt: skip
                own = list(scans(json.loads(plan)))
                scanned.columns.extend(own)
                scanned.texts.extend([text] if own else [])
            return send(text, **options)

        self.backend.raw_sql = sent

    DuckDB._attach = watched  # type: ignore[method-assign]
    try:
        yield scanned
    finally:
        DuckDB._attach = attach  # type: ignore[method-assign]


def released(folder: Path, kinds: Iterable[str]) -> Iterator[tuple[str, Scanned]]:
    """Release from the table in a folder; yield kinds of releases, and what each scans."""
    for place, kind in enumerate(kinds):
        path = requested(folder, place, RELEASES[kind])
        with recorded() as scanned:
            outcome = release(load(path))
        assert not outcome.released.extras["database"]["streamed"], f"{kind}: rows are read"
        yield kind, scanned


def scanned(kinds: Iterable[str]) -> Iterator[tuple[str, int, float]]:
    """Yield kinds of releases, the queries that scan its table, and the bytes that they scan for a row."""
    with TemporaryDirectory() as name:
        sizes = stored_table(Path(name), ROWS)
        for kind, scanned in released(Path(name), kinds):
            yield kind, len(scanned.columns), scanned.bytes(sizes)


def timed(kinds: Iterable[str], n: int) -> Iterator[tuple[str, float]]:
    """Yield kinds of releases from n rows, and the seconds of processor time of all queries that scan its table."""
    with TemporaryDirectory() as name:
        stored_table(Path(name), n)
        for kind, scanned in released(Path(name), kinds):
            with duckdb.connect() as connection:
                connection.execute(f"set threads = 1; attach '{name}/t.duckdb' as {ATTACHED} (type duckdb, read_only)")
                connection.execute(f"select count(*) from {ATTACHED}.main.t").fetchall()
                begun = time.process_time()
                for text in scanned.texts:
                    connection.execute(text).to_arrow_reader().read_all()
                yield kind, time.process_time() - begun


def dollars(seconds: float, cores: int = CORES, hour: float = DOLLARS, least: float = LEAST) -> float:
    """Return what seconds of one core cost where time is charged for, and queries use all cores.

    >>> dollars(8 * 3600.0), dollars(1.0)
    (3.0, 0.05)
    """
    return max(least, seconds / cores) / 3600 * hour


def prices(kinds: Iterable[str], n: int) -> list[str]:
    """The lines of the table of seconds; a billion rows take as many times longer as they are more."""
    rows = f"1e{math.log10(n):.0f}"
    head = f"| release | seconds of a core for {rows} rows | hours of a core for 1e9 rows | dollars for 1e9 rows |"
    lines = [head, "|---|---|---|---|"]
    for kind, seconds in timed(kinds, n):
        all_rows = seconds * 1e9 / n
        lines.append(f"| {kind} | {seconds:.2f} | {all_rows / 3600:.2f} | {dollars(all_rows):.2f} |")
    return lines


def table(kinds: Iterable[str]) -> list[str]:
    """The lines of the page's table."""
    lines = ["| release | queries that scan | bytes a row | TB for 1e9 rows |", "|---|---|---|---|"]
    return [
        *lines,
        *(f"| {kind} | {n} | {size:,.0f} | {size * 1e9 / TERABYTE:.2f} |" for kind, n, size in scanned(kinds)),
    ]


def exponents(page: str) -> list[str]:
    """The lines of a table of exponents: of each count that a page tells the seconds of at several sizes.

    An exponent is log(t2 / t1) / log(n2 / n1) for the largest two sizes.
    """
    times: dict[tuple[str, str], list[tuple[float, float]]] = {}
    engine, of = "", ""
    for line in page.splitlines():
        what, rows, seconds = ([cell.strip() for cell in line.strip("|").split("|")] + ["", ""])[:3]
        if not line.startswith("|"):
            engine = ""
        elif SIZE.fullmatch(rows):
            own = "PostgreSQL" if what.endswith("in PostgreSQL") else engine
            times.setdefault((own, of + what), []).append((float(rows), float(seconds)))
        elif not engine:
            engine, of = TABLES.get(seconds, ("", ""))
    lines = ["| what is counted | engine | rows | seconds | exponent |", "|---|---|---|---|---|"]
    for (engine, what), measured in times.items():
        if len(measured) < 2:
            continue
        (n, t), (larger, later) = sorted(measured)[-2:]
        exponent = math.log(later / t) / math.log(larger / n)
        sizes = f"1e{math.log10(n):.0f} to 1e{math.log10(larger):.0f}"
        lines.append(f"| {what} | {engine} | {sizes} | {t:g} to {later:g} | {exponent:.2f} |")
    return lines


def main() -> None:
    page = Path(__file__).parents[1] / "docs/warehouse.md"
    text = written(page.read_text(), exponents((page.parent / "database-speed.md").read_text()), GROWTH)
    text = written(text, prices(RELEASES, MANY), SECONDS)
    page.write_text(written(text, table(RELEASES), BYTES))


if __name__ == "__main__":
    main()
