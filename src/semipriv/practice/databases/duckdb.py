"""DuckDB, in a file of its own, or over files of Parquet and CSV by a query."""

import math
import os
import shutil
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar

import duckdb
import ibis
import ibis.expr.operations as ops
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
from sqlglot import exp

from semipriv.core.errors import PublicError
from semipriv.core.types import Floats
from semipriv.practice.columns.coding import Coding, Steps, Summing
from semipriv.practice.databases import _rowwise
from semipriv.practice.databases._counts import Counting, Counts
from semipriv.practice.databases.base import (
    BATCH,
    Database,
    DatabaseError,
    Relation,
    adapted,
    by_comparisons,
    codes_of,
    few_values,
    many_cuts,
    numbers_of,
)
from semipriv.queries.unit_mass import UNITS

_FILE = "semipriv_file"
"""Name by which the file is attached."""
_PAGES = "1 GiB"
"""Memory for pages of the file while rows are streamed: it would keep all that it has read, which nobody reads soon."""
_GROUPS = 2**22
"""Groups by units of a number that are made at most."""

T = TypeVar("T")


@ibis.udf.agg.builtin  # type: ignore[untyped-decorator]
def histogram(x: float, bins: list[float]) -> dict[float, int]:  # type: ignore[empty-body]
    """Count numbers up to each bin's end and above the one before; numbers above all have the key infinity."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def nfc_normalize(text: str) -> str:  # type: ignore[empty-body]
    """Compose accents."""


class Spilled:
    """A folder that nobody else can read, which is removed with the last database that uses it, or with the process.

    A fork of the process leaves it: the database is the parent's.
    """

    def __init__(self) -> None:
        try:
            self.folder = mkdtemp(prefix="semipriv-")
        except OSError:
            raise PublicError("no folder for temporary files can be written to: name another one in TMPDIR") from None
        weakref.finalize(self, _remove, self.folder, os.getpid())


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


class DuckDB(Database):
    """A file that is opened for reading, or no file at all."""

    scheme = "duckdb"
    dialect = "duckdb"
    together = 1  # it counts pairs of columns as fast as groups of four

    def __init__(self, title: str, backend: Any, seconds: float) -> None:
        super().__init__(title, backend)
        self.seconds = seconds
        self.path: Path | None = None
        self.spilled: Spilled | None = None

    @classmethod
    def check_address(cls, address: str) -> None:
        """Raise ValueError unless a file is named that is there, or none."""
        path = address.removeprefix("duckdb://")
        if path and not Path(path).is_file():
            shown = "duckdb://FILE" if {"?", "@", ":", "="} & set(path) else path  # it may hold a password
            raise ValueError(f"{shown}: there is no such file")

    @classmethod
    def opened(cls, address: str, seconds: float) -> "DuckDB":
        """Open the file for reading, with two threads at most as many as the machine has.

        It is attached beside a database that is empty, in which names of functions are looked up: macros that the file
        holds stand for none of them.  Rows that a sort has no memory for are written to a folder that nobody else can
        read: DuckDB's own would be one of the working folder, readable by all.
        """
        path = address.removeprefix("duckdb://")
        opened = cls(path or "duckdb", None, seconds)
        spilled = opened.spilled = Spilled()
        opened.backend = opened.guarded(lambda: ibis.duckdb.connect(temp_directory=spilled.folder))
        opened.guarded(lambda: opened._attach(path))
        return opened

    def _attach(self, path: str) -> None:
        self.path = Path(path).resolve() if path else None
        if path:
            quoted = path.replace("'", "''")
            self.backend.raw_sql(f"attach '{quoted}' as {_FILE} (type duckdb, read_only)")
        self.backend.raw_sql("set python_enable_replacements = false")
        self.backend.raw_sql("begin transaction read only")

    def joined(self, other: "DuckDB") -> bool:
        """Read the file as the other one holds it, which is locked for writers meanwhile, even if it was replaced."""
        if self.path is None or self.path != other.path:
            return False

        def join() -> Any:
            backend = ibis.duckdb.from_connection(other.backend.con.cursor())
            backend.raw_sql("set python_enable_replacements = false")
            backend.raw_sql("begin transaction read only")
            return backend

        joined = self.guarded(join)
        self.close()
        self.backend, self.spilled = joined, other.spilled
        return True

    @property
    def version(self) -> str:
        """That of the library."""
        return f"DuckDB {duckdb.__version__}"

    def close(self) -> None:
        """Close the file, and let go of what was spilled."""
        self.backend.con.close()
        self.spilled = None

    def kind(self, error: Exception) -> str:
        """Return the kind of DuckDB's error."""
        if isinstance(error, duckdb.InterruptException):
            return f"no answer within {self.seconds:g} seconds"
        if isinstance(error, ibis.common.exceptions.TableNotFound | duckdb.CatalogException):
            return "has no such table, or the query names something that is not there"
        if isinstance(error, duckdb.BinderException):
            return "has no such column, or the query names something that is not there"
        if isinstance(error, duckdb.ConversionException | duckdb.OutOfRangeException | duckdb.InvalidInputException):
            return f"a cell of the query cannot be computed ({type(error).__name__})"
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

    def stream(self, asked: ir.Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows of what is asked, in batches; few pages are kept, unless a window's sort needs memory."""
        if asked.op().find(ops.WindowFunction):
            yield from super().stream(asked)
            return
        self.guarded(lambda: self.backend.raw_sql(f"set memory_limit = '{_PAGES}'"))
        try:
            yield from super().stream(asked)
        finally:
            with suppress(DatabaseError):  # after an error nothing more is asked
                self.guarded(lambda: self.backend.raw_sql("reset memory_limit"))

    def batches(self, asked: ir.Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows."""
        return iter(self.backend.raw_sql(self.sql(asked)).to_arrow_reader(BATCH))

    @property
    def identity(self) -> Sequence[str]:
        """The file."""
        return self.scheme, "" if self.path is None else str(self.path)

    def resolved(self, table: exp.Table, near: str | None) -> Relation:
        """Look a name up in the file, whose views are written out, and else take it for files of Parquet.

        Names of functions in a view are then looked up as those of a query are, where no macro of the file is found.
        """
        named = isinstance(table.this, exp.Identifier)
        schema, name = table.args.get("db"), table.name if named else ""
        known = self._in_file(near or "main" if schema is None else schema.name, name) if named and self.path else None
        if known is None and near is not None and schema is None and self.path:
            known = self._in_file("main", name)
        if known is not None:
            return self._relation(*known)
        patterns = _rowwise.parquet(table)
        if patterns is None:
            raise duckdb.CatalogException
        files = [path for pattern in patterns for path in self._files(pattern)]
        return Relation(", ".join(patterns), exp.Table(this=table.this.copy()), list(map(Path, files)), files=files)

    def _relation(self, schema: str, name: str, view: str | None) -> Relation:
        assert self.path is not None
        if view is None:
            quoted = [exp.to_identifier(identifier, quoted=True) for identifier in (name, schema)]
            node = exp.Table(this=quoted[0], db=quoted[1], catalog=exp.to_identifier(_FILE))
            status = self.path.stat()
            origin = f"{self.scheme} {status.st_dev}:{status.st_ino} {schema}.{name}"
            return Relation(f"{schema}.{name}", node, [origin])
        text, columns = _rowwise.view_of(view, self.dialect)
        inside, under = self.inside(f"{schema}.{name}", text, schema)
        _rowwise.put(inside, under.node)
        alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=columns)
        return Relation(f"{schema}.{name}", exp.Subquery(this=inside, alias=alias), under.origins, True, under.files)

    def _in_file(self, schema: str, name: str) -> tuple[str, str, str | None] | None:
        """Return schema, name and, of a view, how it was made, as the file spells them; None if there is no such."""
        within = f"where database_name = '{_FILE}' and lower(schema_name) = lower($1) and"
        row = self.backend.con.execute(
            f"select schema_name, table_name, null from duckdb_tables() {within} lower(table_name) = lower($2) "
            f"union all select schema_name, view_name, sql from duckdb_views() {within} lower(view_name) = lower($2)",
            [schema, name],
        ).fetchone()
        return None if row is None else (str(row[0]), str(row[1]), row[2])

    def _files(self, pattern: str) -> list[str]:
        """Return the files of a pattern; raise ValueError if there is none, or for an address that is no file."""
        local = pattern.removeprefix("file://")
        if "://" in local:
            raise PublicError("query: read_parquet reads files here: give an address as private.path")
        files = [str(file) for (file,) in self.backend.con.execute("select file from glob($1)", [local]).fetchall()]
        if not files:
            raise PublicError("query: there is no such file of Parquet")
        return files

    def described(self, text: str) -> Sequence[tuple[str, str | None, str, bool]]:
        """Ask for a description, which does not tell collations."""
        columns = self.backend.raw_sql(f"describe {text}").fetchall()
        return [(name, kind, kind.lower(), kind == "VARCHAR") for name, kind, *_ in columns]

    def composed(self, text: ir.Value) -> ir.Value:
        """Return a text with composed accents (NFC)."""
        return nfc_normalize(text)

    def offset(self, text: ir.Value) -> ir.Value:
        """Return the offset of a text: DuckDB reads hexadecimal numbers."""
        return (ibis.literal("0x") + self.digested(text).substr(0, 7)).cast("int64")

    def digest(self, table: ir.Table) -> str:
        """Return number, sum and exclusive or of DuckDB's hashes of the rows."""
        columns = ", ".join(f'"{name.replace(chr(34), 2 * chr(34))}"' for name in table.columns)
        rows = f"select hash({columns}) as h from ({self.sql(table)})"
        text = f"select count(*), sum(h::hugeint)::varchar, bit_xor(h)::varchar from ({rows})"
        return str(self.guarded(lambda: self.backend.raw_sql(text).fetchone()))

    def place(self, number: ir.Value, cuts: Floats) -> ir.Value | None:
        """Compare with few cuts."""
        return by_comparisons(number, cuts)

    def counting(
        self, table: ir.Table, columns: Sequence[tuple[str, Coding]], number: Summing | None = None
    ) -> Counting | None:
        """Count a column of many cuts by a histogram in each group of the others.

        A number that is summed up in bins of many cuts is grouped by its units, if groups are few enough: that costs
        less than to bisect cuts for all rows, and bins and sums follow from groups.
        """
        if number is not None:
            units = self._by_units(table, columns, number)
            return super().counting(table, columns, number) if units is None else self._counting(*units, UNITS)
        columns = [(name, adapted(table[name], coding)) for name, coding in columns]
        many = [place for place, (_, coding) in enumerate(columns) if many_cuts(coding)]
        if len(many) != 1:
            return super().counting(table, columns)
        (place,) = many
        name, coding = columns[place]
        assert isinstance(coding, Steps)
        others = {i: column for i, column in enumerate(columns) if i != place}
        x = self.number(table[name])
        known = self._known(x, coding)
        keys = {f"k{i}": self._value(table[other], other_coding) for i, (other, other_coding) in others.items()}
        # bins hold their upper ends, pieces their lower ones
        bins = ibis.literal(repr((-coding.cuts[::-1]).tolist())).cast("array<float64>")
        asked = table.select(x=x.cast("float64"), known=known, **keys)
        groups = asked.aggregate(by=list(keys), rows=asked.count(), h=histogram(-asked.x, bins, where=asked.known))
        codes = {
            f"c{i}": self._piece(self._compared(groups[f"k{i}"], other_coding), other_coding)
            for i, (_, other_coding) in others.items()
        }
        if any(code is None for code in codes.values()):
            return None

        def read(answer: pa.Table) -> list[Counts]:
            pieces = [
                (row, at, count)
                for row, (rows, numbers) in enumerate(
                    zip(answer.column("rows").to_pylist(), answer.column("h").to_pylist(), strict=True)
                )
                for at, count in _pieces(rows, numbers, coding.cuts)
            ]
            group, piece, counts = (np.array(part, np.int64) for part in zip(*pieces, strict=True))
            own = [piece if i == place else numbers_of(answer, f"c{i}")[group] for i in range(len(columns))]
            return [
                Counts(
                    [codes_of(other_coding)[at] for (_, other_coding), at in zip(columns, own, strict=True)],
                    counts,
                    counts,
                )
            ]

        return Counting(groups.select("rows", "h", **codes), read)

    def _by_units(
        self, table: ir.Table, columns: Sequence[tuple[str, Coding]], number: Summing
    ) -> tuple[ir.Table, Sequence[tuple[str, Coding]], Summing] | None:
        """Return the same question of a table whose number is in units; None if these do not tell bins, or are many."""
        cell, coded = table[number.column], dict(enumerate(coding for _, coding in columns))
        own = [place for place, (name, _) in enumerate(columns) if name == number.column]
        for place in own:
            coding = coded[place]
            assert isinstance(coding, Steps), "a number is coded by cuts"
            in_units = number.amount.steps(coding)
            if in_units is None or (len(coding.cuts) and few_values(cell, adapted(cell, coding))):
                return None
            coded[place] = in_units
        groups = math.prod(len(codes_of(coding)) for place, coding in coded.items() if place not in own)
        if groups * UNITS > _GROUPS or not any(many_cuts(adapted(cell, columns[place][1])) for place in own):
            return None
        name = "units"
        while name in {column.lower() for column in table.columns}:
            name += "_"
        known = self._known(self.number(cell), number.amount.cells)
        units = ibis.ifelse(known, self.units(cell, number.amount), ibis.null("int64")).cast("int32")
        names = [name if place in own else column for place, (column, _) in enumerate(columns)]
        asked = Summing(name, number.amount.identity, number.degree)
        return table.mutate(**{name: units}), list(zip(names, coded.values(), strict=True)), asked


def _pieces(
    rows: int, histogram: Mapping[float, int] | Sequence[tuple[float, int]] | None, cuts: Floats
) -> list[tuple[int, int]]:
    """Return the number of numbers in each piece, from a histogram of their negatives; the piece -1 has all others."""
    ends = {float(-cut): len(cuts) - i for i, cut in enumerate(cuts[::-1].tolist())}
    pieces = [(ends.get(end, 0), count) for end, count in dict(histogram or {}).items()]
    return [(-1, rows - sum(count for _, count in pieces)), *pieces]


ENGINE = DuckDB
