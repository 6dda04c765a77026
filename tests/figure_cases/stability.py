"""``stability``: distances of neighbours' minimisers against eta."""

import math

from drawn import PanelText, Shown, curve, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    printed, stein = rows(table, claim="BBD24-L2"), rows(table, claim="BBD24-L1-stein")
    slopes = rows(printed, quantity="distance of the minimisers, slopes").sort_values("eta")
    marks = [
        curve(0, slopes["eta"], slopes["measured"], "slopes, attained"),
        curve(0, slopes["eta"], slopes["bound"], "printed bound"),
    ]
    ball = rows(printed, quantity="largest distance of the minimisers, linear ball, squared loss", m=200)
    for p, part in ball.groupby("p"):
        ordered = part.sort_values("eta")
        marks.append(curve(0, ordered["eta"], ordered["measured"], f"ball, $p = {p:g}$"))
    signs = rows(stein, quantity="distance of the expected minimisers x eta, two signs").sort_values("eta")
    chain = rows(stein, quantity="distance of the expected minimisers x eta, chain of 9", place=4).sort_values("eta")
    width = math.sqrt(2 / math.pi)
    return [
        *marks,
        curve(1, signs["eta"], signs["measured"] / signs["eta"], "two signs"),
        curve(1, chain["eta"], chain["measured"] / chain["eta"], "chain of 9"),
        curve(1, signs["eta"], signs["bound"] / signs["eta"], "Stein's bound"),
        curve(1, signs["eta"], (9 * width / signs["eta"]) ** (1 / 3)),
    ]


def texts(tables) -> list[PanelText]:
    return [
        PanelText("", "$\\eta$", "$\\|f - f'\\|_m$, algorithm 3", "log log"),
        PanelText("", "$\\eta$", "$\\|E f - E f'\\|_m$, algorithm 2", "log log"),
    ]
