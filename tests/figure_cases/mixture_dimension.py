"""``mixture_dimension``: mistakes beyond the least against ln|G|; ln|G| over d^2 ln m."""

import numpy as np
from drawn import PanelText, Shown, bars, curve, level, like, rows


def shown(tables, epsilon=1.0) -> list[Shown]:
    table = tables["measurements"]
    own = table[table["quantity"].str.startswith("mean number") & (table["epsilon"] == epsilon)]
    marks = []
    for d, part in own.groupby("d"):
        main, others = part[part["n_public"] == 10], part[part["n_public"] != 10]
        marks.append(curve(0, main["log_size"], main["measured"], f"$d={d:g}$, 10 public"))
        marks.append(bars(0, main["log_size"], main["low"], main["high"], like(f"$d={d:g}$, 10 public")))
        marks.append(curve(0, others["log_size"], others["measured"], f"$d={d:g}$, others"))
    line = np.linspace(0, own["log_size"].max() * 1.05, 20)
    marks.append(curve(0, line, 2 / epsilon * line, "$(2/\\varepsilon)\\ln|G|$"))
    marks.append(curve(0, line, 0.4 / epsilon * line, "a fifth of it"))
    sizes = table[table["quantity"].str.startswith("ln|G| of points")]
    marks += [curve(1, m["d"], m["measured"] / m["against"]) for _, m in sizes.groupby("n_public")]
    return [*marks, level(1, 1)]


def texts(tables, epsilon=1.0) -> list[PanelText]:
    table = tables["measurements"]
    in_d = rows(table, epsilon=epsilon, quantity="exponent of the excess in ln|G|, d growing").iloc[0]
    in_m = [
        rows(table, epsilon=epsilon, quantity="exponent of the excess in ln|G|, m growing", d=d)["measured"].iloc[0]
        for d in (1, 2)
    ]
    title = f"exponent in $\\ln|G|$: with $d$ {in_d['measured']:.2f} ($m={in_d['n_public']:g}$),\n"
    title += f"with $m$ {in_m[0]:.2f} ($d=1$), with $m$ {in_m[1]:.2f} ($d=2$)"
    sizes = table[table["quantity"].str.startswith("ln|G| of points")]["n_public"].unique()
    notes = tuple(f"$m$ = {m:,.0f}" for m in sizes)
    return [
        PanelText(title, "$\\ln|G|$", "mistakes beyond the least, mean", cut=True),
        PanelText("", "dimension $d$", "$\\ln|G|$ / $(d^2 \\ln m)$", notes=notes),
    ]
