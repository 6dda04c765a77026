"""Features of a private table, by their declarations: a range of numbers, integers, categories, or bins."""

from collections.abc import Mapping
from typing import Any

from semipriv.practice.columns.between import Integers, Range
from semipriv.practice.columns.bins import Bins
from semipriv.practice.columns.categories import Categories
from semipriv.practice.columns.feature import PUBLIC, REFUSE, USUAL, Feature

__all__ = [
    "KINDS",
    "NO_PUBLIC_ROW",
    "PUBLIC",
    "REFUSE",
    "Bins",
    "Categories",
    "Feature",
    "Integers",
    "Range",
    "feature",
    "no_public_rows",
    "restored_feature",
]

NO_PUBLIC_ROW = "no public row says what stands for a cell that is missing or not as declared: declare it, or refuse"
"""What is said of a column for whose unknown cells nothing is declared, where there are no public rows."""
_KINDS: tuple[type[Any], ...] = (Range, Integers, Categories, Bins)
KINDS = tuple(feature_type.kind for feature_type in _KINDS)
_MORE = {
    "unit": (Range.kind, Integers.kind, Bins.kind),
    "indicator": (Range.kind, Integers.kind),
    "one_hot": (Categories.kind,),
    "middles": (Bins.kind,),
    "public_values": (Range.kind, Integers.kind),
}
"""What else may be declared, and of which kinds."""
_WHY_NOT = {
    "unit": "is for dates and times of a range, integers or bins, categories have none",
    "indicator": "is for a range or integers; categories and bins have an `unknown` of its own",
    "one_hot": "is for categories; a range, integers or bins is one coordinate",
}


def feature(column: str, declared: Mapping[str, Any]) -> Feature:
    """Return the feature of a column; raise ValueError unless exactly one of ``KINDS`` is declared.

    Public rows decide the value of unknown cells, if none is declared.

    >>> feature("age", {"integers": [0, 120]}).ends, feature("age", {"integers": [0, 120]}).unknown
    ((0.0, 120.0), <Usual.UNKNOWN: 'public'>)
    >>> feature("age", {})
    Traceback (most recent call last):
    ValueError: features.age: needs one of range, integers, categories, bins; nothing is inferred from private rows
    """
    kinds = [kind for kind in KINDS if declared.get(kind) is not None]
    if len(kinds) != 1:
        rule = "; nothing is inferred from private rows" if not kinds else f", got {' and '.join(kinds)}"
        raise ValueError(f"features.{column}: needs one of {', '.join(KINDS)}{rule}")
    try:
        options = {key: declared[key] for key in _MORE if declared.get(key) is not None and declared[key] is not False}
        for key in options:
            if kinds[0] not in _MORE[key]:
                raise ValueError(f"{key}: {_WHY_NOT[key]}")
        unknown = _unknown(declared.get("unknown"), declared[kinds[0]])
        built: Feature = _KINDS[KINDS.index(kinds[0])](column, declared[kinds[0]], unknown=unknown, **options)
    except ValueError as error:
        raise ValueError(f"features.{column}: {error}") from None
    return built


def _unknown(given: Any, values: Any) -> Any:
    """Return the value of unknown cells; a word that is also a declared value means that value."""
    if given is None:
        return USUAL
    listed = values if isinstance(values, list | tuple) else ()
    if not isinstance(given, str) or given not in (PUBLIC, REFUSE) or given in listed:
        return given
    return USUAL if given == PUBLIC else None


def no_public_rows(column: Feature) -> str:
    """Return what is said of a column that is declared by public rows, where there are none: what to write instead.

    >>> no_public_rows(feature("age", {"range": "public"}))
    "range = 'public': takes the ends of public rows, and there are none: give the ends, as [0, 100]"
    """
    given = column.description()[column.kind]
    if isinstance(column, Bins) and not isinstance(given, int):
        what = "public rows tell what stands for each bin in a made-up row"
        ends = "[0, 100]" if column.unit is None else "[2023-01-01, 2023-12-31]"
        return f"bins = {given!r}: {what}, and there are none: declare integers, as {ends}"
    if isinstance(column, Bins):
        what = "a number of bins is cut at quantiles of public rows"
        instead = "for statistics list their ends, as [0, 10, 50]; for a synthetic table declare integers"
    elif isinstance(column, Categories):
        what, instead = "lists the texts of public rows", "list all values, as [north, south]"
    else:
        what, instead = "takes the ends of public rows", "give the ends, as [0, 100]"
    return f"{column.kind} = {given!r}: {what}, and there are none: {instead}"


def restored_feature(description: Mapping[str, Any]) -> Feature:
    """Return the feature with this description."""
    return feature(description["column"], description)
