"""``mixture_subsample``: losses at the largest n; errors with the best subset and the term of the draw."""

from drawn import PanelText, Shown, curve, like, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    marks = []
    for d, part in rows(table, n=table["n"].max()).groupby("d"):
        mean = rows(part, quantity="mean loss of the best of G, share of the public points")
        worst = rows(part, quantity="largest loss of the best of G, share of the public points")
        marks.append(curve(0, mean["subset"], mean["measured"], f"mean, $d={d:g}$"))
        marks.append(curve(0, mean["subset"], mean["bound"], f"$\\gamma$, $d={d:g}$"))
        marks.append(curve(0, worst["subset"], worst["measured"], f"largest, $d={d:g}$"))
    for panel, (_, of_d) in enumerate(table.groupby("d"), 1):
        errors = rows(of_d, quantity="mean error of A_LearnHalf less that of the best halfspace")
        for (n, epsilon), part in errors.groupby(["n", "epsilon"]):
            label = f"$n={n:,.0f}$, $\\varepsilon={epsilon:g}$".replace(",", "{,}", n >= 1000)
            marks.append(curve(panel, part["subset"], part["measured"], label))
            best = part.sort_values("measured").head(1)
            marks.append(curve(panel, best["subset"], best["measured"], like(label)))
        terms = rows(of_d, quantity="ln|G| term of the draw, (2 / (epsilon n)) ln|G|", epsilon=errors["epsilon"].min())
        marks += [curve(panel, part["subset"], part["measured"]) for _, part in terms.groupby("n")]
    return marks


def texts(tables) -> list[PanelText]:
    table, subset = tables["measurements"], "public points in the subset"
    largest = f"{table['n'].max():,.0f}".replace(",", "{,}")
    panels = [PanelText(f"loss of the best of $G$, $n={largest}$", subset, "share of the public points", "log log")]
    for i, d in enumerate(sorted(table["d"].unique())):
        mean = "" if i else "mean excess error"
        epsilon = rows(table, quantity="mean error of A_LearnHalf less that of the best halfspace", d=d)[
            "epsilon"
        ].min()
        legend = ("best size of the subset", f"$\\ln|G|$ term, $\\varepsilon={epsilon:g}$")
        panels.append(PanelText(f"error of A_LearnHalf, $d={d:g}$", subset, mean, "log log", legend=legend))
    return panels
