"""``many_queries``: errors of five methods against the number of queries, with formulas of three."""

from drawn import Said, Shown, curve, like, rows


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BCM20-T10-methods").sort_values("bits")
    found = []
    for panel, support in enumerate(("256 rows", "all rows")):
        for method, label in LABELS.items():
            runs = rows(own, support=support, method=method, quantity="largest error of an answer, mean")
            found.append(curve(panel, runs["bits"], runs["measured"], label))
            formula = rows(own, support=support, method=method, quantity="largest error of an answer, by its formula")
            if len(formula):
                found.append(curve(panel, formula["bits"], formula["measured"], like(label)))
    return found


def said(tables) -> list[Said]:
    axis = "$p$, $\\log_2$ of the queries"
    return [
        Said("256 cells", axis, "worst error of an answer", "linear log", legend=("formula, without sampling error",)),
        Said("$2^p$ cells", axis, "", "linear log"),
    ]


LABELS = {
    "MWEM": "MWEM",
    "PMW": "PMW, at the least target that its threshold does not exceed",
    "noise on each query": "Gaussian noise on each query",
    "noise on cells": "Gaussian noise on each cell",
    "uniform rows": "uniform rows, nothing private",
}
