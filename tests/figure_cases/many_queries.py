"""``many_queries``: errors of five methods against the number of queries, with formulas of three."""

from drawn import PanelText, Shown, curve, like, rows


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BCM20-T10-methods").sort_values("bits")
    marks = []
    for panel, support in enumerate(("256 rows", "all rows")):
        for method, label in LABELS.items():
            runs = rows(own, support=support, method=method, quantity="largest error of an answer, mean")
            marks.append(curve(panel, runs["bits"], runs["measured"], label))
            formula = rows(own, support=support, method=method, quantity="largest error of an answer, by its formula")
            if len(formula):
                marks.append(curve(panel, formula["bits"], formula["measured"], like(label)))
    return marks


def texts(tables) -> list[PanelText]:
    axis = "$p$, $\\log_2$ of the queries"
    return [
        PanelText(
            "256 cells", axis, "worst error of an answer", "linear log", legend=("formula, without sampling error",)
        ),
        PanelText("$2^p$ cells", axis, "", "linear log"),
    ]


LABELS = {
    "MWEM": "MWEM",
    "PMW": "PMW, at the least target that its threshold does not exceed",
    "noise on each query": "Gaussian noise on each query",
    "noise on cells": "Gaussian noise on each cell",
    "uniform rows": "uniform rows, nothing private",
}
