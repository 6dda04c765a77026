"""The limits of the marginals of a released table, as a table: post-processing of the model alone."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from semipriv.learners.outputs.grown_rows import Interval
from semipriv.practice.columns.schema import Records
from semipriv.practice.published.model import Model

LEVEL = 0.9
"""Probability with which the limits hold of each cell."""
_DIGITS = 9
SAME = 2 * 10.0**-_DIGITS
"""Shares that differ by at most so much are the same, however a machine rounds."""
MEANING = {
    "columns": "columns of the marginal",
    "values": "their values in this cell; none is empty",
    "public": "share of the public rows; 0 where there are none",
    "rows": "share by the released weights",
    "noisy": "share of private rows with the noise that was drawn",
    "low": f"least share of the private rows that the noise leaves, {LEVEL:.0%} for each cell by itself",
    "high": "greatest one: these two hold whatever the population",
    "fit_low": "least share by the fit, an approximation: it takes public rows for a sample of the private population",
    "fit_high": "greatest one",
}


def intervals(model: Model) -> pa.Table:
    """Return a row for each cell of each measured marginal, and of each column by itself, as ``MEANING`` says."""
    output = model.output
    marginals = [*output.alone(LEVEL), *output.intervals(LEVEL)]
    names = [feature.column for feature in model.records.features]
    columns = [
        names_of for marginal in marginals for names_of in [[names[i] for i in marginal.columns]] * len(marginal.rows)
    ]
    sizes = model.records.schema.sizes
    values = [cell for marginal in marginals for cell in _cells(model.records, sizes, marginal.columns)]
    texts = pa.list_(pa.string())
    numbers = {
        name: np.concatenate([getattr(marginal, name) for marginal in marginals]) for name in Interval._fields[1:]
    }
    arrays = [pa.array(columns, texts), pa.array(values, texts)]
    arrays += [pa.array(np.round(number, _DIGITS)) for number in numbers.values()]
    named = dict(zip(["columns", "values", *numbers], arrays, strict=True))
    return pa.table(named).replace_schema_metadata(MEANING)


def same(limits: pa.Table, must: pa.Table) -> bool:
    """Return whether two tables of limits are the same except for the rounding of shares."""
    if not limits.schema.equals(must.schema) or limits.num_rows != must.num_rows:
        return False
    texts = ["columns", "values"]
    shares = [name for name in must.column_names if name not in texts]
    return bool(
        limits.schema.metadata == must.schema.metadata
        and limits.select(texts).equals(must.select(texts))
        and not any(limits[name].null_count for name in shares)
        and all(np.abs(limits[name].to_numpy() - must[name].to_numpy()).max(initial=0.0) <= SAME for name in shares)
    )


def _cells(records: Records, of_all: tuple[int, ...], columns: tuple[int, ...]) -> Iterator[list[str]]:
    """Yield the values of each cell of a marginal as texts; of_all: sizes of all columns."""
    sizes = [of_all[i] for i in columns]
    shown = [records.features[i].named(np.arange(float(k))) for i, k in zip(columns, sizes, strict=True)]
    for place in np.ndindex(*sizes):
        yield [texts[i] for texts, i in zip(shown, place, strict=True)]
