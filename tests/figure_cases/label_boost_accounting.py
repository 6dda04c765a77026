"""``label_boost_accounting``: epsilon by rounds, and examples by constants."""

from drawn import PanelText, Shown, curve, level, like, rows

CONSTANTS = {
    "paper": "100/300 (paper)",
    "exact": "17/6",
    "exact_least": "17/3 (least, exact)",
    "sharp": "11/6",
    "sharp_least": "11/3 (least, sharp)",
}


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BNS15-L4.6-sharp")
    marks = [level(0, 1.0)]
    for place, (name, label) in enumerate(CONSTANTS.items()):
        own_rows = rows(own, constants=name)
        for _, part in rows(own_rows, quantity="epsilon by rounds").groupby("accountant"):
            marks.append(curve(0, part["rounds"], part["measured"], like(label)))
        cost = rows(own_rows, quantity="unlabelled examples for each example of the base learner")
        marks.append(curve(1, [place], cost["measured"], like(label)))
        least = rows(own_rows, quantity="least labelled examples at which the rounds end")
        marks.append(curve(2, least["n"], least["measured"], label))
    return marks


def texts(tables) -> list[PanelText]:
    readers = tuple(f"left: {name} accountant" for name in ("paper", "exact", "sharp"))
    return [
        PanelText("", "rounds", "$\\varepsilon$", "linear linear", legend=readers),
        PanelText("", "keep ratios", "unlabelled / base example", "linear log"),
        PanelText("", "base examples $n$", "labelled examples", "log log"),
    ]
