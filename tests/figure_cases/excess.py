"""``excess``: for each case and epsilon a panel with every learner, and the paper's quantile and bound."""

import numpy as np
import pandas as pd
from drawn import PanelText, Shown, band, curve, like, rows

from semipriv_lab.figures.base import learner_names


def shown(tables, x, titles=None, guides=None, height=2.2, measure=None, groups=None, only=None) -> list[Shown]:
    summary = _of(tables, only)
    summary = rows(summary, measure=measure or summary["measure"].iloc[0])
    summary = summary.assign(shown=learner_names(summary))
    cases = list(dict.fromkeys(summary["case"]))
    epsilons = sorted(summary["epsilon"].dropna().unique()) or [None]
    marks = []
    parts = [
        (epsilon, names, case) for epsilon in epsilons for names in (groups or {"": None}).values() for case in cases
    ]
    for i, (epsilon, names, case) in enumerate(parts):
        here = rows(summary, case=case)
        here = here if names is None else here[[_called(row, names) for _, row in here.iterrows()]]
        here = here[here["epsilon"].isna() | (here["epsilon"] == epsilon)]
        for name, part in here[here["mean"] >= 1e-6].groupby("shown"):
            marks.append(curve(i, part[x], part["mean"], name))
            marks.append(band(i, part[x], np.maximum(part["low"], part["mean"] / 50), part["high"], like(name)))
        usual = here[(here["role"] == "paper") & (here["shown"] == here["title"])]
        for title, own in usual.groupby("title"):
            percent = f"{100 - 100 * own['beta'].max():g} %"
            marks.append(curve(i, own[x], own["quantile"], f"{title}, {percent} quantile"))
            if own["bound"].notna().sum() + own["vacuous"].sum() > 1 and not own["vacuous"].all():
                marks.append(curve(i, own[x], own["bound"], f"bound, explicit constants, {percent}"))
        if case in (guides or {}):
            marks.append(_guide(i, here, x, **guides[case]))
    return marks


def _of(tables, only) -> pd.DataFrame:
    summary = tables["summary"]
    return summary if only is None else summary[[_called(row, only) for _, row in summary.iterrows()]]


def _called(row, names) -> bool:
    """By its name, or by its name, a dot and a word that its parameters hold as a value."""
    parts = (name.partition(".") for name in names)
    return any(row["name"] == own and (not dot or f'"{value}' in row["parameters"]) for own, dot, value in parts)


def _guide(panel: int, rows: pd.DataFrame, x: str, label: str, constant: float, power: float) -> Shown:
    """Fifty places inside the panel, whose margins are a twentieth of its width at either end."""
    low, high = np.log(rows[x].min()), np.log(rows[x].max())
    margin = 0.05 * (high - low)
    places = np.exp(np.linspace(low - margin, high + margin, 50)[1:-1])
    return curve(panel, places, constant * places**power, label)


X = {
    "n": ("n", "size $n$ of the mixed sample"),
    "n_public": ("n_{\\mathrm{public}}", "public points $n_{\\mathrm{public}}$"),
    "n_private": ("n_{\\mathrm{private}}", "private examples $n_{\\mathrm{private}}$"),
    "n_labelled": ("n_{\\mathrm{labelled}}", "labelled examples $n_{\\mathrm{labelled}}$"),
    "n_unlabelled": ("n_{\\mathrm{unlabelled}}", "unlabelled entries $n_{\\mathrm{unlabelled}}$"),
    "bits": ("b", "bits $b$ of a point"),
    "private_zeros": ("P[\\mathrm{private}\\;|\\;y=0]", "$P[\\mathrm{private}\\;|\\;y=0]$"),
    "sigma": ("\\sigma", "smoothness $\\sigma$ of the private distribution"),
}


def texts(tables, x, titles=None, guides=None, height=2.2, groups=None, only=None) -> list[PanelText]:
    summary = _of(tables, only)
    cases = list(dict.fromkeys(summary["case"]))
    epsilons = sorted(summary["epsilon"].dropna().unique()) or [None]
    panels = []
    parts = [(epsilon, *group) for epsilon in epsilons for group in (groups or {"": None}).items()]
    for epsilon, words, names in parts:
        for case in cases:
            here = rows(summary, case=case)
            here = here if names is None else here[[_called(row, names) for _, row in here.iterrows()]]
            here = here[here["epsilon"].isna() | (here["epsilon"] == epsilon)]
            title = [(titles or {}).get(case, case), _sizes(here, x, epsilon), *_slopes(tables, case, epsilon, x)]
            own = rows(here, role="paper")
            if len(own) > 1 and own["vacuous"].all():
                title.append(f"{100 - 100 * own['beta'].max():g} % bound: above 1")
            below = X[x][1] if (epsilon, words, names) == parts[-1] else ""
            left = "\n".join(filter(None, [summary["axis"].iloc[0], words])) if case == cases[0] else ""
            scales = "linear log" if x == "private_zeros" else "log log"
            panels.append(PanelText("\n".join(filter(None, title)), below, left, scales))
    return panels


def _sizes(here: pd.DataFrame, x: str, epsilon: float | None) -> str:
    words = [] if epsilon is None else [f"$\\varepsilon={epsilon:g}$"]
    for key in ("n", "n_public", "n_private", "n_labelled", "n_unlabelled", "bits"):
        values = set(here[key].dropna())
        if key != x and len(values) == 1:
            words.append(f"${X[key][0]}={int(values.pop()):,}$".replace(",", "{,}"))
    return ", ".join(words)


def _slopes(tables, case: str, epsilon: float | None, x: str) -> list[str]:
    notes = []
    for _, fit in rows(tables["slopes"], case=case, role="paper", epsilon=epsilon).iterrows():
        ends = [f"{fit[key]:,.10g}".replace(",", "{,}") for key in ("low_x", "high_x")]
        notes.append(f"slope ${fit['slope']:.2f}\\;[{fit['low']:.2f},\\,{{{fit['high']:.2f}}}]$")
        notes.append(f"for ${ends[0]} \\leq {X[x][0]} \\leq {ends[1]}$")
    return notes
