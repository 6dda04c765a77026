"""A report as a table: statistics by group with their limits, as they stand in the model."""

from typing import Any

import numpy as np
import pyarrow as pa

from semipriv.learners.outputs.report import KINDS, Report, Row

MEANING = {
    "statistic": "count, sum, mean, variance, or a quantile with its level",
    "column": "column of the numbers; empty for a count",
    "by": "columns of the groups; empty: all rows are one group",
    "group": "values of these columns in this group",
    "value": "the released number",
    "low": "lower limit of what the number is without noise, for this number by itself",
    "high": "upper limit",
    "noise_sd": "standard deviation of the noise in the number",
    "kind": f"{KINDS[0]}: noise was added, and nothing else; others: moved towards public rows or other groups besides",
}
"""What the columns of a report are."""


def report_table(report: Report) -> pa.Table:
    """Return a row for each number, with the columns of ``MEANING``; what is not known is missing."""
    rows = list(report.rows())
    columns = dict(zip(Row._fields, map(list, zip(*rows, strict=True)), strict=True))
    texts = {name: pa.array(columns[name], pa.string()) for name in ("statistic", "column", "by", "group", "kind")}
    numbers = {name: _numbers(columns[name]) for name in ("value", "low", "high", "noise_sd")}
    return pa.table({name: (texts | numbers)[name] for name in MEANING}).replace_schema_metadata(MEANING)


def _numbers(given: list[float]) -> pa.Array:
    numbers = np.array(given, np.float64)
    return pa.array(numbers, mask=np.isnan(numbers))


def report_summary(report: Report) -> dict[str, Any]:
    """Return what a certificate says of a report, as values of JSON."""
    return {
        "numbers": len(report),
        "measured": [list(one) for one in report.tables],
        "clipped_to": {name: list(map(float, ends)) for name, ends in report.ends.items()},
        "limits_hold_with_probability": report.interval,
        "columns": dict(MEANING),
    }
