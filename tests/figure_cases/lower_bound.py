"""``lower_bound``: needs against the bits for two classes, and the hidden pair."""

from drawn import PanelText, Shown, curve, rows


def shown(tables, epsilon=1.0) -> list[Shown]:
    table = tables["measurements"]
    here = rows(table, epsilon=epsilon)
    marks = [
        curve(panel, part["bits"], part["measured"], learner)
        for panel, name in enumerate(("thresholds", "point functions"))
        for learner, part in rows(here, **{"class": name}, quantity="private examples needed").groupby("learner")
    ]
    floor = rows(here, quantity="packing floor of proper pure learners")
    marks.append(curve(0, floor["bits"], floor["measured"], "floor of proper pure learners, no public data"))
    pair = rows(table, quantity="public points needed on the hidden pair")
    for name, label in (("midpoint", "A_SSPP, midpoints"), ("upper", "A_SSPP, upper ends")):
        part = rows(pair, representative=name)
        marks.append(curve(2, part["alpha"], part["measured"], label))
    floor = rows(pair, representative="midpoint")
    return [*marks, curve(2, floor["alpha"], floor["bound"], "theorem 4.1: $1/(1600\\alpha)$")]


def texts(tables, epsilon=1.0) -> list[PanelText]:
    bits, exact = "bits $b$ of the domain", f"on $2^b$ points\n(exact, $\\varepsilon={epsilon:g}$)"
    return [
        PanelText(f"thresholds {exact}", bits, "private examples needed", "log log"),
        PanelText(f"point functions {exact}", bits, "", "log log"),
        PanelText("hidden pair\n(exact; an illustration)", "excess error $\\alpha$", "public points needed", "log log"),
    ]
