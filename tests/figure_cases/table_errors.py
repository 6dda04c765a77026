"""``table_errors``: the mean of each learner against epsilon, a level for those without."""

from drawn import Said, Shown, band, curve, level, like, span

from semipriv_lab.figures.base import learner_names


def shown(tables, title="") -> list[Shown]:
    summary = tables["summary"].assign(shown=learner_names(tables["summary"]))
    found = []
    for name, part in summary.groupby("shown"):
        if part["epsilon"].notna().all():
            found.append(curve(0, part["epsilon"], part["mean"], name))
            found.append(band(0, part["epsilon"], part["low"], part["high"], like(name)))
        else:
            first = part.iloc[0]
            found += [level(0, first["mean"], name), span(0, first["low"], first["high"], like(name))]
    return found


def said(tables, title="") -> list[Said]:
    return [Said(title, "privacy parameter $\\varepsilon$", tables["summary"]["axis"].iloc[0], "log linear")]
