"""``excess``: for each case and epsilon a panel with every learner, and the paper's quantile and bound."""

import numpy as np
import pandas as pd
from drawn import Shown, band, curve, rows

from semipriv.figures.base import learner_names


def shown(tables, x, titles=None, guides=None, height=2.2, measure=None) -> list[Shown]:
    summary = tables["summary"]
    summary = rows(summary, measure=measure or summary["measure"].iloc[0])
    summary = summary.assign(shown=learner_names(summary))
    cases = list(dict.fromkeys(summary["case"]))
    epsilons = sorted(summary["epsilon"].dropna().unique()) or [None]
    found = []
    for i, (epsilon, case) in enumerate((epsilon, case) for epsilon in epsilons for case in cases):
        here = rows(summary, case=case)
        here = here[here["epsilon"].isna() | (here["epsilon"] == epsilon)]
        for name, part in here[here["mean"] > 0].groupby("shown"):
            found.append(curve(i, part[x], part["mean"], name))
            found.append(band(i, part[x], np.maximum(part["low"], part["mean"] / 50), part["high"]))
        usual = here[(here["role"] == "paper") & (here["shown"] == here["title"])]
        for title, own in usual.groupby("title"):
            percent = f"{100 - 100 * own['beta'].max():g} %"
            found.append(curve(i, own[x], own["quantile"], f"{title}, {percent} quantile"))
            if own["bound"].notna().sum() + own["vacuous"].sum() > 1 and not own["vacuous"].all():
                found.append(curve(i, own[x], own["bound"], f"bound, explicit constants, {percent}"))
        if case in (guides or {}):
            found.append(_guide(i, here, x, **guides[case]))
    return found


def _guide(panel: int, rows: pd.DataFrame, x: str, label: str, constant: float, power: float) -> Shown:
    """Fifty places inside the panel, whose margins are a twentieth of its width at either end."""
    low, high = np.log(rows[x].min()), np.log(rows[x].max())
    margin = 0.05 * (high - low)
    places = np.exp(np.linspace(low - margin, high + margin, 50)[1:-1])
    return curve(panel, places, constant * places**power, label)
