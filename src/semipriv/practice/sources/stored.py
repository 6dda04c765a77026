"""A private table that stays in a database: one state of it is counted there, or read as a stream."""

import hashlib
import hmac
import importlib
import pkgutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import numpy as np
import pyarrow as pa

from semipriv.core.errors import PublicError
from semipriv.core.extras import extra
from semipriv.core.fields import value
from semipriv.core.types import Integers
from semipriv.practice.columns.cells import Declared, texts
from semipriv.practice.columns.coding import Listed
from semipriv.practice.columns.schema import Chunk
from semipriv.practice.columns.strict import canonical
from semipriv.practice.sources.source import Identity, Part, Source, identity_of_file
from semipriv.practice.sources.versions import check_one_version, folders_of

_ROOM = "semipriv.practice.databases"


def schemes() -> list[str]:
    """Return how addresses of databases may start."""
    room = importlib.import_module(_ROOM)
    names = (module.name for module in pkgutil.iter_modules(room.__path__))
    return sorted(name for name in names if name != "base" and not name.startswith("_"))


def _module(name: str) -> ModuleType:
    """Return a module of the room of databases; raise ValueError if their packages are missing."""
    with extra("spark" if name == "spark" else "database", "databases"):
        return importlib.import_module(f"{_ROOM}.{name}")


def _engine(address: str) -> Any:
    """Return the database of an address."""
    scheme, _, _ = address.partition("://")
    if scheme == address or scheme not in schemes():
        raise PublicError(f"must start with one of {', '.join(f'{known}://' for known in schemes())}")
    return _module(scheme).ENGINE


@attrs.frozen(eq=False)
class Beside:
    """Databases that the tables of one request have open, so that those of one database are read in one state."""

    opened: "weakref.WeakSet[Any]" = attrs.field(factory=weakref.WeakSet)


@value
class Stored(Source):
    """A table, or the rows of a query, in a database.

    address: as ``postgresql://HOST/DATABASE``, without a password.  table, schema: names; or query: one SELECT.  order:
    a column of distinct public values, by which rows are numbered; None: rows have no order.  version: what the holder
    calls this state of the table; None: a digest tells whether it is the same.  seconds: how long one query may take.
    beside: databases that the other tables of a request have open, with which it shares one state.
    """

    address: str
    table: str | None = None
    schema_name: str | None = None
    query: str | None = None
    order: str | None = None
    version: str | None = None
    seconds: float = 3600.0
    beside: Beside = attrs.field(factory=Beside, eq=False, repr=False)

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
        """Whether all queries see one state of the table: not where the database reads files in place."""
        return bool(_engine(self.address).steady) and not any(
            isinstance(origin, Path) for origin in self._looked_at.origins
        )

    @property
    def suffix(self) -> str:
        """Parquet, which keeps types."""
        return ".parquet"

    @cached_property
    def session(self) -> "Session":
        """The one state of the table that all queries see; it is open until ``close``, or until nobody needs it."""
        session = Session(self)
        weakref.finalize(self, session.database.close)
        wrong = ""
        if session.columns != self._columns:
            wrong = "has other columns, or other types"
        elif session.origins != self._looked_at.origins:  # other people may be there now
            wrong = "is read from other tables or files"
        if wrong:
            session.database.close()
            raise PublicError(f"{self.name}: {wrong} than when the request was read")
        self.beside.opened.add(session.database)
        return session

    def close(self) -> None:
        """Close the state; the next query opens a new one."""
        session = self.__dict__.pop("session", None)
        if session is not None:
            self.beside.opened.discard(session.database)
            session.database.close()

    @cached_property
    def _looked_at(self) -> "Looked":
        session = Session(self)
        session.database.close()
        return Looked(session.columns, dict(session.seen.others), session.origins)

    @property
    def _columns(self) -> Sequence[tuple[str, pa.DataType]]:
        return self._looked_at.columns

    @property
    def _others(self) -> Mapping[str, str]:
        return self._looked_at.others

    def schema(self, part: Part) -> Sequence[tuple[str, pa.DataType]]:
        """Return names and types of the columns, as they were when they were asked for first."""
        return self._columns

    def without(self, part: Part) -> str:
        """Say how many columns there are."""
        return f"none of its {len(self._columns)} columns has this name"

    def check(self, declared: Sequence[Declared]) -> None:
        """Raise ValueError as for files, and for a column of a type that no release reads."""
        for column in declared:
            if (kind := self._others.get(column.column)) is not None:
                raise PublicError(
                    f"{self.name}: column {column.column!r} has the type {kind}, which is not read: "
                    "give a query that makes a number, a text or a date of it"
                )
        super().check(declared)

    def identities(self) -> list[Identity]:
        """Return the tables and files behind a table, a view or a query, since any of their rows may be in it."""
        origins = self._looked_at.origins
        return [
            identity_of_file(origin) if isinstance(origin, Path) else Identity(self.name, origin) for origin in origins
        ]

    def rehearse(self, columns: Sequence[str]) -> None:
        """Ask for no row of the columns, and for a digest of no row.

        If a cell can make the query fail, all rows are computed now, so that it fails before anything is charged.
        """
        self.session.rehearse(columns, self.order)

    def rows(self, part: Part | None = None) -> int:
        """Return the number of rows."""
        return self.session.rows

    def persons(self, columns: Sequence[str]) -> int:
        """Return the number of persons by the columns of their names; rows without a name are one person together.

        Persons whose rows a query leaves out by WHERE count as well: they are in the table that it filters.
        """
        return self.session.persons(tuple(columns))[0]

    @property
    def filters(self) -> bool:
        """Whether a query leaves out rows by WHERE."""
        return self.session.seen.unfiltered is not None

    def dropped(self, columns: Sequence[str]) -> int:
        """Return how many persons have no row, as a query leaves all of theirs out by WHERE: a private number."""
        everyone, left = self.session.persons(tuple(columns))
        return everyone - left

    def chunks(self, part: Part, columns: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows, in the order that is declared; without one, in any."""
        start = 1
        for batch in self.session.stream(list(dict.fromkeys(columns)), self.order):
            if batch.num_rows:
                yield Chunk(self.name, pa.Table.from_batches([batch]), np.arange(start, start + batch.num_rows))
            start += batch.num_rows

    def streams(self, columns: Sequence[str]) -> str:
        """Return why rows of some columns are read here where counts are not enough; empty if they need not be.

        Engines tell times with a zone by zones of their own, so those are read here.
        """
        types = self.types(self.name)
        if any(pa.types.is_timestamp(types[name]) and types[name].tz is not None for name in columns):
            return "a column has times with a zone"
        return str(self.session.database.streams)

    def mac(self, key: bytes, part: Part) -> bytes:
        """Return the HMAC of the declared version of this table, or of a digest of all rows that the database makes.

        The HMAC of a version covers the database, the table and the query as well, so that it differs for any other of
        them.  A digest covers all columns that can be read, so that it does not depend on what a request asks for.
        """
        session = self.session
        place = [*session.database.identity, session.seen.relation.name, self.query or ""]
        marks = ["digest", *session.digest] if self.version is None else ["version", self.version, *place]
        return hmac.new(key, canonical(marks), hashlib.sha256).digest()

    @property
    def kept_in(self) -> dict[str, Any]:
        """What the certificate says of the database of rows that are not counted by queries alone."""
        return {
            "engine": self.session.database.version,
            "steady": self.steady,
            "version_declared": self.version is not None,
        }

    def access(self, queries: Sequence[str], *, streamed: bool, summed: bool = False) -> dict[str, Any]:
        """Return what the certificate says of the database.

        queries: those that counted.  streamed: whether rows were read, too.  summed: whether sums of them were made
        there.
        """
        return {
            "engine": self.session.database.version,
            "queries": [hashlib.sha256(query.encode()).hexdigest() for query in queries],
            "streamed": streamed,
            "summed": summed,
            "version_declared": self.version is not None,
        }


@attrs.frozen(eq=False)
class Looked:
    """What was there when the request was read: columns, types of those that cannot be read, what is behind them."""

    columns: Sequence[tuple[str, pa.DataType]]
    others: Mapping[str, str]
    origins: Sequence[Path | str]


@attrs.frozen(eq=False)
class Choice:
    """Rows of a table that are chosen by public rules.

    every, held: rows whose number by the order is a multiple of it, or the others; None: both.  status: a column, and a
    coding whose code 0 is that of rows that are left out; None: none are.
    """

    every: int | None = None
    held: bool | None = None
    status: tuple[str, Listed] | None = None


class Session:
    """One state of a table in a database, that is open."""

    def __init__(self, source: Stored) -> None:
        self.source = source
        self._persons: dict[tuple[str, ...], tuple[int, int]] = {}
        self.database = _engine(source.address).opened(source.address, source.seconds)
        try:
            any(self.database.joined(other) for other in source.beside.opened if type(other) is type(self.database))
            self.seen = (
                self.database.table(source.table, source.schema_name)
                if source.table is not None
                else self.database.query(source.query)
            )
            check_one_version(source.name, folders_of(self.seen.relation.files), self.database.listed)
            self.table = self.seen.rows
            schema = self.table.schema().to_pyarrow()
            self.columns = tuple(zip(schema.names, schema.types, strict=True))
            self.origins = tuple(self.seen.relation.origins)
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

    def persons(self, columns: tuple[str, ...]) -> tuple[int, int]:
        """Return the number of all persons, and of those with a row that a query takes."""
        if columns not in self._persons:
            left = self._persons_of(self.table, columns)
            every = self.seen.unfiltered
            self._persons[columns] = (left if every is None else self._persons_of(every, columns)), left
        return self._persons[columns]

    def _persons_of(self, table: Any, columns: tuple[str, ...]) -> int:
        """Count them by a query, or their names by hand, if the database has no query for what files make of these."""
        asked = self.database.persons(table, columns)
        if asked is not None:
            return int(self.database.read(asked).column("n")[0].as_py())
        names: set[tuple[str, ...] | None] = set()
        named_cells = [self.database.named(table[name]) for name in columns]
        cells = [
            self.database.moved(table[name]) if cell is None else cell
            for name, cell in zip(columns, named_cells, strict=True)
        ]
        distinct = table.select(**{f"p{i}": cell for i, cell in enumerate(cells)}).distinct()
        for batch in self.database.stream(distinct):
            own = [texts(pa.chunked_array([column])).to_pylist() for column in batch.columns]
            names |= {person if all(person) else None for person in zip(*own, strict=True)}  # nobody has an empty name
        return len(names)

    @property
    def digest(self) -> tuple[str, str]:
        """The database with its version, and its digest of all rows: anew each time, if it has no state that stays."""
        return self._digest if self.source.steady else (self.database.version, self.database.digest(self.table))

    @cached_property
    def _digest(self) -> tuple[str, str]:
        return self.database.version, self.database.digest(self.table)

    def rehearse(self, columns: Sequence[str], order: str | None) -> None:
        """Query no row of some columns, and a digest of no row; of all rows, if a cell can make the query fail."""
        for _ in self._stream(self.nothing, columns, order):
            pass
        self.database.digest(self.nothing)
        if not self.seen.certain:
            _ = self.digest

    @property
    def nothing(self) -> Any:
        """The table without its rows."""
        return self.database.nothing(self.table)

    def chosen(self, choice: "Choice", *, nothing: bool = False) -> Any:
        """Return the table of the chosen rows; None if no query tells them.  nothing: without any of them."""
        table, kept = self.nothing if nothing else self.table, []
        if choice.every is not None and choice.held is not None:
            name = _unused(self.columns)
            table = table.mutate(**{name: self.database.number_of_row(table[self.source.order])})
            kept.append((table[name] % choice.every == 0) == choice.held)
        if choice.status is not None:
            column, coding = choice.status
            place = self.database.piece(table[column], coding)
            if place is None:
                return None
            kept.append(place != 0)
        return table.filter(*kept).select(*dict(self.columns)) if kept else table

    def count(self, choice: "Choice") -> int | None:
        """Return the number of the chosen rows; None if no query tells them."""
        if choice.status is None:
            others = 0 if choice.every is None or choice.held is None else self.rows // choice.every
            return others if choice.held and choice.every is not None else self.rows - others
        _ = self.rows  # raises for an order that is none
        table = self.chosen(choice)
        return (
            None if table is None else int(self.database.read(table.aggregate(n=table.count())).column("n")[0].as_py())
        )

    def stream(self, columns: Sequence[str], order: str | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows of some columns in batches."""
        return self._stream(self.table, columns, order)

    def _stream(self, table: Any, columns: Sequence[str], order: str | None) -> Iterator[pa.RecordBatch]:
        return self.database.stream(self._moved(table if order is None else table.order_by(order), columns))

    def summed(self, columns: Sequence[str], work: Any) -> tuple[int, Integers]:
        """Return the number of rows, and the sum that work makes of some columns of them where they are."""
        total: tuple[int, Integers] = self.database.summed(self._moved(self.table, list(dict.fromkeys(columns))), work)
        return total

    def _moved(self, table: Any, columns: Sequence[str]) -> Any:
        return table.select(**{name: self.database.moved(table[name]) for name in columns})


def check_query(text: str, dialect: str) -> None:
    """Raise ValueError unless a query takes columns and rows of one table, each by itself: before it is sent."""
    _module("_rowwise").projection(text, dialect)


def _unused(columns: Sequence[tuple[str, pa.DataType]]) -> str:
    """Return a name that no column has, whatever its capitals."""
    name = "row_number"
    while name in {column.lower() for column, _ in columns}:
        name += "_"
    return name
