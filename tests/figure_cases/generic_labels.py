"""``generic_labels``: least labels with the size's against alpha, labels and entries of the sizes against b."""

from drawn import PanelText, Shown, curve, rows


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BNS15-T3.3-labelled")
    least = rows(own, quantity="least labels, worst hypotheses of k released points").sort_values("alpha")
    (slope,) = rows(own, quantity="exponent in 1 / alpha of least labels, k = 2 / alpha")["measured"]
    marks = [
        curve(0, least["alpha"], least["measured"], f"least labels, exponent {slope:.2f} in $1/\\alpha$"),
        curve(0, least["alpha"], least["bound"], "labels of the size"),
    ]
    for name in ("labels", "unlabelled entries"):
        part = rows(own, quantity=f"{name} that the learner's sizes ask for").sort_values("bits")
        marks.append(curve(1, part["bits"], part["measured"], name))
    return marks


def texts(tables) -> list[PanelText]:
    own = rows(tables["measurements"], claim="BNS15-T3.3-labelled")
    (alpha,) = set(rows(own, quantity="labels that the learner's sizes ask for")["alpha"])
    return [
        PanelText("", "$\\alpha$", "labels, TWO-ATOMS", "log log"),
        PanelText("", "bits $b$ of a point", f"examples, $\\alpha={alpha:g}$", "log log"),
    ]
