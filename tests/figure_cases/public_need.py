"""``public_need``: four needs of thresholds against alpha, and three of them over that of public data alone."""

from drawn import PanelText, Shown, curve, level, like, rows

NAMES = {
    "theorem 10, any class": "theorem 10, class of VC dimension 1",
    "theorem 10, exact": "theorem 10, thresholds, exact",
    "A_PAP, n = infinity": "A_PAP, private answers exact",
    "public data alone": "public data alone",
}


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BCM20-SAVING")
    needs = rows(own, quantity="public points needed").sort_values("alpha")
    alone = rows(needs, way="public data alone")["measured"].to_numpy()
    marks = [level(1, 1.0)]
    for way, name in NAMES.items():
        part = rows(needs, way=way)
        slope = rows(own, quantity="exponent in alpha", way=way)["measured"]
        slopes = "".join(f", exponent {value:.2f}" for value in slope)
        marks.append(curve(0, part["alpha"], part["measured"], name + slopes))
        if way != "public data alone":
            marks.append(curve(1, part["alpha"], part["measured"].to_numpy() / alone, like(name + slopes)))
    return marks


def texts(tables) -> list[PanelText]:
    (beta,) = set(rows(tables["measurements"], claim="BCM20-SAVING", quantity="public points needed")["beta"])
    return [
        PanelText("", "error $\\alpha$", f"public points, probability {1 - beta:g}", "log log"),
        PanelText("", "error $\\alpha$", "points / public data alone", "log log"),
    ]
