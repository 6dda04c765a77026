"""Partial sums that executors make: added up they are those of all rows, and others are not taken."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from semipriv.core.errors import PublicError
from semipriv.core.types import Integers
from semipriv.practice.databases import _partial_sums

CELLS = pa.table({"x": pa.array(np.arange(1000) % 7, pa.int64()), "y": pa.array(np.arange(1000) % 3, pa.int64())})


def by_pair(table: pa.Table) -> Integers:
    """Numbers of rows by pair; the message of its error holds a cell."""
    x, y = (table.column(name).to_numpy() for name in ("x", "y"))
    if np.any(x == 7):
        raise ValueError(f"a secret cell: {x.max()}")
    return np.bincount(3 * x + y, minlength=21).reshape(7, 3)


class Executors:
    """Partitions, each summed up by a function that came as bytes; a change of what it answers."""

    def __init__(self, partitions: Sequence[Sequence[pa.RecordBatch]], change: Callable[[dict[str, Any]], Any]) -> None:
        self.partitions, self.change = partitions, change
        self.left: list[dict[str, Any]] = []

    def mapInArrow(self, work: Any, fields: str) -> "Executors":  # noqa: N802  (Spark's name)
        for batches in self.partitions:
            (answer,) = pickle.loads(pickle.dumps(work))(iter(batches))
            (row,) = answer.to_pylist()
            self.change(row)
            self.left.append(row)
        return self

    def collect(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(**row) for row in self.left]


def parts(cells: pa.Table, ends: Sequence[int], size: int) -> Iterator[list[pa.RecordBatch]]:
    for start, end in zip([0, *ends], [*ends, cells.num_rows], strict=True):
        yield cells.slice(start, end - start).combine_chunks().to_batches(size)


@pytest.mark.parametrize("ends", [[], [0], [1, 1, 999], [500], [1000]])
def test_parts_add_up_to_the_whole(ends: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """In whatever partitions and batches, of 32 bits, too: one row of each partition leaves."""
    monkeypatch.setattr(_partial_sums, "BATCH", 100)
    narrow = CELLS.cast(pa.schema([("x", pa.int32()), ("y", pa.int32())]))
    executors = Executors(list(parts(narrow, ends, 17)), lambda row: None)
    count, total = _partial_sums.summed(executors, by_pair, CELLS.schema)
    assert count == CELLS.num_rows
    assert np.array_equal(total, by_pair(CELLS))
    assert len(executors.left) == len(ends) + 1


def test_a_partial_sum_of_another_version_is_not_taken() -> None:
    executors = Executors(list(parts(CELLS, [500], 100)), lambda row: row.update(mark="0" * 64))
    with pytest.raises(PublicError, match="other versions than this process"):
        _partial_sums.summed(executors, by_pair, CELLS.schema)


def test_no_cell_leaves_with_an_error() -> None:
    """Neither to this process nor to the log of an executor, in which errors of its functions are written."""
    wrong = CELLS.set_column(0, "x", pa.array(np.arange(1000) % 8, pa.int64()))
    executors = Executors(list(parts(wrong, [500], 100)), lambda row: None)
    with pytest.raises(PublicError, match=r"^private rows: one is not what is declared") as raised:
        _partial_sums.summed(executors, by_pair, CELLS.schema)
    assert "secret" not in str(executors.left) + str(raised.value)


class Session:
    """A session whose executors answer by so many marks, or fail."""

    sparkContext = SimpleNamespace(defaultParallelism=1, environment={})  # noqa: N815  (Spark's name)

    def __init__(self, marks: Sequence[str] | None) -> None:
        self.marks = marks

    def range(self, *numbers: int) -> "Session":
        return self

    def mapInArrow(self, work: Any, fields: str) -> "Session":  # noqa: N802  (Spark's name)
        return self

    def collect(self) -> list[SimpleNamespace]:
        if self.marks is None:
            raise RuntimeError("Python worker failed to connect back")
        return [SimpleNamespace(mark=mark) for mark in self.marks]


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (None, "no Python functions"),
        (["ModuleNotFoundError", _partial_sums.mark()], "do not have this version of semipriv"),
        (["0" * 64, _partial_sums.mark()], "other versions, or other processors"),
    ],
)
def test_executors_that_are_not_as_this_process_is_are_found_before_the_charge(
    marks: list[str] | None, message: str
) -> None:
    obstacle = _partial_sums.obstacle(Session(marks))
    assert obstacle is not None
    assert message in obstacle
    assert _partial_sums.obstacle(Session([_partial_sums.mark()] * 2)) is None
