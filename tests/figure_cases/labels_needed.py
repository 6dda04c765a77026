"""``labels_needed``: for each distribution the least size from which on a learner errs by at most alpha."""

import numpy as np
import pandas as pd
from drawn import PanelText, Shown, curve, rows

from semipriv_lab.figures.base import learner_names


def need(part: pd.DataFrame, column: str, alpha: float) -> float:
    """Walk down from the largest size while the column is small enough."""
    need = np.nan
    for n, value in sorted(zip(part["n_labelled"], part[column], strict=True), reverse=True):
        if not value <= alpha:
            break
        need = n
    return need


def distributions(titles: dict[str, str]) -> list[str]:
    return list(dict.fromkeys(titles.values()))


def shown(tables, alpha, alphas, titles) -> list[Shown]:
    summary = tables["summary"]
    summary = summary.assign(name=learner_names(summary))
    most, marks = summary["bits"].max(), []
    for i, distribution in enumerate(distributions(titles)):
        cases = [case for case, title in titles.items() if title == distribution]
        for name in set(summary["name"]):
            own = rows(summary, name=name)
            for column, label in (("quantile", name), ("bound", f"{name}, proven")):
                for case in [case for case in cases if alphas[case] == alpha]:
                    places = sorted(set(summary["bits"]))
                    y = [need(rows(own, case=case, bits=b), column, alpha) for b in places]
                    marks.append(curve(2 * i, places, y, label))
                y = [need(rows(own, case=case, bits=most), column, alphas[case]) for case in cases]
                marks.append(curve(2 * i + 1, [alphas[case] for case in cases], y, label))
    return marks


def texts(tables, alpha, alphas, titles) -> list[PanelText]:
    bits, names = tables["summary"]["bits"], distributions(titles)
    panels = []
    for distribution in names:
        last = distribution == names[-1]
        panels.append(
            PanelText(
                f"{distribution}, $\\alpha={alpha:g}$",
                "bits $b$ of a point" if last else "",
                "labelled examples $n_{\\mathrm{labelled}}$",
                "log log",
            )
        )
        panels.append(
            PanelText(f"{distribution}, $b={bits.max()}$", "excess error $\\alpha$" if last else "", "", "log log")
        )
    return panels
