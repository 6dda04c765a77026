"""How many plain reads one gradient of many columns costs in DuckDB, which runs in this process.

A plain read is the sum of each column, or a fetch of all columns as Arrow batches, in processor time.  Nothing is
demanded: run it by hand, with the numbers of rows and of columns.
"""

import resource
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from semipriv.core.randomness import Simulation
from semipriv.practice.asking.request import load
from semipriv.practice.engine.beside import Encoded
from semipriv.practice.engine.stages import stage
from semipriv.practice.sums.records import Count
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger


def main(rows: int, columns: int) -> None:
    """Print seconds of processor time."""
    folder = Path(tempfile.mkdtemp(prefix="gradients"))
    ready, names = _request(folder, rows, columns), [f"c{i}" for i in range(columns)]
    session = ready.request.private.session
    cursor: Any = session.database
    summing = session.table.aggregate(**{column: session.table[column].sum() for column in names})
    plain = _timed("sum of each column", partial(cursor.read, summing))
    every = list(ready.request.private_columns)
    fetched = _timed("fetch of all columns", lambda: sum(batch.num_rows for batch in session.stream(every, None)))
    (whole,) = ready.statistics()
    assert isinstance(whole, Count)
    whole.count(rows)
    sums: list[float] = []

    def counted(summand: Any) -> tuple[int, Any]:
        work = Encoded("t", ready.public.records, summand)
        seconds, total = time.process_time(), work(session.table.schema().to_pyarrow().empty_table())
        for chunk in ready.request.private.chunks("t", every):
            total = total + work(chunk.table)
        sums.append(time.process_time() - seconds)
        print(f"{type(summand).__name__:28} {sums[-1]:8.2f} s  {sums[-1] / plain:5.2f}  {sums[-1] / fetched:5.2f}")
        return rows, total

    whole.elsewhere = counted
    released = whole.release(Simulation(1))
    print(released.cost, f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


def _timed(what: str, work: Any) -> float:
    seconds = time.process_time()
    work()
    seconds = time.process_time() - seconds
    print(f"{what:28} {seconds:8.2f} s")
    return seconds


def _request(folder: Path, rows: int, columns: int) -> Any:
    numbers = ", ".join(f"random() as c{i}" for i in range(columns))
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute(f"create table t as select {numbers}, (random() < 0.5)::int as y from range({rows})")
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.random((2000, columns)), columns=[f"c{i}" for i in range(columns)]).to_csv(
        folder / "public.csv", index=False
    )
    Ledger.create(folder / "ledger.jsonl", Budget(epsilon=10), "made-up rows")
    features = "".join(f"  c{i}: {{range: [0, 1], unknown: 0.5}}\n" for i in range(columns))
    (folder / "release.yaml").write_text(
        f"release: r\nledger: {folder}/ledger.jsonl\none_row_a_person: true\nsize: public\n"
        f"private: {{database: 'duckdb://{folder}/t.duckdb', table: t}}\npublic: {{path: {folder}/public.csv}}\n"
        f"features:\n{features}label: {{column: y, one: [1], zero: [0], unknown: 0}}\n"
        "class: {name: halfspaces}\nlearner: {name: public_metric_discriminant, epsilon: 1}\n"
    )
    return stage(load(folder / "release.yaml"))


if __name__ == "__main__":
    main(int(float(sys.argv[1])), int(sys.argv[2]))
