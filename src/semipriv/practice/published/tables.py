"""Synthetic tables as files: their columns, with the types of the public table where these hold every declared value.

Types are decided by names, types and declarations alone, before anything is drawn, and are stored with the draw.  So
the bytes of a file follow from what is stored, whatever becomes of the tables of the request.
"""

import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from semipriv.core.errors import PublicError
from semipriv.learners.outputs.report import Report
from semipriv.practice.asking.candidate import REPORT, SYNTHETIC
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.cells import ColumnTypeError
from semipriv.practice.columns.features import Feature, Integers, Range
from semipriv.practice.columns.schema import Records
from semipriv.practice.published.folder import table_name
from semipriv.practice.published.model import Model
from semipriv.practice.published.reports import report_summary, report_table

SUFFIXES = (".csv", ".parquet")
"""Suffixes of tables."""

TABLES = tuple(f"{stem}{suffix}" for stem in (SYNTHETIC, REPORT) for suffix in SUFFIXES)
"""Names that a table may have, synthetic or a report."""
_WORDS = pa.dictionary(pa.int32(), pa.string())
_TYPES: dict[str, pa.DataType] = {
    str(kind): kind
    for kind in (
        pa.bool_(),
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float16(), pa.float32(), pa.float64()),
        *(pa.string(), pa.large_string(), _WORDS),
        *(pa.date32(), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns")),
    )
}
"""Types that a column may have, by the names that are stored; and decimals.  Parquet has no times in seconds."""
_DECIMAL = re.compile(r"decimal128\(([0-9]{1,2}), (-?[0-9]{1,2})\)", re.ASCII)


# ---------------------------------------------------------------------------------------------------- types
def table_of(request: Request, records: Records) -> dict[str, Any] | None:
    """Return name and types of the table of a request, as values of JSON; None if what is released predicts.

    records: of the request, their values known.  Types are of synthetic tables alone: those of a report are its own.
    """
    name = table_name(request)
    if name is None:
        return None
    if name.startswith(REPORT):
        return {"name": name, "types": {}}
    source = request.public or request.private
    known = source.types(source.parts[0]) if source.suffix == ".parquet" else {}
    return {"name": name, "types": types_of(records, known) if name.endswith(".parquet") else {}}


def types_of(records: Records, known: Mapping[str, pa.DataType]) -> dict[str, str]:
    """Return the names of the types of all columns of a Parquet file.

    known: types of the columns of the public table.  Each is kept if it is read as what is declared, and if every value
    that the column is declared to take is the same in it.  Else the column has the type of its values: 64-bit integers,
    doubles, texts, dates or times.
    """
    return {feature.column: str(_type_of(feature, known.get(feature.column))) for feature in records.features}


def _type_of(feature: Feature, known: pa.DataType | None) -> pa.DataType:
    values = _extremes(feature)
    own = pa.timestamp("ms") if values.type == pa.timestamp("s") else values.type
    if known is None:
        return own
    if pa.types.is_dictionary(known):
        known = _WORDS if pa.types.is_string(own) else known.value_type
    if pa.types.is_timestamp(known) and known.unit == "s":
        known = pa.timestamp("ms", known.tz)
    kept = _is_named(known) and _is_read(known, feature) and _holds(known, values) and not _is_dense(feature)
    return known if kept else own


def _is_dense(feature: Feature) -> bool:
    """Return whether a column takes all numbers between two, which a double alone holds."""
    return isinstance(feature, Range) and feature.unit is None


def _extremes(feature: Feature) -> pa.Array:
    """Return all values that a column is declared to take; of integers and dates the least two and the greatest two.

    A type that holds these four holds all between them.  Signed, unsigned and decimal types and times hold an interval.
    A float holds two neighbouring integers only if it holds all that are nearer to 0.  Texts hold all, and dates hold
    times only if two neighbours are dates.
    """
    if not isinstance(feature, Range | Integers):
        return _listed(feature)
    least, greatest = feature.limits
    steps = np.unique([0.0, min(1.0, greatest - least), max(greatest - least - 1, 0.0), greatest - least])
    return feature.decode(steps if isinstance(feature, Integers) else steps / (greatest - least))


def _is_named(kind: pa.DataType) -> bool:
    return str(kind) in _TYPES or _DECIMAL.fullmatch(str(kind)) is not None


def _named(name: str) -> pa.DataType:
    """Return the type of this name; raise ValueError for another name."""
    decimal = _DECIMAL.fullmatch(name)
    if decimal is None and name not in _TYPES:
        raise ValueError("a type of the synthetic table is unknown here")
    return _TYPES[name] if decimal is None else pa.decimal128(int(decimal[1]), int(decimal[2]))


def _is_read(kind: pa.DataType, feature: Feature) -> bool:
    """Return whether a column of this type is read as what is declared."""
    try:
        feature.check_type(kind)
    except ColumnTypeError:
        return False
    return True


def _holds(kind: pa.DataType, values: pa.Array) -> bool:
    """Return whether values are the same when they come back from a type."""
    try:
        return bool(values.cast(kind).cast(values.type).equals(values))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False


# ---------------------------------------------------------------------------------------------------- files
def typed(table: pa.Table, types: Mapping[str, str]) -> pa.Table:
    """Return a table of which the columns have these types, by their names; raise ValueError if a cell changes."""
    for i, name in enumerate(table.column_names):
        if name in types:
            cells = table.column(i).cast(_named(types[name]))
            if not cells.cast(table.column(i).type).equals(table.column(i)):
                raise ValueError("a cell of the synthetic table changes with its type")
            table = table.set_column(i, name, cells)
    return table


def following(model: Model, types: Mapping[str, str], periods: Sequence[str]) -> pa.Table:
    """Return the table that follows from a model: a report, or a synthetic table, whose columns have these types.

    periods: of the private rows, which a report names; none for a ledger without periods.
    """
    if isinstance(model.output, Report):
        return report_table(model.output, model.name, periods)
    return synthetic_table(model, types)


def told_of_table(model: Model, types: Mapping[str, str], periods: Sequence[str]) -> dict[str, Any]:
    """Return what a certificate says of the table that follows from a model, by the names of its entries."""
    if isinstance(model.output, Report):
        return {"synthetic_table": None, "report": report_summary(model.output, periods)}
    return {"synthetic_table": {**(model.synthetic_summary() or {}), "types": dict(types)}}


def synthetic_table(model: Model, types: Mapping[str, str]) -> pa.Table:
    """Return the synthetic table of a model, of as many rows as private ones, with these types.

    Raise ValueError if a cell is not what is declared, or changes with its type.
    """
    table = typed(model.synthetic(model.sizes["n_private"]), types)
    check_declared(table, model.records)
    return table


def check_declared(table: pa.Table, records: Records) -> None:
    """Raise PublicError, with the column, unless each cell is a value that its column is declared to take."""
    if table.column_names != [feature.column for feature in records.features]:
        raise PublicError("the synthetic table has other columns than are declared")
    for feature in records.features:
        if not _is_declared(table.column(feature.column), feature):
            raise PublicError(f"the synthetic table: column {feature.column!r} has a cell that is not declared")


def _is_declared(cells: pa.ChunkedArray, feature: Feature) -> bool:
    if isinstance(feature, Range | Integers):
        numbers, known = feature.read(cells)
        low, high = feature.limits
        return bool(known.all() and np.all((numbers >= low) & (numbers <= high)))
    declared = _listed(feature)
    return bool(pc.all(pc.is_in(pc.unique(cells.cast(declared.type)), declared)).as_py())


def _listed(feature: Feature) -> pa.Array:
    """Return all values that a column of categories or bins is declared to take, missing cells among them."""
    low, high = feature.ends
    return feature.decode(np.arange(low, high + 1))


def written(table: pa.Table, suffix: str) -> bytes:
    """Return a table as a file with this suffix; another version of pyarrow may write other bytes for Parquet."""
    target = pa.BufferOutputStream()
    if suffix == ".parquet":
        pq.write_table(table, target)
    else:
        pa.csv.write_csv(table, target)
    return bytes(target.getvalue().to_pybytes())


def is_exact(content: bytes, must: pa.Table) -> bool:
    """Return whether a Parquet file says what that of a table says: names, types, metadata and all cells.

    The bytes may be those of any writer of Parquet.
    """
    table, own = (pq.read_table(BytesIO(file_bytes)) for file_bytes in (content, written(must, ".parquet")))
    return bool(table.schema.equals(own.schema, check_metadata=True) and table.equals(own))
