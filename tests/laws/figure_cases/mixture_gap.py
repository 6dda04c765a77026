"""``mixture_gap``: the counterexample twice, above; shares of data sets by kind and dimension, below."""

from drawn import Shown, curve, level, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    found = []
    for panel, mode in enumerate(("containing", "facet")):
        here = rows(table, mode=mode)
        places = rows(here, quantity="x_1 of an example of the counterexample")
        ends = rows(here, quantity="x_1 of an end of the region with label 0")
        found += [level(panel, 0), curve(panel, ends["measured"], [0, 0], "region: label 0")]
        for status, label in (("public", "public, label 0"), ("private", "private, label 1")):
            part = rows(places, status=status)
            found.append(curve(panel, part["measured"], part["x_2"], label))
        wrong = rows(places, mistaken=1)
        found.append(curve(panel, wrong["measured"], wrong["x_2"], "mistake"))
    better = rows(
        table, claim="BMN20-GSTAR", quantity="G better than the best halfspace, share of data sets", mode="facet"
    )
    without = rows(table, quantity="data sets without a g*, share")
    kinds = list(dict.fromkeys(better["points"]))[::-1]
    for panel, part in ((2, better), (3, without)):
        for d in (1, 2, 3):
            own = rows(part, d=d)
            heights = [kinds.index(kind) + 0.27 * (2 - d) for kind in own["points"]]
            found.append(curve(panel, own["measured"], heights, f"$d={d}$"))
    return found
