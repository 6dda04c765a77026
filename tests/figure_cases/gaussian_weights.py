"""``gaussian_weights``: violations by m and C, and what safe scales spend."""

from drawn import PanelText, Shown, curve, level, rows


def shown(tables) -> list[Shown]:
    own = rows(
        tables["measurements"],
        claim="BBD24-T4-gaussian",
        quantity="P'(A) - e^epsilon P(A), a lower bound of the least delta, by m",
    )
    marks = [level(0, 1e-5), level(1, 1.0)]
    for constant, part in own[own["measured"] > 0].groupby("C"):
        marks.append(curve(0, part["m"], part["measured"], f"$C$ = {constant:g}"))
    safe = rows(tables["measurements"], claim="BBD24-T4-gaussian-safe", quantity="largest |log ratio| of a labeling")
    for name in ("union", "closed", "width"):
        part = rows(safe, scale=name)
        marks.append(curve(1, part["m"], part["measured"], f"right: {name}"))
    return marks


def texts(tables) -> list[PanelText]:
    return [
        PanelText("", "public points $m$", "least $\\delta$, at least", "log log"),
        PanelText("", "public points $m$", "largest |log ratio|", "log linear"),
    ]
