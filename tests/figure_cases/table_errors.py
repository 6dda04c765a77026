"""``table_errors``: the mean of each learner against epsilon, a level for those without."""

from drawn import PanelText, Shown, band, curve, level, like, span

from semipriv_lab.figures.base import learner_names


def shown(tables, title="") -> list[Shown]:
    summary = tables["summary"].assign(shown=learner_names(tables["summary"]))
    marks = []
    for name, part in summary.groupby("shown"):
        if part["epsilon"].notna().all():
            marks.append(curve(0, part["epsilon"], part["mean"], name))
            marks.append(band(0, part["epsilon"], part["low"], part["high"], like(name)))
        else:
            first = part.iloc[0]
            marks += [level(0, first["mean"], name), span(0, first["low"], first["high"], like(name))]
    return marks


def texts(tables, title="") -> list[PanelText]:
    return [PanelText(title, "privacy parameter $\\varepsilon$", tables["summary"]["axis"].iloc[0], "log linear")]
