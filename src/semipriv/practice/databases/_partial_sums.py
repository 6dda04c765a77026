"""Sums over rows that executors of Spark make beside them, by the functions of this package that files are summed by.

Of each partition one row leaves: its number of rows and a sum of integers.  Spark takes the result of one attempt of
each task, so that no partition counts twice.  Executors import this module, and nothing of it needs Ibis.

The integers are those of files only where floating-point arithmetic is.  So each partial sum has a mark: a digest of
versions, of the source of this package, and of what decides the last bit.  One with another mark is not taken.
"""

import hashlib
import os
import platform
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np
import pyarrow as pa

from semipriv.core import machine
from semipriv.core.errors import PublicError
from semipriv.core.types import Integers
from semipriv.learners.discriminant._kernels import bounded_sum

Work = Callable[[pa.Table], Integers]
"""Rows to a sum of integers over them, each adding by itself alone; it can be sent to another process."""
BATCH = 2**17
"""Rows that are summed up at once, at least, if a partition has as many."""
_FIELDS = "n bigint, total binary, mark string, wrong string"
_ANSWER = pa.schema([("n", pa.int64()), ("total", pa.binary()), ("mark", pa.string()), ("wrong", pa.string())])
_PACKAGES = "numpy", "numba", "llvmlite", "pyarrow"


@cache
def mark() -> str:
    """Return a digest of all that decides the integers that this process makes of rows.

    Compiled functions are called, so that a process that cannot compile them fails here.
    """
    numbers = np.linspace(-40.0, 40.0, 4099)
    kernel = bounded_sum(np.sin(numbers), np.stack([np.exp(numbers), np.ones_like(numbers)]), 100.0, 1024)
    facts = [
        *(f"{name} {version(name)}" for name in _PACKAGES),
        platform.python_version(),
        platform.machine(),
        *platform.libc_ver(),
        repr(np.show_config(mode="dicts")["SIMD Extensions"]),
        *(hashlib.sha256(source).hexdigest() for source in _sources(files("semipriv"))),
        hashlib.sha256(np.exp(numbers).tobytes() + kernel.tobytes()).hexdigest(),
    ]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()


def _sources(folder: Traversable) -> Iterator[bytes]:
    """Yield the modules of a folder, in the order of their names."""
    for path in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if path.is_dir():
            yield from _sources(path)
        elif path.name.endswith(".py"):
            yield path.name.encode() + b"\n" + path.read_bytes()


def obstacle(session: Any) -> str | None:
    """Return why executors of a session do not sum up rows as this process does; None if nothing is known of such.

    Those that are there are asked.  What others are like shows in the marks of their sums.
    """

    def look(batches: Iterator[Any]) -> Iterator[Any]:  # sent as it is: executors may lack this package
        import pyarrow as arrow  # noqa: PLC0415

        for _ in batches:
            pass
        try:
            from semipriv.practice.databases._partial_sums import mark  # noqa: PLC0415

            marked = mark()
        except Exception as error:  # whatever it is, rows are not summed up there
            marked = type(error).__name__
        yield arrow.RecordBatch.from_pydict({"mark": [marked]})

    _told(session)
    tasks = 2 * session.sparkContext.defaultParallelism
    try:
        marks = {row.mark for row in session.range(0, tasks, 1, tasks).mapInArrow(look, "mark string").collect()}
    except Exception:  # no Python there, another version of it, or no PyArrow
        return "its executors run no Python functions, or those of another version of Python"
    if marks & {"ModuleNotFoundError", "ImportError", "PackageNotFoundError"}:
        return "its executors do not have this version of semipriv, or the packages that it needs"
    if marks != {mark()}:
        return "its executors have other versions, or other processors: the last bit of a sum may differ"
    return None


def _told(session: Any) -> None:
    """Tell the Python of executors which kernels and threads this process was told to use."""
    names = (*machine.KERNELS, *machine.ONE_THREAD, *machine.COMPILED)
    session.sparkContext.environment.update({name: os.environ[name] for name in names if name in os.environ})


def summed(rows: Any, work: Work, kinds: pa.Schema) -> tuple[int, Integers]:
    """Return the number of rows of a DataFrame of Spark, and the sum that work makes of them where they are.

    kinds: types of its columns, to which those of executors are cast.  Raise PublicError for a partial sum of another
    mark, and where work fails: its error stays there, as it may hold a cell.
    """
    total = np.asarray(work(kinds.empty_table()))
    count, own = 0, mark()
    for row in rows.mapInArrow(partial(_of_partition, work, kinds), _FIELDS).collect():
        if row.mark != own:
            raise PublicError("spark: an executor has other versions than this process, or another processor: its sums "
                              "may differ in the last bit, and are not taken")  # fmt: skip
        if row.wrong:
            raise PublicError("private rows: one is not what is declared, or outside of what is learned")
        count += row.n
        total = total + np.frombuffer(row.total, "<i8").reshape(total.shape)
    return count, total


def _of_partition(work: Work, kinds: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the one row that leaves a partition.  No error does: the log of an executor would have its text."""
    count, wrong = 0, ""
    total = b""
    try:
        added = np.asarray(work(kinds.empty_table()))
        for table in _tables(batches, kinds):
            count += table.num_rows
            added = added + work(table)
        total = added.astype("<i8", casting="safe").tobytes()
    except Exception as error:
        wrong = type(error).__name__
        for _ in batches:
            pass
    answer = {"n": [count], "total": [total], "mark": [mark()], "wrong": [wrong]}
    yield pa.RecordBatch.from_pydict(answer, schema=_ANSWER)


def _tables(batches: Iterator[pa.RecordBatch], kinds: pa.Schema) -> Iterator[pa.Table]:
    """Yield batches that are small, several as one."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(kept.num_rows for kept in waiting) >= BATCH:
            yield _table(waiting, kinds)
            waiting = []
    if waiting:
        yield _table(waiting, kinds)


def _table(batches: list[pa.RecordBatch], kinds: pa.Schema) -> pa.Table:
    return pa.Table.from_batches(batches).rename_columns(kinds.names).cast(kinds)
