"""Whose rows are whose, as a fit is told: ``groups``, a name for each row, or columns of a DataFrame."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from semipriv.core.errors import PublicError
from semipriv.core.persons import Persons
from semipriv.learners.base import AnyLearner
from semipriv.practice.columns.alone import is_of_objects
from semipriv.practice.columns.cells import ColumnTypeError, undictionaried
from semipriv.practice.columns.schema import Chunk
from semipriv.practice.estimators.door import names_of
from semipriv.practice.sums.tallies import AVERAGE, ONE
from semipriv.privacy.guarantee import Guarantee, by_person

__all__ = ["check_counting", "check_names", "guarantee_by_person", "listed", "named", "persons_of"]

_OTHER = object()
"""Of a cell that names nobody and is not missing."""


def check_counting(rows: Any, given: bool) -> None:
    """Raise ValueError unless ``rows`` is one of the ways to count the rows of persons, and persons are named.

    given: whether the fit was told whose rows are whose.
    """
    if rows not in (AVERAGE, ONE, None):
        raise ValueError(f"rows = {rows!r}: must be {AVERAGE!r}, {ONE!r} or None")
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
    a name are together one person.  Raise PublicError for other types, and for another number of names than ``rows``.
    """
    names = names_of(given)
    if names is not None and len(set(map(str, names))) < len(names):
        raise PublicError("groups: two columns have names that are the same as texts")
    return _persons({"groups": given} if names is None else {str(one): given[one] for one in names}, rows, "groups")


def check_names(columns: Any, learned: Collection[str]) -> None:
    """Raise ValueError unless columns that name persons are a name, or a list of such, and none is learned from.

    columns: the parameter, or None.  learned: names of the columns that are learned from.
    """
    if columns is None:
        return
    each = listed(columns)
    if not isinstance(each, list | tuple) or not each or not all(isinstance(one, str) for one in each):
        raise ValueError(f"person = {columns!r}: must be a column of the private table, or a list of such")
    for one in each:
        if one in learned:
            raise ValueError(f"person: {one!r} is also a column of the schema: a name is not learned from")


def listed(columns: Any) -> Any:
    """Return columns that name persons as a list: of one name, of none, or as it is.

    >>> listed("patient"), listed(None), listed(["patient", "month"])
    (['patient'], [], ['patient', 'month'])
    """
    return [columns] if isinstance(columns, str) else [] if columns is None else columns


def named(table: Any, columns: Any, rows: int, what: str) -> Persons:
    """Return the persons of the rows of a table by its columns; raise PublicError as ``persons_of`` does.

    columns: as ``check_names`` takes them.  what: what the table is called.
    """
    each = listed(columns)
    known = names_of(table) or []
    for one in each:
        if one not in known:
            raise PublicError(f"{what}: column {one!r} is missing, by which persons are known")
    return _persons({one: table[one] for one in each}, rows, what)


def _persons(columns: Mapping[str, Any], rows: int, what: str) -> Persons:
    """Return the persons whom columns name together."""
    from semipriv.practice.asking.persons import PersonColumns  # noqa: PLC0415  (a slow import, for persons only)

    asked = PersonColumns(columns)
    arrays = {}
    for one in asked.declared:
        place = what if one.column == what else f"{what}: column {one.column!r}"
        array = _array(columns[one.column], place)
        if len(array) != rows:
            raise PublicError(f"{place}: must name a person for each row of the table, and is of another length")
        wrong = None
        try:
            one.check_type(array.type)
        except ColumnTypeError as error:
            wrong = str(error)
        if wrong is not None:
            floats = pa.types.is_floating(array.type)
            hint = " (integers of pandas beside missing ones are floats: read them as 'Int64')" if floats else ""
            raise PublicError(f"{place}: {wrong}{hint}")
        arrays[one.column] = array
    return asked.of([Chunk(what, pa.table(arrays), np.arange(1, rows + 1))])


def _array(given: Any, place: str) -> pa.ChunkedArray:
    """Return names as an array of Arrow: of the type of their column, or, of Python objects, one text for each."""
    wrong = "cannot be read, must be integers, texts or dates, one for each row"
    try:
        if isinstance(given, pa.ChunkedArray | pa.Array):
            array = given
        elif getattr(given, "ndim", 1) != 1:
            array, wrong = None, "must be one name for each row, (n,)"
        else:
            array = _texts(given, place) if is_of_objects(given) else pa.array(given, from_pandas=True)
        if array is not None:
            chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
            chunked = undictionaried(chunked)
            return pc.cast(chunked, pa.string()) if pa.types.is_timestamp(chunked.type) else chunked
    except PublicError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError):  # their messages hold cells
        pass
    raise PublicError(f"{place}: {wrong}")  # here no other error hangs on it


def _texts(cells: Any, place: str) -> pa.Array:
    """Return a text for each of Python objects, null for a missing one; raise PublicError, with the row, for others."""
    texts = [_text(cell) for cell in cells]
    if _OTHER in texts:
        raise PublicError(f"{place}: row {texts.index(_OTHER)}: must be an integer, a text or a date, or be missing")
    return pa.array(texts, pa.large_string())


def _text(cell: Any) -> Any:
    """Return the text of a cell that names a person, None of a missing one, ``_OTHER`` of any other."""
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
        case date():
            text = cell.isoformat()
            return None if text == "NaT" else text
        case np.datetime64():
            return None if np.isnat(cell) else str(cell)
    return None if type(cell).__name__ == "NAType" else _OTHER
