"""DuckDB, in a file of its own, or over files of Parquet and CSV by a query."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import ibis
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa

from semipriv.core.types import Floats
from semipriv.practice.columns.coding import Coding, Steps
from semipriv.practice.databases.base import BATCH, Counting, Database, adapted, codes_of, few, numbers_of

T = TypeVar("T")


@ibis.udf.agg.builtin  # type: ignore[untyped-decorator]
def histogram(x: float, bins: list[float]) -> dict[float, int]:  # type: ignore[empty-body]
    """Count numbers up to each bin's end and above the one before; numbers above all have the key infinity."""


class DuckDB(Database):
    """A file that is opened for reading, or no file at all."""

    scheme = "duckdb"
    dialect = "duckdb"
    together = 1  # it counts pairs of columns as fast as groups of four

    def __init__(self, where: str, backend: Any, seconds: float) -> None:
        super().__init__(where, backend)
        self.seconds = seconds

    @classmethod
    def check_address(cls, address: str) -> None:
        """Raise ValueError unless a file is named that is there, or none."""
        path = address.removeprefix("duckdb://")
        if path and not Path(path).is_file():
            raise ValueError(f"{path}: there is no such file")

    @classmethod
    def opened(cls, address: str, seconds: float) -> "DuckDB":
        """Open the file for reading, with two threads at most as many as the machine has."""
        path = address.removeprefix("duckdb://")
        made = cls(path or "duckdb", None, seconds)
        made.backend = made.guarded(
            lambda: ibis.duckdb.connect(path, read_only=True) if path else ibis.duckdb.connect()
        )
        made.guarded(lambda: made.backend.raw_sql("begin transaction read only"))
        return made

    @property
    def version(self) -> str:
        """That of the library."""
        return f"DuckDB {duckdb.__version__}"

    def close(self) -> None:
        """Close the file."""
        self.backend.con.close()

    def kind(self, error: Exception) -> str:
        """Return the kind of DuckDB's error."""
        if isinstance(error, duckdb.InterruptException):
            return f"no answer within {self.seconds:g} seconds"
        if isinstance(error, ibis.common.exceptions.TableNotFound | duckdb.CatalogException):
            return "has no such table, or the query names something that is not there"
        return f"the database refused ({type(error).__name__})"

    def guarded(self, work: Callable[[], T]) -> T:
        """Interrupt work that takes too long."""
        timer = threading.Timer(self.seconds, self._interrupt)
        timer.daemon = True
        timer.start()
        try:
            return super().guarded(work)
        finally:
            timer.cancel()

    def _interrupt(self) -> None:
        if self.backend is not None:
            self.backend.con.interrupt()

    def batches(self, asked: ir.Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows."""
        return iter(self.backend.raw_sql(self.sql(asked)).to_arrow_reader(BATCH))

    def described(self, text: str) -> Sequence[tuple[str, str]]:
        """Ask for a description."""
        return [(name, kind) for name, kind, *_ in self.backend.raw_sql(f"describe {text}").fetchall()]

    def digest(self, table: ir.Table) -> str:
        """Return number, sum and exclusive or of DuckDB's hashes of the rows."""
        columns = ", ".join(f'"{name.replace(chr(34), 2 * chr(34))}"' for name in table.columns)
        rows = f"select hash({columns}) as h from ({self.sql(table)})"
        text = f"select count(*), sum(h::hugeint)::varchar, bit_xor(h)::varchar from ({rows})"
        return str(self.guarded(lambda: self.backend.raw_sql(text).fetchone()))

    def place(self, number: ir.Value, cuts: Floats) -> ir.Value | None:
        """Compare with few cuts."""
        return few(number, cuts)

    def counting(self, table: ir.Table, columns: Sequence[tuple[str, Coding]]) -> Counting | None:
        """Count a column of many cuts by a histogram in each group of the others."""
        columns = [(name, adapted(table[name], coding)) for name, coding in columns]
        many = [place for place, (name, coding) in enumerate(columns) if _many(table[name], coding)]
        if len(many) != 1:
            return super().counting(table, columns)
        (place,) = many
        name, coding = columns[place]
        assert isinstance(coding, Steps)
        others = {i: one for i, one in enumerate(columns) if i != place}
        number = self.number(table[name])
        known = self._known(number, coding)
        keys = {f"k{i}": self._value(table[other]) for i, (other, _) in others.items()}
        # bins hold their upper ends, pieces their lower ones
        bins = ibis.literal(repr((-coding.cuts[::-1]).tolist())).cast("array<float64>")
        asked = table.select(x=number.cast("float64"), known=known, **keys)
        groups = asked.aggregate(by=list(keys), rows=asked.count(), h=histogram(-asked.x, bins, where=asked.known))
        codes = {f"c{i}": self._piece(groups[f"k{i}"], one) for i, (_, one) in others.items()}
        if any(one is None for one in codes.values()):
            return None

        def read(answer: pa.Table) -> Any:
            pieces = [
                (row, at, count)
                for row, (rows, found) in enumerate(
                    zip(answer.column("rows").to_pylist(), answer.column("h").to_pylist(), strict=True)
                )
                for at, count in _pieces(rows, found, coding.cuts)
            ]
            group, piece, counts = (np.array(one, np.int64) for one in zip(*pieces, strict=True))
            own = [piece if i == place else numbers_of(answer, f"c{i}")[group] for i in range(len(columns))]
            return [codes_of(one)[at] for (_, one), at in zip(columns, own, strict=True)], counts

        return Counting(groups.select("rows", "h", **codes), read)


def _many(cell: ir.Value, coding: Coding) -> bool:
    """Return whether no arithmetic and no few comparisons tell the codes of a column."""
    return isinstance(coding, Steps) and coding.first is None and few(ibis.null(), coding.cuts) is None


def _pieces(
    rows: int, found: Mapping[float, int] | Sequence[tuple[float, int]] | None, cuts: Floats
) -> list[tuple[int, int]]:
    """Return the number of numbers in each piece, from a histogram of their negatives; the piece -1 has all others."""
    ends = {float(-cut): len(cuts) - i for i, cut in enumerate(cuts[::-1].tolist())}
    pieces = [(ends.get(end, 0), count) for end, count in dict(found or {}).items()]
    return [(-1, rows - sum(count for _, count in pieces)), *pieces]


ENGINE = DuckDB
