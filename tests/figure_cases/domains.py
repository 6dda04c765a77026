"""``domains``: cells against queries by class, and cells over the two bounds."""

from drawn import PanelText, Shown, curve, level, like, rows


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BCM20-C3").sort_values("queries")
    marks = [level(1, 1.0)]
    for name, part in rows(own, quantity="cells").groupby("class"):
        bounded = own[(own["class"] == name) & own["quantity"].str.contains("sum of binomial") & own["bound"].notna()]
        marks.append(curve(0, part["queries"], part["measured"], name))
        marks.append(curve(1, part["queries"], part["measured"] / part["bound"], like(name)))
        marks.append(curve(1, bounded["queries"], bounded["measured"] / bounded["bound"], like(name)))
    return marks


def texts(tables) -> list[PanelText]:
    legend = ("right: over the sum", "right: over the printed bound")
    return [
        PanelText("", "queries $M$", "cells $|\\mathcal{X}|$", "log log"),
        PanelText("", "queries $M$", "cells / bound", "log log", legend=legend),
    ]
