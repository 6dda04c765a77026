"""``head_to_head``: the mean of each learner against epsilon in each case, at most six learners in a row of panels."""

import pandas as pd
from drawn import PanelText, Shown, band, curve, level, like, rows, span

from semipriv_lab.figures.base import learner_names, learners
from semipriv_lab.figures.plots.head_to_head import MOST, _rows


def shown(tables, titles=None) -> list[Shown]:
    summary = tables["summary"].assign(shown=names(tables["summary"]))
    cases = list(dict.fromkeys(summary["case"]))
    grid = _rows(summary, learners(summary))
    assert {name for row in grid for name in row} == set(summary["shown"])
    assert max(map(len, grid)) <= MOST
    marks = []
    panels = [(case, row) for row, here in zip(grid, _panels(summary, cases, grid), strict=True) for case in here]
    for i, (case, row) in enumerate(panels):
        for name, part in rows(summary, case=case).groupby("shown"):
            if name in row:
                marks += _marks(i, part, name)
    known = set(zip(summary["case"], summary["shown"], strict=True))
    assert {(case, name) for case, row in panels for name in row} >= known
    return marks


def _panels(summary: pd.DataFrame, cases: list[str], grid: list[list[str]]) -> list[list[str]]:
    """Cases of each row: those with a learner of this row alone; in the first the others, too."""
    once = [{name for name in row if sum(name in other for other in grid) == 1} for row in grid]
    own = {case: set(rows(summary, case=case)["shown"]) for case in cases}
    by_row = [[case for case in cases if own[case] & names] for names in once]
    placed = {case for row in by_row for case in row}
    return [[case for case in cases if case in by_row[0] or case not in placed], *by_row[1:]]


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


def texts(tables, titles=None) -> list[PanelText]:
    summary = tables["summary"].assign(shown=names(tables["summary"]))
    cases = list(dict.fromkeys(summary["case"]))
    y, x = summary["axis"].iloc[0], "privacy parameter $\\varepsilon$"
    scale = "log log" if summary["quantity"].iloc[0] == "excess" else "log linear"
    panels = []
    for several in _panels(summary, cases, _rows(summary, learners(summary))):
        panels += [
            PanelText((titles or {}).get(case, case), x, y if case == several[0] else "", scale) for case in several
        ]
    return panels
