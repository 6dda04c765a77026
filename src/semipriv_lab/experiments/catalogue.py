"""Tables that ship with installed packages, and what is in them; the workflow can write them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

_NUCLEUS = (
    "radius", "texture", "perimeter", "area", "smoothness",
    "compactness", "concavity", "concave points", "symmetry", "fractal dimension",
)  # fmt: skip


@dataclass(frozen=True)
class Packaged:
    """A file of an installed package, which is not imported."""

    package: str
    file: str

    def path(self) -> Path:
        """Return where the file is.

        Raise ModuleNotFoundError if the package is not installed, FileNotFoundError if it has no such file.
        """
        spec = find_spec(self.package)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"package {self.package!r} is not installed, it has the table {self.file}")
        path = Path(spec.origin).parent / self.file
        if not path.exists():
            raise FileNotFoundError(
                f"package {self.package!r} has no {self.file}, as versions of the group tables have"
            )
        return path


@dataclass(frozen=True)
class Bundled:
    """Size and columns of a bundled table: features, columns of 0 and 1, columns of real responses.

    classes: of the columns of labels 0, ..., K - 1, how many labels K there are.  groups: of the columns of 0 and 1
    that may say which rows public ones are drawn from, how many rows have 1.  packaged: the file that is read; None
    where the package that has it reads it.
    """

    rows: int
    features: tuple[str, ...]
    labels: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()
    classes: Mapping[str, int] = field(default_factory=dict)
    groups: Mapping[str, int] = field(default_factory=dict)
    packaged: Packaged | None = None


BUNDLED = {
    "breast_cancer": Bundled(
        569,
        (*(f"mean {n}" for n in _NUCLEUS), *(f"{n} error" for n in _NUCLEUS), *(f"worst {n}" for n in _NUCLEUS)),
        ("malignant",),
    ),
    "diabetes": Bundled(
        442,
        ("age", "sex", "bmi", "bp", "tc", "ldl", "hdl", "tch", "ltg", "glu"),
        responses=("progression",),
    ),
    "randhie": Bundled(
        5912,
        (
            "coins", "idp", "black", "income", "xage", "female", "educdec", "num", "mhi", "disea", "physlm", "xghindx",
            "hlthg", "hlthf", "hlthp", "drugdol", "suppdol", *(f"site_{i}" for i in range(1, 6)),
        ),
        ("many_visits", "few_visits", "unwell", "child"),
        groups={"child": 2601},
        packaged=Packaged("statsmodels", "datasets/randhie/src/randhie.csv"),
    ),
    "wine": Bundled(
        178,
        (
            "alcohol", "malic acid", "ash", "alcalinity of ash", "magnesium", "total phenols", "flavanoids",
            "nonflavanoid phenols", "proanthocyanins", "colour", "hue", "od280/od315", "proline",
        ),
        classes={"cultivar": 3},
    ),
}  # fmt: skip
