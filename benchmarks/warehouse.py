"""What a release asks of a warehouse: queries, bytes of the columns that they scan, and processor time as rows grow.

    .venv-bench/bin/python benchmarks/warehouse.py [ROWS ...]

Every query that a release sends to DuckDB is recorded, those of checks, counts and digests, too.  The engine's own plan
of each tells the columns that it scans.  A warehouse that stores columns charges for these, whatever it computes: so
bytes a row are the sum of the sizes of these columns over all queries.  Sizes of cells are those that BigQuery
publishes: 8 bytes of a number, 1 of a boolean, 2 and the bytes of its letters of a text.  They are added up here, and
no warehouse was asked.  Without ROWS, the table of docs/warehouse.md; with some, processor time of whole releases.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import duckdb
import numpy as np
import pandas as pd
import yaml

from semipriv.practice.asking.request import load
from semipriv.practice.databases.duckdb import DuckDB
from semipriv.practice.engine.whole import release
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.guarantee import Neighbours

NUMBERS, CATEGORIES = 20, 12
ROWS = 2000
"""Rows of which bytes a row are found: they do not depend on it."""
SIZES = {"DOUBLE": 8, "BIGINT": 8, "INTEGER": 8, "TINYINT": 8, "BOOLEAN": 1, "DATE": 8, "TIMESTAMP": 8}
"""Bytes of a cell by DuckDB's name of its type: what BigQuery stores it as."""
TERABYTE = 1e12

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


def made(folder: Path, n: int) -> dict[str, float]:
    """Make a table of n rows, and public rows like its own; return the bytes of a cell of each column."""
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute("set threads = 2")
        connection.execute(f"create table t as {rows(n)}")
        kinds = {name: kind for name, kind, *_ in connection.execute("describe t").fetchall()}
        texts = [name for name, kind in kinds.items() if kind == "VARCHAR"]
        means = connection.execute(f"select {', '.join(f'avg(strlen({one}))' for one in texts)} from t").fetchone()
        public = connection.execute(f"select * from ({rows(60)})").df()
    public.to_csv(folder / "public.csv", index=False)
    lengths = dict(zip(texts, means or (), strict=True))
    return {name: 2 + lengths[name] if name in lengths else SIZES[kind] for name, kind in kinds.items()}


def requested(folder: Path, place: int, asked: Mapping[str, Any]) -> Path:
    """Write a request, with a ledger of its own."""
    version = {"version": asked["version"]} if "version" in asked else {}
    neighbours = {"neighbours": Neighbours.REPLACE_PERSON} if "person" in asked else {"one_row_a_person": True}
    ledger = folder / f"{place}.jsonl"
    Ledger.create(ledger, Budget(epsilon=2, **({} if "person" not in asked else neighbours)), "made up")
    request = {
        "release": f"release{place}", "results": str(folder / "results"), "ledger": str(ledger), "size": "public",
        "private": {"database": f"duckdb://{folder / 't.duckdb'}", "table": "t", **version},
        "public": {"path": str(folder / "public.csv"), "source": "made up", "licence": "CC0", "date": "2026-01-01"},
        **({} if "person" in asked else neighbours),
        **{key: one for key, one in asked.items() if key != "version"},
    }  # fmt: skip
    path = folder / f"{place}.yaml"
    path.write_text(yaml.safe_dump(request))
    return path


def scans(plan: Sequence[Mapping[str, Any]]) -> Iterator[set[str]]:
    """Yield the columns of each scan of a table in a plan of DuckDB, those of its filters, too."""
    for step in plan:
        if step["name"].strip() == "SEQ_SCAN":
            told = step["extra_info"]
            columns = told.get("Projections", [])
            filters = told.get("Filters", [])
            names = [columns] if isinstance(columns, str) else columns
            more = [one.split()[0] for one in ([filters] if isinstance(filters, str) else filters) if one]
            yield {one for one in [*names, *more] if one}
        yield from scans(step.get("children", []))


@attrs.frozen
class Scanned:
    """Queries that read the table, and the columns that each reads, one query after the other."""

    columns: list[set[str]] = attrs.field(factory=list)

    def bytes(self, sizes: Mapping[str, float]) -> float:
        """Bytes that are scanned for a row."""
        return sum(sizes[name] for one in self.columns for name in one)


@contextmanager
def recorded() -> Iterator[Scanned]:
    """Record what queries scan while it lasts: each is explained by the engine before it is sent."""
    found, attach = Scanned(), DuckDB._attach

    def watched(self: DuckDB, path: str) -> None:
        attach(self, path)
        send = self.backend.raw_sql

        def sent(text: Any, **more: Any) -> Any:
            if isinstance(text, str) and text.lstrip().lower().startswith(("select", "with")):
                (_, plan), = send(f"explain (format json) {text}").fetchall()  # fmt: skip
                found.columns.extend(scans(json.loads(plan)))
            return send(text, **more)

        self.backend.raw_sql = sent

    DuckDB._attach = watched  # type: ignore[method-assign]
    try:
        yield found
    finally:
        DuckDB._attach = attach  # type: ignore[method-assign]


def scanned() -> Iterator[tuple[str, int, float]]:
    """Yield each kind of release, the queries that scan its table, and the bytes that they scan for a row."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        sizes = made(folder, ROWS)
        for place, (kind, asked) in enumerate(RELEASES.items()):
            path = requested(folder, place, asked)
            with recorded() as found:
                outcome = release(load(path))
            assert not outcome.released.more["database"]["streamed"], f"{kind}: rows are read"
            yield kind, len(found.columns), found.bytes(sizes)


def table() -> list[str]:
    """The lines of the page's table."""
    lines = ["| release | queries that scan | bytes a row | TB for 1e9 rows |", "|---|---|---|---|"]
    return [
        *lines,
        *(f"| {kind} | {n} | {size:,.0f} | {size * 1e9 / TERABYTE:.2f} |" for kind, n, size in scanned()),
    ]


def timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def grown(sizes: Sequence[int]) -> pd.DataFrame:
    """Seconds of processor time of whole releases, by kind and rows."""
    found = []
    for n in sizes:
        with TemporaryDirectory() as name:
            made(Path(name), n)
            for place, (kind, asked) in enumerate(RELEASES.items()):
                path = requested(Path(name), place, asked)
                found.append((kind, n, timed(lambda path=path: release(load(path)))))  # type: ignore[misc]
                print(*found[-1], sep="\t", flush=True)
    return pd.DataFrame(found, columns=["release", "rows", "seconds"]).pivot_table(
        index="release", columns="rows", values="seconds", sort=False
    )


def main(sizes: Sequence[int]) -> None:
    if not sizes:
        print(*table(), sep="\n")
        return
    seconds = grown(sizes)
    last = np.log(seconds.iloc[:, -1] / seconds.iloc[:, -2]) / np.log(sizes[-1] / sizes[-2])
    print(seconds.assign(exponent=last).to_string(float_format="%.2f"))


if __name__ == "__main__":
    main([int(float(one)) for one in sys.argv[1:]])
