"""``label_boost_accounting``: epsilon by rounds, and examples by constants."""

from drawn import Said, Shown, curve, level, like, rows

CONSTANTS = {
    "paper": "100/300 (paper)",
    "exact": "17/6",
    "exact_least": "17/3 (least, exact)",
    "sharp": "11/6",
    "sharp_least": "11/3 (least, sharp)",
}


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BNS15-L4.6-sharp")
    found = [level(0, 1.0)]
    for place, (name, label) in enumerate(CONSTANTS.items()):
        mine = rows(own, constants=name)
        for _, part in rows(mine, quantity="epsilon by rounds").groupby("accountant"):
            found.append(curve(0, part["rounds"], part["measured"], like(label)))
        cost = rows(mine, quantity="unlabelled examples for each example of the base learner")
        found.append(curve(1, [place], cost["measured"], like(label)))
        least = rows(mine, quantity="least labelled examples at which the rounds end")
        found.append(curve(2, least["n"], least["measured"], label))
    return found


def said(tables) -> list[Said]:
    readers = tuple(f"left: {name} accountant" for name in ("paper", "exact", "sharp"))
    return [
        Said("", "rounds", "$\\varepsilon$", "linear linear", legend=readers),
        Said("", "keep ratios", "unlabelled / base example", "linear log"),
        Said("", "base examples $n$", "labelled examples", "log log"),
    ]
