"""Rule write_table: write a real table that ships with scikit-learn as Parquet."""

from pathlib import Path

import pyarrow as pa

from semipriv import tables
from semipriv.experiments.catalogue import BUNDLED
from semipriv.registry import check_name
from semipriv.tables import Column, Schema


def write_table(name: str, path: str | Path) -> None:
    """Write a bundled table, with the features and the label, 0 or 1, of one observation in each row."""
    check_name("table", name, list(BUNDLED))
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415  (slow import, one rule)

    found = load_breast_cancer()
    features = {str(key): found.data[:, i] for i, key in enumerate(found.feature_names)}
    columns = tuple(Column(key, pa.float64(), f"{key} of the cell nuclei in a digitised image") for key in features)
    label = Column("malignant", pa.int8(), "1: malignant, 0: benign")
    schema = Schema(name, "Wisconsin diagnostic breast cancer data, as bundled with scikit-learn", (*columns, label))
    tables.write(path, schema, {**features, "malignant": (found.target == 0).astype("int8")})
