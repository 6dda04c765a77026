"""``proven_sizes``: a line of quantiles for each run beside the proven alpha of its case."""

import numpy as np
from drawn import PanelText, Shown, curve, rows

from semipriv.drawing.fitting import typeset
from semipriv_lab.papers.abm19.figures.proven_sizes import LOWEST, ROW


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="ABM19-T3.1", representative="midpoint")
    own = own[own["trials"] == own.groupby(ROW)["trials"].transform("max")]
    marks = []
    whole = (own["part"] == 1) & (own["public_part"] == 1)
    for panel, part in enumerate((own[whole], own[~whole])):
        for place, (_, case) in enumerate(part.groupby(ROW, sort=False)):
            marks.append(curve(panel, [case["alpha"].iloc[0]] * 2, (place - 0.4, place + 0.4), "proven $\\alpha$"))
            runs = list(case.groupby(["epsilon", "mechanism"]))
            heights = place + 0.27 * (2 * np.arange(1, len(runs) + 1) / (len(runs) + 1) - 1)
            for height, ((epsilon, mechanism), run) in zip(heights, runs, strict=True):
                quantiles = rows(run, quantity="quantile of the excess error")
                values = np.maximum(quantiles["measured"], LOWEST)
                marks.append(curve(panel, values, [height] * len(values)))
                for level in (0.5, 0.95, 1.0):
                    value = quantiles.loc[quantiles["quantile"] == level, "measured"].iloc[0]
                    name = {"exponential": "A_SSPP", "permute_and_flip": "permute-and-flip"}[mechanism]
                    label = f"{name}, $\\varepsilon={epsilon:g}$" if level == 0.5 and value >= LOWEST else None
                    marks.append(curve(panel, [max(value, LOWEST)], [height], label))
    return marks


def texts(tables) -> list[PanelText]:
    own = rows(tables["measurements"], claim="ABM19-T3.1", representative="midpoint")
    own = own[own["trials"] == own.groupby(ROW)["trials"].transform("max")]
    whole = (own["part"] == 1) & (own["public_part"] == 1)
    ticks = [tuple(_told(case) for _, case in part.groupby(ROW, sort=False)) for part in (own[whole], own[~whole])]
    x = "excess error (filled: median, open: 0.95-quantile, end: largest)"
    below = ("median below $10^{-5}$",)
    return [
        PanelText("at the proven sizes", "", "", "log linear", legend=below, ticks=ticks[0]),
        PanelText("at a part of one of the proven sizes", x, "", "log linear", ticks=ticks[1]),
    ]


def _told(case) -> str:
    """Class, distribution, trials and sizes: n_private with its epsilons if there are several."""
    failures = rows(case, quantity="P[excess error > alpha]", mechanism="exponential")
    by_size = failures.sort_values("epsilon").groupby("n_private", sort=False)["epsilon"].apply(list)
    sizes = [f"{n:,.0f}" for n in by_size.index]
    if len(sizes) > 1:
        at = [", ".join(f"{epsilon:g}" for epsilon in epsilons) for epsilons in by_size]
        sizes = [f"{n} at $\\varepsilon={epsilons}$" for n, epsilons in zip(sizes, at, strict=True)]
    form = ", realizable form" if case["sizes"].iloc[0] == "realizable" else ""
    trials = case["trials"].iloc[0]
    small = case["part"].min() < 1 or case["public_part"].min() < 1
    fail = f", {100 * failures['measured'].max():.0f} % fail" if small else ""
    runs = f"{trials} trial{'s' if trials > 1 else ''}"
    name = f"{case['class'].iloc[0]}, {case['distribution'].iloc[0]}{form}; {runs}{fail}"
    public = f"$n_{{\\mathrm{{public}}}}$ {case['n_public'].iloc[0]:,.0f}"
    return typeset(f"{name}\n{public}, $n_{{\\mathrm{{private}}}}$ {', '.join(sizes)}")
