"""Rule write_table: write a real table that ships with an installed package as Parquet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from semipriv.core import tables
from semipriv.core.registry import check_name
from semipriv.core.tables import Column, Schema
from semipriv_lab.experiments.catalogue import BUNDLED


def write_table(name: str, path: str | Path) -> None:
    """Write a bundled table, with the features and the label or response of one observation in each row.

    Raises ModuleNotFoundError with the name of the package that has the table, if it is not installed.
    """
    check_name("table", name, list(BUNDLED))
    schema, columns = _LOADERS[name]()
    tables.write(path, schema, columns)


def _breast_cancer() -> tuple[Schema, dict[str, Any]]:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415  (slow import, one rule)

    data = load_breast_cancer()
    features = {str(key): data.data[:, i] for i, key in enumerate(data.feature_names)}
    columns = tuple(Column(key, pa.float64(), f"{key} of the cell nuclei in a digitised image") for key in features)
    label = Column("malignant", pa.int8(), "1: malignant, 0: benign")
    about = "Wisconsin diagnostic breast cancer data, as bundled with scikit-learn"
    schema = Schema("breast_cancer", about, (*columns, label))
    return schema, {**features, "malignant": (data.target == 0).astype("int8")}


_DIABETES = (
    "age in years", "1 or 2", "body mass index, kg/m^2", "average blood pressure", "total serum cholesterol",
    "low-density lipoproteins", "high-density lipoproteins", "total cholesterol / high-density lipoproteins",
    "logarithm of serum triglycerides", "blood sugar level",
)  # fmt: skip


def _diabetes() -> tuple[Schema, dict[str, Any]]:
    from sklearn.datasets import load_diabetes  # noqa: PLC0415  (slow import, one rule)

    data, names = load_diabetes(scaled=False), BUNDLED["diabetes"].features
    columns = tuple(Column(key, pa.float64(), about) for key, about in zip(names, _DIABETES, strict=True))
    response = Column("progression", pa.float64(), "progression of the disease one year after baseline")
    about = "diabetes data of Efron, Hastie, Johnstone and Tibshirani (2004), as bundled with scikit-learn"
    features = {key: data.data[:, i] for i, key in enumerate(names)}
    return Schema("diabetes", about, (*columns, response)), {**features, "progression": data.target}


_RANDHIE = {
    "coins": "coinsurance rate in per cent",
    "idp": "1: individual deductible plan",
    "black": "1: black",
    "income": "income of the family in dollars",
    "xage": "age in years",
    "female": "1: female",
    "educdec": "years of education of the family's decision maker; where missing, 12",
    "num": "size of the family",
    "mhi": "mental health index, 0 to 100",
    "disea": "count of chronic diseases",
    "physlm": "physical limitations",
    "xghindx": "general health index, imputed where it was missing, 0 to 100",
    "hlthg": "1: own health called good",
    "hlthf": "1: own health called fair",
    "hlthp": "1: own health called poor",
    "drugdol": "dollars of drugs in the year",
    "suppdol": "dollars of supplies in the year",
    **{f"site_{i}": f"1: at site {i} of 6" for i in range(1, 6)},
}
_RANDHIE_LABELS = {
    "many_visits": "1: three or more visits to doctors in the year",
    "few_visits": "1: fewer than two visits to doctors in the year",
    "unwell": "1: own health called good, fair or poor, not excellent",
    "child": "1: younger than 18",
}


def _randhie() -> tuple[Schema, dict[str, Any]]:
    """Return the earliest year of each person: of a panel, rows of one person would not be protected together."""
    packaged = BUNDLED["randhie"].packaged
    assert packaged is not None
    years = pd.read_csv(packaged.path())
    people = years.sort_values(["zper", "year"], kind="stable").drop_duplicates("zper")
    sites = {f"site_{i}": people["site"] == i for i in range(1, 6)}
    people = people.fillna({"educdec": 12.0}).assign(**sites)
    labels = {
        "many_visits": people["mdvis"] >= 3,
        "few_visits": people["mdvis"] <= 1,
        "unwell": people[["hlthg", "hlthf", "hlthp"]].sum(axis=1) > 0,
        "child": people["xage"] < 18,
    }
    columns = [Column(key, pa.float64(), about) for key, about in _RANDHIE.items()]
    columns += [Column(key, pa.int8(), about) for key, about in _RANDHIE_LABELS.items()]
    about = (
        "RAND health insurance experiment, public domain, as bundled with statsmodels: one row a person, the earliest "
        "year.  People of one family share income, size and education: privacy is for one person, not for a family"
    )
    values = {key: people[key].to_numpy(np.float64) for key in _RANDHIE}
    return Schema("randhie", about, tuple(columns)), values | {k: v.to_numpy(np.int8) for k, v in labels.items()}


_WINE = (
    "alcohol", "malic acid", "ash", "alcalinity of ash", "magnesium", "total phenols", "flavanoids",
    "nonflavanoid phenols", "proanthocyanins", "colour intensity", "hue", "OD280/OD315 of diluted wine", "proline",
)  # fmt: skip


def _wine() -> tuple[Schema, dict[str, Any]]:
    from sklearn.datasets import load_wine  # noqa: PLC0415  (slow import, one rule)

    data, names = load_wine(), BUNDLED["wine"].features
    columns = tuple(Column(key, pa.float64(), about) for key, about in zip(names, _WINE, strict=True))
    label = Column("cultivar", pa.int8(), "0, 1 or 2: which of three cultivars the wine is from")
    features = {key: data.data[:, i] for i, key in enumerate(names)}
    schema = Schema("wine", "wine recognition data, as bundled with scikit-learn", (*columns, label))
    return schema, {**features, "cultivar": data.target.astype("int8")}


_LOADERS: dict[str, Callable[[], tuple[Schema, dict[str, Any]]]] = {
    "breast_cancer": _breast_cancer,
    "diabetes": _diabetes,
    "randhie": _randhie,
    "wine": _wine,
}
