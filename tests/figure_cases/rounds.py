"""``rounds``: rounds against log* n and sizes by round, for three constants and two starts."""

from drawn import PanelText, Shown, curve, like, rows

LABELS = {"paper": "100/300 (paper)", "exact": "17/6", "sharp": "11/6"}


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BNS15-R4.10")
    marks = []
    for constants, label in LABELS.items():
        for start in ("claim 4.9", "least"):
            count = rows(own, quantity="rounds, by constants", constants=constants, start=start)
            marks.append(curve(0, count["height"], count["measured"], like(label)))
            size = rows(own, quantity="log* of |S_i|, interpolated", constants=constants, start=start)
            marks.append(curve(1, size["i"], size["measured"], label if start == "claim 4.9" else like(label)))
    stars = rows(own, quantity="rounds - log* n, largest of the grid")["log*"]
    return [*marks, curve(0, stars, stars, "$\\log^*n$")]


def texts(tables) -> list[PanelText]:
    starts = ("start of claim 4.9", "least start")
    return [
        PanelText("", "$\\log^*n$ of the base learner's examples", "rounds", "linear linear", legend=starts),
        PanelText("", "round $i$", "$\\log^*$ of labelled examples", "linear linear"),
    ]
