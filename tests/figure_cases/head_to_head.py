"""``head_to_head``: above the mean of each learner against epsilon in each case, below what it cost."""

import json

import pandas as pd
from drawn import Said, Shown, band, curve, level, like, rows, span

from semipriv.report.figures.base import learner_names


def shown(tables, titles=None) -> list[Shown]:
    summary = tables["summary"].assign(shown=names(tables["summary"]), cost=tables["summary"]["cost"].map(cost))
    cases = list(dict.fromkeys(summary["case"]))
    found = []
    for panel, case in enumerate(cases):
        for name, part in rows(summary, case=case).groupby("shown"):
            found += _marks(panel, part, name)
            if part["cost"].notna().any():
                priced = part.assign(mean=part["cost"], low=part["cost"], high=part["cost"])
                found += _marks(panel + len(cases), priced, name)
    return found


def _marks(panel: int, part: pd.DataFrame, name: str) -> list[Shown]:
    if part["epsilon"].notna().all():
        own = part[part["mean"] > 0].sort_values("epsilon") if part["quantity"].iloc[0] == "excess" else part
        low = own["low"].clip(lower=own["mean"] / 50) if part["quantity"].iloc[0] == "excess" else own["low"]
        marks = [curve(panel, own["epsilon"], own["mean"], name)]
        return [*marks, band(panel, own["epsilon"], low, own["high"], like(name))]
    first = part.iloc[0]
    return [level(panel, first["mean"], name), span(panel, first["low"], first["high"], like(name))]


def names(summary: pd.DataFrame) -> pd.Series:
    """Names, with what a private learner protects where most of the others protect something else."""
    plain = learner_names(summary)
    private = {name: rows["protects"].iloc[0] for name, rows in summary[summary["epsilon"].notna()].groupby(plain)}
    most = max(sorted(private.values()), key=[*private.values()].count, default=None)
    remarks = {name: f" (protects {what})" for name, what in private.items() if what != most}
    return plain + plain.map(remarks).fillna("")


def cost(text: str) -> float:
    found = json.loads(text)
    return found.get("oracle_calls", found.get("cover_size", found.get("queries", float("nan"))))


def said(tables, titles=None) -> list[Said]:
    summary = tables["summary"]
    cases = list(dict.fromkeys(summary["case"]))
    y, x = summary["axis"].iloc[0], "privacy parameter $\\varepsilon$"
    priced = summary["cost"].map(cost).notna().any()
    scale = "log log" if summary["quantity"].iloc[0] == "excess" else "log linear"
    top = [
        Said((titles or {}).get(case, case), "" if priced else x, y if case == cases[0] else "", scale)
        for case in cases
    ]
    below = [Said("", x, "candidates or\noracle calls" if case == cases[0] else "", "log log") for case in cases]
    return top + (below if priced else [])
