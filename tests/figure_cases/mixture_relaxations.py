"""``mixture_relaxations``: losses of the best of G and of the draw in both relaxations, and ln|G| in the second."""

import numpy as np
from drawn import PanelText, Shown, band, curve, like, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    shares = np.linspace(0, 1, 20)
    marks = [curve(0, shares, shares / 2, "all private zeros")]
    first = rows(table, claim="BMN20-RELAX-i")
    for sweep in ("independent thinning", "top of x_2", "worst case"):
        marks += _both(0, rows(first, sweep=sweep), "rho", sweep.replace("x_2", "$x_2$"))
    second = rows(table, claim="BMN20-RELAX-ii", sweep="private ones")
    for construction, part in second.groupby("construction"):
        marks += _both(1, part, "share", construction)
        sizes = rows(part, quantity="mean ln|G|")
        marks.append(curve(2, sizes["share"], sizes["measured"], like(f"best of $G$, {construction}")))
    return marks


def _both(panel: int, part, x: str, name: str) -> list[Shown]:
    best = rows(part, quantity="mean of best of G less best halfspace, share of the sample")
    drawn = rows(part, quantity="mean error of A_LearnHalf less that of the best halfspace")
    low, high = drawn["low"].clip(lower=-0.05), drawn["high"].clip(upper=0.6)
    limits = band(panel, drawn[x], low, high, like(f"A_LearnHalf, {name}"))
    return [
        curve(panel, best[x], best["measured"], f"best of $G$, {name}"),
        curve(panel, drawn[x], drawn["measured"], f"A_LearnHalf, {name}"),
        limits,
    ]


def texts(tables) -> list[PanelText]:
    epsilon, above = tables["measurements"]["epsilon"].dropna().max(), "error above the best halfspace"
    axis = "P[private | $y=1$]"
    return [
        PanelText(f"relaxation (i), $\\varepsilon={epsilon:g}$", "P[private | $y=0$]", above),
        PanelText(f"relaxation (ii), $\\varepsilon={epsilon:g}$", axis, above),
        PanelText("relaxation (ii), size of $G$", axis, "mean $\\ln|G|$"),
    ]
