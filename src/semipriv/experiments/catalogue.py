"""Tables that ship with installed packages, and what is in them; the workflow can write them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

_NUCLEUS = (
    "radius", "texture", "perimeter", "area", "smoothness",
    "compactness", "concavity", "concave points", "symmetry", "fractal dimension",
)  # fmt: skip


@dataclass(frozen=True)
class Bundled:
    """Size and columns of a bundled table: features, columns of 0 and 1, columns of real responses.

    groups: of the columns of 0 and 1 that may say which rows public ones are drawn from, how many rows have 1.
    """

    rows: int
    features: tuple[str, ...]
    labels: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()
    groups: Mapping[str, int] = field(default_factory=dict)


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
    ),
}  # fmt: skip
