"""A report as a table: statistics by group with their limits, as they stand in the model."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from semipriv.learners.outputs.report import KINDS, Report, Row

MEANING = {
    "statistic": "count, sum, mean, variance, or a quantile with its level",
    "column": "column of the numbers; empty for a count",
    "by": "columns of the groups; empty: all rows are one group",
    "group": "values of these columns in this group, joined; each stands in a column of its own, too",
    "value": "the released number",
    "low": "lower limit of what the number is without noise, for this number by itself; empty where nothing proves one",
    "high": "upper limit; empty where nothing proves one",
    "noise_sd": "standard deviation of the noise in the number; empty of quantiles, and of numbers that lean",
    "kind": f"{KINDS[0]}: noise was added, and nothing else; others: moved towards public rows or other groups besides",
    "clipped_low": "lower end to which cells were clipped before they were summed; number and limits are of these",
    "clipped_high": "upper end",
}
"""What the columns of a report are, but for those by which groups are: these stand after them."""


OF_RELEASE = {"release": "name of the release", "period": "periods of the private rows, by the word of the request"}
"""The last columns: each is the same in all rows, so that reports of several months can be put below each other."""


def meaning(report: Report, periods: Sequence[str] = ()) -> dict[str, str]:
    """Return what each column of the table of a report is; periods: of its rows, none for a ledger without periods."""
    groups = {own: f"value of the column {name!r} in this group" for name, own in report.variables.items()}
    same = {_named(name, groups): OF_RELEASE[name] for name in _of_release("", periods)}
    return MEANING | groups | same


def _of_release(name: str, periods: Sequence[str]) -> dict[str, str]:
    return {"release": name, "period": ", ".join(periods)} if periods else {"release": name}


def _named(name: str, groups: Collection[str]) -> str:
    """Return the name of a column of ``OF_RELEASE``, another one if there is a column of groups of this name."""
    while name in groups:
        name += " (all rows)"
    return name


def report_table(report: Report, name: str, periods: Sequence[str] = ()) -> pa.Table:
    """Return a row for each number, with the columns of ``meaning``; unknown values are null.

    name: of the release.
    """
    groups = report.grouped()
    values: dict[str, Any] = dict(zip(Row._fields, map(list, zip(*report.rows(), strict=True)), strict=True)) | groups
    values |= {_named(key, groups): [value] * len(report) for key, value in _of_release(name, periods).items()}
    numbers = [name for name, kind in Row.__annotations__.items() if kind is float]
    meanings = meaning(report, periods)
    columns = {
        name: _numbers(values[name]) if name in numbers else pa.array(values[name], pa.string()) for name in meanings
    }
    return pa.table(columns).replace_schema_metadata(meanings)


def _numbers(given: list[float]) -> pa.Array:
    numbers = np.array(given, np.float64)
    return pa.array(numbers, mask=np.isnan(numbers))


def report_summary(report: Report, periods: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a certificate says of a report, as values of JSON."""
    return {
        "numbers": len(report),
        "measured": [list(table) for table in report.tables],
        "clipped_to": {name: list(map(float, ends)) for name, ends in report.ends.items()},
        "limits_hold_with_probability": report.interval,
        "columns": meaning(report, periods),
    }
