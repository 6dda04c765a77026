"""``public_points``: needs for covers with m1, three needs of thresholds, and m1 over the needs."""

import numpy as np
from drawn import PanelText, Shown, bars, curve, like, rows

from semipriv.papers.abm19.bounds.sizes import cover_points


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    needs, exponents = rows(table, quantity="public points needed"), rows(table, quantity="exponent in alpha")
    covers = rows(needs, claim="ABM19-L3.3-rate")
    marks = []
    for d, part in covers.groupby("d"):
        label = f"$d={d:g}$, {'exact' if d == 1 else 'simulated'}"
        marks += _needs(0, part, label)
        alphas = np.geomspace(part["alpha"].min(), part["alpha"].max(), 40)
        marks.append(
            curve(0, alphas, [cover_points(alpha, part["beta"].iloc[0], int(d)) for alpha in alphas], like(label))
        )
        marks.append(curve(2, part["alpha"], part["bound"] / part["measured"], like(label)))
    for name, values in (
        ("cover of thresholds", {"claim": "ABM19-L3.3-rate", "d": 1}),
        ("naive, all disagreements", {"claim": "ABM19-NAIVE"}),
        ("hidden pair, midpoints", {"claim": "ABM19-T4.1-pair", "representative": "midpoint"}),
    ):
        slope = rows(exponents, **values).iloc[0]
        limits = f" [{slope['low']:.2f}, {slope['high']:.2f}]" if slope["low"] != slope["high"] else ""
        marks += _needs(1, rows(needs, **values), f"{name}: exponent {slope['measured']:.2f}{limits}")
    return marks


def _needs(panel: int, part, label: str) -> list[Shown]:
    return [
        curve(panel, part["alpha"], part["measured"], label),
        bars(panel, part["alpha"], part["low"], part["high"], like(label)),
    ]


def texts(tables) -> list[PanelText]:
    covers = rows(tables["measurements"], claim="ABM19-L3.3-rate", quantity="public points needed")
    x, needed = "disagreement $\\alpha$", f"public points needed, probability {1 - covers['beta'].max():g}"
    return [
        PanelText("covers", x, needed, "log log", legend=("$m_1$ of lemma 3.3",)),
        PanelText("thresholds, three needs", x, "", "log log"),
        PanelText("$m_1$ / measured, covers", x, "ratio", "log linear"),
    ]
