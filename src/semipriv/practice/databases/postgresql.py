"""PostgreSQL, by the address of a server; passwords come from its own files or from the environment, PGPASSWORD."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import ibis
import ibis.expr.types as ir
import psycopg
import pyarrow as pa
from ibis.backends.postgres import Backend
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from sqlglot import exp

from semipriv.core.errors import PublicError
from semipriv.core.types import Floats
from semipriv.practice.databases.base import BATCH, Database, Relation

_ALLOWED = ("host", "hostaddr", "port", "dbname", "user", "sslmode", "sslrootcert", "service", "connect_timeout")
"""What an address may tell."""
_PATH = "pg_catalog, pg_temp"
"""Where names are looked up.  pg_temp, which is first if it is not named, comes last."""
_SMALLEST, _LARGEST = "1e-323", "1.797693134862315e308"
"""Sizes of decimals between which none is outside of the floats."""
_KINDS = """
    with recursive own as (
        select oid, oid as base from pg_catalog.pg_type
        union all
        select own.oid, t.typbasetype from own join pg_catalog.pg_type t on t.oid = own.base where t.typtype = 'd'
    )
    select case when t.typtype = 'e' then 'text' when own.oid = t.oid then format_type(t.oid, asked.mod)
                else format_type(t.oid, null) end,
           format_type(asked.oid, asked.mod),
           t.typnamespace = 'pg_catalog'::regnamespace and t.typname in (
               'bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'text', 'varchar', 'bpchar', 'name',
               'date', 'timestamp', 'timestamptz'
           ) or
           t.typtype = 'e' and not exists (
               select from pg_catalog.pg_cast c where t.oid in (c.castsource, c.casttarget)
           ),
           t.typcollation <> 0
    from unnest(%s::oid[], %s::int[]) with ordinality as asked (oid, mod, place)
    join own on own.oid = asked.oid join pg_catalog.pg_type t on t.oid = own.base and t.typtype <> 'd'
    order by asked.place
"""
"""Types of cells: what they are called, without their domain, and with it; whether they can be read and hashed; whether
they have collations."""
_RELATION = """
    select c.oid, n.nspname, c.relname, c.relkind, pg_get_viewdef(c.oid), array(
        with recursive below as (
            select c.oid as oid
            union select i.inhrelid from pg_catalog.pg_inherits i join below b on b.oid = i.inhparent
        ) select oid::int8 from below order by 1
    )
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname = %s and n.nspname = any(%s::text[])
"""
_SYSTEM = "select system_identifier::text from pg_control_system()"
_MAY_ASK = "select has_function_privilege('pg_control_system()', 'execute')"
_NUMBER = "select oid::text from pg_catalog.pg_database where datname = current_database()"
_COLUMNS = """
    select attname from pg_catalog.pg_attribute where attrelid = %s and attnum > 0 and not attisdropped
    and has_column_privilege(attrelid, attnum, 'select') order by attnum
"""


@ibis.udf.scalar.builtin(name="md5")  # type: ignore[untyped-decorator]
def md5_of_bytes(text: bytes) -> str:  # type: ignore[empty-body]
    """Return the MD5 as hexadecimal digits."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def width_bucket(x: float, ends: list[float]) -> int:  # type: ignore[empty-body]
    """Return how many of the ends a number reaches."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def convert_to(text: str, encoding: str) -> bytes:  # type: ignore[empty-body]
    """Return a text in an encoding."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def normalize(text: str) -> str:  # type: ignore[empty-body]
    """Compose accents."""


class PostgreSQL(Database):
    """A connection with one transaction of the level repeatable read, which reads only."""

    scheme = "postgresql"
    dialect = "postgres"

    def __init__(self, title: str, backend: Any, seconds: float) -> None:
        super().__init__(title, backend)
        self.seconds = seconds
        self.schemas: list[str] = []

    @classmethod
    def check_address(cls, address: str) -> None:
        """Raise ValueError for what is no address of libpq, and for a password or options in it."""
        wrong = "must be postgresql://HOST:PORT/DATABASE"
        try:
            options = conninfo_to_dict(address)
        except psycopg.Error:
            options = None
        if options is not None:
            if not (unknown := sorted(set(options) - set(_ALLOWED))):
                return
            wrong = f"may tell {', '.join(_ALLOWED)}, not {', '.join(unknown)}"
            if "password" in unknown:
                wrong = "must not hold a password: libpq reads it from PGPASSWORD or from its file ~/.pgpass"
        raise ValueError(wrong)

    @classmethod
    def opened(cls, address: str, seconds: float) -> "PostgreSQL":
        """Connect; a query that takes longer is cancelled by the server."""
        options = conninfo_to_dict(address)
        title = f"postgresql database {options.get('dbname') or options.get('service') or ''}".strip()
        database = cls(title, None, seconds)
        connection = database.guarded(lambda: psycopg.connect(address, autocommit=True))

        try:
            database.guarded(lambda: database._begin(connection))
            database.backend = database.guarded(lambda: Backend.from_connection(connection))
        except BaseException:
            connection.close()
            raise
        if not database.unicode:  # no query can name other blanks
            database.blanks = "".join(filter(str.isascii, database.blanks))
        return database

    def _begin(self, connection: Any, snapshot: str | None = None) -> None:
        """Open the transaction; snapshot: name of the state that another one sees; it may raise anything."""
        connection.execute("begin isolation level repeatable read read only")
        if snapshot is not None:
            connection.execute(sql.SQL("set transaction snapshot {}").format(snapshot))
        self.schemas = next(connection.execute("select pg_catalog.current_schemas(false)"))[0]
        for setting in (
            f"search_path = {_PATH}",  # first: nobody else's function, operator, cast or table stands for a name
            f"statement_timeout = {max(1, round(1000 * self.seconds))}",
            "extra_float_digits = 3",
            "datestyle = 'ISO'",
            "standard_conforming_strings = on",
            "client_encoding = 'UTF8'",
            "idle_in_transaction_session_timeout = 0",
        ):
            connection.execute(f"set local {setting}")

    def joined(self, other: "PostgreSQL") -> bool:
        """Begin once more, with the snapshot of the other transaction, whatever the two addresses are."""
        if self.identity != other.identity:
            return False
        snapshot = other.guarded(lambda: other._asked("select pg_catalog.pg_export_snapshot()")[0][0])
        self.guarded(lambda: self.backend.con.execute("rollback"))
        self.guarded(lambda: self._begin(self.backend.con, snapshot))
        return True

    @property
    def unicode(self) -> bool:
        """Whether the database holds texts in UTF-8."""
        return bool(self.backend.con.info.parameter_status("server_encoding") == "UTF8")

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
            return "has no such function or operator for a column of its type"
        if code == "22P05":
            return "its encoding lacks a letter that the request names"
        if code.startswith("22"):
            return "a cell of the query cannot be computed (" + code + ")"
        if isinstance(error, psycopg.OperationalError):
            return "cannot be reached, or the connection was lost"
        return f"the database refused ({code or type(error).__name__})"

    @property
    def identity(self) -> Sequence[str]:
        """What the server calls itself, whatever its address is, and the number of the database there.

        If it does not say to this role what it calls itself, its host and port stand for it.
        """

        def asked() -> tuple[str, str]:
            info = self.backend.con.info
            may = self._asked(_MAY_ASK)[0][0]
            return self._asked(_SYSTEM)[0][0] if may else f"{info.host}:{info.port}", self._asked(_NUMBER)[0][0]

        return self.scheme, *self.guarded(asked)

    def _asked(self, text: str, *given: Any) -> list[tuple[Any, ...]]:
        return list(self.backend.con.execute(text, given).fetchall())

    def resolved(self, table: exp.Table, near: str | None) -> Relation:
        """Look a name up: without a schema, in those of the role's own search path.

        A table stands for those that inherit from it, too.  A view stays a view: who made it may read what it reads.
        """
        named = [part for part in (table.this, table.args.get("db")) if part is not None]
        name, *schema = [part.name if part.quoted else part.name.lower() for part in named]
        schemas = schema or ([near] if near is not None else self.schemas)
        relations = self._asked(_RELATION, name, schemas)
        if not relations:
            raise psycopg.errors.UndefinedTable
        if len(relations) > 1:  # one of them may be there to be taken for the other
            raise PublicError(
                f"{self.title}: several schemas of the search path have a table of this name: give its schema"
            )
        ((_, own, name, kind, view, parts),) = relations
        quoted = [exp.to_identifier(identifier, quoted=True) for identifier in (name, own)]
        node, called = exp.Table(this=quoted[0], db=quoted[1]), f"{own}.{name}"
        under = [] if kind not in ("v", "m") else self.inside(called, view, "pg_catalog")[1].origins
        place = " ".join(self.identity)
        return Relation(called, node, [*(f"{place} {part}" for part in parts), *under], bool(under))

    def whole(self, relation: Relation) -> str:
        """Name the columns that the role may read."""
        schema, name = relation.node.args["db"].name, relation.node.args["this"].name
        ((oid, *_),) = self._asked(_RELATION, name, [schema])
        names = [exp.column(exp.to_identifier(column, quoted=True)) for (column,) in self._asked(_COLUMNS, oid)]
        if not names:
            raise psycopg.errors.InsufficientPrivilege
        return str(exp.select(*names).from_(relation.node.copy()).sql(self.dialect))

    def described(self, text: str) -> Sequence[tuple[str, str | None, str, bool]]:
        """Ask for no row of it: a view, of which the columns are known, would be written."""
        columns = self.backend.con.execute(f"select * from ({text}) as q limit 0").description
        kinds = self._asked(_KINDS, [column.type_code for column in columns], [column._fmod for column in columns])
        return [
            (column.name, kind if own else None, called, collated)
            for column, (kind, called, own, collated) in zip(columns, kinds, strict=True)
        ]

    def number(self, cell: ir.Value) -> ir.Value:
        """Return a cell as a number; of a decimal that is no float: 0 if it is too small, none if it is too large."""
        if not cell.type().is_decimal():
            return super().number(cell)
        size, (small, large) = cell.abs(), (ibis.literal(bound).cast(cell.type()) for bound in (_SMALLEST, _LARGEST))
        near = ibis.ifelse(size < small, ibis.literal(0).cast(cell.type()), cell)
        return super().number(ibis.ifelse(size <= large, near, ibis.null(cell.type())))

    def text(self, cell: ir.Value) -> ir.Value:
        """Return a cell of text; of the type character(n), without the blanks that fill it up."""
        return cell.concat("")

    def composed(self, text: ir.Value) -> ir.Value:
        """Return a text with composed accents (NFC); a server of another encoding than UTF-8 has no others."""
        return normalize(text) if self.unicode else text

    def digested(self, text: ir.Value) -> ir.Value:
        """Return the MD5 of a text in UTF-8, whatever the encoding of the database is."""
        return super().digested(text) if self.unicode else md5_of_bytes(convert_to(text, "UTF8"))

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
