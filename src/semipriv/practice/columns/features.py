"""Features of an own table, by what is declared of them: a range of numbers, integers, categories, or bins."""

from collections.abc import Mapping
from typing import Any

from semipriv.practice.columns.between import Integers, Range
from semipriv.practice.columns.bins import Bins
from semipriv.practice.columns.categories import Categories
from semipriv.practice.columns.feature import PUBLIC, Feature

__all__ = ["KINDS", "PUBLIC", "Bins", "Categories", "Feature", "Integers", "Range", "feature", "restored_feature"]

_KINDS: tuple[type[Any], ...] = (Range, Integers, Categories, Bins)
KINDS = tuple(one.kind for one in _KINDS)
_MORE = {
    "unknown": KINDS,
    "unit": (Range.kind, Integers.kind, Bins.kind),
    "indicator": (Range.kind, Integers.kind),
    "one_hot": (Categories.kind,),
    "middles": (Bins.kind,),
}
"""What else may be declared, and of which kinds."""
_WHY_NOT = {
    "unit": "is for dates and times of a range, integers or bins, categories have none",
    "indicator": "is for a range or integers; categories and bins have an `unknown` of its own",
    "one_hot": "is for categories; a range, integers or bins is one coordinate",
}


def feature(column: str, declared: Mapping[str, Any]) -> Feature:
    """Return the feature of a column; raise ValueError unless exactly one of ``KINDS`` is declared.

    >>> feature("age", {"integers": [0, 120]}).ends
    (0.0, 120.0)
    >>> feature("age", {})
    Traceback (most recent call last):
    ValueError: features.age: needs one of range, integers, categories, bins; nothing is inferred from private rows
    """
    kinds = [kind for kind in KINDS if declared.get(kind) is not None]
    if len(kinds) != 1:
        rule = "; nothing is inferred from private rows" if not kinds else f", got {' and '.join(kinds)}"
        raise ValueError(f"features.{column}: needs one of {', '.join(KINDS)}{rule}")
    try:
        more = {key: declared[key] for key in _MORE if declared.get(key) is not None and declared[key] is not False}
        for key in more:
            if kinds[0] not in _MORE[key]:
                raise ValueError(f"{key}: {_WHY_NOT[key]}")
        built: Feature = _KINDS[KINDS.index(kinds[0])](column, declared[kinds[0]], **more)
    except ValueError as error:
        raise ValueError(f"features.{column}: {error}") from None
    return built


def restored_feature(description: Mapping[str, Any]) -> Feature:
    """Return the feature with this description."""
    return feature(description["column"], description)
