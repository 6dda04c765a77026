"""``own_statistics``: errors with limits, by kind of public rows, values and epsilon, one panel for each statistic."""

from drawn import Said, Shown, bars, curve, rows

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
    found = []
    quantity = "mean absolute error / that of noise alone without public rows"
    of_claim = rows(tables["measurements"], claim="OWN-STATISTICS-unharmed", quantity=quantity)
    for panel, statistic in enumerate(PANELS):
        for label, (epsilon, value, aside) in SERIES.items():
            own = rows(of_claim, statistic=statistic, epsilon=epsilon)
            without = "leans on other groups" if value == LEANING else value
            part = [rows(own, public=one, value=without if one == KINDS[0] else value).iloc[0] for one in KINDS]
            x = [place + aside for place in range(len(KINDS))]
            found.append(curve(panel, x, [one["measured"] for one in part], label))
            found.append(bars(panel, x, [one["low"] for one in part], [one["high"] for one in part]))
    return found


def said(tables) -> list[Said]:
    heights = ("error / noise without public rows", "", "")
    return [
        Said(title, "", height, "linear linear", ticks=tuple(KINDS))
        for title, height in zip(PANELS, heights, strict=True)
    ]
