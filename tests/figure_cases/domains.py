"""``domains``: cells against queries by class, and cells over the two bounds."""

from drawn import Said, Shown, curve, level, like, rows


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BCM20-C3").sort_values("queries")
    found = [level(1, 1.0)]
    for name, part in rows(own, quantity="cells").groupby("class"):
        bounded = own[(own["class"] == name) & own["quantity"].str.contains("sum of binomial") & own["bound"].notna()]
        found.append(curve(0, part["queries"], part["measured"], name))
        found.append(curve(1, part["queries"], part["measured"] / part["bound"], like(name)))
        found.append(curve(1, bounded["queries"], bounded["measured"] / bounded["bound"], like(name)))
    return found


def said(tables) -> list[Said]:
    legend = ("right: over the sum", "right: over the printed bound")
    return [
        Said("", "queries $M$", "cells $|\\mathcal{X}|$", "log log"),
        Said("", "queries $M$", "cells / bound", "log log", legend=legend),
    ]
