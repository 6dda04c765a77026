"""``transcripts``: ratios of two learners with the limits of two epsilons; labels of a search and their bound."""

import math

from drawn import PanelText, Shown, curve, level, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    marks = []
    for quantity, label in (
        ("P[the swapped point is asked for] / P[a random point is], binary search", "binary search"),
        ("the same, passive", "passive"),
    ):
        part = rows(table, claim="BNS15-T5.6", quantity=quantity)
        marks.append(curve(0, part["1 / alpha"], part["measured"], label))
    for epsilon in (0.5, 1):
        marks.append(level(0, math.exp(2 * epsilon), f"$e^{{2\\varepsilon}}$, $\\varepsilon={epsilon:g}$"))
    part = rows(table, claim="BNS15-T5.6-literal", quantity="labels of a search in a random pool")
    marks.append(curve(1, 1 / part["alpha"], part["measured"], "search in a random part"))
    marks.append(curve(1, 1 / part["alpha"], part["bound"], "bound without the term $n\\delta$"))
    return marks


def texts(tables) -> list[PanelText]:
    return [
        PanelText("20,000 points (exact)", "$1/\\alpha$", "ratio $b/a$ of a swap", "log log"),
        PanelText("$\\beta=1/4$, $\\varepsilon=0$ (exact)", "$1/\\alpha$", "labels", "log log"),
    ]
