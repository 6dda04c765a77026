"""Tables as files."""

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from semipriv.practice.sources.files import SUFFIXES


def written(table: pa.Table, suffix: str) -> bytes:
    """Return a table as a file with this suffix; another version of pyarrow may write other bytes for Parquet."""
    target = pa.BufferOutputStream()
    if suffix == ".parquet":
        pa.parquet.write_table(table, target)
    else:
        pa.csv.write_csv(table, target, pa.csv.WriteOptions(delimiter=SUFFIXES[suffix]))
    return bytes(target.getvalue().to_pybytes())
