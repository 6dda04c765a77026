"""``mixture_gap``: the counterexample twice, above; shares of data sets by kind and dimension, below."""

from drawn import PanelText, Shown, curve, level, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    marks = []
    for panel, mode in enumerate(("containing", "facet")):
        here = rows(table, mode=mode)
        places = rows(here, quantity="x_1 of an example of the counterexample")
        ends = rows(here, quantity="x_1 of an end of the region with label 0")
        marks += [level(panel, 0), curve(panel, ends["measured"], [0, 0], "region: label 0")]
        for status, label in (("public", "public, label 0"), ("private", "private, label 1")):
            part = rows(places, status=status)
            marks.append(curve(panel, part["measured"], part["x_2"], label))
        wrong = rows(places, mistaken=1)
        marks.append(curve(panel, wrong["measured"], wrong["x_2"], "mistake"))
    better = rows(
        table, claim="BMN20-GSTAR", quantity="G better than the best halfspace, share of data sets", mode="facet"
    )
    without = rows(table, quantity="data sets without a g*, share")
    kinds = list(dict.fromkeys(better["points"]))[::-1]
    for panel, part in ((2, better), (3, without)):
        for d in (1, 2, 3):
            own = rows(part, d=d)
            heights = [kinds.index(kind) + 0.27 * (2 - d) for kind in own["points"]]
            marks.append(curve(panel, own["measured"], heights, f"$d={d}$"))
    return marks


def texts(tables) -> list[PanelText]:
    table, panels = tables["measurements"], []
    for mode, words in (
        ("containing", "boundaries may contain all public points"),
        ("facet", "facet mode: boundaries inside the affine hull"),
    ):
        wrong = len(rows(table, mode=mode, mistaken=1, quantity="x_1 of an example of the counterexample"))
        panels.append(PanelText(f"{words}:\n{wrong} mistakes, the best halfspace makes none", "$x_1$", cut=True))
    gates = rows(table, claim="BMN20-GSTAR", quantity="data sets without a g*")
    better = rows(table, claim="BMN20-GSTAR", quantity="G better than the best halfspace, share of data sets")
    kinds = list(dict.fromkeys(rows(better, mode="facet")["points"]))[::-1]
    worse, tried = (
        rows(gates, **values).groupby("points")[column].sum()
        for values, column in (({}, "measured"), ({"mode": "facet"}, "data_sets"))
    )
    ticks = tuple(f"{kind} ({worse[kind]:.0f} of {tried[kind]:,.0f})" for kind in kinds)
    share, y = "share of data sets", "data sets (G worse in facet or full mode, of all)"
    return [
        *panels,
        PanelText("facet mode: G better than ERM", share, y, ticks=ticks),
        PanelText("literal reading: G worse than ERM", share, ticks=ticks),
    ]
