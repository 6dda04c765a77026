"""PostgreSQL, by the address of a server; passwords come from its own files or from the environment, PGPASSWORD."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import ibis
import ibis.expr.types as ir
import psycopg
import pyarrow as pa
from ibis.backends.postgres import Backend
from psycopg.conninfo import conninfo_to_dict

from semipriv.core.types import Floats
from semipriv.practice.databases.base import BATCH, Database

_ALLOWED = ("host", "hostaddr", "port", "dbname", "user", "sslmode", "sslrootcert", "service", "connect_timeout")
"""What an address may tell."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def width_bucket(x: float, ends: list[float]) -> int:  # type: ignore[empty-body]
    """Return how many of the ends a number reaches."""


class PostgreSQL(Database):
    """A connection with one transaction of the level repeatable read, which reads only."""

    scheme = "postgresql"
    dialect = "postgres"

    @classmethod
    def check_address(cls, address: str) -> None:
        """Raise ValueError for what is no address of libpq, and for a password or options in it."""
        wrong = "must be postgresql://HOST:PORT/DATABASE"
        try:
            told = conninfo_to_dict(address)
        except psycopg.Error:
            told = None
        if told is not None:
            if not (more := sorted(set(told) - set(_ALLOWED))):
                return
            wrong = f"may tell {', '.join(_ALLOWED)}, not {', '.join(more)}"
            if "password" in more:
                wrong = "must not hold a password: libpq reads it from PGPASSWORD or from its file ~/.pgpass"
        raise ValueError(wrong)

    @classmethod
    def opened(cls, address: str, seconds: float) -> "PostgreSQL":
        """Connect; a query that takes longer is cancelled by the server."""
        told = conninfo_to_dict(address)
        where = f"postgresql database {told.get('dbname') or told.get('service') or ''}".strip()
        made = cls(where, None)
        connection = made.guarded(lambda: psycopg.connect(address, autocommit=True))

        def begin() -> Backend:
            backend = Backend.from_connection(connection)
            connection.execute("begin isolation level repeatable read read only")
            connection.execute(f"set local statement_timeout = {max(1, round(1000 * seconds))}")
            for setting in ("extra_float_digits = 3", "standard_conforming_strings = on", "client_encoding = 'UTF8'"):
                connection.execute(f"set local {setting}")
            connection.execute("set local idle_in_transaction_session_timeout = 0")
            return backend

        try:
            made.backend = made.guarded(begin)
        except BaseException:
            connection.close()
            raise
        return made

    @property
    def version(self) -> str:
        """That of the server."""
        number = self.backend.con.info.server_version
        return f"PostgreSQL {number // 10000}.{number % 10000}"

    def close(self) -> None:
        """Close the connection, by which its transaction ends."""
        self.backend.con.close()

    def kind(self, error: Exception) -> str:
        """Return what the code of the error stands for."""
        if isinstance(error, ibis.common.exceptions.TableNotFound):
            return "has no such table"
        code = getattr(error, "sqlstate", None) or ""
        if code == "57014":
            return "no answer within the time limit"
        if code == "42501":
            return "no permission"
        if code in ("42P01", "42703", "3F000"):
            return "has no such table or column"
        if code == "42883":
            return "cannot compute something of a column, as a digest of a row: give private.version"
        if isinstance(error, psycopg.OperationalError):
            return "cannot be reached, or the connection was lost"
        return f"the database refused ({code or type(error).__name__})"

    def described(self, text: str) -> Sequence[tuple[str, str]]:
        """Ask for no row of it: a view, of which the columns are known, would be written."""
        with self.backend.con.cursor() as cursor:
            columns = list(cursor.execute(f"select * from ({text}) as q limit 0").description)
            kinds = (("select format_type(%s, %s)", (one.type_code, one._fmod)) for one in columns)
            return [(one.name, cursor.execute(*kind).fetchone()[0]) for one, kind in zip(columns, kinds, strict=True)]

    def text(self, cell: ir.Value) -> ir.Value:
        """Return a cell of text; of the type character(n), without the blanks that fill it up."""
        return cell.concat("")

    def digest(self, table: ir.Table) -> str:
        """Return number, sum and exclusive or of PostgreSQL's hashes of the rows."""
        rows = f"select hash_record_extended(r, 0) as h from ({self.sql(table)}) as r"
        text = f"select count(*), sum(h::numeric)::text, bit_xor(h)::text from ({rows}) as q"
        return str(self.guarded(lambda: self.backend.con.execute(text).fetchone()))

    def place(self, number: ir.Value, cuts: Floats) -> ir.Value | None:
        """Look the number up among the cuts, by bisection."""
        if not len(cuts):
            return ibis.literal(0)
        ends = "{" + ",".join(map(repr, cuts.tolist())) + "}"
        return width_bucket(number, ibis.literal(ends).cast("array<float64>"))

    def read(self, asked: ir.Table) -> pa.Table:
        """Return all rows, not through a cursor: for those, PostgreSQL works with one process only."""
        kinds = asked.schema().to_pyarrow()
        rows = self.guarded(lambda: self.backend.con.execute(self.sql(asked)).fetchall())
        return pa.Table.from_batches([_batch(rows, kinds)]) if rows else kinds.empty_table()

    def batches(self, asked: ir.Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows, through a cursor of the server."""
        kinds = asked.schema().to_pyarrow()
        cursor = self.backend.con.cursor(name="semipriv_rows")
        try:
            cursor.execute(self.sql(asked))
            while rows := cursor.fetchmany(BATCH):
                yield _batch(rows, kinds)
        finally:
            with suppress(psycopg.Error):  # of a query that failed the server has closed it
                cursor.close()


def _batch(rows: Sequence[tuple[Any, ...]], kinds: pa.Schema) -> pa.RecordBatch:
    columns = zip(zip(*rows, strict=True), kinds, strict=True)
    return pa.record_batch([pa.array(cells, kind.type) for cells, kind in columns], kinds)


ENGINE = PostgreSQL
