"""A private table that stays in a database: one state of it is counted there, or read as a stream."""

import hashlib
import hmac
import importlib
import pkgutil
import weakref
from collections.abc import Iterator, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa

from semipriv.core.errors import PublicError
from semipriv.core.extras import extra
from semipriv.core.fields import value
from semipriv.practice.columns.coding import Coding
from semipriv.practice.columns.schema import Chunk
from semipriv.practice.columns.strict import canonical
from semipriv.practice.sources.source import Part, Source

_ROOM = "semipriv.practice.databases"


def schemes() -> list[str]:
    """Return how addresses of databases may start."""
    room = importlib.import_module(_ROOM)
    return sorted(one.name for one in pkgutil.iter_modules(room.__path__) if one.name != "base")


def _module(name: str) -> ModuleType:
    """Return a module of the room of databases; raise ValueError if their packages are missing."""
    with extra("spark" if name == "spark" else "database", "databases"):
        return importlib.import_module(f"{_ROOM}.{name}")


def _engine(address: str) -> Any:
    """Return the database of an address."""
    scheme, _, _ = address.partition("://")
    if scheme == address or scheme not in schemes():
        raise PublicError(f"must start with one of {', '.join(f'{one}://' for one in schemes())}")
    return _module(scheme).ENGINE


@value
class Stored(Source):
    """A table, or the rows of a query, in a database.

    address: as ``postgresql://HOST/DATABASE``, without a password.  table, schema: names; or query: one SELECT.  order:
    a column whose values are public and all different, by which rows have places; None: they have none.  version: what
    the holder calls this state of the table; None: a digest tells whether it is the same.  seconds: how long one query
    may take.
    """

    address: str
    table: str | None = None
    schema_name: str | None = None
    query: str | None = None
    order: str | None = None
    version: str | None = None
    seconds: float = 3600.0

    def __attrs_post_init__(self) -> None:
        """Check what can be checked without a connection."""
        try:
            engine = _engine(self.address)
            engine.check_address(self.address)
        except ValueError as error:
            raise PublicError(f"database: {error}") from None
        if self.query is not None:
            check_query(self.query, engine.dialect)

    @property
    def name(self) -> str:
        """The table, or that it is a query, with the kind of the database."""
        scheme = self.address.partition("://")[0]
        schema = "" if self.schema_name is None else f"{self.schema_name}."
        return f"{scheme} query" if self.table is None else f"{scheme} table {schema}{self.table}"

    @property
    def parts(self) -> Sequence[Part]:
        """The whole."""
        return (self.name,)

    @property
    def ordered(self) -> bool:
        """Whether a column tells the order."""
        return self.order is not None

    @property
    def steady(self) -> bool:
        """Whether the database has a state that all queries see."""
        return bool(_engine(self.address).steady)

    @property
    def suffix(self) -> str:
        """Parquet, which keeps types."""
        return ".parquet"

    @cached_property
    def session(self) -> "Session":
        """The one state of the table that all queries see; it is open until ``close``, or until nobody needs it."""
        session = Session(self)
        weakref.finalize(self, session.database.close)
        if session.columns != self._columns:
            session.database.close()
            raise PublicError(f"{self.name}: has other columns, or other types, than when the request was read")
        return session

    def close(self) -> None:
        """Let go of the state: what is asked next is asked of a new one."""
        session = self.__dict__.pop("session", None)
        if session is not None:
            session.database.close()

    @cached_property
    def _columns(self) -> Sequence[tuple[str, pa.DataType]]:
        session = Session(self)
        session.database.close()
        return session.columns

    def schema(self, part: Part) -> Sequence[tuple[str, pa.DataType]]:
        """Return names and types of the columns, as they were when they were asked for first."""
        return self._columns

    def without(self, part: Part) -> str:
        """Say how many columns there are."""
        return f"none of its {len(self._columns)} columns has this name"

    def rows(self, part: Part | None = None) -> int:
        """Return the number of rows."""
        return self.session.rows

    def chunks(self, part: Part, columns: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows, in the order that is declared; without one, in any."""
        start = 1
        for batch in self.session.stream(list(dict.fromkeys(columns)), self.order):
            if batch.num_rows:
                yield Chunk(self.name, pa.Table.from_batches([batch]), np.arange(start, start + batch.num_rows))
            start += batch.num_rows

    def mac(self, key: bytes, part: Part) -> bytes:
        """Return the HMAC of the declared version, or of a digest that the database makes of all rows and columns."""
        told = ["version", self.version] if self.version is not None else ["digest", *self.session.digest]
        return hmac.new(key, canonical(told), hashlib.sha256).digest()

    def told(self, queries: Sequence[str], *, streamed: bool) -> dict[str, Any]:
        """Return what the certificate says of the database.

        queries: those that counted.  streamed: whether rows were read, too.
        """
        return {
            "engine": self.session.database.version,
            "queries": [hashlib.sha256(one.encode()).hexdigest() for one in queries],
            "streamed": streamed,
            "version_declared": self.version is not None,
        }


class Session:
    """One state of a table in a database, that is open."""

    def __init__(self, source: Stored) -> None:
        self.source = source
        self.database = _engine(source.address).opened(source.address, source.seconds)
        try:
            self.table = (
                self.database.table(source.table, source.schema_name)
                if source.table is not None
                else self.database.query(source.query)
            )
            schema = self.table.schema().to_pyarrow()
            self.columns = tuple(zip(schema.names, schema.types, strict=True))
        except BaseException:
            self.database.close()
            raise

    @cached_property
    def rows(self) -> int:
        """Number of rows; raise ValueError if the column of the order has a value twice, or lacks one."""
        order = self.source.order
        asked = {"n": self.table.count()}
        if order is not None:
            if order not in dict(self.columns):
                raise PublicError(f"{self.source.name}: order: column {order!r} is missing")
            asked["distinct"] = self.table[order].nunique()
        (answer,) = self.database.read(self.table.aggregate(**asked)).to_pylist()
        if order is not None and answer["n"] != answer["distinct"]:
            raise PublicError(f"{self.source.name}: order: column {order!r} must have another value in each row")
        return int(answer["n"])

    @property
    def digest(self) -> tuple[str, str]:
        """The database with its version, and its digest of all rows: anew each time, if it has no state that stays."""
        return self._digest if self.database.steady else (self.database.version, self.database.digest(self.table))

    @cached_property
    def _digest(self) -> tuple[str, str]:
        return self.database.version, self.database.digest(self.table)

    def stream(self, columns: Sequence[str], order: str | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows of some columns in batches."""
        table = self.table if order is None else self.table.order_by(order)
        return self.database.stream(table.select(**{name: self.database.moved(table[name]) for name in columns}))

    def counting(self, columns: Sequence[tuple[str, Coding]]) -> Any:
        """Return the query for numbers of rows by codes; None if none is faster than to read the rows."""
        return self.database.counting(self.table, columns)


def check_query(text: str, dialect: str) -> None:
    """Raise ValueError unless a query is one statement that only reads: before it is sent."""
    wrong = _module("base").misread(text, dialect)
    if wrong:
        raise PublicError(f"query: {wrong}")
