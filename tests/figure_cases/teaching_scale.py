"""``teaching_scale``: what scales of Laplace weights use of epsilon, and mean errors."""

from drawn import PanelText, Shown, curve, level, like, rows

SCALES = {
    "2 m / epsilon": "scale $2m/\\varepsilon$",
    "4 / epsilon": "scale $4/\\varepsilon$",
    "2 / epsilon": "scale $2/\\varepsilon$",
}
CODES = {"all labelings, parity": "all labelings, parity", "all labelings, hamming": "all labelings, Hamming code"}


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    losses = rows(table, quantity="largest |log ratio| of neighbours / epsilon", epsilon=1.0)
    marks = [level(0, 1.0)]
    for name, label in SCALES.items():
        claim = "BBD24-T8" if name == "2 m / epsilon" else "BBD24-T8-teaching"
        own = rows(rows(losses, claim=claim), **{"class": "thresholds"})
        own = own if name == "2 m / epsilon" else rows(own, scale=name)
        worst = own.groupby("m")["measured"].max()
        marks.append(curve(0, worst.index, worst, like(label)))
        errors = rows(rows(table, quantity="mean error, exact"), scale=name)
        marks.append(curve(1, errors["m"], errors["measured"], label))
    for name, label in CODES.items():
        own = rows(losses, claim="BBD24-T8", **{"class": name})
        marks.append(curve(0, own["m"], own["measured"], label))
    return marks


def texts(tables) -> list[PanelText]:
    return [
        PanelText("", "public points $m$", "largest |log ratio| / $\\varepsilon$", "log linear"),
        PanelText("", "public points $m$", "mean error", "log linear"),
    ]
