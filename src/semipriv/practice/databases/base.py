"""What every database offers: one read-only state of a table, counts by public codes, rows as a stream, a digest.

Ibis makes the queries.  It is an optional dependency, so modules of this package are imported when a request asks for
them.  No error of a database is repeated: its text may hold what is private.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import attrs
import ibis
import ibis.expr.types as ir
import numpy as np
import pyarrow as pa
from sqlglot import exp

from semipriv.core.errors import PublicError
from semipriv.core.files import names_in
from semipriv.core.types import Floats, Integers
from semipriv.practice.columns.cells import BLANKS
from semipriv.practice.columns.coding import TOGETHER, Amount, Coding, Listed, Steps, Summing
from semipriv.practice.databases import _by_person, _rowwise
from semipriv.practice.databases._counts import Counting, Counts
from semipriv.practice.databases._partial_sums import Work
from semipriv.queries.unit_mass import UNITS

BATCH = 2**17
"""Rows that are moved at once if a table is read as a stream."""
FEW = 1000
"""Integers of a declared range that are grouped as they are."""
_LARGEST = float(np.finfo(np.float64).max)
_WHOLE = 2**53
"""Integers up to it are floats, too."""
_COMPARED = 32
"""Cuts up to which each is a comparison of its own."""
_BISECTED = 2**10
"""Cuts up to which comparisons stand in a query, one inside the other."""
_NOT_PLAIN = "[^ -~]|^ | $|[.]0"
"""Texts that are read as another one, among others: all that have no such part are read as they are."""
_FIRST, _LAST = "0001-01-01 00:00:00", "9999-12-31 23:59:59"
_INTEGER = re.compile("0|-?[1-9][0-9]*")

T = TypeVar("T")


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def floor(x: float) -> float:  # type: ignore[empty-body]
    """Round down, to a float: Ibis rounds to an integer, which large numbers overflow."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def md5(text: str) -> str:  # type: ignore[empty-body]
    """Return the MD5 as hexadecimal digits."""


class DatabaseError(PublicError):
    """A database refused, or could not be asked.  The message tells which kind of error it was, and nothing else."""


@attrs.frozen(eq=False)
class Relation:
    """A table or a view, as the catalogue of a database knows it.

    name: with its schema.  node: what stands for it in a query, so that no search path decides.  origins: all files and
    tables that it reads, the latter by texts that no other table of any database has.  view: whether it is one.  files:
    paths, or addresses, of files of which it reads all rows, whatever a log beside them says of these.
    """

    name: str
    node: exp.Expression
    origins: Sequence[Path | str]
    view: bool = False
    files: Sequence[str] = ()


@attrs.frozen(eq=False)
class Seen:
    """What is asked of a database.

    rows: the columns that can be read.  others: types, as the database calls them, of the columns that cannot be read.
    relation: what is read.  certain: whether no cell can make the query fail, since it takes cells as they are.
    unfiltered: the same columns of all rows, if a query leaves out some by WHERE; else None.
    """

    rows: ir.Table
    others: Mapping[str, str]
    relation: Relation
    certain: bool
    unfiltered: ir.Table | None = None


class Database(ABC):
    """A connection on which one transaction is open, which reads and never writes.

    title: what messages call it.  backend: of Ibis.
    """

    scheme: ClassVar[str]
    """How addresses start."""
    dialect: ClassVar[str]
    """What sqlglot calls its SQL."""
    steady: ClassVar[bool] = True
    """Whether all queries see one state of a table."""
    together: ClassVar[int] = TOGETHER
    """Cells up to which questions on few columns are asked as one."""
    blanks: str = BLANKS
    """What is taken off around a text."""

    def __init__(self, title: str, backend: Any) -> None:
        self.title = title
        self.backend = backend

    @classmethod
    @abstractmethod
    def check_address(cls, address: str) -> None:
        """Raise ValueError for an address that is none, or that holds a password.  Nothing is connected."""

    @classmethod
    @abstractmethod
    def opened(cls, address: str, seconds: float) -> "Database":
        """Connect and open the transaction.  seconds: how long one query may take."""

    def joined(self, other: Any) -> bool:
        """See the state that another database of the same kind sees, if both are the same one; return whether it does.

        Nothing was asked in this transaction yet that counts.  By default there is no state to share.
        """
        return False

    @property
    @abstractmethod
    def version(self) -> str:
        """Name and version."""

    @abstractmethod
    def close(self) -> None:
        """End the transaction, and the connection."""

    @abstractmethod
    def kind(self, error: Exception) -> str:
        """Return what sort of an error it was, in a word or two that hold nothing of a table."""

    @abstractmethod
    def digest(self, table: ir.Table) -> str:
        """Return a digest of all rows that does not depend on their order.  Another version may give another one."""

    @abstractmethod
    def place(self, number: ir.Value, cuts: Floats) -> ir.Value | None:
        """Return the number of cuts (k,) that a finite number reaches; None if that is slower than to read the rows."""

    def guarded(self, work: Callable[[], T]) -> T:
        """Return what work makes of the database; raise DatabaseError for whatever it raises, but for a PublicError."""
        try:
            return work()
        except PublicError:
            raise
        except Exception as error:
            wrong = self.kind(error)
        raise DatabaseError(f"{self.title}: {wrong}")

    # ---------------------------------------------------------------------------------------------- what is asked
    def table(self, name: str, schema: str | None) -> Seen:
        """Return a table or a view, of which the columns are read that may be read."""
        db = None if schema is None else exp.to_identifier(schema, quoted=True)
        asked = exp.select("*").from_(exp.Table(this=exp.to_identifier(name, quoted=True), db=db))
        relation = self.guarded(lambda: self.resolved(_rowwise.relation(asked), None))
        return self._seen(lambda: self.whole(relation), relation, certain=True)

    def query(self, text: str) -> Seen:
        """Return the rows of a query; raise ValueError unless it takes columns and rows of one table, row by row."""
        asked = _rowwise.projection(text, self.dialect)
        certain = _rowwise.takes_cells(asked)
        relation = self.guarded(lambda: self.resolved(_rowwise.relation(asked), None))
        columns = self.guarded(lambda: [name for name, *_ in self.described(self.whole(relation))])
        _rowwise.check_names(asked, columns, self.dialect)
        every = _rowwise.unfiltered(asked)
        for query in (asked, every):
            _rowwise.put(query, relation.node)
        text, text_of_all = self.guarded(
            lambda: [str(query.sql(self.dialect, comments=False)) for query in (asked, every)]
        )
        return self._seen(
            lambda: text, relation, certain=certain, unfiltered=None if text_of_all == text else text_of_all
        )

    def _seen(
        self, written: Callable[[], str], relation: Relation, *, certain: bool, unfiltered: str | None = None
    ) -> Seen:
        text = self.guarded(written)
        columns = self.guarded(lambda: self.described(text))
        schema, others, read = {}, {}, []
        for name, kind, called, collated in columns:
            if name in schema or name in others:
                raise PublicError(f"{self.title}: two columns of what is asked for have the same name")
            dtype = _readable(self.backend, kind)
            if dtype is None:
                others[name] = called
            else:
                schema[name] = dtype
                quoted = exp.to_identifier(name, quoted=True).sql(self.dialect)
                read.append(f'{quoted} COLLATE "C" AS {quoted}' if collated else quoted)
        taken = bool(others) or any(collated for *_, collated in columns)

        def rows(text: str) -> ir.Table:
            readable = f"SELECT {', '.join(read) or '1 AS nothing'} FROM ({text}) AS q" if taken else text
            return self.guarded(lambda: self.backend.sql(readable, schema=schema or {"nothing": "int32"}))

        every = None if unfiltered is None else rows(unfiltered)
        return Seen(rows(text), others, relation, certain and not relation.view, every)

    def inside(self, name: str, view: str, near: str) -> tuple[exp.Select, Relation]:
        """Return the SELECT of a view, and what it reads; raise ValueError unless it reads row by row.

        near: schema of the view, in which its names are looked up.
        """
        inside = _rowwise.projection(view, self.dialect, f"view {name}")
        return inside, self.resolved(_rowwise.relation(inside), near)

    @abstractmethod
    def resolved(self, table: exp.Table, near: str | None) -> Relation:
        """Return what a name in a query stands for; it may raise anything.

        near: schema of the view in which the name is used.
        """

    def whole(self, relation: Relation) -> str:
        """Return the query for all columns of a table that may be read; it may raise anything."""
        return str(exp.select("*").from_(relation.node.copy()).sql(self.dialect, comments=False))

    def listed(self, folder: str) -> Sequence[str] | None:
        """Return the names in a folder of files that it reads; None if there is none, or if it may not be looked at.

        By default files are on this machine.
        """
        return names_in(folder)

    @property
    @abstractmethod
    def identity(self) -> Sequence[str]:
        """What tells this database from others, however it is addressed."""

    @abstractmethod
    def described(self, text: str) -> Sequence[tuple[str, str | None, str, bool]]:
        """Return what is known of each column of a query; it may raise anything.

        Its name; its type, None if the database asks somebody's functions for what is done with such a cell; what the
        database calls the type; and whether a collation may compare its cells.  Those are read by ``COLLATE "C"``, so
        that texts are equal, grouped and ordered by their bytes, as those of files are.
        """

    def nothing(self, table: ir.Table) -> ir.Table:
        """Return a table without its rows."""
        return table.filter(ibis.literal(False))

    def read(self, asked: ir.Table) -> pa.Table:
        """Return all rows of what is asked, which are few."""
        batches = self.guarded(lambda: list(self.batches(asked)))
        return pa.Table.from_batches(batches) if batches else asked.schema().to_pyarrow().empty_table()

    @abstractmethod
    def batches(self, asked: ir.Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows of what is asked, in the transaction; it may raise anything, and memory holds a batch."""

    def stream(self, asked: ir.Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows of what is asked, in batches."""
        batches = self.guarded(lambda: self.batches(asked))
        while (batch := self.guarded(lambda: next(batches, None))) is not None:
            yield batch

    streams: str = "nothing of semipriv runs there"
    """Why rows are read here, where counts are not enough, and not summed up where they are; empty if they are."""

    def summed(self, asked: ir.Table, work: Work) -> tuple[int, Integers]:
        """Return the number of rows of what is asked, and the sum that work makes of them beside them."""
        raise NotImplementedError(f"{self.scheme}: {self.streams}")

    def sql(self, asked: ir.Table) -> str:
        """Return what is sent."""
        return str(self.backend.compile(asked, pretty=True))

    # ---------------------------------------------------------------------------------------------- cells
    def moved(self, cell: ir.Value) -> ir.Value:
        """Return a cell as it leaves the database: decimals by their digits, so that no reader rounds them."""
        kind = cell.type()
        if kind.is_decimal():
            return cell.cast("string")
        if kind.is_date() or kind.is_timestamp():
            return _dated(cell)
        return self.text(cell) if cell.type().is_string() else cell

    def number(self, cell: ir.Value) -> ir.Value:
        """Return a cell as a number, as files are read: decimals by their digits, times as seconds, rounded down."""
        kind = cell.type()
        if kind.is_boolean():
            return ibis.cases((cell, 1), (~cell, 0)).cast("int64")
        if kind.is_date() or kind.is_timestamp():
            return _dated(cell).cast("timestamp").truncate("s").epoch_seconds().cast("int64")
        if _exact(cell):
            return cell.cast("int64")
        return (cell.cast("string") if kind.is_decimal() else cell).cast("float64")

    def text(self, cell: ir.Value) -> ir.Value:
        """Return a cell of text."""
        return cell

    def plain(self, cell: ir.Value) -> ir.Value:
        """Return a cell of text as files are read: without blanks around it, composed, a whole number as its digits."""
        text = self.composed(cell.re_replace(f"^[{self.blanks}]+|[{self.blanks}]+$", ""))
        digits = text.re_replace("[.]0+$", "")
        whole = ibis.ifelse(digits == "-0", "0", digits)
        plain = ibis.ifelse(text.re_search("^-?(0|[1-9][0-9]*)[.]0+$"), whole, text)
        return ibis.ifelse(cell.re_search(_NOT_PLAIN), plain, cell)  # most cells are plain, and this costs the least

    def offset(self, text: ir.Value) -> ir.Value:
        """Return the integer of the first seven hexadecimal digits of the MD5 of a text (``core.persons.offset``)."""
        digest = self.digested(text)
        digits = [ibis.literal("0123456789abcdef").find(digest.substr(i, 1)) * 16 ** (6 - i) for i in range(7)]
        return sum(digits[1:], digits[0]).cast("int64")

    def digested(self, text: ir.Value) -> ir.Value:
        """Return the MD5 of a text in UTF-8, as hexadecimal digits."""
        return md5(text)

    def named(self, cell: ir.Value) -> ir.Value | None:
        """Return a cell of a person's name as the text that files make of it, missing if empty; None if unable."""
        person = self.person(cell)
        return None if person is None else person.cast("string")

    def person(self, cell: ir.Value) -> ir.Value | None:
        """Return what tells persons apart by a cell: an integer or a date, which is grouped faster than its text.

        Equal exactly where the text that files make of the cell is; else that text, missing if empty; None if unable.
        """
        kind = cell.type()
        if kind.is_integer():
            return cell
        if kind.is_date():
            return _dated(cell)
        if kind.is_decimal() or kind.is_string():
            return self.plain(self.text(cell) if kind.is_string() else cell.cast("string")).nullif("")
        return None

    @abstractmethod
    def composed(self, text: ir.Value) -> ir.Value:
        """Return a text with composed accents (NFC)."""

    # ---------------------------------------------------------------------------------------------- counts
    def counting(
        self, table: ir.Table, columns: Sequence[tuple[str, Coding]], number: Summing | None = None
    ) -> Counting | None:
        """Return the query for the rows by codes of columns; None if none is faster than to read the rows.

        Of columns that hold few values by their declaration, values are grouped first and codes are made of groups:
        engines group values several times faster than they compute codes of all rows.  Values do not leave.  A number
        is summed up in each cell besides: from groups of its values, if there are such, and else row by row.
        """
        return self._counting(table, columns, number, FEW)

    def _counting(
        self, table: ir.Table, columns: Sequence[tuple[str, Coding]], number: Summing | None, most: int
    ) -> Counting | None:
        """Return the query; most: integers of a declared range that are grouped as they are."""
        columns = [(name, adapted(table[name], coding)) for name, coding in columns]
        at = [_finer(columns, place) for place in range(len(columns))]
        own = {f"{place}": columns[place] for place in dict.fromkeys(at)}
        grouped = {key for key, (name, coding) in own.items() if few_values(table[name], coding, most)}
        keys = {}
        for key, (name, coding) in own.items():
            cell = self._value(table[name], coding) if key in grouped else self._group(table[name], coding, number)
            if cell is None:
                return None
            keys[f"k{key}"] = cell
        valued = {own[key][0]: f"k{key}" for key in grouped}
        sums = [] if number is None else [f"s{power}" for power in range(1, number.degree + 1)]
        if number is None or number.column in valued:
            groups = table.select(**keys).aggregate(by=list(keys), n=ibis._.count())
        else:
            rows = table.select(**keys, u=self.units(table[number.column], number.amount))
            powers = {power: u.sum().cast("int64") for power, u in _powers(rows.u, sums).items()}
            groups = rows.aggregate(by=list(keys), n=rows.count(), **powers)
        if number is not None and number.column in valued:
            groups = groups.mutate(u=self.units(groups[valued[number.column]], number.amount))
            groups = groups.mutate(**{power: groups.n * u for power, u in _powers(groups.u, sums).items()})
        spelt = [f"k{key}" for key, (_, coding) in own.items() if _is_spelt(groups[f"k{key}"], coding)]
        if spelt:  # of groups, which are few, and once for each
            groups = _added(groups.mutate(**{key: self.plain(groups[key]) for key in spelt}), list(keys), sums)
        codes = {
            f"c{key}": self._coded(groups[f"k{key}"], coding) if key in grouped else groups[f"k{key}"]
            for key, (_, coding) in own.items()
        }
        asked = groups.select(**codes, **{column: groups[column] for column in ("n", *sums)})

        def read(answer: pa.Table) -> list[Counts]:
            rows, *powers = (numbers_of(answer, column) for column in ("n", *sums))
            places = [numbers_of(answer, f"c{index}") for index in at]
            places = [place if i == at[i] else np.minimum(place, 0) for i, place in enumerate(places)]
            cell_codes = [codes_of(coding)[place] for (_, coding), place in zip(columns, places, strict=True)]
            return [Counts(cell_codes, rows, rows, powers)]

        return Counting(_added(asked, list(codes), sums), read)

    def _group(self, cell: ir.Value, coding: Coding, number: Summing | None) -> ir.Value | None:
        """Return by what rows or groups are grouped; None if none is faster than to read the rows."""
        return self._piece(cell, coding) if number is None else self._coded(cell, coding)

    def persons(self, table: ir.Table, columns: Sequence[str]) -> ir.Table | None:
        """Return the query for the number of persons, ``n``; None if no query tells their names as files do."""
        return _by_person.number_of_persons(self, table, columns)

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
        """Return the query for rows and units of persons by codes, as ``_by_person.sharing`` makes it."""
        columns = [(name, adapted(table[name], coding)) for name, coding in columns]
        return _by_person.sharing(self, table, persons, columns, chosen, units, key, numbers, powers)

    def number_of_row(self, order: ir.Value) -> ir.Value:
        """Return the number of each row from 1 on, in the order of a column."""
        return ibis.row_number().over(ibis.window(order_by=order)) + 1

    def piece(self, cell: ir.Value, coding: Coding) -> ir.Value | None:
        """Return the place of a cell of a table in ``codes_of``; None if none is faster than to read the rows."""
        return self._coded(self._compared(self._value(cell, coding), coding), coding)

    def _coded(self, cell: ir.Value, coding: Coding) -> ir.Value | None:
        """Return the place of a cell in ``codes_of``, by bisection if it takes that; None for too many cuts."""
        piece = self._piece(cell, coding)
        return self._bisected(cell, coding) if piece is None else piece

    def _bisected(self, cell: ir.Value, coding: Coding) -> ir.Value | None:
        """Return the place of a number in ``codes_of`` by bisection; None for too many cuts."""
        if not isinstance(coding, Steps) or len(coding.cuts) > _BISECTED:
            return None
        number = self.number(cell)
        return ibis.ifelse(self._known(number, coding), bisected(number.cast("float64"), coding.cuts), -1)

    def units(self, cell: ir.Value, amount: Amount) -> ir.Value:
        """Return the units of a number, to the last bit those of ``unit_mass.units``.

        A number of less than 1 unit counts as the low end, and one of all units as the least of these.  So no step of
        the arithmetic underflows, overflows or meets a NaN, and each is that of NumPy for the same numbers.  What is
        rounded down is 1/2 or a float y + 1/2 with y >= 1/2, whose rounding passes no integer.  To divide by a 2^16th
        of the width is to multiply the quotient by 2^16, exactly, if that is such a part exactly.
        """
        number = self.number(cell)
        x = number.cast("float64") if amount.unit == 1 else floor(number.cast("float64") / exact(float(amount.unit)))
        low, first, last = map(exact, (amount.low, amount.first, amount.last))
        clipped = ibis.cases((x >= last, last), (x >= first, x), else_=low)
        width = amount.high - amount.low
        part = width / UNITS
        inside = (clipped - low) / exact(part if part * UNITS == width else width)
        y = inside if part * UNITS == width else inside * exact(float(UNITS))
        return ibis.ifelse(self._known(number, amount.cells), floor(y + exact(0.5)).cast("int64"), amount.unknown)

    def _value(self, cell: ir.Value, coding: Coding) -> ir.Value:
        """Return a cell of few values, by which rows are grouped; a decimal that is compared with texts as its text."""
        if cell.type().is_decimal() and isinstance(coding, Listed):
            return cell.cast("string")
        return self.text(cell) if cell.type().is_string() else cell

    def _compared(self, cell: ir.Value, coding: Coding) -> ir.Value:
        """Return a cell as it is compared with what is listed."""
        return self.plain(cell) if _is_spelt(cell, coding) else cell

    def _piece(self, cell: ir.Value, coding: Coding) -> ir.Value | None:
        """Return the place of a cell in ``codes_of``; None if none is faster than to read the rows."""
        if isinstance(coding, Listed):
            return self._listed(cell, coding)
        number = self.number(cell)
        place = self._reached(number, coding)
        return None if place is None else ibis.ifelse(self._known(number, coding), place, -1)

    def _reached(self, number: ir.Value, coding: Steps) -> ir.Value | None:
        """Return the number of cuts that a number reaches: by arithmetic if they are consecutive integers."""
        first = coding.first
        if first is None:
            return self.place(number.cast("float64"), coding.cuts)
        whole = number if number.type().is_integer() else floor(number)
        clipped = ibis.greatest(first - 1, ibis.least(first - 1 + len(coding.cuts), whole))
        return (clipped - (first - 1)).cast("int32")

    def _known(self, number: ir.Value, coding: Steps) -> ir.Value:
        """Return whether a number is finite, and an integer if it must be; missing or not, it is not."""
        if number.type().is_integer():
            return number.notnull()
        finite = number.between(exact(-_LARGEST), exact(_LARGEST))  # engines take NaN for larger than all numbers
        return finite & (number == floor(number)) if coding.whole else finite

    def _listed(self, cell: ir.Value, coding: Listed) -> ir.Value:
        if cell.type().is_integer() or cell.type().is_floating():  # a text is one if it is spelt as JSON spells it
            whole = {int(text): code for text, code in coding.listed.items() if _INTEGER.fullmatch(text)}
            most = _WHOLE if cell.type().is_floating() else None
            listed: Mapping[Any, int] = {value: i for value, i in whole.items() if most is None or abs(value) <= most}
        else:
            listed = coding.listed
        return cell.cases(*listed.items(), else_=-1) if listed else ibis.ifelse(cell.isnull(), -1, -1)


def _finer(columns: Sequence[tuple[str, Coding]], place: int) -> int:
    """Return the place of the column from whose codes those of a column follow: its own, or that of a finer coding.

    A coding without cuts tells which cells are known, and so does each other one of the same cells.
    """
    name, coding = columns[place]
    if isinstance(coding, Steps) and not len(coding.cuts):
        for other, (own, other_coding) in enumerate(columns):
            if (
                own == name
                and isinstance(other_coding, Steps)
                and len(other_coding.cuts)
                and other_coding.whole == coding.whole
            ):
                return other
    return place


def _powers(u: ir.Value, sums: Sequence[str]) -> dict[str, ir.Value]:
    """Return the powers of units by names."""
    return dict(zip(sums, (u, u * u), strict=False))


def _added(groups: ir.Table, keys: Sequence[str], sums: Sequence[str]) -> ir.Table:
    """Return numbers of rows, and sums, of coarser groups."""
    return groups.aggregate(by=keys, **{column: groups[column].sum().cast("int64") for column in ("n", *sums)})


def _readable(backend: Any, kind: str | None) -> Any:
    """Return Ibis's type of a column that can be read and digested; None for any other."""
    if kind is None:
        return None
    try:
        dtype = backend.compiler.type_mapper.from_string(kind)
    except Exception:  # Ibis, sqlglot or a package that Ibis lacks
        return None
    plain = (
        dtype.is_boolean() or dtype.is_integer() or dtype.is_floating() or dtype.is_decimal() or dtype.is_string()
        or dtype.is_date() or dtype.is_timestamp()
    )  # fmt: skip
    return dtype if plain else None


def by_comparisons(number: ir.Value, cuts: Floats) -> ir.Value | None:
    """Return the number of cuts that a number reaches, by a comparison for each; None if they are many."""
    if len(cuts) > _COMPARED:
        return None
    reached = [(number >= exact(cut)).cast("int32") for cut in cuts.tolist()]
    return sum(reached[1:], reached[0]) if reached else ibis.literal(0)


def many_cuts(coding: Coding) -> bool:
    """Return whether no arithmetic and no few comparisons tell the codes of a column."""
    return isinstance(coding, Steps) and coding.first is None and len(coding.cuts) > _COMPARED


def bisected(number: ir.Value, cuts: Floats, reached: int = 0) -> ir.Value:
    """Return the number of cuts that a number reaches, by comparisons one inside the other: log2 of them a row."""
    if not len(cuts):
        return ibis.literal(reached).cast("int32")
    middle = len(cuts) // 2
    above = bisected(number, cuts[middle + 1 :], reached + middle + 1)
    return ibis.ifelse(number >= exact(float(cuts[middle])), above, bisected(number, cuts[:middle], reached))


def _dated(cell: ir.Value) -> ir.Value:
    """Return a date or a time of the years 1 to 9999, as they are spelt; others, as infinity, are missing."""
    first, last = ("0001-01-01", "9999-12-31") if cell.type().is_date() else (_FIRST, _LAST)
    ends = [ibis.literal(end).cast(cell.type()) for end in (first, last)]
    return ibis.ifelse(cell.between(*ends), cell, ibis.null(cell.type()))


def exact(number: float) -> ir.Value:
    """Return a float as a literal that no engine reads as a decimal, which may be another number."""
    return ibis.literal(repr(number)).cast("float64")


def _exact(cell: ir.Value) -> bool:
    """Return whether a column holds integers, signed ones of 64 bits at most, or what is counted as such."""
    kind = cell.type()
    if kind.is_boolean() or kind.is_date() or kind.is_timestamp():
        return True
    return bool(kind.is_integer() and not kind.is_uint64())


def adapted(cell: ir.Value, coding: Coding) -> Coding:
    """Return a coding of the cells of a column, by integer cuts if it holds integers."""
    return coding.on_integers if isinstance(coding, Steps) and _exact(cell) else coding


def _is_spelt(cell: ir.Value, coding: Coding) -> bool:
    """Return whether a cell is a text that is compared with others."""
    return isinstance(coding, Listed) and bool(cell.type().is_string())


def few_values(cell: ir.Value, coding: Coding, most: int = FEW) -> bool:
    """Return whether a column is declared so that few values are to be expected: by its type and declaration alone."""
    if isinstance(coding, Listed):
        return True
    return _exact(cell) and (not len(coding.cuts) or float(np.ptp(coding.cuts)) <= most)


def codes_of(coding: Coding) -> Integers:
    """Return the code of each piece; the last one is that of what is unknown, and has the place -1, too."""
    if isinstance(coding, Steps):
        return np.append(coding.pieces, coding.unknown)
    return np.append(np.arange(max(coding.listed.values()) + 1), coding.unknown)


def numbers_of(answer: pa.Table, name: str) -> Integers:
    """Return a column of integers."""
    return answer.column(name).cast(pa.int64()).to_numpy()
