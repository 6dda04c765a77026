"""Rule write_table: write a real table that ships with scikit-learn as Parquet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from semipriv import tables
from semipriv.experiments.catalogue import BUNDLED
from semipriv.registry import check_name
from semipriv.tables import Column, Schema


def write_table(name: str, path: str | Path) -> None:
    """Write a bundled table, with the features and the label or response of one observation in each row."""
    check_name("table", name, list(BUNDLED))
    schema, columns = _LOADERS[name]()
    tables.write(path, schema, columns)


def _breast_cancer() -> tuple[Schema, dict[str, Any]]:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415  (slow import, one rule)

    found = load_breast_cancer()
    features = {str(key): found.data[:, i] for i, key in enumerate(found.feature_names)}
    columns = tuple(Column(key, pa.float64(), f"{key} of the cell nuclei in a digitised image") for key in features)
    label = Column("malignant", pa.int8(), "1: malignant, 0: benign")
    about = "Wisconsin diagnostic breast cancer data, as bundled with scikit-learn"
    schema = Schema("breast_cancer", about, (*columns, label))
    return schema, {**features, "malignant": (found.target == 0).astype("int8")}


_DIABETES = (
    "age in years", "1 or 2", "body mass index, kg/m^2", "average blood pressure", "total serum cholesterol",
    "low-density lipoproteins", "high-density lipoproteins", "total cholesterol / high-density lipoproteins",
    "logarithm of serum triglycerides", "blood sugar level",
)  # fmt: skip


def _diabetes() -> tuple[Schema, dict[str, Any]]:
    from sklearn.datasets import load_diabetes  # noqa: PLC0415  (slow import, one rule)

    found, names = load_diabetes(scaled=False), BUNDLED["diabetes"].features
    columns = tuple(Column(key, pa.float64(), about) for key, about in zip(names, _DIABETES, strict=True))
    response = Column("progression", pa.float64(), "progression of the disease one year after baseline")
    about = "diabetes data of Efron, Hastie, Johnstone and Tibshirani (2004), as bundled with scikit-learn"
    features = {key: found.data[:, i] for i, key in enumerate(names)}
    return Schema("diabetes", about, (*columns, response)), {**features, "progression": found.target}


_LOADERS: dict[str, Callable[[], tuple[Schema, dict[str, Any]]]] = {
    "breast_cancer": _breast_cancer,
    "diabetes": _diabetes,
}
