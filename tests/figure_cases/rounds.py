"""``rounds``: rounds against log* n and sizes by round, for three constants and two starts."""

from drawn import Said, Shown, curve, like, rows

LABELS = {"paper": "100/300 (paper)", "exact": "17/6", "sharp": "11/6"}


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BNS15-R4.10")
    found = []
    for constants, label in LABELS.items():
        for start in ("claim 4.9", "least"):
            count = rows(own, quantity="rounds, by constants", constants=constants, start=start)
            found.append(curve(0, count["height"], count["measured"], like(label)))
            size = rows(own, quantity="log* of |S_i|, interpolated", constants=constants, start=start)
            found.append(curve(1, size["i"], size["measured"], label if start == "claim 4.9" else like(label)))
    stars = rows(own, quantity="rounds - log* n, largest of the grid")["log*"]
    return [*found, curve(0, stars, stars, "$\\log^*n$")]


def said(tables) -> list[Said]:
    starts = ("start of claim 4.9", "least start")
    return [
        Said("", "$\\log^*n$ of the base learner's examples", "rounds", "linear linear", legend=starts),
        Said("", "round $i$", "$\\log^*$ of labelled examples", "linear linear"),
    ]
