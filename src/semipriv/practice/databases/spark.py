"""Spark, by the address of its master, or in this process: spark://local[2].  It has no state that all queries see."""

import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from urllib.parse import unquote

import ibis
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
import pyspark
from pyspark.sql import SparkSession
from sqlglot import exp

from semipriv.core.errors import PublicError
from semipriv.core.types import Floats, Integers
from semipriv.practice.columns.coding import Amount, Coding, Listed, Steps, Summing
from semipriv.practice.databases import _partial_sums
from semipriv.practice.databases._counts import Counting
from semipriv.practice.databases._rowwise import WAY_OUT
from semipriv.practice.databases.base import BATCH, Database, DatabaseError, Relation, adapted, bisected, few, many_cuts

_FORMATS = frozenset({"csv", "json", "text", "avro", "binaryfile", "xml"})
"""Kinds of files that may stand in the place of a schema, and of which types are guessed or missing."""
_ROW_BY_ROW = frozenset(
    {"Project", "Filter", "SubqueryAlias", "View", "LogicalRelation", "LogicalRDD", "LocalRelation", "Range"}
    | {"HiveTableRelation", "DataSourceV2Relation", "RelationV2", "UnresolvedCatalogRelation"}
)
"""Steps of a plan by which each row comes from one row, and tables."""
_INSIDE = re.compile(r"(scalar-subquery|exists|list|lateral-subquery)#[0-9]+ \[")
_SHOWN = 60
_WRITTEN = 4
"""Steps of a bisection that stand in a query one inside the other: 15 cuts; seven take eight times as long."""
_COMPOSER = "com.ibm.icu.text.Normalizer"
"""A class of the library ICU, which Spark brings along for its collations."""

T = TypeVar("T")


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def get(a: list[float], i: int) -> float:  # type: ignore[empty-body]
    """Return an element of an array, the first of which is 0."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def reflect(whose: str, method: str, text: str, compatible: bool) -> str:  # type: ignore[empty-body]
    """Call a static method of a class that Spark brings along."""


class Spark(Database):
    """A session.  Whether the table stayed the same is known by its digest, before and after."""

    scheme = "spark"
    dialect = "spark"
    steady: ClassVar[bool] = False

    def __init__(self, where: str, backend: Any, seconds: float) -> None:
        super().__init__(where, backend)
        self.seconds = seconds

    @classmethod
    def check_address(cls, address: str) -> None:
        """Raise ValueError for an address without a master, or with a user."""
        master = address.removeprefix("spark://")
        if not master or "@" in master or "?" in master:
            raise ValueError("must be spark://HOST:PORT, or spark://local[N], without a user")

    @classmethod
    def opened(cls, address: str, seconds: float) -> "Spark":
        """Start a session, or take the one that is there; nothing of it is logged."""
        made = cls("spark", None, seconds)
        master = address.removeprefix("spark://")

        if master.startswith("local"):  # executors are in this process, and functions beside rows in its Python
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

        def begin() -> Any:
            builder = SparkSession.builder.master(master if master.startswith("local") else address)
            builder = builder.config("spark.ui.enabled", "false").config("spark.sql.ansi.enabled", "true")
            session = builder.config("spark.log.level", "OFF").getOrCreate()
            if session.sparkContext.master not in (address, master):
                raise PublicError("spark: this process has a session of another master: stop it first")
            session.sparkContext.setLogLevel("OFF")
            return ibis.pyspark.connect(session)

        made.backend = made.guarded(begin)
        return made

    @property
    def version(self) -> str:
        """That of the library."""
        return f"Spark {pyspark.__version__}"

    def close(self) -> None:
        """Leave the session, which others in this process may use."""

    def kind(self, error: Exception) -> str:
        """Return the class of the error that Spark names."""
        named = getattr(error, "getCondition", getattr(error, "getErrorClass", lambda: None))()
        if named in ("TABLE_OR_VIEW_NOT_FOUND", "PATH_NOT_FOUND") or "TableNotFound" in type(error).__name__:
            return "has no such table"
        if "cancelled" in str(error)[:400] or "canceled" in str(error)[:400]:
            return f"no answer within {self.seconds:g} seconds"
        return f"the database refused ({named or type(error).__name__})"

    def guarded(self, work: Callable[[], T]) -> T:
        """Cancel work that takes too long."""
        timer = threading.Timer(self.seconds, self._cancel)
        timer.daemon = True
        timer.start()
        try:
            return super().guarded(work)
        finally:
            timer.cancel()

    def _cancel(self) -> None:
        if self.backend is not None:
            self.backend._session.sparkContext.cancelAllJobs()

    @property
    def identity(self) -> Sequence[str]:
        """The master, and where it keeps tables."""
        session = self.backend._session
        return self.scheme, session.sparkContext.master, session.conf.get("spark.sql.warehouse.dir", "")

    def resolved(self, table: exp.Table, near: str | None) -> Relation:
        """Look a name up, and ask for the files behind it; raise ValueError for files that are guessed from cells.

        Of a view the plan is looked at.  Nothing is asked if a function of the session may shadow one of Spark.
        """
        session, db = self.backend._session, table.args.get("db")
        functions = session._jsparkSession.catalog().listFunctions()
        if not functions.filter("className like '%UDF%'").isEmpty():
            raise PublicError(
                f"{self.where}: its session has functions of its own, which may shadow Spark's: drop them"
            )
        if db is not None and db.name.lower() in _FORMATS:
            raise PublicError(f"query: reads {db.name.lower()}, and only Parquet, ORC and Delta tell types")
        shown = ".".join(one.name.lower() for one in table.parts)
        rows = session.sql(f"select * from {table.sql(self.dialect)}")
        plan = rows._jdf.queryExecution().analyzed()
        steps = set(_steps(plan))
        if mixing := sorted(steps - _ROW_BY_ROW):
            raise PublicError(f"view {shown}: has {mixing[0][:_SHOWN]}, and {WAY_OUT}")
        if not plan.deterministic() or _INSIDE.search(plan.toString()):
            raise PublicError(f"view {shown}: has random numbers, or a query inside an expression, and {WAY_OUT}")
        files = [unquote(one.removeprefix("file://")) for one in rows.inputFiles()]
        origins = [Path(one) if one.startswith("/") else one for one in files]
        own = [] if _keeps_versions(plan) else files
        return Relation(shown, table.copy(), origins or [" ".join((*self.identity, shown))], "View" in steps, own)

    def listed(self, folder: str) -> Sequence[str] | None:
        """Ask Hadoop, by which Spark reads files wherever they are."""
        session = self.backend._session

        def found() -> list[str]:
            place = session._jvm.org.apache.hadoop.fs.Path(folder if "://" in folder else f"file://{folder}")
            storage = place.getFileSystem(session._jsc.hadoopConfiguration())
            return [str(one.getPath().getName()) for one in storage.listStatus(place)]

        try:
            return self.guarded(found)
        except DatabaseError:
            return None

    def described(self, text: str) -> Sequence[tuple[str, str | None, str, bool]]:
        """Ask for the schema of the query, which runs nothing.  A text with a collation has a type that is not read."""
        types = [(one.name, one.dataType.simpleString()) for one in self.backend._session.sql(text).schema.fields]
        return [(name, None if " collate " in kind else kind, kind, False) for name, kind in types]

    @cached_property
    def composes(self) -> bool:
        """Whether Spark may call the library that composes texts; some services forbid such calls."""
        asked = self.backend.compile(ibis.literal("a\u0308").pipe(self.composed).name("text"))
        try:
            return bool(self.guarded(lambda: self.backend._session.sql(str(asked)).collect()[0][0] == "\u00e4"))
        except DatabaseError:
            return False

    def composed(self, text: ir.Value) -> ir.Value:
        """Return a text with composed accents (NFC): Spark has no function for it, but brings a library that has."""
        made = reflect(_COMPOSER, "compose", text.fill_null(""), compatible=False)
        return ibis.ifelse(text.notnull(), made, ibis.null("string"))

    def person(self, cell: ir.Value) -> ir.Value | None:
        """Return what tells persons apart; None for a text that Spark may not compose."""
        return None if cell.type().is_string() and not self.composes else super().person(cell)

    def _tells(self, columns: Sequence[tuple[str, Coding]]) -> bool:
        """Return whether Spark can read texts as files are read, if any are listed."""
        return self.composes or not any(isinstance(coding, Listed) for _, coding in columns)

    def sharing(
        self,
        table: ir.Table,
        persons: Sequence[str],
        columns: Sequence[tuple[str, Coding]],
        chosen: Sequence[Sequence[int]],
        units: int,
        key: str,
        numbers: Sequence[tuple[str, Amount]] = (),
        powers: Sequence[tuple[int, int] | None] = (),
    ) -> Counting | None:
        """Share units of persons if texts can be composed."""
        if not self._tells(columns):
            return None
        table, columns = self._placed(table, columns, [*persons, *(name for name, _ in numbers)])
        return super().sharing(table, persons, columns, chosen, units, key, numbers, powers)

    def counting(
        self, table: ir.Table, columns: Sequence[tuple[str, Coding]], number: Summing | None = None
    ) -> Counting | None:
        """Count rows if texts can be composed."""
        more = [] if number is None else [number.column]
        return super().counting(*self._placed(table, columns, more), number) if self._tells(columns) else None

    def _placed(
        self, table: ir.Table, columns: Sequence[tuple[str, Coding]], more: Sequence[str]
    ) -> tuple[ir.Table, list[tuple[str, Coding]]]:
        """Return the same question of a table in which numbers of many cuts are replaced by how many they reach.

        A place is found by bisection: each of its steps looks a cut up in an array, in a projection of its own, so that
        a step stands once in the query.  Of a cell that is unknown the place is missing.  more: other columns to keep.
        """
        table = table.select(*dict.fromkeys([*(name for name, _ in columns), *more]))
        adapted_columns = [(name, adapted(table[name], coding)) for name, coding in columns]
        made: dict[tuple[str, bool, bytes], str] = {}
        for name, coding in adapted_columns:
            if isinstance(coding, Steps) and many_cuts(coding):
                key = (name, coding.whole, coding.cuts.tobytes())
                if key not in made:
                    made[key] = _unused(table, f"place{len(made)}")
                    number = self.number(table[name])
                    table = _bisected(table, made[key], number, self._known(number, coding), coding.cuts)
        placed = {(name, whole): place for (name, whole, _), place in made.items()}

        def asked(name: str, coding: Coding) -> tuple[str, Coding]:
            if not isinstance(coding, Steps):
                return name, coding
            place = made.get((name, coding.whole, coding.cuts.tobytes()))
            if place is None and not len(coding.cuts):  # it tells only which cells are known
                place = placed.get((name, coding.whole))
            reached = np.arange(1.0, len(coding.cuts) + 1)
            return (name, coding) if place is None else (place, Steps(reached, coding.pieces, True, coding.unknown))

        return table, [asked(*one) for one in adapted_columns]

    @cached_property
    def streams(self) -> str:  # type: ignore[override]
        """Why executors do not sum up rows as this process does; empty if they do."""
        return self.guarded(lambda: _partial_sums.obstacle(self.backend._session)) or ""

    def summed(self, asked: ir.Table, work: _partial_sums.Work) -> tuple[int, Integers]:
        """Send work to the executors."""
        rows = self.guarded(lambda: self.backend._session.sql(self.sql(asked)))
        return self.guarded(lambda: _partial_sums.summed(rows, work, asked.schema().to_pyarrow()))

    def digest(self, table: ir.Table) -> str:
        """Return number, sum and exclusive or of Spark's hashes of the rows; a missing cell is one of its own."""
        names = [f"`{name.replace('`', '``')}`" for name in table.columns]
        cells = ", ".join(f"{name}, isnull({name})" for name in names)
        rows = f"select xxhash64({cells}) as h from ({self.sql(table)})"
        text = f"select count(*), cast(sum(cast(h as decimal(38, 0))) as string), bit_xor(h) from ({rows})"
        return self.guarded(lambda: str(tuple(self.backend._session.sql(text).collect()[0])))

    def place(self, number: ir.Value, cuts: Floats) -> ir.Value | None:
        """Compare with few cuts."""
        return few(number, cuts)

    def read(self, asked: ir.Table) -> pa.Table:
        """Return all rows, which are few, by one job."""
        rows = self.guarded(lambda: self.backend._session.sql(self.sql(asked)).collect())
        return pa.Table.from_pylist([row.asDict() for row in rows], asked.schema().to_pyarrow())

    def batches(self, asked: ir.Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows, one partition after the other."""
        kinds = asked.schema().to_pyarrow()
        rows = self.backend._session.sql(self.sql(asked)).toLocalIterator()
        while batch := [tuple(row) for row in islice(rows, BATCH)]:
            columns = zip(zip(*batch, strict=True), kinds, strict=True)
            yield pa.record_batch([pa.array(cells, kind.type) for cells, kind in columns], kinds)


def _unused(table: ir.Table, name: str) -> str:
    """Return a name that no column has; Spark does not tell capitals."""
    while name in {one.lower() for one in table.columns}:
        name += "_"
    return name


def _bisected(table: ir.Table, name: str, number: ir.Value, known: ir.Value, cuts: Floats) -> ir.Table:
    """Return the table with the number of cuts that a number reaches; missing unless it is known.

    Cuts are filled up with infinity, which no finite number reaches, to 2^m - 1 of them.  The first steps compare with
    cuts that stand in the query, one inside the other; each of the others looks one up in an array.
    """
    steps = len(cuts).bit_length()
    stride = 2 ** (steps - _WRITTEN)
    ends = [*map(repr, cuts.tolist()), *["Infinity"] * (2**steps - 1 - len(cuts))]
    x, a = _unused(table, f"{name}_x"), _unused(table, f"{name}_a")
    columns = list(table.columns)
    array = ibis.literal(",".join(ends)).split(",").cast("array<float64>")
    table = table.mutate(**{x: ibis.ifelse(known, number.cast("float64"), ibis.null("float64")), a: array})
    written = bisected(table[x], cuts[stride - 1 :: stride]) * stride
    table = table.mutate(**{name: ibis.ifelse(table[x].notnull(), written, ibis.null("int32")).cast("int32")})
    for step in (2**power for power in reversed(range(steps - _WRITTEN))):
        above = table[x] >= get(table[a], table[name] + (step - 1))
        table = table.mutate(**{name: (table[name] + ibis.ifelse(above, step, 0)).cast("int32")})
    return table.select(*columns, name)


def _steps(plan: Any) -> Iterator[str]:
    """Yield the names of the steps of a plan."""
    yield str(plan.nodeName())
    below = plan.children()
    for place in range(below.size()):
        yield from _steps(below.apply(place))


def _keeps_versions(plan: Any) -> bool:
    """Return whether a table is read by an index of files that is not Spark's own, such as that of Delta."""
    leaf = plan.collectLeaves().apply(0)  # a query has one table
    if (
        str(leaf.nodeName()) != "LogicalRelation"
        or str(leaf.relation().getClass().getSimpleName()) != "HadoopFsRelation"
    ):
        return False
    return not str(leaf.relation().location().getClass().getName()).startswith("org.apache.spark.sql.execution.")


ENGINE = Spark
