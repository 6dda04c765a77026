"""Columns of a DataFrame as a request declares them: numbers, categories, dates, and what stands for unknown cells."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from semipriv.core.errors import PublicError
from semipriv.core.registry import plain
from semipriv.core.samples import Points
from semipriv.practice.columns.features import NO_PUBLIC_ROW, no_public_rows
from semipriv.practice.columns.schema import Records
from semipriv.practice.estimators.door import names_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["check_columns", "declared_columns", "described_columns", "tabled"]


def declared_columns(
    columns: Any,
    public: Any,
    *,
    one_hot: bool,
    apart: bool = False,
    groups: Collection[str] = (),
    what: str = "columns",
) -> tuple[Records, Points]:
    """Return the records of declared columns, and the public points (m, d), none without public rows.

    columns: a mapping of columns to their keys, those of ``features`` of a request.  public: a DataFrame, or a mapping
    of columns, that has these; or None.  one_hot: whether listed categories are a coordinate each if nothing is said.
    apart: whether unknown cells of a range are marked by an indicator unless declared otherwise.  groups: columns by
    which numbers are reported.  what: name of the parameter.

    Raise ValueError, naming column, key and what is allowed, for anything else.
    """
    from semipriv.practice.asking.keys import FeatureKeys, features_of  # noqa: PLC0415
    from semipriv.settings.checking import checked  # noqa: PLC0415  (a slow import, for declared columns only)

    if not isinstance(columns, Mapping) or not columns:
        raise ValueError(f"{what} = {columns!r}: must be a mapping of columns to what they may hold, or None")
    keys = {}
    for column, given in columns.items():
        if not isinstance(column, str) or not isinstance(given, Mapping):
            raise ValueError(f"{what}: {column!r}: {given!r} must be a mapping, as {{'range': [0, 1]}}")
        try:
            keys[column] = checked(FeatureKeys, given)
        except ValueError as error:
            raise ValueError(f"{what}[{column!r}]: {error}") from None
    try:
        features = features_of(keys, one_hot=one_hot, apart=apart, public=public is not None, groups=groups)
        records = Records(features)
    except ValueError as error:
        raise ValueError(str(error).replace("features.", f"{what}: ", 1)) from None
    if public is None:
        for feature in records.features:
            if feature.open:
                raise ValueError(f"{what}[{feature.column!r}]: {no_public_rows(feature)}")
            if feature.reads_public:
                raise ValueError(f"{what}[{feature.column!r}]['unknown']: {NO_PUBLIC_ROW}")
        return records, np.empty((0, records.width))
    if np.ndim(public) == 0 and not isinstance(public, Mapping) and not hasattr(public, "columns"):
        raise ValueError(f"public = {public!r}: must be a table of the declared columns, or None")
    check_columns(records, public, "public")
    chunk = records.chunk(public, "public")
    if not len(chunk.numbers):
        raise ValueError("public: has no row")
    records = records.closed([chunk])
    return records, records.encode(chunk, labelled=False)[0]


def check_columns(records: Records, table: Any, what: str) -> None:
    """Raise PublicError, with the nearest name, for a table with names that lacks a declared column.

    A message repeats a column name of the table only if it equals a declared name up to case.
    """
    known = names_of(table)
    if known is None:
        return
    for feature in records.features:
        if feature.column not in known:
            near = [name for name in known if isinstance(name, str) and plain(name) == plain(feature.column)]
            hint = f": did you mean {near[0]!r}?" if near else ""
            needed = ", ".join(declared.column for declared in records.features)
            raise PublicError(f"{what}: column {feature.column!r} is missing (needed: {needed}){hint}")


def tabled(records: Records, points: Points) -> "pd.DataFrame":
    """Return points (n, d), which are places, as the table of the schema of the records."""
    return records.schema.table(points.astype(np.int64))


def described_columns(records: Records) -> dict[str, dict[str, Any]]:
    """Return the parameter ``columns`` that declares these records, with all values that public rows gave."""
    described, left = [feature.description() for feature in records.features], {"column", "public_values"}
    return {
        description["column"]: {key: value for key, value in description.items() if key not in left}
        for description in described
    }
