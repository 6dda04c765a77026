"""``own_statistics``: errors with limits, by kind of public rows, values and epsilon, one panel for each statistic."""

from drawn import PanelText, Shown, bars, curve, rows

KINDS = ["no public row", "same population", "three rows", "other numbers", "other groups", "all at an end"]
PANELS = ["count by a", "count by a, b", "mean of v by a"]
LEANING = "leans on public rows"
SERIES = {
    "noise alone, epsilon 1": (1.0, "noise", -0.27),
    "leaning on public rows and other groups, epsilon 1": (1.0, LEANING, -0.09),
    "noise alone, epsilon 10": (10.0, "noise", 0.09),
    "leaning on public rows and other groups, epsilon 10": (10.0, LEANING, 0.27),
}


def shown(tables) -> list[Shown]:
    marks = []
    quantity = "mean absolute error / that of noise alone without public rows"
    of_claim = rows(tables["measurements"], claim="OWN-STATISTICS-unharmed", quantity=quantity)
    for panel, statistic in enumerate(PANELS):
        for label, (epsilon, value, aside) in SERIES.items():
            own = rows(of_claim, statistic=statistic, epsilon=epsilon)
            without = "leans on other groups" if value == LEANING else value
            part = [rows(own, public=kind, value=without if kind == KINDS[0] else value).iloc[0] for kind in KINDS]
            x = [place + aside for place in range(len(KINDS))]
            marks.append(curve(panel, x, [row["measured"] for row in part], label))
            marks.append(bars(panel, x, [row["low"] for row in part], [row["high"] for row in part]))
    return marks


def texts(tables) -> list[PanelText]:
    heights = ("error / noise without public rows", "", "")
    return [
        PanelText(title, "", height, "linear linear", ticks=tuple(KINDS))
        for title, height in zip(PANELS, heights, strict=True)
    ]
