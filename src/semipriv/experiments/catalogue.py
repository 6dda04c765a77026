"""Tables that ship with scikit-learn, and what is in them; the workflow can write them."""

from dataclasses import dataclass

_NUCLEUS = (
    "radius", "texture", "perimeter", "area", "smoothness",
    "compactness", "concavity", "concave points", "symmetry", "fractal dimension",
)  # fmt: skip


@dataclass(frozen=True)
class Bundled:
    """Size and columns of a bundled table: features, columns of 0 and 1, columns of real responses."""

    rows: int
    features: tuple[str, ...]
    labels: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()


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
}
