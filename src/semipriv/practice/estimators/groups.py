"""Whose rows are whose, as a fit is told: ``groups``, a name for each row, or columns of a DataFrame."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from semipriv.core.errors import PublicError
from semipriv.core.persons import Persons
from semipriv.core.registry import plain
from semipriv.learners.base import AnyLearner
from semipriv.practice.asking.persons import INSTANT, PersonColumns
from semipriv.practice.columns.alone import is_of_objects
from semipriv.practice.columns.cells import ColumnTypeError, undictionaried
from semipriv.practice.columns.schema import Chunk
from semipriv.practice.estimators.door import names_of
from semipriv.practice.sums.statistic import AVERAGE, ONE
from semipriv.privacy.guarantee import Guarantee, by_person

__all__ = [
    "check_counting",
    "check_names",
    "check_there",
    "columns_of",
    "guarantee_by_person",
    "listed",
    "named",
    "persons_of",
]

_OTHER, _TIME = object(), object()
_REFUSED = {
    _OTHER: "must be an integer, a text or a date, or be missing",
    _TIME: f"is a time of day, which {INSTANT}",
}
"""What stands for a cell that names nobody and is not missing, and what is said of it."""
_WHOLE_DAYS = ("Y", "M", "W", "D")
"""Units of dates of NumPy that have no time of day."""


def check_counting(rows: Any, given: bool) -> None:
    """Raise ValueError unless ``rows`` is one of the ways to count the rows of persons, and persons are named.

    given: whether the fit was told whose rows are whose.
    """
    if not (rows is None or (isinstance(rows, str) and rows in (AVERAGE, ONE))):
        what = f"rows = {rows!r}" if isinstance(rows, str) else f"rows: is {type(rows).__name__}"
        raise ValueError(f"{what}, must be {AVERAGE!r}, {ONE!r} or None")
    if rows is not None and not given:
        raise ValueError(f"rows = {rows!r}: says how the rows of a person count, and no persons are named")


def guarantee_by_person(learner: AnyLearner) -> Guarantee | None:
    """Return the guarantee of a learner for replacing a person; raise ValueError if there is none for persons."""
    guarantee = learner.guarantee
    try:
        return None if guarantee is None else by_person(guarantee)
    except ValueError:
        raise ValueError(
            f"groups: {learner.title} protects {learner.protects}, and its proof does not extend to persons"
        ) from None


def persons_of(given: Any, rows: int) -> Persons:
    """Return the persons of the rows of a fit.

    given: (n,) integers, texts or dates, or a DataFrame of several columns, which name a person together.  Rows without
    a name are together one person.  Raise PublicError for other types, times of day among them, and for another number
    of names than ``rows``.
    """
    names = names_of(given)
    if names is not None and len(set(map(str, names))) < len(names):
        raise PublicError("groups: two columns have names that are the same as texts")
    return _persons({"groups": given} if names is None else {str(name): given[name] for name in names}, rows, "groups")


def columns_of(given: Any) -> tuple[str, ...] | None:
    """Return the names of the columns that name a person, as ``persons_of`` takes them; None for an array without one.

    >>> columns_of({"patient": [1, 2], "month": ["1", "1"]}), columns_of([1, 2])
    (('patient', 'month'), None)
    """
    names = names_of(given)
    if names is None:
        name = getattr(given, "name", None)  # of a column of pandas
        names = [] if name is None else [name]
    return tuple(map(str, names)) or None


def check_names(columns: Any, learned: Collection[str]) -> None:
    """Raise ValueError unless columns that name persons are a name, or a list of such, and none is learned from.

    columns: the parameter, or None.  learned: names of the columns that are learned from.
    """
    if columns is None:
        return
    names = listed(columns)
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError(
            f"person: is {type(columns).__name__}, must be the name of a column of the private table, or a list of such"
        )
    for name in names:
        if name in learned:
            raise ValueError(f"person: {name!r} is also a column of the schema: a name is not learned from")


def listed(columns: Any) -> Any:
    """Return columns that name persons as a list: of one name, of none, or as it is.

    >>> listed("patient"), listed(None), listed(["patient", "month"])
    (['patient'], [], ['patient', 'month'])
    """
    return [columns] if isinstance(columns, str) else [] if columns is None else columns


def check_there(table: Any, columns: Any, what: str) -> None:
    """Raise PublicError, with a name that is nearly the same, if a table with names lacks a column that names persons.

    columns: as ``check_names`` takes them.  what: what the table is called.
    """
    names = names_of(table)
    if names is None:
        return
    known = [name for name in names if isinstance(name, str)]
    for column in listed(columns):
        if column not in known:
            near = [name for name in known if plain(name) == plain(column)]
            hint = f": did you mean {near[0]!r}?" if near else ""
            raise PublicError(f"{what}: column {column!r} is missing, by which persons are known{hint}")


def named(table: Any, columns: Any, rows: int, what: str) -> Persons:
    """Return the persons of the rows of a table by its columns, which are there; raise as ``persons_of`` does.

    columns: as ``check_names`` takes them.  what: what the table is called.
    """
    return _persons({column: table[column] for column in listed(columns)}, rows, what)


def _persons(columns: Mapping[str, Any], rows: int, what: str) -> Persons:
    """Return the persons whom columns name together."""
    asked = PersonColumns(columns)
    arrays = {}
    for column in asked.declared:
        place = what if column.column == what else f"{what}: column {column.column!r}"
        array = _array(columns[column.column], place)
        if len(array) != rows:
            raise PublicError(f"{place}: must name a person for each row of the table, and is of another length")
        wrong = None
        try:
            column.check_type(array.type)
        except ColumnTypeError as error:
            wrong = str(error)
        if wrong is not None:
            raise PublicError(f"{place}: {wrong}{_hint(array.type)}")
        arrays[column.column] = array
    return asked.of([Chunk(what, pa.table(arrays), np.arange(1, rows + 1))])


def _hint(kind: pa.DataType) -> str:
    """Return what pandas may have made of names."""
    if pa.types.is_floating(kind):
        return " (integers of pandas beside missing ones are floats: read them as 'Int64')"
    return " (periods of pandas: take .astype(str))" if isinstance(kind, pa.BaseExtensionType) else ""


def _array(given: Any, place: str) -> pa.ChunkedArray:
    """Return names as an array of Arrow: of the type of their column, or, of Python objects, one text for each."""
    wrong = "cannot be read, must be integers, texts or dates, one for each row"
    try:
        if isinstance(given, pa.ChunkedArray | pa.Array):
            array = given
        elif getattr(given, "ndim", 1) != 1:
            array, wrong = None, "must be one name for each row, (n,)"
        else:
            array = _texts(given, place) if is_of_objects(given) else pa.array(_days(given), from_pandas=True)
        if array is not None:
            return undictionaried(array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array]))
    except PublicError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError):  # their messages hold cells
        pass
    raise PublicError(f"{place}: {wrong}")  # here no other error hangs on it


def _days(given: Any) -> Any:
    """Return months or years of NumPy as the dates of their first days, and anything else as it is."""
    kind = getattr(given, "dtype", None)
    whole = isinstance(kind, np.dtype) and kind.kind == "M" and np.datetime_data(kind)[0] in _WHOLE_DAYS
    return np.asarray(given).astype("datetime64[D]") if whole else given


def _texts(cells: Any, place: str) -> pa.Array:
    """Return a text for each of Python objects, null for a missing one; raise PublicError, with the row, for others."""
    texts = [_text(cell) for cell in cells]
    for wrong, reason in _REFUSED.items():
        if wrong in texts:
            raise PublicError(f"{place}: row {texts.index(wrong)}: {reason}")
    return pa.array(texts, pa.large_string())


def _text(cell: Any) -> Any:
    """Return the text of a cell that names a person, None of a missing one, a key of ``_REFUSED`` of any other."""
    match cell:
        case str():
            return str(cell)
        case bool() | np.bool_():
            return _OTHER
        case int() | np.integer():
            return str(int(cell))
        case None:
            return None
        case float() | np.floating():
            return None if np.isnan(cell) else _OTHER
        case datetime():
            return None if cell.isoformat() == "NaT" else _TIME
        case date():
            return cell.isoformat()
        case np.datetime64():
            if np.isnat(cell):
                return None
            return str(_days(cell)) if np.datetime_data(cell.dtype)[0] in _WHOLE_DAYS else _TIME
    return None if type(cell).__name__ == "NAType" else _OTHER
