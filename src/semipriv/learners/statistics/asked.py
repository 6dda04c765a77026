"""Statistics that are asked for, as values: counts, sums, means, variances and quantiles by group."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from semipriv.core import checks
from semipriv.core.fields import checked, positive, value
from semipriv.core.registry import check_name, plain
from semipriv.queries.residuals import Key
from semipriv.queries.unit_mass import Levels, ReportSchema

__all__ = ["KINDS", "Asked", "as_asked", "level", "levels_of", "table_of"]

KINDS = ("count", "sum", "mean", "variance", "quantiles")
OTHER_NAMES = {
    "median": "quantiles, with at: [0.5]",
    **dict.fromkeys(("quantile", "percentile", "percentiles"), "quantiles, with at: a list of levels in (0, 1)"),
    **dict.fromkeys(("min", "minimum"), "quantiles, with at: [0.01], as the least number is that of one row"),
    **dict.fromkeys(("max", "maximum"), "quantiles, with at: [0.99], as the greatest number is that of one row"),
    **dict.fromkeys(("average", "avg"), "mean"),
    **dict.fromkeys(("std", "sd", "stddev"), "variance, whose square root it is"),
    **dict.fromkeys(("size", "n", "rows"), "count"),
}
"""Words of other programs, and what is given for them here."""
_FINEST = 10_000
"""Largest denominator of a level: 1/3 is 3333/10000 or better."""


def level(at: float) -> Fraction:
    """Return a level as a fraction of small numbers, 0.1 as 1/10: the nearest with a denominator up to 10^4."""
    return Fraction(repr(float(at))).limit_denominator(_FINEST)


def _statistic(name: str, given: Any) -> str:
    if isinstance(given, str) and (like := OTHER_NAMES.get(plain(given))):
        raise ValueError(f"{name} = {given!r}: is none of {', '.join(KINDS)}: give {like}")
    return check_name(f"{name} of statistics", given, KINDS)


def _by(name: str, given: Any) -> tuple[str, ...]:
    listed = given.tolist() if isinstance(given, np.ndarray) else given
    names = (listed,) if isinstance(listed, str) else () if listed is None else listed
    if not isinstance(names, list | tuple) or not all(isinstance(column, str) for column in names):
        raise ValueError(f"{name} = {given!r}: must be a list of names of columns")
    twice = [column for i, column in enumerate(names) if column in names[:i]]
    if twice:
        raise ValueError(f"{name}: column {twice[0]!r} is listed twice")
    return tuple(names)


def _column(name: str, given: Any) -> str | None:
    if given is not None and (not isinstance(given, str) or not given):
        raise ValueError(f"{name} = {given!r}: must be text, the name of a column of numbers")
    return given


def _at(name: str, given: Any) -> tuple[float, ...]:
    listed = given.tolist() if isinstance(given, np.ndarray) else given
    many = listed if isinstance(listed, list | tuple) else [listed]
    levels = tuple(checks.between(name, share, 0, 1, closed="lh") for share in many)
    for i, share in enumerate(levels):
        if level(share) in (0, 1):
            end, instead = ("greatest", 0.99) if share > 0.5 else ("least", 0.01)
            raise ValueError(
                f"{name} = {share!r}: the {end} number cannot be told privately, as any number beyond it fits as well: "
                f"ask for {instead}"
            )
        if level(share) in map(level, levels[:i]):
            raise ValueError(f"{name}: {share!r} is listed twice, to four digits")
    return levels


def _wish(name: str, given: Any) -> float | None:
    return None if given is None else checks.positive(name, given)


@value
class Asked:
    """One statistic by group.

    Args:
        statistic: 'count', 'sum', 'mean', 'variance' (of the rows of a group, their number below) or 'quantiles'.
        column: the column of numbers; none for a count.
        by: columns of categories whose combinations are the groups; empty: all rows together.
        at: levels of quantiles, in (0, 1), to four digits.  No 0 and no 1: the least row and the greatest cannot be
            told privately, as any number beyond them fits as well.
        importance: > 0, what the logarithm of its variance counts in the allocation of the budget.
        wish: the largest standard error that is asked for, in the unit of the statistic, > 0; None: none.  The budget
            is moved towards a wish that is missed.  Not of quantiles, whose error nothing public tells.

    Raises:
        ValueError: for a count of a column, any other statistic without one, for levels where none belong or are
            missing, and for a wish of quantiles.

    Examples:
        >>> Asked("mean", "days", ["ward"]).by
        ('ward',)
    """

    statistic: str = checked(_statistic)
    column: str | None = checked(_column, default=None)
    by: tuple[str, ...] = checked(_by, default=())
    at: tuple[float, ...] = checked(_at, default=())
    importance: float = positive(default=1.0)
    wish: float | None = checked(_wish, default=None)

    def __attrs_post_init__(self) -> None:
        if self.statistic == "count" and self.column is not None:
            raise ValueError(f"column = {self.column!r}: a count has none, it counts rows")
        if self.statistic != "count" and self.column is None:
            raise ValueError(f"needs column, the column of numbers whose {self.statistic} is asked for")
        if self.statistic == "quantiles" and not self.at:
            raise ValueError("needs at, the levels of the quantiles: [0.5] is the median")
        if self.statistic != "quantiles" and self.at:
            raise ValueError(f"at = {list(self.at)!r}: is for quantiles only")
        if self.statistic == "quantiles" and self.wish is not None:
            raise ValueError(f"wish = {self.wish!r}: of quantiles no error is known beforehand, leave the key out")
        if self.column in self.by:
            raise ValueError(f"by: column {self.column!r} is the one whose {self.statistic} is asked for")

    @property
    def title(self) -> str:
        """What it is, in words."""
        column = f" of {self.column}" if self.column else ""
        return f"{self.statistic}{column}" + (f" by {', '.join(self.by)}" if self.by else "")

    def described(self) -> dict[str, Any]:
        """Return it as values of JSON; ``Asked(**description)`` inverts this."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in vars(self).items()}


def as_asked(name: str, given: Any) -> tuple[Asked, ...]:
    """Return statistics, given as they are or as mappings of their parameters; raise ValueError for duplicates.

    Two of the same kind, of the same column and by the same columns, in whatever order, are duplicates.
    """
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise ValueError(f"{name} = {given!r}: must be a list of at least one statistic")
    requests: list[Asked] = []
    for i, request in enumerate(given):
        place = f"{name}[{i}]"
        if not isinstance(request, Asked | Mapping):
            raise ValueError(f"{place} = {request!r}: must be a mapping with the key 'statistic'")
        new = request if isinstance(request, Asked) else _built(place, request)
        for other in requests:
            if (new.statistic, new.column, set(new.by)) == (other.statistic, other.column, set(other.by)):
                raise ValueError(f"{place}: the {new.title} is asked for twice")
        requests.append(new)
    return tuple(requests)


def _built(place: str, given: Mapping[str, Any]) -> Asked:
    fields = list(Asked.__annotations__)
    unknown = [key for key in given if key not in fields]
    if unknown or "statistic" not in given:
        wrong = f"unknown key {unknown[0]!r}" if unknown else "has no key 'statistic'"
        raise ValueError(f"{place}: {wrong}: must be of {', '.join(fields)}")
    try:
        return Asked(**given)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def table_of(request: Asked, schema: ReportSchema) -> Key:
    """Return the table that a statistic is read off: its groups' columns in the schema's order, then its number."""
    by = tuple(sorted(request.by, key=schema.place))
    return by if request.column is None else (*by, request.column)


def levels_of(column: str, asked: Sequence[Asked], schema: ReportSchema) -> Levels:
    """Return the levels of a number's tables: squares where a variance is asked for."""
    squares = any(request.statistic == "variance" and request.column == column for request in asked)
    return Levels(squares, schema.number(column).missing)
